"""The rules that the pairings of a round must keep, whatever engine or hand made them. FIDE C.04.1:
no opponent or bye twice, no colour three times in a row or more; but in the last round.
"""

from collections import Counter

from arbiter.core.game import BLACK, WHITE
from arbiter.core.tournaments import berger, knockout
from arbiter.core.tournaments.commands import Pairings
from arbiter.core.tournaments.score import games_of_each, is_played
from arbiter.core.tournaments.tournament import ByeKind, Format, Tournament

MAX_COLOUR_DIFFERENCE = 2
MAX_IN_A_ROW = 2


def flaw_of_pairings(tournament: Tournament, pairings: Pairings) -> str | None:
    """Return what is wrong with an engine's answer for the present round, or None."""
    if flaw := flaw_of_places(tournament, pairings):
        return flaw
    match tournament.terms.format:
        case Format.ROUND_ROBIN:
            return _differs(pairings, berger.pair_round_robin(tournament))
        case Format.KNOCKOUT:
            return _differs(pairings, knockout.pair_knockout(tournament))
        case Format.ARENA:
            return _forbidden(tournament, pairings)
        case _:
            return (
                _unpaired(tournament, pairings)
                or _forbidden(tournament, pairings)
                or _met_before(tournament, pairings)
                or _unfit_bye(tournament, pairings)
                or _colours(tournament, pairings)
            )


def flaw_of_places(tournament: Tournament, pairings: Pairings) -> str | None:
    """The flaw in who is paired, in any format: somebody twice, or not of the field; or None."""
    seats = [number for pair in pairings.boards for number in pair]
    seats += [bye.number for bye in pairings.byes]
    number, times = next(iter(Counter(seats).most_common(1)), (0, 0))
    if times > 1:
        return f"{number} is there twice"
    if strangers := set(seats) - set(tournament.field):
        return f"{min(strangers)} is not to be paired"
    may_wait = tournament.terms.format is Format.ARENA
    return None if pairings.boards or may_wait else "there is no board"


def _differs(pairings: Pairings, expected: Pairings) -> str | None:
    is_same = set(pairings.boards) == set(expected.boards) and set(pairings.byes) == set(
        expected.byes
    )
    return None if is_same else "these are not the boards of the table"


def _unpaired(tournament: Tournament, pairings: Pairings) -> str | None:
    if 2 * len(pairings.boards) + len(pairings.byes) != len(tournament.field):
        return "somebody has neither a board nor a bye"
    if len(pairings.byes) > 1:
        return "there are two byes"
    return None


def _forbidden(tournament: Tournament, pairings: Pairings) -> str | None:
    apart = {frozenset(pair) for pair in tournament.forbidden}
    met = next((pair for pair in pairings.boards if frozenset(pair) in apart), None)
    return f"{met[0]} and {met[1]} are kept apart" if met else None


def _met_before(tournament: Tournament, pairings: Pairings) -> str | None:
    met = {
        frozenset((board.white, board.black))
        for _, board in tournament.boards()
        if is_played(board)
    }
    again = next((pair for pair in pairings.boards if frozenset(pair) in met), None)
    return f"{again[0]} and {again[1]} have met" if again else None


def _unfit_bye(tournament: Tournament, pairings: Pairings) -> str | None:
    """FIDE C.04.1 and C.04.3, C2: no bye after a bye, or after a win without play."""
    had = {bye.number for each in tournament.rounds for bye in each.byes if bye.kind.points == 1}
    for _, board in tournament.boards():
        if board.result and board.result.is_forfeit:
            had |= {one for one in (board.white, board.black) if board.points_of(one) == 1}
    for bye in pairings.byes:
        if bye.kind is not ByeKind.PAIRING:
            return f"{bye.number} asked for no bye"
        if bye.number in had:
            return f"{bye.number} has had a point without play"
    return None


def _colours(tournament: Tournament, pairings: Pairings) -> str | None:
    if tournament.round >= tournament.terms.rounds:
        return None
    games = games_of_each(tournament.rounds)
    for pair in pairings.boards:
        for number, color in zip(pair, (WHITE, BLACK), strict=True):
            had = [number == board.white for board in games.get(number, ()) if is_played(board)]
            is_third = [*had[-MAX_IN_A_ROW:], color] == [color] * (MAX_IN_A_ROW + 1)
            more_often = had.count(color) + 1 - had.count(not color)
            if is_third or more_often > MAX_COLOUR_DIFFERENCE:
                return f"{number} would have one colour too often"
    return None
