"""The cost of events at list prices: 64 players in a Swiss of seven rounds, 500 in an arena of
twenty minutes of 3+0, decided in virtual time on a table that counts. A game costs its moves, too,
as `bench/bills.py` prices them, and its making; a pairing so many seconds.
"""

import heapq
import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.items.table import Update, Writes
from arbiter.adapters.pairing.engine import Engine
from arbiter.adapters.prices import MILLION, Usage, read_units, write_units
from arbiter.core.clocks import TimeControl
from arbiter.core.game import WHITE, Outcome, Seat, Termination
from arbiter.core.tournaments.commands import Create, Due, GameOver, GamesMade, Join
from arbiter.core.tournaments.commands import TournamentCommand as Command
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.games import game_of_board
from arbiter.core.tournaments.replies import GamesWanted, PairingWanted
from arbiter.core.tournaments.tournament import Format, Tournament, TournamentTerms
from bench.bills import (
    BILLED_MS,
    LOGGED_BYTES,
    LOGGED_BYTES_BY_LAMBDA,
    MEMORY_GB,
    PLIES,
    per_million_moves,
)
from bench.counted_table import item_bytes
from bench.measure import Figure
from tests.builders import NOW_MS
from tests.fakes.stores import MemoryTable

_ID = "e" * 32
_START_MS, _JOIN_MS = NOW_MS + 60_000, 45_000
_SWISS = TournamentTerms(
    title="Club evening",
    format=Format.SWISS,
    rounds=7,
    time=TimeControl(180_000, 2_000),
    starts_ms=_START_MS,
)
_ARENA = replace(_SWISS, format=Format.ARENA, rounds=0, minutes=20, time=TimeControl(180_000, 0))
_EVENTS = (("64 players, 7 rounds", _SWISS, 64), ("an arena of 500, 20 minutes", _ARENA, 500))

GAMES_A_MESSAGE = 20
GAME_UNITS = 2 * 3 + 3
"""A game and both players in one transaction, and three indexes (`CountedLobby.commit`)."""
GAME_SECONDS = (270, 390)
PAIRING_SECONDS = 2.0


class CountedItems(MemoryTable):
    """A table in memory that counts what DynamoDB would charge."""

    def __init__(self) -> None:
        super().__init__()
        self.read = self.written = 0

    def find(self, key: Item) -> Item | None:
        found = super().find(key)
        self.read += read_units(item_bytes(found or {}))
        return found

    def write(self, writes: Writes) -> bool:
        read = self.read
        self.written += 2 * sum(map(units_of, writes.updates))
        done = super().write(writes)
        self.read = read  # conditions cost nothing more
        return done


def units_of(update: Update) -> int:
    _, before, after = update
    return max(write_units(item_bytes(before)), write_units(item_bytes(after)))


class Evening:
    """An event in virtual time, without moves."""

    def __init__(self, terms: TournamentTerms, players: int) -> None:
        self.table, self.games, self.records, self.pairings = CountedItems(), 0, 0, 0
        self._events, self._numbers = StoredTournaments(self.table), count()
        self._chance = random.Random(_ID)  # noqa: S311 - the same each time
        self._due: list[tuple[int, int, Command]] = []
        self.add(NOW_MS, Create("0" * 64, terms, id=_ID))
        for number in range(players):
            at_ms = NOW_MS + _JOIN_MS * (number + 1) // (players + 1)
            self.add(at_ms, Join(Seat(f"{number:064x}", "native"), 1500))

    def add(self, at_ms: int, command: Command) -> None:
        heapq.heappush(self._due, (at_ms, next(self._numbers), command))

    def run(self) -> Tournament:
        event: Tournament | None = None
        while self._due:
            now_ms, _, command = heapq.heappop(self._due)
            event = self._decide(command, now_ms)
        if event is None or event.is_under_way:
            raise RuntimeError("the event does not end")
        return event

    def _decide(self, command: Command, now_ms: int) -> Tournament:
        self.records += 1
        before = self._events.load(_ID)
        decision = decide_tournament(before, command, now_ms)
        after = decision.tournament
        if after is None:
            raise RuntimeError("there is no event")
        if after is before:
            return after
        version = before.item_version + 1 if before else 1
        after = replace(after, item_version=version, by_player={})
        self._events.commit(before, after)
        if after.next_ms and not (before and before.next_ms == after.next_ms):
            self.add(after.next_ms, Due())
        for reply in decision.replies:
            if isinstance(reply, PairingWanted):
                self.pairings += 1
                asked = self._events.load(_ID) or after
                self.add(now_ms + 1_000, Engine().pair(asked))
            elif isinstance(reply, GamesWanted):
                self._make(after, reply.round, reply.first, now_ms)
        return after

    def _make(self, event: Tournament, number: int, first: int, now_ms: int) -> None:
        boards = event.rounds[number - 1].boards
        last = min(first + GAMES_A_MESSAGE, len(boards))
        ids = [f"{number:016x}{at:016x}" for at in range(last)]
        self.add(now_ms, GamesMade(number, last, (*ids,)))
        for at in range(first, last):
            game = game_of_board(event, number, at + 1, ids[at], now_ms)
            if game:
                self.games += 1
                ends_ms = now_ms + 1000 * self._chance.randint(*GAME_SECONDS)
                outcome = Outcome(Termination.RESIGNATION, WHITE)
                over = replace(game, outcome=outcome, ended_at_ms=ends_ms)
                self.add(ends_ms, GameOver(number, at + 1, over))


def of_events() -> Iterable[Figure]:
    _, steady, *_ = per_million_moves()
    a_move = steady.value / MILLION
    for name, terms, players in _EVENTS:
        evening = Evening(terms, players)
        event = evening.run()
        parts: Mapping[str, float] = {
            "moves": evening.games * PLIES * a_move,
            "games": evening.games * Usage(write_units=GAME_UNITS, read_units=2).dollars(),
            "event": Usage(
                queue_requests=3 * evening.records,
                write_units=evening.table.written,
                read_units=evening.table.read,
                invocations=evening.records + evening.pairings,
                gb_seconds=MEMORY_GB
                * (evening.records * BILLED_MS / 1000 + evening.pairings * PAIRING_SECONDS),
                logged_bytes=evening.records * (LOGGED_BYTES + LOGGED_BYTES_BY_LAMBDA),
            ).dollars(),
        }
        told = f"{len(event.rounds)} rounds, {evening.games} games, {evening.records} records: "
        told += ", ".join(f"{what} {cost:.3f}" for what, cost in parts.items())
        yield Figure(name=name, value=(sum(parts.values())), unit="$", note=told)
