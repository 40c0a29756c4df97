"""Compares what a player claims about their own move with the rules; it changes no game."""

import chess

from arbiter.core.commands import MoveClaims
from arbiter.core.game import Game

_CHECKS = "+#"
_COMPARED = ("pieces", "side to move", "castling rights")
_MOVE_NUMBER = 5


def differences(played: Game, claims: MoveClaims) -> tuple[str, ...]:
    """One sentence for each claim that contradicts the rules; not for what programs spell
    otherwise: ``+``, ``#``, an en-passant square that no pawn can use, another halfmove clock.
    """
    found: list[str] = []
    if claims.san is not None and (text := _san_differs(played, claims.san)):
        found.append(text)
    if claims.fen is not None and (text := _fen_differs(played.board(), claims.fen)):
        found.append(text)
    won = played.outcome.winner if played.outcome else None
    if claims.winner is not None and claims.winner != won:
        found.append("the player you name did not win")
    return tuple(found)


def _san_differs(played: Game, claimed: str) -> str | None:
    after = played.board()
    before = after.copy(stack=1)
    move = before.pop()
    is_right = claimed.rstrip(_CHECKS) == before.san(move).rstrip(_CHECKS)
    sign = claimed[len(claimed.rstrip(_CHECKS)) :]
    if not is_right:
        try:
            # Other programs disambiguate where python-chess does not, or castle with zeros.
            is_right = before.parse_san(claimed) == move
        except ValueError:
            is_right = False
    if not is_right:
        return f"the move is written {before.san(move)}"
    if "#" in sign and not after.is_checkmate():
        return "the move is marked # but not mate"
    if "+" in sign and not after.is_check():
        return "the move is marked + but not check"
    return None


def _fen_differs(board: chess.Board, claimed: str) -> str | None:
    rules, fields = board.fen().split(), claimed.split()
    for name, right, text in zip(_COMPARED, rules, fields, strict=False):
        if right != text:
            return f"the position's {name} differ from the claimed FEN's"
    if len(fields) < len(_COMPARED):
        return "the claimed FEN is invalid"
    if fields[3:4] not in ([], ["-"], [board.fen(en_passant="fen").split()[3]]):
        return "the claimed FEN's en-passant square is not the last pawn's"
    if fields[_MOVE_NUMBER:] not in ([], [rules[_MOVE_NUMBER]]):
        return "the claimed FEN's move number is wrong"
    return None
