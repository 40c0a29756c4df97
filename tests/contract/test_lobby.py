"""The contract of ``Lobby``: all of a change, or none of it."""

from dataclasses import dataclass, replace
from uuid import uuid4

import pytest

from arbiter.adapters.items.lobby import (
    PLAYER_KEPT_SECONDS,
    challenge_key,
    item_of_player,
    item_of_pool,
    player_key,
    pool_key,
)
from arbiter.application.ports import LobbyChange
from arbiter.core.clocks import TimeControl
from arbiter.core.game import Game, Seat, Variant
from arbiter.core.pairing import MAX_SLOW_GAMES, Player, Pool, seated
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import ColorPreference, Terms
from tests.builders import NOW_MS, a_game
from tests.contract.candidates import Store, item_at
from tests.contract.race import race


@dataclass(frozen=True)
class Meeting:
    """Two players and the pool they meet in, all new."""

    pool: Pool
    asking: Player
    waiting: Player

    @property
    def _waiting(self) -> Player:
        remembering = replace(self.waiting, requests=((b"\x01" * 8, NOW_MS),))
        return replace(remembering, waits_in=self.pool.name, challenges=("cd" * 16, "ef" * 16))

    @property
    def queued(self) -> LobbyChange:
        """One of them comes to wait."""
        seek = Seek("ab" * 32, Seat(self.waiting.id, "native"), NOW_MS)
        return LobbyChange(
            pools=((self.pool, replace(self.pool, waiting=(seek,))),),
            players=((self.waiting, self._waiting),),
        )

    def paired(self, store: Store, game: Game) -> LobbyChange:
        """The other comes, and they play."""
        pool, waiting = store.lobby.pool(self.pool.name), store.lobby.player(self.waiting.id)
        asking = store.lobby.player(self.asking.id)
        remembering = replace(asking, game_id=game.id, requests=((b"\x02" * 8, NOW_MS),))
        return LobbyChange(
            pools=((pool, replace(pool, waiting=())),),
            players=((asking, remembering), (waiting, seated(waiting, game))),
            game=game,
        )


@pytest.fixture
def meeting() -> Meeting:
    return Meeting(Pool(uuid4().hex), Player(uuid4().hex * 2), Player(uuid4().hex * 2))


ALL_TERMS = Terms(
    time=TimeControl(base_ms=180_000, increment_ms=2000),
    rated=True,
    variant=Variant.CHESS960,
    color=ColorPreference.BLACK,
    rating_range=(1400, 1800),
    is_bot=True,
    welcomes_bots=True,
    link_key="ab" * 32,
    start_fen="8/P6k/8/8/8/8/8/K7 w - - 0 1",
    opponent="ab" * 32,
)
"""Nothing as usual; no dialect would let all of it pass."""


def a_challenge() -> Challenge:
    return Challenge(Seek(uuid4().hex * 2, Seat("ab" * 32, "native"), NOW_MS, ALL_TERMS, 1733))


def a_new_game() -> Game:
    return replace(a_game(), id=uuid4().hex)


def standing(store: Store, meeting: Meeting) -> tuple[Pool, Player, Player]:
    return (
        store.lobby.pool(meeting.pool.name),
        store.lobby.player(meeting.asking.id),
        store.lobby.player(meeting.waiting.id),
    )


def test_many_players_are_read_together_as_each_is_alone(store: Store, meeting: Meeting) -> None:
    store.lobby.commit(meeting.queued)
    players = [meeting.asking.id, meeting.waiting.id, *(uuid4().hex * 2 for _ in range(98))]

    assert store.lobby.load_players(players) == {id_: store.lobby.player(id_) for id_ in players}
    assert store.lobby.load_players(players)[meeting.waiting.id].waits_in == meeting.pool.name


def test_a_player_who_comes_to_wait_is_found_waiting_once(store: Store, meeting: Meeting) -> None:
    assert standing(store, meeting) == (meeting.pool, meeting.asking, meeting.waiting)
    assert (meeting.pool.item_version, meeting.asking.item_version) == (0, 0)
    change = meeting.queued
    assert store.lobby.commit(change)
    assert not store.lobby.commit(change)

    pool, asking, waiting = standing(store, meeting)
    assert pool == replace(change.pools[0][1], item_version=1)
    assert waiting == replace(change.players[0][1], item_version=1)
    assert asking == meeting.asking


def test_a_pairing_changes_pool_players_and_games(store: Store, meeting: Meeting) -> None:
    store.lobby.commit(meeting.queued)
    game = a_new_game()

    assert store.lobby.commit(meeting.paired(store, game))

    assert store.games.load(game.id) == game
    assert standing(store, meeting) == (
        Pool(meeting.pool.name, (), 2),
        Player(meeting.asking.id, game.id, requests=((b"\x02" * 8, NOW_MS),), item_version=1),
        replace(
            Player(meeting.waiting.id, game.id, requests=((b"\x01" * 8, NOW_MS),), item_version=2),
            set_aside=("cd" * 16, "ef" * 16),
        ),
    )


def test_a_challenge_is_kept_with_all_it_says_until_gone(store: Store, meeting: Meeting) -> None:
    """Making or deleting it a second time changes nothing."""
    challenge, player = a_challenge(), meeting.asking
    assert store.lobby.challenge(challenge.id) is None

    for before, new, game in ((None, challenge, None), (challenge, None, a_new_game())):
        change = LobbyChange(challenges=((before, new),), game=game)
        assert store.lobby.commit(change)
        assert not store.lobby.commit(replace(change, players=((player, player),)))
        assert store.lobby.challenge(challenge.id) == new

    assert store.lobby.player(player.id) == player


def test_fifty_games_of_a_player_are_listed_with_them_and_read_together(store: Store) -> None:
    games = [a_new_game() for _ in range(MAX_SLOW_GAMES)]
    player = Player(uuid4().hex * 2)
    listing = replace(player, slow_games=tuple(game.id for game in games))
    change = LobbyChange(players=((player, listing),), other_games=tuple(games))

    assert store.lobby.commit(change)

    found = store.lobby.player(player.id)
    assert found == replace(listing, item_version=1)
    assert store.games.load_all(found.slow_games) == {game.id: game for game in games}


@pytest.mark.parametrize("is_late", [False, True])
def test_a_rematch_begins_as_its_game_names_it_or_not(store: Store, *, is_late: bool) -> None:
    game, following = a_new_game(), a_new_game()
    assert store.lobby.commit(LobbyChange(game=game))
    stored = finished = replace(game, next_game_id=following.id, item_version=game.item_version + 1)
    if is_late:
        stored = replace(game, white_strikes=1, item_version=game.item_version + 1)
        store.games.commit(game, stored)

    made = store.lobby.commit(LobbyChange(game=following, finished=(game, finished)))

    assert made == (not is_late)
    assert store.games.load(game.id) == stored
    assert store.games.load(following.id) == (None if is_late else following)


def test_the_games_of_a_batch_begin_together_or_not_at_all(store: Store) -> None:
    one, other, third = a_new_game(), a_new_game(), a_new_game()
    assert store.lobby.commit(LobbyChange(other_games=(one, other)))
    assert [store.games.load(game.id) for game in (one, other)] == [one, other]

    assert not store.lobby.commit(LobbyChange(other_games=(third, other)))
    assert store.games.load(third.id) is None


def test_two_pools_change_together_or_not_at_all(store: Store, meeting: Meeting) -> None:
    one, other = meeting.pool, Pool(uuid4().hex)
    both = LobbyChange(pools=((one, one), (other, other)))
    assert store.lobby.commit(LobbyChange(pools=((other, other),)))
    newer = store.lobby.pool(other.name)

    assert not store.lobby.commit(both)
    assert store.lobby.pool(one.name).item_version == 0
    assert store.lobby.commit(replace(both, pools=((one, one), (newer, newer))))
    assert [store.lobby.pool(pool.name).item_version for pool in (one, other)] == [1, 2]


@pytest.mark.parametrize("moved", ["pool", "asking", "waiting", "game"])
def test_a_pairing_happens_wholly_or_not_at_all(store: Store, meeting: Meeting, moved: str) -> None:
    store.lobby.commit(meeting.queued)
    game = a_new_game()
    late = meeting.paired(store, game)
    pool, asking, waiting = standing(store, meeting)
    other = replace(game, changed_at_ms=NOW_MS + 1)
    between = {
        "pool": LobbyChange(pools=((pool, pool),)),
        "asking": LobbyChange(players=((asking, asking),)),
        "waiting": LobbyChange(players=((waiting, waiting),)),
        "game": LobbyChange(game=other),
    }
    assert store.lobby.commit(between[moved])
    before = standing(store, meeting)

    assert not store.lobby.commit(late)

    assert standing(store, meeting) == before
    assert store.games.load(game.id) == (other if moved == "game" else None)


@pytest.mark.parametrize("turn", range(5))
def test_of_two_pairings_at_once_one_happens(store: Store, meeting: Meeting, turn: int) -> None:
    store.lobby.commit(meeting.queued)
    games = [a_new_game(), a_new_game()]
    changes = [meeting.paired(store, game) for game in games]
    happened: dict[int, bool] = {}

    def commit(at: int) -> None:
        happened[at] = store.lobby.commit(changes[at])

    race(lambda: commit(0), lambda: commit(1))

    winner = 0 if happened[0] else 1
    assert happened == {winner: True, 1 - winner: False}
    assert store.games.load(games[winner].id) == games[winner]
    assert store.games.load(games[1 - winner].id) is None
    assert {p.game_id for p in standing(store, meeting)[1:]} == {games[winner].id}


def test_a_change_may_be_empty_and_names_no_player_twice(store: Store, meeting: Meeting) -> None:
    assert store.lobby.commit(LobbyChange())
    twice = ((meeting.asking, meeting.asking), (meeting.asking, meeting.asking))

    with pytest.raises(ValueError, match="once"):
        store.lobby.commit(LobbyChange(players=twice))

    assert store.lobby.player(meeting.asking.id) == meeting.asking


def test_a_player_expires_unless_they_have_a_game(table: Store, meeting: Meeting) -> None:
    key = player_key(meeting.waiting.id)

    def expiry() -> dict[str, str] | None:
        return item_at(table, key).get("expires_at")

    table.lobby.commit(meeting.queued)
    assert expiry() == {"N": str(NOW_MS // 1000 + PLAYER_KEPT_SECONDS)}

    table.lobby.commit(meeting.paired(table, a_new_game()))
    assert expiry() is None

    player = table.lobby.player(meeting.waiting.id)
    table.lobby.commit(LobbyChange(players=((player, replace(player, game_id=None)),)))
    assert expiry() == {"N": str(NOW_MS // 1000 + PLAYER_KEPT_SECONDS)}


def test_a_challenge_expires_when_it_can_no_longer_be_accepted(table: Store) -> None:
    challenge = a_challenge()
    table.lobby.commit(LobbyChange(challenges=((None, challenge),)))

    item = item_at(table, challenge_key(challenge.id))
    assert 0 <= int(item["expires_at"]["N"]) * 1000 - challenge.expires_at_ms() <= 1000


def test_what_a_newer_schema_wrote_survives(table: Store, meeting: Meeting) -> None:
    newer = {"s": {"N": "2"}, "rating": {"N": "1500"}}
    player, pool = replace(meeting.asking, item_version=1), replace(meeting.pool, item_version=1)
    for item in (item_of_player(player, NOW_MS), item_of_pool(pool)):
        table.client.put_item(TableName=table.table, Item={**item, **newer})

    assert table.lobby.commit(LobbyChange(pools=((pool, pool),), players=((player, player),)))

    for key in (player_key(player.id), pool_key(pool.name)):
        kept = item_at(table, key)
        assert {name: kept[name] for name in newer} == newer
        assert kept["v"] == {"N": "2"}
