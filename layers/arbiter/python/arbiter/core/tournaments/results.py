"""Results of games that ended, each set on a board that has none."""

from dataclasses import replace

from arbiter.core.game import WHITE, Game, Outcome, Termination
from arbiter.core.tournaments.commands import GameOver
from arbiter.core.tournaments.replies import TournamentDecision
from arbiter.core.tournaments.rounds import board_at, forfeit_of, result_set, unchanged
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Entry,
    EntryState,
    Round,
    Tournament,
)

_AWAY = (Termination.TIMEOUT, Termination.LEFT)


def game_over(tournament: Tournament, over: GameOver, now_ms: int) -> TournamentDecision:
    """Set the result of a board that has none. A player who did not come is paused."""
    each, board = board_at(tournament, over.round, over.board)
    is_its_game = board is not None and board.game_id in ("", over.game.id)
    result = _result_of(tournament, each, board, over.game) if each and board else None
    if each is None or board is None or board.result or not (is_its_game and result):
        return unchanged(tournament)
    if not tournament.is_under_way:
        return unchanged(tournament)
    ended = replace(board, game_id=over.game.id, result=result, plies=over.game.ply)
    after = tournament.with_round(each.with_board(over.board - 1, ended))
    for number in (board.white, board.black):
        after = after.with_entry(_after_game(after.entry(number), ended, over.game))
    return result_set(after, over.round, now_ms)


def _after_game(entry: Entry, board: Board, game: Game) -> Entry:
    """The entry after its game: paused if it did not come, and not seen if it was away."""
    is_lost = board.points_of(entry.number) == 0
    if is_lost and board.result and board.result.is_forfeit:
        is_in = entry.state is EntryState.IN
        return replace(entry, state=EntryState.PAUSED) if is_in else entry
    if is_lost and game.outcome and game.outcome.termination in _AWAY:
        return entry
    return replace(entry, seen_ms=max(entry.seen_ms, game.end_ms))


def _result_of(tournament: Tournament, each: Round, board: Board, game: Game) -> BoardResult | None:
    outcome = game.outcome
    if outcome is None:
        return None
    if outcome.termination is Termination.ABORTED:
        return BoardResult.VOID
    if outcome.termination is Termination.NO_SHOW:
        return _no_show(tournament, each, board, game, outcome)
    return BoardResult(outcome.result)


def _no_show(
    tournament: Tournament, each: Round, board: Board, game: Game, outcome: Outcome
) -> BoardResult | None:
    """A forfeit: of both, where the one who waited gave no sign since the pairing either."""
    is_white = outcome.winner == WHITE
    waited = tournament.entry(board.white if is_white else board.black)
    seat = game.white if is_white else game.black
    is_seen = waited.seen_ms >= each.began_ms and waited.state is not EntryState.LEFT
    gave_a_sign = is_seen or seat.left_ms == 0 or game.ply > 0
    return forfeit_of(white=not is_white or not gave_a_sign, black=is_white or not gave_a_sign)
