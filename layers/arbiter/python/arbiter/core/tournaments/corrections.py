"""Corrections by the organiser: results, forfeits, and players who are removed."""

from dataclasses import replace
from typing import assert_never

from arbiter.core.replies import Reason
from arbiter.core.tournaments import rounds
from arbiter.core.tournaments.commands import Forfeit, Remove, SetResult
from arbiter.core.tournaments.replies import Verdict
from arbiter.core.tournaments.rounds import board_at, changed, forfeit_of, round_at, unchanged
from arbiter.core.tournaments.tournament import Board, EntryState, Format, Phase, Tournament

CORRECT_MS = 24 * 60 * 60_000
"""Time after the end in which results can be corrected."""


def correct(tournament: Tournament, command: Remove | Forfeit | SetResult, now_ms: int) -> Verdict:
    match command:
        case Remove():
            return _remove(tournament, command, now_ms)
        case Forfeit():
            return _forfeit(tournament, command, now_ms)
        case SetResult():
            return _set_result(tournament, command, now_ms)
        case _:
            assert_never(command)


def _remove(tournament: Tournament, command: Remove, now_ms: int) -> Verdict:
    """The player's open boards are forfeit, and so are those of rounds to come."""
    entry = tournament.entry_of(command.player)
    if entry is None:
        return Reason.NOT_ENTERED, "no such player"
    if entry.state is EntryState.REMOVED:
        return unchanged(tournament)
    after = tournament.with_entry(replace(entry, state=EntryState.REMOVED))
    if tournament.phase not in (Phase.STARTING, Phase.PLAYING):
        return changed(after)
    for each in after.rounds:
        for at, board in enumerate(each.boards):
            if board.result is None and entry.number in (board.white, board.black):
                lost = _lost_by(board, entry.number)
                after = after.with_round(each.with_board(at, lost))
    return rounds.result_set(after, after.round, now_ms)


def _lost_by(board: Board, number: int) -> Board:
    result, is_white = board.result, board.white == number
    points = result.points() if result and result.is_forfeit else (1.0, 1.0)
    lost = forfeit_of(white=is_white or not points[0], black=not is_white or not points[1])
    return replace(board, result=lost, is_corrected=True)


def _forfeit(tournament: Tournament, command: Forfeit, now_ms: int) -> Verdict:
    entry, each = tournament.entry_of(command.player), round_at(tournament, command.round)
    if entry is None or each is None:
        return Reason.NOT_ENTERED, "no such player or round"
    boards = enumerate(each.boards, 1)
    own = [at for at, board in boards if entry.number in (board.white, board.black)]
    if not own:
        return Reason.NOT_ENTERED, "that player has no board in this round"
    lost = _lost_by(each.boards[own[0] - 1], entry.number)
    return _corrected(tournament, command.round, own[0], lost, now_ms)


def _set_result(tournament: Tournament, command: SetResult, now_ms: int) -> Verdict:
    _, board = board_at(tournament, command.round, command.board)
    if board is None:
        return Reason.BAD_TERMS, "no such board"
    corrected = replace(board, result=command.result, is_corrected=True)
    return _corrected(tournament, command.round, command.board, corrected, now_ms)


def _corrected(
    tournament: Tournament, number: int, place: int, corrected: Board, now_ms: int
) -> Verdict:
    """The tournament with this board, if its round is the latest one and the next is not paired."""
    each, board = board_at(tournament, number, place)
    if each is None or board == corrected:
        return unchanged(tournament)
    is_arena = tournament.terms.format is Format.ARENA
    if number != len(tournament.rounds) and not is_arena:
        return Reason.WRONG_PHASE, "the next round is paired"
    if tournament.phase is Phase.PAIRING and not tournament.trouble:
        return Reason.WRONG_PHASE, "the next round is being paired"
    if tournament.phase is Phase.PLANNED:
        return Reason.WRONG_PHASE, "the round has not started"
    if tournament.ended_ms is not None and now_ms > tournament.ended_ms + CORRECT_MS:
        return Reason.WRONG_PHASE, "the event ended more than a day ago"
    after = tournament.with_round(each.with_board(place - 1, corrected))
    return rounds.result_set(after, number, now_ms)
