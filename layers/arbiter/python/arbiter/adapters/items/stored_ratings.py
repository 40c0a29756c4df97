"""Ratings and leaderboards as items of a table, the same as the games'.

Invariant: a game is rated once: both ratings and its mark are one transaction, if neither rating
changed and there is no mark. Leaderboards are one sparse index (decision 0011).
"""

from collections.abc import Collection, Iterator, Mapping

from arbiter.adapters.items import ratings
from arbiter.adapters.items.attributes import log_conflict, stamp
from arbiter.adapters.items.table import Table, Update, Writes
from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Standing

MAX_RANKS = 100


class StoredRatings:
    """The ratings of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def standing(self, player_id: str, speed: Speed) -> Standing:
        item = self._table.find(ratings.rating_key(player_id, speed))
        return ratings.standing_of_item(item) if item else Standing(player_id, speed)

    def load_standings(self, player_ids: Collection[str], speed: Speed) -> Mapping[str, Standing]:
        keys = {player_id: ratings.rating_key(player_id, speed) for player_id in player_ids}
        return {
            player_id: ratings.standing_of_item(item) if item else Standing(player_id, speed)
            for player_id, item in self._table.find_all(keys).items()
        }

    def rated(self, game_id: str) -> RatedGame | None:
        item = self._table.find(ratings.rated_key(game_id))
        return ratings.rated_game_of_item(item) if item else None

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        item = self._table.find(ratings.pair_key(one, other, day))
        return int(item["v"]["N"]) if item else 0

    def commit(self, rated: RatedGame) -> bool:
        updates = [_update(*change) for change in (rated.white, rated.black) if rated.counted]
        if rated.of_pair:
            pair = ratings.item_of_pair(rated)
            updates.append((rated.of_pair - 1, {**pair, **stamp(rated.of_pair - 1)}, pair))
        writes = Writes(updates=updates, made=[ratings.item_of_rated_game(rated)])
        is_written = self._table.write(writes)
        if not is_written:
            log_conflict("rating", rated.game_id)
        return is_written

    def all_rated(self) -> Iterator[RatedGame]:
        return map(ratings.rated_game_of_item, self._table.begin_with("rated#"))

    def replace(self, before: Standing, after: Standing) -> bool:
        if after.games == 0:
            gone = [ratings.rating_key(before.player, before.speed)] if before.games else []
            return not gone or self._table.write(Writes(gone=gone))
        return self._table.write(Writes(updates=[_update(before, after)]))

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        if not 1 <= limit <= MAX_RANKS:
            raise ValueError("a leaderboard has one to a hundred ranks")
        return self._table.best(speed, limit, now_ms)


def _update(before: Standing, after: Standing) -> Update:
    # A reader may have removed the old item from the index. The value "" is no speed, so the
    # attribute is written or removed either way.
    old = {**ratings.item_of_standing(before), "ladder": {"S": ""}}
    return before.games, old, ratings.item_of_standing(after)
