"""Swiss tournaments that another engine paired: bbpPairings v6 (Apache-2.0), of 2026-02-01.

`bbp_pairings.jsonl` has a tournament a line: the number of its rounds, ratings by entry, pairs that
were not to meet, and of each round who asked for half a point (`h`), who was away, the boards in
order (white, black, white, …; null where the engine found no legal pairing), who had the bye (`u`)
and the results by board (1, 0, =, forfeits + and -, x where both lost by one). Results were drawn
by rating. The file that the engine read was written by another program than ours.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Seat
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Bye,
    ByeKind,
    Entry,
    Format,
    Phase,
    Round,
    Tournament,
    TournamentTerms,
)

_RESULTS = {
    "1": BoardResult.WHITE_WINS,
    "0": BoardResult.BLACK_WINS,
    "=": BoardResult.DRAW,
    "+": BoardResult.WHITE_BY_FORFEIT,
    "-": BoardResult.BLACK_BY_FORFEIT,
    "x": BoardResult.BOTH_FORFEIT,
}


@dataclass(frozen=True, slots=True)
class Question:
    """A tournament before a round, who is there, and the other engine's boards (None: no pairing
    is legal) and bye (0: none).
    """

    tournament: Tournament
    present: tuple[int, ...]
    boards: tuple[tuple[int, int], ...] | None
    bye: int


def tournament_of(record: dict[str, Any]) -> Tournament:
    """The tournament of a line, before its first round."""
    return Tournament(
        id=record["id"],
        organiser="0" * 64,
        terms=TournamentTerms(
            title="Recorded",
            format=Format.SWISS,
            time=TimeControl(base_ms=180_000, increment_ms=2_000),
            starts_ms=1_800_000_000_000,
            rounds=record["rounds"],
        ),
        created_ms=1_800_000_000_000,
        phase=Phase.PAIRING,
        round=1,
        entries=tuple(
            Entry(number=number, seat=Seat(f"{number:064x}", "native"), rating=rating)
            for number, rating in enumerate(record["ratings"], 1)
        ),
        forbidden=tuple((one, other) for one, other in record["forbidden"]),
    )


def questions(lines: slice = slice(None)) -> Iterator[Question]:
    """Every round of these lines, the results of those before it included."""
    text = Path(__file__).with_name("bbp_pairings.jsonl").read_text(encoding="ascii")
    for line in text.splitlines()[lines]:
        record = json.loads(line)
        tournament = tournament_of(record)
        for number, played in enumerate(record["played"], 1):
            absent = {*played["h"], *played["away"]}
            present = tuple(e.number for e in tournament.entries if e.number not in absent)
            flat = played["pairs"]
            boards = flat and tuple(zip(flat[::2], flat[1::2], strict=True))
            tournament = replace(tournament, round=number)
            yield Question(tournament, present, boards, played["u"])
            if boards:
                tournament = tournament.with_round(_round(number, boards, played))


def _round(number: int, boards: tuple[tuple[int, int], ...], played: dict[str, Any]) -> Round:
    byes = [Bye(each, ByeKind.HALF) for each in played["h"]]
    byes += [Bye(each, ByeKind.ZERO) for each in played["away"]]
    byes += [Bye(played["u"], ByeKind.PAIRING)] if played["u"] else []
    return Round(
        number=number,
        boards=tuple(
            Board(white=white, black=black, result=_RESULTS[letter])
            for (white, black), letter in zip(boards, played["results"], strict=True)
        ),
        byes=tuple(byes),
    )
