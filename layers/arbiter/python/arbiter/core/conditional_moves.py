"""Decide on the lines of a player: which are taken, and which move one makes now. Until then they
change neither version nor chain.
"""

from collections.abc import Iterator
from dataclasses import replace

import chess

from arbiter.core.commands import AnsweredState, PlayMove, SetLines
from arbiter.core.game import WHITE, Game
from arbiter.core.lines import Line, Lines
from arbiter.core.moves import legal_move
from arbiter.core.replies import Decision, LinesTold, Reason, refuse

MAX_MOVES_AT_ONCE = 8
"""Moves by lines in one write: each is a version that is signed and sent. The others follow."""


class _Refused(Exception):
    """A line that is not taken, and why."""


def set_lines(game: Game, command: SetLines, color: chess.Color) -> Decision:
    """Keep these lines in place of others, if each can be played; its text names no move."""
    kept = game.lines[color]
    if kept is not None and command.made_at_ms < kept.made_at_ms:
        return refuse(game, command, Reason.STALE, "you have set other lines since")
    if not game.is_slow:
        text = "lines are for games by days, or without a clock"
        return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
    if command.answers is AnsweredState.UNSAID:
        text = "name the state that the lines go on from, in an e tag"
        return refuse(game, command, Reason.MALFORMED, text)
    try:
        lines = tuple(dict.fromkeys(_legal(game, color, command.lines)))
    except _Refused as flaw:
        reason, text = flaw.args
        return refuse(game, command, reason, text)
    new = Lines(command.event_key, command.made_at_ms, game.ply, lines)
    after = with_lines(game, color, new)
    return Decision(after, (LinesTold(after, color),))


def with_lines(game: Game, color: chess.Color, lines: Lines) -> Game:
    black, white = game.lines
    return replace(game, lines=(black, lines) if color == WHITE else (lines, white))


def _legal(game: Game, color: chess.Color, lines: tuple[tuple[str, ...], ...]) -> Iterator[Line]:
    """The moves of each line. Raises ``_Refused``."""
    answers: dict[Line, chess.Move] = {}
    first = 0 if game.turn == color else 1
    for number, line in enumerate(lines, 1):
        board, played = game.board().copy(stack=False), Line()
        if len(line) % 2 == first:
            text = f"line {number} ends with your opponent's move"
            raise _Refused(Reason.MALFORMED, text)
        if len(line) == 1:
            raise _Refused(Reason.MALFORMED, f"line {number} answers no move")
        for at, uci in enumerate(line):
            where = f"line {number}, ply {at + 1}"
            move = legal_move(board, uci)
            if move is None:
                raise _Refused(Reason.ILLEGAL_MOVE, f"{where} is not legal")
            if at and at % 2 == first and answers.setdefault(played, move) != move:
                raise _Refused(Reason.MALFORMED, f"{where}: another line answers otherwise")
            board.push(move)
            played = (*played, move)
        yield played


def due_move(game: Game, now_ms: int) -> PlayMove | None:
    """The move that a line of the side to move makes now; None if none does."""
    kept = game.lines[game.turn]
    if kept is None or not kept.lines or game.outcome is not None:
        return None
    # In their own turn a player sets lines that begin with a move they are yet to make.
    if kept.set_at_ply == game.ply:
        return None
    move = kept.lines[0][0]
    if not game.board().is_legal(move):
        return None
    return PlayMove(
        player=game.seat(game.turn).player,
        uci=move.uci(),
        made_at_ms=now_ms,
        received_at_ms=now_ms,
        answers=AnsweredState.LATEST,
    )
