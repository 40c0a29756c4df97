"""The games of a round's boards."""

from dataclasses import replace

from arbiter.core.chain import begun
from arbiter.core.clocks import start_clocks
from arbiter.core.game import Game, GamePlace
from arbiter.core.timers import with_timer
from arbiter.core.tournaments.knockout import time_of
from arbiter.core.tournaments.rounds import board_at
from arbiter.core.tournaments.tournament import Tournament


def game_of_board(
    tournament: Tournament, number: int, place: int, game_id: str, now_ms: int
) -> Game | None:
    """The game of a board, both counted from 1, as it begins; None where none is to be played."""
    _, board = board_at(tournament, number, place)
    if board is None or board.result is not None:
        return None
    # Whether they are there now is said by their words in the game.
    white, black = (
        replace(tournament.entry(each).seat, left_ms=None) for each in (board.white, board.black)
    )
    terms = tournament.terms
    time = time_of(tournament, number, board.white, board.black)
    game = Game(
        id=game_id,
        white=white,
        black=black,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
        rated=terms.rated,
        clocks=start_clocks(time, now_ms),
        tournament=GamePlace(
            tournament.id, number, place, terms.no_show_s, terms.draws_from_ply, terms.title
        ),
    )
    return with_timer(begun(game))
