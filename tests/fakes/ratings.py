"""Ratings in memory, under the same contract suite as DynamoDB's."""

import re
from collections.abc import Collection, Mapping
from threading import RLock

from arbiter.core.clocks import Speed
from arbiter.core.ratings import RatedGame, Standing
from tests.fakes.faults import Hook, quiet


class FakeRatings:
    """Points of the hook: ``ratings.standing``, ``ratings.load_standings``, ``ratings.rated``,
    ``ratings.pair``, ``ratings.commit`` and ``ratings.committed``.
    """

    def __init__(self, *standings: Standing, hook: Hook = quiet) -> None:
        self.standings = {(one.player, one.speed): one for one in standings}
        self.games: dict[str, RatedGame] = {}
        self.pairs: dict[tuple[frozenset[str], int], int] = {}
        self.hook = hook
        self.lock = RLock()

    def standing(self, player_id: str, speed: Speed) -> Standing:
        self.hook("ratings.standing")
        return self.standings.get((player_id, speed), Standing(player_id, speed))

    def load_standings(self, player_ids: Collection[str], speed: Speed) -> Mapping[str, Standing]:
        self.hook("ratings.load_standings")
        return {id_: self.standings.get((id_, speed), Standing(id_, speed)) for id_ in player_ids}

    def rated(self, game_id: str) -> RatedGame | None:
        if not re.fullmatch("[0-9a-f]{32}", game_id):
            raise ValueError("a game id is 32 lower-case hexadecimal digits")
        self.hook("ratings.rated")
        return self.games.get(game_id)

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        self.hook("ratings.pair")
        return self.pairs.get((frozenset((one, other)), day), 0)

    def commit(self, rated: RatedGame) -> bool:
        self.hook("ratings.commit")
        with self.lock:
            if rated.game_id in self.games:
                return False
            pair = frozenset((rated.white[0].player, rated.black[0].player)), rated.day
            if rated.of_pair and self.pairs.get(pair, 0) != rated.of_pair - 1:
                return False
            for before, _ in (rated.white, rated.black):
                key = (before.player, before.speed)
                stored = self.standings.get(key, Standing(*key)).games
                if rated.counted and stored != before.games:
                    return False
            self.games[rated.game_id] = rated
            if rated.of_pair:
                self.pairs[pair] = rated.of_pair
            for _, after in (rated.white, rated.black) if rated.counted else ():
                self.standings[after.player, after.speed] = after
        self.hook("ratings.committed")
        return True

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        if not 1 <= limit <= 100:
            raise ValueError("a leaderboard has one to a hundred ranks")
        ranked = [
            one
            for one in self.standings.values()
            if one.speed is speed and not one.rating.is_provisional(now_ms)
        ]
        ranked.sort(key=lambda one: one.rating.value, reverse=True)
        return tuple(ranked[:limit])
