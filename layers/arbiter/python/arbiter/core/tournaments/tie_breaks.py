"""Tie-breaks of Swiss tournaments and round robins, by FIDE's C.07 of 1 March 2026, whose articles
are named. A round without a game counts by what it was (16.2); one chosen not to be played is
*voluntary* (16.1.2). None are by ratings: keys are free.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arbiter.core.tournaments.score import struck
from arbiter.core.tournaments.tournament import BoardResult, Bye, ByeKind, Format, Round, Tournament

DEFAULTS = {
    Format.SWISS: ("BH/C1", "BH", "SB", "WIN"),
    Format.ROUND_ROBIN: ("DE", "WIN", "SB", "KS"),
}
"""The names for tournaments whose organiser chose none."""

DIRECT_ENCOUNTER = "DE"


@dataclass(frozen=True, slots=True)
class _Line:
    """A player's round: ``opponent`` 0 for none; ``is_there``: they came, or had the bye."""

    opponent: int
    points: float
    is_white: bool = False
    is_played: bool = False
    is_there: bool = True

    @property
    def is_voluntary(self) -> bool:
        return not self.is_there


_ABSENT = _Line(0, 0.0, is_there=False)


@dataclass(frozen=True, slots=True)
class _Value:
    """A round's worth for a sum over opponents: their ``score``, or that of a dummy."""

    score: float
    value: float
    is_voluntary: bool


@dataclass(frozen=True, slots=True)
class _Table:
    """Each entry's rounds, and ``adjusted``, its score as its opponents count it (16.3)."""

    lines: Mapping[int, Sequence[_Line]]
    points: Mapping[int, float]
    adjusted: Mapping[int, float]
    rounds: int
    is_round_robin: bool

    def is_regular(self, line: _Line) -> bool:
        """In round robins forfeits are games as others are (15.2)."""
        return line.is_played or (self.is_round_robin and line.opponent > 0)


def names_of(tournament: Tournament) -> tuple[str, ...]:
    """The tie-breaks that decide, in order: those of the terms that are known, or the default."""
    terms = tournament.terms
    if terms.format not in DEFAULTS:
        return ()
    return tuple(name for name in terms.tie_breaks if is_known(name)) or DEFAULTS[terms.format]


def is_known(name: str) -> bool:
    return name == DIRECT_ENCOUNTER or name in _SCALARS


def tie_breaks(tournament: Tournament, points: Mapping[int, float]) -> dict[int, tuple[float, ...]]:
    """The values of each entry by number, in the order of ``names_of``; more is better."""
    table = _table(tournament, points)
    values: dict[int, tuple[float, ...]] = dict.fromkeys(points, ())
    for name in names_of(tournament):
        if name == DIRECT_ENCOUNTER:
            found = _direct_encounters(table, values)
        else:
            scalar = _SCALARS[name]
            found = {number: scalar(table, number) for number in points}
        values = {number: (*values[number], found[number]) for number in points}
    return values


def _table(tournament: Tournament, points: Mapping[int, float]) -> _Table:
    out = struck(tournament)
    rounds = [_lines_of(each, out) for each in tournament.rounds]
    under_way = [
        {
            number
            for board in each.boards
            if board.result is None
            for number in (board.white, board.black)
        }
        for each in tournament.rounds
    ]
    lines = {
        number: [
            played.get(number, _ABSENT)
            for played, busy in zip(rounds, under_way, strict=True)
            if number not in busy
        ]
        for number in points
    }
    is_round_robin = tournament.terms.format is Format.ROUND_ROBIN
    adjusted = {
        number: points[number] if is_round_robin else _adjusted(own)
        for number, own in lines.items()
    }
    return _Table(lines, points, adjusted, len(rounds), is_round_robin)


def _lines_of(each: Round, out: frozenset[int]) -> dict[int, _Line]:
    """The lines of a round; who has none was absent. Those who are ``out`` met no one."""
    lines = {bye.number: _bye_line(bye) for bye in each.byes}
    for board in each.boards:
        result = board.result
        if result in (None, BoardResult.VOID) or out & {board.white, board.black}:
            continue
        for number, opponent in ((board.white, board.black), (board.black, board.white)):
            points = board.points_of(number)
            lines[number] = _Line(
                opponent,
                points,
                is_white=number == board.white,
                is_played=result.is_played,
                is_there=result.is_played or points > 0,
            )
    return lines


def _bye_line(bye: Bye) -> _Line:
    return _Line(0, bye.kind.points, is_there=bye.kind is ByeKind.PAIRING)


def _adjusted(lines: Sequence[_Line]) -> float:
    """The score for opponents: late rounds without one are draws (16.2.5, 16.3.2)."""
    last = max((at for at, line in enumerate(lines) if line.is_there), default=-1)
    return sum(line.points if at <= last or line.opponent else 0.5 for at, line in enumerate(lines))


def _values(table: _Table, number: int, worth: Callable[[_Line], float]) -> Iterator[_Value]:
    """The value of each round: the score of opponent or dummy, times ``worth`` of the round."""
    own = table.points[number]
    for line in table.lines[number]:
        if table.is_regular(line):
            score, is_voluntary = table.adjusted[line.opponent], False
        elif table.is_round_robin:
            continue
        else:  # a dummy (16.4)
            cap = table.adjusted[line.opponent] if line.opponent else 0.5 * table.rounds
            score, is_voluntary = min(own, cap), line.is_voluntary
        yield _Value(score, score * worth(line), is_voluntary)


def _summed(
    worth: Callable[[_Line], float], low: int = 0, high: int = 0
) -> Callable[[_Table, int], float]:
    """Buchholz and Sonneborn-Berger, without so many least and most significant values (14.1 to
    14.4); a voluntary round goes first unless it is worth less (16.5).
    """

    def total(table: _Table, number: int) -> float:
        values = list(_values(table, number, worth))
        for _ in range(min(low, len(values))):
            least = min(values, key=lambda each: (each.score, each.value))
            chosen = [each for each in values if each.is_voluntary]
            lowest = min(chosen, key=lambda each: (each.value, each.score), default=least)
            values.remove(lowest if lowest.value >= least.value else least)
        for _ in range(min(high, len(values))):
            values.remove(max(values, key=lambda each: (each.score, each.value)))
        return sum(each.value for each in values)

    return total


def _counted(counts: Callable[[_Line], bool]) -> Callable[[_Table, int], float]:
    return lambda table, number: float(sum(map(counts, table.lines[number])))


def _progressive(table: _Table, number: int) -> float:
    """The sum of the scores after each round (7.5)."""
    lines = table.lines[number]
    return sum(line.points * (len(lines) - at) for at, line in enumerate(lines))


def _koya(table: _Table, number: int) -> float:
    """Points against those who scored half of what they could, or more (9.2)."""
    lines = table.lines[number]
    games = sum(1 for each in lines if each.opponent) if table.is_round_robin else table.rounds
    return sum(
        line.points for line in lines if line.opponent and table.points[line.opponent] >= games / 2
    )


def _direct_encounters(table: _Table, values: Mapping[int, tuple[float, ...]]) -> dict[int, float]:
    """For each entry those of its equals so far who are behind by direct encounter (article 6)."""
    tied: dict[tuple[float, ...], list[int]] = {}
    for number, before in values.items():
        tied.setdefault((table.points[number], *before), []).append(number)
    behind = {}
    for group in tied.values():
        left = len(group)
        for tier in _tiers(table, group):
            left -= len(tier)
            behind.update(dict.fromkeys(tier, float(left)))
    return behind


def _tiers(table: _Table, group: list[int]) -> list[list[int]]:
    if len(group) == 1:
        return [group]
    scores, unmet = _among(table, group)
    if any(unmet.values()):
        # 6.3: first is who would be, whatever the games that were not played had brought.
        best = max(group, key=lambda number: scores[number])
        others = [number for number in group if number != best]
        if scores[best] > max(scores[number] + unmet[number] for number in others):
            return [[best], *_tiers(table, others)]
        return [group]
    tiers = [
        [number for number in group if scores[number] == score]
        for score in sorted(set(scores.values()), reverse=True)
    ]
    if len(tiers) == 1:
        return tiers
    return [each for tier in tiers for each in _tiers(table, tier)]  # 6.2


def _among(table: _Table, group: list[int]) -> tuple[dict[int, float], dict[int, int]]:
    """Each one's score among the group, pairs by their mean (6.1.2), and opponents not met."""
    scores, unmet = {}, {}
    for number in group:
        met: dict[int, list[float]] = {}
        for line in table.lines[number]:
            if line.opponent in group and table.is_regular(line):
                met.setdefault(line.opponent, []).append(line.points)
        scores[number] = sum(sum(points) / len(points) for points in met.values())
        unmet[number] = 0 if table.is_round_robin else len(group) - 1 - len(met)
    return scores, unmet


def _whole(_: _Line) -> float:
    return 1.0


def _points(line: _Line) -> float:
    return line.points


_SCALARS: Mapping[str, Callable[[_Table, int], float]] = {
    "BH": _summed(_whole),
    "BH/C1": _summed(_whole, low=1),
    "BH/C2": _summed(_whole, low=2),
    "BH/M1": _summed(_whole, low=1, high=1),
    "SB": _summed(_points),
    "SB/C1": _summed(_points, low=1),
    "WIN": _counted(lambda line: line.points == 1),
    "WON": _counted(lambda line: line.points == 1 and line.is_played),
    "BPG": _counted(lambda line: line.is_played and not line.is_white),
    "BWG": _counted(lambda line: line.is_played and not line.is_white and line.points == 1),
    "REP": _counted(lambda line: not line.is_voluntary),
    "PS": _progressive,
    "KS": _koya,
}
"""Each name of C.07 to its value for an entry."""
