"""Points, a fold over the rounds: a result that comes twenty times is on its board once."""

from collections.abc import Iterable, Mapping
from itertools import chain

from arbiter.core.tournaments.tournament import Board, EntryState, Format, Round, Tournament

LONG_PLIES = 60
"""A draw in an arena as long as this (30 moves) counts even after a draw, as on lichess."""

SHORT_PLIES = 20
"""A draw in an arena shorter than this (10 moves) counts for nothing."""

WINS_TO_DOUBLE = 2
"""After so many wins in a row the points of an arena are doubled, until a game is not won."""


def points(tournament: Tournament) -> dict[int, float]:
    if tournament.terms.format is Format.ARENA:
        games = games_of_each(tournament.rounds)
        return {one.number: arena_points(one.number, games) for one in tournament.entries}
    out = struck(tournament)
    total = dict.fromkeys(range(1, len(tournament.entries) + 1), 0.0)
    for each in tournament.rounds:
        for board in each.boards:
            if board.result and not out & {board.white, board.black}:
                white, black = board.result.points()
                total[board.white] += white
                total[board.black] += black
        for bye in each.byes:
            total[bye.number] += bye.kind.points
    return total


def games_of_each(rounds: Iterable[Round]) -> dict[int, list[Board]]:
    games: dict[int, list[Board]] = {}
    for board in chain.from_iterable(each.boards for each in rounds):
        games.setdefault(board.white, []).append(board)
        games.setdefault(board.black, []).append(board)
    return games


def is_played(board: Board) -> bool:
    return board.result is not None and board.result.is_played


def struck(tournament: Tournament) -> frozenset[int]:
    """Numbers whose results count for neither: left a round robin before half of their games."""
    if tournament.terms.format is not Format.ROUND_ROBIN or not tournament.rounds:
        return frozenset()
    half = (len(tournament.field) - 1) * tournament.terms.cycles / 2
    gone = {
        entry.number
        for entry in tournament.entries
        if entry.state in (EntryState.LEFT, EntryState.REMOVED)
    }
    if not gone:
        return frozenset()
    games = games_of_each(tournament.rounds)
    played = {number: sum(map(is_played, games.get(number, ()))) for number in gone}
    return frozenset(number for number in gone if played[number] < half)


def arena_points(number: int, games: Mapping[int, list[Board]]) -> float:
    """One sheet's sum: 2 for a win, 1 for a draw, doubled on a streak, as on lichess."""
    total, streak, is_drawn = 0, 0, False
    for board in games.get(number, ()):
        if board.result is None:
            continue
        factor = 2 if streak >= WINS_TO_DOUBLE else 1
        won = board.points_of(number)
        if not board.result.is_played:
            # A forfeit is worth a win, and says nothing of a streak.
            total += int(2 * won)
        elif won == 1:
            total, streak, is_drawn = total + 2 * factor, streak + 1, False
        elif won:
            counts = board.plies >= (LONG_PLIES if is_drawn else SHORT_PLIES)
            total, streak, is_drawn = total + factor * counts, 0, True
        else:
            streak = 0
    return float(total)


def performances(tournament: Tournament) -> dict[int, tuple[float, ...]]:
    """Of each number the opponents' average rating, ±500 for wins and losses; 0 without a game."""
    games = games_of_each(tournament.rounds)
    found: dict[int, tuple[float, ...]] = {}
    for entry in tournament.entries:
        number = entry.number
        each = [
            tournament.entry(board.black if number == board.white else board.white).rating
            + 1000 * board.points_of(number)
            - 500
            for board in games.get(number, ())
            if is_played(board)
        ]
        found[number] = (round(sum(each) / len(each), 1) if each else 0.0,)
    return found
