"""Tournaments in one line each: paired by turning a circle, with results by the board."""

from dataclasses import replace
from itertools import cycle

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Seat
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    EntryState,
    Format,
    Phase,
    Round,
    Tournament,
    TournamentTerms,
)
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_key

ID = "0123456789abcdef0123456789abcdef"
FIRST = (("Alice", ALICE), ("Bob", BOB), ("", EVE))
RESULTS = (
    BoardResult.WHITE_WINS,
    BoardResult.DRAW,
    BoardResult.BLACK_WINS,
    BoardResult.WHITE_BY_FORFEIT,
)


def an_entry(number: int) -> Entry:
    name, key = FIRST[number - 1] if number <= len(FIRST) else ("", a_key(f"player {number}"))
    return Entry(number=number, seat=Seat(key.pubkey, "native", name=name), rating=1900 - number)


def a_tournament(
    pairing: Format = Format.SWISS, *, players: int = 6, rounds: int = 2, is_live: bool = False
) -> Tournament:
    """Of so many players, with so many rounds so far; the last one is played now if ``is_live``."""
    terms = TournamentTerms(
        title="Club evening",
        description="In the library.",
        format=pairing,
        time=TimeControl(base_ms=180_000, increment_ms=2_000),
        starts_ms=NOW_MS - 3_600_000,
        rounds=7 if pairing is Format.SWISS else 0,
        minutes=60 if pairing is Format.ARENA else 0,
    )
    made = Tournament(
        id=ID,
        organiser=EVE.pubkey,
        deputies=(BOB.pubkey,),
        terms=terms,
        created_ms=NOW_MS - 7_200_000,
        phase=Phase.OPEN if not rounds else Phase.PLAYING if is_live else Phase.WAITING,
        round=rounds,
        next_ms=NOW_MS + 30_000,
        round_ms=NOW_MS + 30_000,
        entries=tuple(map(an_entry, range(1, players + 1))),
        version=NOW_MS // 1000,
    )
    for number in range(1, rounds + 1):
        made = made.with_round(_round(number, players, is_live and number == rounds))
    return made


def _round(number: int, players: int, is_live: bool) -> Round:  # noqa: FBT001 - of this file
    circle = [*range(1, players + 1 + players % 2)]
    for _ in range(number - 1):
        circle = [circle[0], circle[-1], *circle[1:-1]]
    pairs = zip(circle[: len(circle) // 2], reversed(circle[len(circle) // 2 :]), strict=True)
    results = cycle(RESULTS)
    met = [pair for pair in pairs if max(pair) <= players]
    boards = tuple(
        Board(
            white=one if number % 2 else other,
            black=other if number % 2 else one,
            game_id=f"{number:016x}{at:016x}",
            result=None if is_live and at < 2 else next(results),
        )
        for at, (one, other) in enumerate(met, start=1)
    )
    away = {*range(1, players + 1)} - {it for pair in met for it in pair}
    byes = tuple(Bye(it, ByeKind.PAIRING) for it in sorted(away))
    return Round(
        number=number,
        boards=boards,
        byes=byes,
        started=len(boards),
        engine="gacrux 1.11.65",
        digest="ab" * 32,
        began_ms=NOW_MS,
    )


def paused(tournament: Tournament, number: int, state: EntryState) -> Tournament:
    """With this entry in that state."""
    return tournament.with_entry(replace(tournament.entry(number), state=state))
