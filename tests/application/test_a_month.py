"""Fifty games of a player for a month: every deadline holds, and a move costs what any does."""

import heapq
import random
from collections import Counter
from itertools import count

import chess

from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import Timer
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game, Termination
from arbiter.core.pairing import MAX_SLOW_GAMES
from tests.application.world import World
from tests.builders import ALICE, SERVER, a_key, an_event

MONTH_MS, MOVE_MS = 30 * DAY_MS, 2 * DAY_MS
LATEST_MS = 62_000
"""A flag falls so long after its deadline where moves take days (PROTOCOL.md, Clocks)."""


class Month:
    """Alice's games, event by event. Each other opponent stops to move at some time."""

    def __init__(self) -> None:
        self.chance, self.numbers = random.Random(7), count()
        self.world = World()
        self.ends_at = self.world.clock.ms + MONTH_MS
        self.agenda: list[tuple[int, int, str | Timer]] = []
        """When what happens: a move in this game, or a timer."""
        self.calls: Counter[str] = Counter()
        self.costs: set[tuple[tuple[str, int], ...]] = set()
        self.keys = [a_key(f"opponent of a month {number}") for number in range(MAX_SLOW_GAMES)]
        self.games = [self._begun(number) for number in range(MAX_SLOW_GAMES)]
        self.flags: dict[str, tuple[int, int]] = {}
        """The deadline that a game had last, and when it ended on time."""
        for hooked in (self.world.games, self.world.lobby, self.world.ratings):
            hooked.hook = lambda point: self.calls.update([point])

    def game(self, game_id: str) -> Game:
        game = self.world.games.by_id[game_id]
        assert game is not None
        return game

    def _begun(self, number: int) -> str:
        self.world.clock.ms += 5_000
        key, by_days = self.keys[number], ("time", "2d")
        asked = self.world.ask(ALICE, "", by_days, ("challenge", key.pubkey))
        answers = self.world.ask(key, "accept:" + asked[1].content.split(":")[1])
        game_id = next(event.tags[0][1] for event in answers if event.kind == 20302)
        self._plan(game_id)
        return game_id

    def _at(self, at_ms: int, what: str | Timer) -> None:
        heapq.heappush(self.agenda, (at_ms, next(self.numbers), what))

    def _plan(self, game_id: str) -> None:
        """Plan the next move, within its time, unless its player has stopped."""
        game = self.game(game_id)
        number = next(
            (at for at, key in enumerate(self.keys) if key.pubkey == game.seat(game.turn).player),
            0,
        )
        has_stopped = number % 2 == 1 and game.ply > number // 5
        if game.outcome is None and not has_stopped:
            self._at(
                self.world.clock.ms + self.chance.randrange(MOVE_MS // 2, MOVE_MS - 10_000), game_id
            )

    def _plan_timers(self) -> None:
        now_ms, timers = self.world.clock.ms, self.world.timers
        for body, seconds in timers.near:
            timer = parse_timer(body)
            assert timer is not None
            self._at(now_ms + 1000 * seconds, timer)
        for timer, second in timers.far.items():
            self._at(max(now_ms, 1000 * second), timer)
        timers.near.clear()
        timers.far.clear()

    def pass_by(self) -> None:
        self._plan_timers()
        while self.agenda and self.agenda[0][0] <= self.ends_at:
            at_ms, _, what = heapq.heappop(self.agenda)
            self.world.clock.ms = max(self.world.clock.ms, at_ms)
            if isinstance(what, Timer):
                self._fire(what)
            else:
                self._move(what)
            self._plan_timers()

    def _fire(self, timer: Timer) -> None:
        deadline_ms = self.game(timer.game_id).deadline_ms()
        entry = timer_entry(timer, self.world.clock.ms)
        assert self.world.deliver(self.world.record(entry.body)) == ()
        outcome = self.game(timer.game_id).outcome
        if deadline_ms is not None and outcome is not None:
            self.flags[timer.game_id] = deadline_ms, self.world.clock.ms

    def _move(self, game_id: str) -> None:
        game = self.game(game_id)
        if game.outcome is not None:
            return
        mover = game.seat(game.turn).player
        key = next(key for key in (ALICE, *self.keys) if key.pubkey == mover)
        move: chess.Move = self.chance.choice([*game.board().legal_moves])
        tags = (("d", game_id), ("p", SERVER.pubkey))
        self.calls.clear()
        told = self.world.hear(an_event(key, 20303, move.uci(), tags, self.world.clock.ms // 1000))
        assert any(event.kind == 20302 for event in told), told
        after = self.game(game_id)
        assert after.ply == game.ply + 1
        if after.outcome is None:
            self.costs.add(tuple(sorted(self.calls.items())))
        self._plan(game_id)


def test_fifty_games_of_a_month_end_at_their_deadlines_and_cost_what_one_does() -> None:
    month = Month()
    month.pass_by()
    games = [month.game(game_id) for game_id in month.games]
    late = {game.id: at - due for game in games for due, at in [month.flags.get(game.id, (0, 0))]}
    assert {game_id for game_id, ms in late.items() if not 0 <= ms <= LATEST_MS} == set()
    flagged = [it for it in games if it.outcome and it.outcome.termination is Termination.TIMEOUT]
    assert len(flagged) >= MAX_SLOW_GAMES // 3, "those whose opponents stopped"
    assert {game.id for game in flagged} <= month.flags.keys()
    overdue = [it for it in games if (due := it.deadline_ms()) and due + LATEST_MS < month.ends_at]
    assert overdue == []
    load, commit, committed = ("games.load", 1), ("games.commit", 1), ("games.committed", 1)
    assert month.costs == {(commit, committed, load)}
    assert sum(game.ply for game in games) > 10 * MAX_SLOW_GAMES
