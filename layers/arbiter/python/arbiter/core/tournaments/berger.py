"""Round robins by the Berger tables (FIDE C.05, annex 1).

Of a double one the second cycle has colours reversed, and the last two rounds of the first change
places: else a player could have one colour three times in a row.
"""

from arbiter.core.tournaments.commands import Pairings
from arbiter.core.tournaments.tournament import Bye, ByeKind, Tournament

ENGINE = "berger"


def rounds_of(players: int, cycles: int) -> int:
    """The number of rounds for so many players."""
    return (players - 1 + players % 2) * cycles


def table(players: int, number: int) -> tuple[tuple[int, int], ...]:
    """White and Black of each board in a round (from 1) of a single round robin, for an even number
    of players, numbered from 1.

    The last player meets all others in turn. The rest sit on a circle, and those who are as far
    from the last player's opponent on either side meet each other.
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
    """The pairings of the present round. In an odd field the last number of the table is the bye,
    which is worth nothing.
    """
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
