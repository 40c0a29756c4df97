"""Knockouts: the bracket, a fold over the rounds. Higher seeds are kept apart, and have the byes. A
drawn game is followed by two faster ones with colours reversed, and those by two faster still, each
a round of its own.
"""

from dataclasses import dataclass, field, replace

from arbiter.core.clocks import DAY_MS, TimeControl
from arbiter.core.tournaments.commands import Pairings
from arbiter.core.tournaments.tournament import Board, Bye, ByeKind, Format, Tournament

ENGINE = "knockout"

LEAST_BASE_MS = 60_000
"""No game of a tie is faster than this."""


@dataclass(slots=True)
class Match:
    """Two players of one stage, by number, 0 for an empty place, and their boards so far."""

    one: int
    other: int
    boards: list[Board] = field(default_factory=list)

    @property
    def winner(self) -> int | None:
        """The number that goes on; 0 where neither does, None while it is not decided."""
        if not self.one or not self.other:
            return self.one or self.other
        if any(board.result is None for board in self.boards):
            return None
        last = self.boards[-1] if self.boards else None
        if last and last.result and last.result.is_forfeit:
            points = (last.points_of(self.one), last.points_of(self.other))
            return 0 if points[0] == points[1] else self.one if points[0] else self.other
        if len(self.boards) % 2 == 0:
            # After one game, then after each two.
            return None
        won = [
            sum(board.points_of(each) for board in self.boards) for each in (self.one, self.other)
        ]
        return None if won[0] == won[1] else self.one if won[0] > won[1] else self.other


def seeds(places: int) -> list[int]:
    """Seeds (from 1) in the order of the bracket, for a power of two of places."""
    order = [1]
    while len(order) < places:
        twice = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, twice - one)]
    return order


def bracket(tournament: Tournament) -> list[list[Match]]:
    """The stages so far, the last of which is open, unless one player or none is left."""
    ranked = sorted(tournament.field, key=lambda number: -tournament.entry(number).rating)
    places = 1 << max(0, len(ranked) - 1).bit_length()
    line = [ranked[seed - 1] if seed <= len(ranked) else 0 for seed in seeds(places)]
    boards = [board for _, board in tournament.boards()]
    stages = []
    while len(line) > 1:
        stage = [Match(*pair) for pair in zip(line[::2], line[1::2], strict=True)]
        stages.append(stage)
        # A pair meets in one stage alone, for one of them is out after it.
        for match in stage:
            match.boards = [
                one for one in boards if {one.white, one.black} == {match.one, match.other}
            ]
        winners = [match.winner for match in stage]
        if None in winners:
            break
        line = [winner or 0 for winner in winners]
    return stages


def is_decided(tournament: Tournament) -> bool:
    stages = bracket(tournament)
    return not stages or (len(stages[-1]) == 1 and stages[-1][0].winner is not None)


def stages_survived(tournament: Tournament) -> dict[int, int]:
    """The stages that each number of the field has survived, byes included."""
    survived = dict.fromkeys(tournament.field, 0)
    for match in (match for stage in bracket(tournament) for match in stage):
        if match.winner:
            survived[match.winner] += 1
    return survived


def pair_knockout(tournament: Tournament) -> Pairings:
    """The pairings of the present round: the next game of every open match, first byes."""
    stage = bracket(tournament)[-1]
    undecided = [match for match in stage if match.winner is None]
    boards = tuple(_colours(stage.index(match), match) for match in undecided)
    is_first = not any(match.boards for match in stage)
    alone = [match for match in stage if is_first and not (match.one and match.other)]
    byes = tuple(Bye(match.winner, ByeKind.PAIRING) for match in alone if match.winner)
    return Pairings(tournament.round, boards, byes, ENGINE, "")


def _colours(place: int, match: Match) -> tuple[int, int]:
    """The higher seed has White on every second board; after that colours alternate."""
    if match.boards:
        return match.boards[-1].black, match.boards[-1].white
    return (match.other, match.one) if place % 2 else (match.one, match.other)


def time_of(tournament: Tournament, number: int, white: int, black: int) -> TimeControl:
    """The time control of these two in this round: half for a tie's first two games, and so on."""
    time = tournament.terms.time
    if tournament.terms.format is not Format.KNOCKOUT:
        return time
    before = [
        board
        for each, board in tournament.boards()
        if each.number < number and {board.white, board.black} == {white, black}
    ]
    for _ in range((len(before) + 1) // 2):
        time = _faster(time)
    return time


def _faster(time: TimeControl) -> TimeControl:
    if not time.is_live:
        return replace(time, move_ms=max(DAY_MS, time.move_ms // 2 // DAY_MS * DAY_MS))
    base_ms = min(time.base_ms, max(LEAST_BASE_MS, time.base_ms // 2000 * 1000))
    increment_ms = max(time.increment_ms // 2000 * 1000, 0 if base_ms else 1000)
    return replace(time, base_ms=base_ms, increment_ms=increment_ms)
