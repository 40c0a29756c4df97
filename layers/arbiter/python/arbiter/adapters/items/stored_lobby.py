"""The lobby, and the game of each browser, as items of a table."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from arbiter.adapters.items import lobby
from arbiter.adapters.items.attributes import log_conflict
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.table import Table, Update, Writes
from arbiter.application.ports import Clock, LobbyChange
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge

# Under a megabyte, and more than one process serves in its hours of life.
_BROWSERS_REMEMBERED = 4_096


class StoredLobby:
    """Players, pools and challenges, in the same table as the games."""

    def __init__(self, table: Table, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def player(self, player_id: str) -> Player:
        item = self._table.find(lobby.player_key(player_id))
        return lobby.player_of_item(item) if item else Player(player_id)

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        found = self._table.find_all(
            {player_id: lobby.player_key(player_id) for player_id in player_ids}
        )
        return {
            player_id: lobby.player_of_item(item) if item else Player(player_id)
            for player_id, item in found.items()
        }

    def pool(self, name: str) -> Pool:
        item = self._table.find(lobby.pool_key(name))
        return lobby.pool_of_item(item) if item else Pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        item = self._table.find(lobby.challenge_key(challenge_id))
        return lobby.challenge_of_item(item) if item else None

    def commit(self, change: LobbyChange) -> bool:
        # AWS refuses that with an error of its own; emulators differ.
        if len({was.id for was, _ in change.players}) < len(change.players):
            raise ValueError("a transaction may name an item once")
        writes = Writes(
            updates=[*_updates(change, self._clock.now_ms())],
            made=[lobby.item_of_challenge(made) for _, made in change.challenges if made],
            gone=[
                lobby.challenge_key(was.id) for was, made in change.challenges if was and not made
            ],
            games=change.new_games,
        )
        if not (writes.updates or writes.made or writes.gone or writes.games):
            return True
        is_written = self._table.write(writes)
        if not is_written:
            log_conflict("lobby")
        return is_written


def _updates(change: LobbyChange, now_ms: int) -> Iterator[Update]:
    for before, after in change.pools:
        stamped = replace(after, item_version=before.item_version + 1)
        yield before.item_version, lobby.item_of_pool(before), lobby.item_of_pool(stamped)
    for was, becomes in change.players:
        player = replace(becomes, item_version=was.item_version + 1)
        # The old item's expiry is unknown: any other date makes a renewal a change.
        yield was.item_version, lobby.item_of_player(was, 0), lobby.item_of_player(player, now_ms)
    if change.finished:
        game, ended = change.finished
        yield game.item_version, item_of_game(game), item_of_game(ended)


class StoredBrowsers:
    """The browsers of one table, whose items have only a hash of an id, since it is a password."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known = lru_cache(_BROWSERS_REMEMBERED)(self._found)

    def game_of(self, browser_id: str) -> str | None:
        """The id of this browser's game, or None. Cached, since it never changes."""
        try:
            return self._known(lobby.browser_key(browser_id)["pk"]["S"])
        except _Unknown:
            return None

    def start(self, browser_id: str, game: Game) -> bool:
        """Write game and browser together; False if the browser id has another game."""
        browser = lobby.item_of_browser(browser_id, game.id)
        if self._table.write(Writes(made=[browser], games=[game])):
            return True
        return self.game_of(browser_id) == game.id

    def _found(self, pk: str) -> str:
        item = self._table.find({"pk": {"S": pk}})
        if item is None:
            raise _Unknown
        return lobby.game_id_of_browser(item)


class _Unknown(Exception):
    """No game was started in this browser, which is not remembered."""
