"""Fifty games of a player for a month in which listeners are restarted each day, the notice
function ends now and then, and players take vacations: every deadline holds, no player is charged
for a time in which none heard them or in which they were off, a move costs what any does, and the
player is told of each turn once, or twice where the function ended in between, and not too often.
On both stores.
"""

import heapq
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from typing import Any, cast

import chess
import pytest

from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.table import Table
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import NOTICE, Timer
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game, Termination
from arbiter.core.notices import EVERY_MS, MANY, Occasion
from arbiter.core.pairing import MAX_SLOW_GAMES
from arbiter.core.vacations import LAST_MS
from arbiter.nostr.keys import SecretKey
from tests.application.random_evening import empty_table
from tests.application.world import World
from tests.builders import ALICE, SERVER, a_key, an_event
from tests.fakes.faults import Crash
from tests.fakes.notices import FakeMessenger, NoticeWorld
from tests.fakes.policy import FixedPolicy

DAYS_OFF = 9
MONTH_MS, MOVE_MS = 30 * DAY_MS, 2 * DAY_MS
LATEST_MS = 62_000
"""A flag falls so long after its deadline where moves take days (PROTOCOL.md, Clocks)."""
AWAY_MS = (20_000, 2 * 60 * 60_000)
"""Least and longest time between two listeners; a shorter one is no outage."""
BACK_MS = 10_000
"""Time for clients to come back, in which no clock runs either."""


@dataclass(frozen=True)
class Away:
    """No listener hears the players for so long."""

    ms: int


@dataclass(frozen=True)
class Off:
    """A player of this game takes days off."""

    game_id: str
    key: SecretKey
    days: int


class CountedTable:
    """A table that counts its calls."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._table, name)

        def counted(*args: Any, **named: Any) -> Any:
            self.calls[name] += 1
            return called(*args, **named)

        return counted


@dataclass
class NotedMessenger(FakeMessenger):
    """Notes what each message is about, and what a process ended over."""

    recipients: StoredRecipients = field(default=cast("StoredRecipients", None))
    told: Counter[tuple[str, Occasion]] = field(default_factory=Counter)
    died_over: Counter[tuple[str, Occasion]] = field(default_factory=Counter)

    def send(self, to: str, text: str) -> bool:
        sending = self.recipients.load(to).sending
        assert sending is not None
        about = [(to, replace(one, by_ms=None)) for one in sending.occasions]
        self.told.update(about)
        try:
            return super().send(to, text)
        except Crash:
            self.died_over.update(about)
            raise


class Month:
    """Alice's games, event by event. Each other opponent stops to move at some time."""

    def __init__(self, table: Table) -> None:
        self.chance, self.fate, self.numbers = random.Random(7), random.Random(8), count()
        self.world = World()
        self.games_stored, counted = StoredGames(table), CountedTable(table)
        self.calls = counted.calls
        for_moves = cast("Table", counted)
        self.world.deps = replace(
            self.world.deps,
            games=StoredGames(for_moves),
            lobby=StoredLobby(for_moves, self.world.clock),
            ratings=StoredRatings(for_moves),
        )
        self.notices = NoticeWorld(self.world, table)
        self.messenger = NotedMessenger(recipients=self.notices.recipients)
        self.notices.messenger = self.messenger
        self.notices.deps = replace(
            self.notices.deps,
            games=self.games_stored,
            lobby=StoredLobby(table, self.world.clock),
            messenger=self.messenger,
        )
        self.world.ask(ALICE, "notify:dm")
        policy = self.world.deps.policy.store
        assert isinstance(policy, FixedPolicy)
        policy.policy = replace(policy.policy, vacation_days=DAYS_OFF)
        self.off: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """From when until when each player of each game was off."""
        self.ends_at = self.world.clock.ms + MONTH_MS
        self.agenda: list[tuple[int, int, str | Timer | Away | Off]] = []
        """When what happens: a move in this game, a timer, a restart of listeners, a vacation."""
        self.outages: list[tuple[int, int]] = []
        """When no listener heard, and when the next did, the last one perhaps not yet."""
        self.made_late = 0
        """The moves that a listener heard after the deadline."""
        self.deaths, self.told_ms = 0, list[int]()
        """Of the notice function, and when Alice was told."""
        self.costs: set[tuple[tuple[str, int], ...]] = set()
        self.keys = [a_key(f"opponent of a month {number}") for number in range(MAX_SLOW_GAMES)]
        self.games = [self._begun(number) for number in range(MAX_SLOW_GAMES)]
        self._at(self.world.clock.ms, Away(AWAY_MS[0]))
        self.flags: dict[str, tuple[int, int]] = {}
        """The deadline that a game had last, with the pauses of its clock, and when it ended."""

    def game(self, game_id: str) -> Game:
        game = self.games_stored.load(game_id)
        assert game is not None
        return game

    def _begun(self, number: int) -> str:
        self.world.clock.ms += 5_000
        key, by_days = self.keys[number], ("time", "2d")
        asked = self.world.ask(ALICE, "", by_days, ("challenge", key.pubkey))
        answers = self.world.ask(key, "accept:" + asked[1].content.split(":")[1])
        game_id = next(event.tags[0][1] for event in answers if event.kind == 20302)
        self._plan(game_id)
        for player in (ALICE, key, key):
            at_ms = self.world.clock.ms + self.chance.randrange(MONTH_MS)
            self._at(at_ms, Off(game_id, player, self.chance.randrange(1, DAYS_OFF)))
        return game_id

    @property
    def back_ms(self) -> int:
        """When a listener hears again, or heard again after the last restart."""
        return self.outages[-1][1] if self.outages else 0

    def falls_ms(self, game: Game) -> int:
        """When the time of the side to move ends: no outage of this turn is part of it, nor what is
        left of their vacations.
        """
        assert game.clocks is not None
        falls_ms = since_ms = game.clocks.since_ms
        falls_ms += MOVE_MS
        for from_ms, until_ms in self.off.get((game.id, game.seat(game.turn).player), ()):
            falls_ms += max(0, until_ms - max(from_ms, since_ms))
        for away_ms, back_ms in self.outages:
            if away_ms < falls_ms:
                falls_ms += max(0, back_ms + BACK_MS - max(away_ms, since_ms))
        return falls_ms

    def _at(self, at_ms: int, what: str | Timer | Away | Off) -> None:
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
            thought_ms = min(self.chance.randrange(2 * MOVE_MS), MOVE_MS - 10_000)
            self._at(self.world.clock.ms + thought_ms, game_id)

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
            now_ms = self.world.clock.ms = max(self.world.clock.ms, at_ms)
            self._report(now_ms)
            if isinstance(what, Timer):
                self._fire(what)
            elif isinstance(what, Away):
                self._restart(what)
            elif now_ms < self.back_ms:
                # The player signs the move anew once it had no answer for ten seconds.
                self._at(self.back_ms + self.chance.randrange(BACK_MS), what)
            elif isinstance(what, Off):
                self._rest(what)
            else:
                self._move(what)
            self._plan_timers()

    def _report(self, now_ms: int) -> None:
        """Listeners report every few seconds that they hear, but where they do not."""
        outages = self.world.outages
        if now_ms >= self.back_ms:
            outages.report_connected(self.back_ms)
            assert outages.known is not None
            outages.known = replace(outages.known, reported_at_ms=now_ms)

    def _restart(self, away: Away) -> None:
        now_ms, next_one = self.world.clock.ms, Away(self.chance.randrange(*AWAY_MS))
        self.outages.append((now_ms, now_ms + away.ms))
        self._at(self.back_ms + self.chance.randrange(DAY_MS * 3 // 2), next_one)

    def _fire(self, timer: Timer) -> None:
        if (timer.player or "").startswith(NOTICE):
            entry = timer_entry(timer, self.world.clock.ms)
            assert self.world.deliver(self.world.record(entry.body)) == ()
            self._see_to_notices()
            return
        game = self.game(timer.game_id)
        entry = timer_entry(timer, self.world.clock.ms)
        assert self.world.deliver(self.world.record(entry.body)) == ()
        if game.outcome is None and self.game(timer.game_id).outcome is not None:
            self.flags[timer.game_id] = self.falls_ms(game), self.world.clock.ms

    def _see_to_notices(self) -> None:
        """What the notice function does; now and then it ends once a message is out, and its
        queue delivers again later.
        """
        notices = self.notices
        notices.messenger.dies = int(self.fate.random() < 0.3)
        sent = len(notices.messenger.taken)
        self.deaths += notices.see_to_all().count("crashed")
        notices.messenger.dies = 0
        self.told_ms += [self.world.clock.ms] * (len(notices.messenger.taken) - sent)

    def _rest(self, off: Off) -> None:
        game, now_ms = self.game(off.game_id), self.world.clock.ms
        if game.outcome is not None:
            return
        vacations = self.off.setdefault((game.id, off.key.pubkey), [])
        left = DAYS_OFF - sum(until_ms - from_ms for from_ms, until_ms in vacations) // DAY_MS
        is_last_hour = game.seat(game.turn).player == off.key.pubkey and (
            now_ms > self.falls_ms(game) - LAST_MS
        )
        tags = (("d", game.id), ("p", SERVER.pubkey))
        word = f"vacation:{off.days}"
        told = self.world.hear(an_event(off.key, 20303, word, tags, now_ms // 1000))
        if is_last_hour or off.days > left:
            assert [event.kind for event in told] == [20304], told
            return
        (state,) = told
        from_ms = max(now_ms, vacations[-1][1] if vacations else 0)
        vacations.append((from_ms, from_ms + off.days * DAY_MS))
        color = "w" if game.white.player == off.key.pubkey else "b"
        assert ("vacation", color, str(vacations[-1][1] // 1000)) in state.tags

    def _move(self, game_id: str) -> None:
        game = self.game(game_id)
        if game.outcome is not None:
            return
        self.made_late += self.world.clock.ms > (game.deadline_ms() or 0)
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
        self._see_to_notices()
        self._plan(game_id)


@pytest.fixture(params=("sqlite", "dynamodb"))
def month(request: pytest.FixtureRequest) -> Iterator[Month]:
    with empty_table(request.param) as table:
        yield Month(table)


def test_fifty_games_of_a_month_end_at_their_deadlines_and_cost_what_one_does(
    month: Month,
) -> None:
    month.pass_by()
    assert len(month.outages) > 25
    assert month.made_late > 10
    assert sum(map(len, month.off.values())) > MAX_SLOW_GAMES
    games = [month.game(game_id) for game_id in month.games]
    late = {game.id: at - due for game in games for due, at in [month.flags.get(game.id, (0, 0))]}
    assert {game_id for game_id, ms in late.items() if not 0 <= ms <= LATEST_MS} == set()
    flagged = [it for it in games if it.outcome and it.outcome.termination is Termination.TIMEOUT]
    assert len(flagged) >= MAX_SLOW_GAMES // 3, "those whose opponents stopped"
    assert {game.id for game in flagged} <= month.flags.keys()
    assert sum(bool(game.vacations) for game in flagged) > 10, "and went on vacation"
    going_on = [it for it in games if it.outcome is None]
    assert [it for it in going_on if month.falls_ms(it) + LATEST_MS < month.ends_at] == []
    assert month.costs == {(("find", 1), ("update", 1))}
    assert sum(game.ply for game in games) > 10 * MAX_SLOW_GAMES

    messenger = month.messenger
    more = messenger.told - Counter(dict.fromkeys(messenger.told, 1))
    assert more <= messenger.died_over, "once, but for what the function ended over"
    assert max(more.values()) == 1, "and then twice"
    gaps = [later - earlier for earlier, later in pairwise(month.told_ms)]
    assert month.deaths > 3
    assert sum(gap < EVERY_MS for gap in gaps) <= month.deaths
    assert 20 <= len(month.told_ms) <= MONTH_MS // DAY_MS * MANY, "a day with many turns has one"
    alice = month.notices.recipients.load(ALICE.pubkey)
    sending = alice.sending.occasions if alice.sending else ()
    known = {(one.id, one.version) for one in alice.told}
    known |= {(one.id, one.version) for one in (*alice.waiting, *sending)}
    hers = [game for game in going_on if game.seat(game.turn).player == ALICE.pubkey]
    assert len(hers) > 5
    shown = {
        game.id: {game.state_version, *(it.number for it in game.earlier_versions)} for game in hers
    }
    untold = [id_ for id_, versions in shown.items() if not {(id_, it) for it in versions} & known]
    assert untold == [], "each is told, or waits"
