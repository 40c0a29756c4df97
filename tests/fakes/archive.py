"""An archive of the games in memory, under the same contract suite as DynamoDB's."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from arbiter.application.queries import GameCursor, cursor_of
from arbiter.core.game import Game
from arbiter.core.pairing import Pool
from arbiter.core.seeks import Challenge
from tests.fakes.faults import Hook, quiet
from tests.fakes.stores import FakeGames, FakeLobby

T = TypeVar("T")


class FakeArchive:
    """Points of the hook: ``archive.games_of``, ``archive.live``, ``archive.pools`` and
    ``archive.open_challenges``.
    """

    def __init__(self, games: FakeGames, lobby: FakeLobby, hook: Hook = quiet) -> None:
        self.games = games
        self.lobby = lobby
        self.hook = hook

    def games_of(
        self, player_id: str, limit: int, after: GameCursor | None = None
    ) -> Sequence[Game]:
        if not re.fullmatch("[0-9a-f]{64}", player_id):
            raise ValueError("a player is 64 lower-case hexadecimal digits")
        self.hook("archive.games_of")
        return self._page(lambda game: game.color_of(player_id) is not None, limit, after)

    def live(self, limit: int, after: GameCursor | None = None) -> Sequence[Game]:
        self.hook("archive.live")
        return self._page(lambda game: game.outcome is None, limit, after)

    def pools(self, limit: int) -> Sequence[Pool]:
        self.hook("archive.pools")
        found = [pool for pool in self.lobby.pools.values() if pool.waiting]
        return self._newest(found, lambda pool: pool.waiting[0].asked_at_ms, limit)

    def open_challenges(self, limit: int) -> Sequence[Challenge]:
        self.hook("archive.open_challenges")
        found = [one for one in self.lobby.challenges.values() if one.is_for_all]
        return self._newest(found, lambda one: one.seek.asked_at_ms, limit)

    def _newest(self, found: list[T], asked_at_ms: Callable[[T], int], limit: int) -> Sequence[T]:
        if not 1 <= limit <= 100:
            raise ValueError("a list has one to a hundred entries")
        return sorted(found, key=asked_at_ms, reverse=True)[:limit]

    def _page(
        self, is_meant: Callable[[Game], bool], limit: int, after: GameCursor | None
    ) -> Sequence[Game]:
        if not 1 <= limit <= 100:
            raise ValueError("a page has one to a hundred games")
        found = (game for game in self.games.by_id.values() if is_meant(game))
        past = (game for game in found if after is None or cursor_of(game) < after)
        return sorted(past, key=cursor_of, reverse=True)[:limit]
