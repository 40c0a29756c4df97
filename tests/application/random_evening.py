"""Evenings by chance, on any table: players come late, leave, rest, lose their connection or do not
come; the organiser corrects; relays and the engine fail; processes die at any line; records come
again. One seed is one evening, where those before it were played too.
"""

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.items.table import Table
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.intake.batch import Record
from arbiter.application.records import PairingAsked
from arbiter.application.tournaments.messages import entry
from arbiter.application.tournaments.pairing import PairingDeps, answer
from arbiter.core.game import Game
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Format, Phase, Tournament
from arbiter.nostr.event import VerifiedEvent
from tests.application.deaths import Death, Deaths
from tests.application.notes import Published
from tests.application.tournament_evening import Engine, Evening
from tests.builders import SERVER, a_key, an_event
from tests.fakes.dynamodb import FakeDynamoDb

DAY_SECONDS = 24 * 3600
STEPS = 60
"""Steps in which something may happen."""

DYING, AGAIN, FAILING, DEAF = 0.06, 0.015, 0.05, 0.1
"""The chances of a delivery to be one that may die, of a record to come again, of the engine to
fail, and of relays to be out for a step.
"""

TIMES, ARENA_GAMES, RESTART_SECONDS = 20, 20, 5
"""Times that a record comes again, at most; games of an arena, then all have gone; time in which
another process has the record of one that died.
"""

_TAGS: dict[Format, tuple[tuple[str, ...], ...]] = {
    Format.ROUND_ROBIN: (),
    Format.SWISS: (("rounds", "4"), ("late", "3")),
    Format.ARENA: (("minutes", "5"),),
    Format.KNOCKOUT: (),
}
_WORDS = ("leave", "pause", "back", "here", "join", "bye:2", "bye:3")
_ENDS = ("white", "black", "draw") * 4 + ("silent", "alone", "", "long draw")
_LONG_DRAW = (
    "a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6 a3a4 a6a5"
    " c3c4 c6c5 draw draw"
)


@dataclass
class Figures:
    """Sums over evenings."""

    evenings: int = 0
    games: int = 0
    records: int = 0
    deaths: int = 0
    redeliveries: int = 0
    outages: int = 0

    def add(self, other: "Figures") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in vars(self).items())


class RandomEvening(Evening):
    """One evening of this format, on this table; DynamoDB's is paired by the function apart."""

    def __init__(
        self, seed: int, form: Format, table: Table, engine: Engine, deaths: Deaths | None = None
    ) -> None:
        super().__init__(engine, self._loser)
        self.chance, self.form = random.Random(f"{seed}:{form}"), form
        self.deaths, self.figures = deaths or Deaths(), Figures(evenings=1)
        self.deliveries, self.is_calm = 200, False
        self.games, self.lobby = StoredGames(table), StoredLobby(table, self.clock)  # type: ignore[assignment]
        self.tournaments = StoredTournaments(table)  # type: ignore[assignment]
        self.is_apart = isinstance(table, DynamoDbTable)
        self.deps = replace(
            self.deps,
            games=self.games,
            lobby=self.lobby,
            ratings=StoredRatings(table),
            tournaments=self.tournaments,
            engine=None if self.is_apart else self,
        )
        self.organiser = a_key(f"organiser {seed} {form}")
        self.names = [f"{form} {seed} {number}" for number in range(self.chance.randint(2, 9))]
        self.keys = {key.pubkey: key for key in map(a_key, self.names)}

    def play(self) -> None:
        """From its making to its end."""
        interval = self.chance.choice(("1", "20"))
        self.create(self.form, ("noshow", "10"), ("interval", interval), *_TAGS[self.form])
        early = self.names[: self.chance.randint(2, len(self.names))]
        for name in early:
            self.say(a_key(name), "join")
        self.run(50)
        for _ in range(STEPS):
            if not self.tournament.is_under_way:
                break
            self.publisher.deaf = self.chance.random() < DEAF
            self.figures.outages += self.publisher.deaf
            self._happen()
            self.run(self.chance.choice((1, 5, 12, 40)))
            self._hear_relays()
        self.run(DAY_SECONDS)
        if self.tournament.is_under_way:
            self.say(self.organiser, "finish")
        self.run(DAY_SECONDS)

    def check(self) -> None:
        """What was published is whole, and is what is stored; no record changes anything again."""
        published = Published.of(self.publisher.taken_events, self.id)
        published.check()
        shown = {where: (one.game, one.result) for where, one in published.boards.items()}
        boards = {(number, place): one for number, place, one in self.boards()}
        assert shown == {where: (one.game_id, one.result) for where, one in boards.items()}
        assert self.tournament.phase in (Phase.FINISHED, Phase.CANCELLED)
        for game_id in (board.game_id for board in boards.values() if board.game_id):
            game = self.games.load(game_id)
            assert game is not None, "a game is missing"
            assert game.outcome is not None, "a game that never ends"
            assert game_id in published.notes, "a game without its note"
        made = {it for key in self.keys for it in self.lobby.player(key).event_games}
        assert made <= {board.game_id for board in boards.values()}, "a game of no board"
        for body in self.chance.sample(self.bodies, min(2, len(self.bodies))):
            self._bring_again(body, TIMES)
        self.figures.games, self.figures.records = len(published.notes), len(self.bodies)

    def bring(self, body: str) -> list[VerifiedEvent]:
        told = super().bring(body)
        if self.chance.random() < AGAIN:
            self._bring_again(body, self.chance.randint(1, TIMES))
        return told

    def deliver(self, *records: Record) -> tuple[str, ...]:
        if self.is_calm or self.chance.random() >= DYING:
            return super().deliver(*records)
        try:
            with self.deaths:
                return super().deliver(*records)
        except Death:
            self.figures.deaths += 1
            self.clock.advance(RESTART_SECONDS)
            return tuple(record.id for record in records)

    def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        """As an engine that fails now and then, or answers wrongly."""
        number, (one, other, *_) = tournament.round, tournament.field
        if self.chance.random() < FAILING:
            wrong = Pairings(number, ((one, other), (other, one)), (), "wrong", "")
            failed = NoPairings(number, is_impossible=False, text="it failed")
            return self.chance.choice((wrong, failed))
        return self.engine(tournament)

    def end(self, game: Game, loser: str) -> None:
        if loser not in ("silent", "alone", "long draw"):
            super().end(game, loser)
            return
        self.clock.advance(1)
        words = {"silent": "e2e4 e7e5", "alone": "e2e4", "long draw": _LONG_DRAW}[loser]
        for at, word in enumerate(words.split()):
            seat = game.black if at % 2 else game.white
            self.say_in(game.id, self.keys[seat.player], word)

    def _bring_again(self, body: str, times: int) -> None:
        """Deliver a record again, which changes nothing, unless a timer of now is yet to come."""
        due_ms = self.tournament.next_ms if self.id else None
        if due_ms is not None and due_ms <= self.clock.ms:
            return
        self.is_calm, before = True, self._stored()
        for _ in range(times):
            assert not self.deliver(self.record(body, group="one")), self.log[-1].failure
        assert self._stored() == before, f"changed by what came again: {body[:300]}"
        self.is_calm = False
        self.figures.redeliveries += times

    def _stored(self) -> object:
        tournament = self.tournaments.load(self.id) if self.id else None
        if tournament is None:
            return None
        ids = [board.game_id for _, board in tournament.boards() if board.game_id]
        games = [self.games.load(id_) for id_ in ids]
        return tournament, games, [self.lobby.player(key).event_games for key in self.keys]

    def _paired(self, asked: PairingAsked) -> str:
        if not self.is_apart:
            return entry(asked).body
        if self.chance.random() >= FAILING:
            deps = PairingDeps(self.tournaments.load, self, self.queue)
            answer(deps, asked)
        return ""

    def _hear_relays(self) -> None:
        self.publisher.deaf = False
        while self.republish.waiting:
            body, _ = self.republish.waiting.pop(0)
            self.bring(body)

    def _happen(self) -> None:
        """One thing by chance."""
        name, roll = self.chance.choice(self.names), self.chance.random()
        if roll < 0.35:
            self.say(a_key(name), "here")
        elif roll < 0.55:
            self.say(a_key(name), "join")
        elif roll < 0.7:
            self.say(a_key(name), self.chance.choice(_WORDS))
        elif roll < 0.8:
            self._organise(name)
        elif roll < 0.85:
            # Back after the connection was lost.
            said = an_event(
                a_key(name), 20300, "state", (("p", SERVER.pubkey),), self.clock.ms // 1000
            )
            self.bring(self.body(said))
        else:
            for body in self.chance.sample(self.bodies, min(5, len(self.bodies))):
                self.bring(body)

    def _organise(self, name: str) -> None:
        number, place, key = self.tournament.round, self.chance.randint(1, 4), a_key(name).pubkey
        result = self.chance.choice(("1-0", "1/2-1/2", "-/-", "+/-"))
        often = (f"result:{number}:{place}:{result}", f"forfeit:{number}:{key}", "delay:20", "pair")
        seldom = (
            *(f"remove:{key}", f"swap:{number}:1:2", "close", "start", "cancel", "finish"),
            *(f"forbid:{key}:{self.chance.choice([*self.keys])}", f"add:{key}"),
        )
        is_often = self.chance.random() < 0.7
        self.say(self.organiser, self.chance.choice(often if is_often else seldom))

    def _loser(self, game: Game) -> str:
        del game
        is_enough = self.form is Format.ARENA and len(self.ended) > ARENA_GAMES
        return self.chance.choice(("",) if is_enough else _ENDS)


@contextmanager
def empty_table(store: str) -> Iterator[Table]:
    """An empty table: SQLite's in a file, or DynamoDB's over its calls in memory."""
    if store == "dynamodb":
        client = FakeDynamoDb()
        yield DynamoDbTable(lambda: client, "table")  # type: ignore[arg-type,return-value]
        return
    at = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # noqa: S108 - no disk is waited for
    with tempfile.TemporaryDirectory(dir=at) as directory:
        opened = Store.open(Path(directory) / "arbiter.db")
        yield SqliteTable(opened)
        opened.close()


def main() -> int:
    """Play so many of each format on a store; say which did not keep the rules, and figures."""
    from arbiter.adapters.pairing.engine import Engine as RealEngine  # noqa: PLC0415 - slow

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("store", choices=("sqlite", "dynamodb"))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--format", type=Format, nargs="*", default=[*Format])
    asked = parser.parse_args()
    began, deaths, failures = time.monotonic(), Deaths(), 0
    figures = {form: Figures() for form in asked.format}
    for seed in range(asked.first, asked.first + asked.number):
        for form in asked.format:
            with empty_table(asked.store) as table:
                evening = RandomEvening(seed, form, table, RealEngine().pair, deaths)
                try:
                    evening.play()
                    evening.check()
                except AssertionError:
                    failures += 1
                    sys.stdout.write(f"{form} {seed}: {traceback.format_exc()}\n")
            figures[form].add(evening.figures)
        if (seed + 1) % 50 == 0 or seed + 1 == asked.first + asked.number:
            for form in asked.format:
                sys.stdout.write(f"{form} on {asked.store}: {figures[form]}\n")
            seconds = time.monotonic() - began
            sys.stdout.write(f"{len(deaths.lines)} lines died at, in {seconds:.0f} s\n")
            sys.stdout.flush()
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
