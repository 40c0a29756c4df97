"""Round robins by the Berger tables (FIDE C.05, annex 1). In a double one's second cycle colours
are reversed, and the last two rounds of the first change places: no colour three times in a row.
"""

from arbiter.core.tournaments.commands import Pairings
from arbiter.core.tournaments.tournament import Bye, ByeKind, Tournament

ENGINE = "berger"


def rounds_of(players: int, cycles: int) -> int:
    return (players - 1 + players % 2) * cycles


def table(players: int, number: int) -> tuple[tuple[int, int], ...]:
    """White and Black of each board in a round (from 1) of a single round robin, for an even
    number. The last player meets all in turn; the rest sit on a circle, and meet across it.
    """
    circle, last = players - 1, players
    partner = (number - 1) // 2 + 1 if number % 2 else players // 2 + number // 2
    first = (partner, last) if number % 2 else (last, partner)
    return (
        first,
        *(
            ((partner + away - 1) % circle + 1, (partner - away - 1) % circle + 1)
            for away in range(1, players // 2)
        ),
    )


def pair_round_robin(tournament: Tournament) -> Pairings:
    """The pairings of the present round; in an odd field the table's last is the bye."""
    field, cycles = tournament.field, tournament.terms.cycles
    even = len(field) + len(field) % 2
    cycle, at = divmod(tournament.round - 1, even - 1)
    number = at + 1
    if cycles > 1 and cycle == 0 and even > 2 and number >= even - 2:  # noqa: PLR2004 - two rounds
        number = 2 * even - 3 - number
    boards, byes = [], []
    for white, black in table(even, number):
        if max(white, black) > len(field):
            byes.append(Bye(field[min(white, black) - 1], ByeKind.ZERO))
        else:
            pair = field[white - 1], field[black - 1]
            boards.append(pair[::-1] if cycle % 2 else pair)
    return Pairings(tournament.round, tuple(boards), tuple(byes), ENGINE, "")
