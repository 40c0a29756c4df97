"""Standings: a pure fold over entries and rounds."""

from dataclasses import dataclass

from arbiter.core.tournaments import knockout, score, tie_breaks
from arbiter.core.tournaments.tournament import Format, Tournament


@dataclass(frozen=True, slots=True)
class Standing:
    """One row; ``tie_breaks`` as in the terms. Who is level in everything shares a ``rank``."""

    rank: int
    number: int
    points: float
    tie_breaks: tuple[float, ...] = ()


def standings(tournament: Tournament) -> tuple[Standing, ...]:
    points = _points(tournament)
    values = _tie_breaks(tournament, points)
    keys = {
        entry.number: (points[entry.number], *values[entry.number]) for entry in tournament.entries
    }
    order = sorted(keys, key=lambda number: (*(-value for value in keys[number]), number))
    rows: list[Standing] = []
    for at, number in enumerate(order):
        is_level = bool(rows) and keys[number] == keys[rows[-1].number]
        rank = rows[-1].rank if is_level else at + 1
        rows.append(Standing(rank, number, keys[number][0], keys[number][1:]))
    return tuple(rows)


def _points(tournament: Tournament) -> dict[int, float]:
    if tournament.terms.format is not Format.KNOCKOUT:
        return score.points(tournament)
    survived = knockout.stages_survived(tournament)
    return {entry.number: float(survived.get(entry.number, 0)) for entry in tournament.entries}


def _tie_breaks(tournament: Tournament, points: dict[int, float]) -> dict[int, tuple[float, ...]]:
    if tournament.terms.format is Format.ARENA:
        return score.performances(tournament)
    return tie_breaks.tie_breaks(tournament, points)
