"""What a player says of his own move beside the move: compared with the rules, never adopted.

The law: **a claim changes nothing.** The move is judged by the rules; where the claim differs, that
is said.
"""

import chess

from arbiter.core.commands import Claims
from arbiter.core.game import Game

_CHECKS = "+#"
_COMPARED = ("pieces", "side to move", "castling rights")
_MOVE_NUMBER = 5


def differences(played: Game, claims: Claims) -> tuple[str, ...]:
    """What of the claims about the last move contradicts the rules, a sentence each.

    What programs write differently in good faith is no contradiction: a missing ``+`` or ``#``, an
    en-passant square that no pawn can use, the count of half-moves since a capture.
    """
    found: list[str] = []
    if claims.san is not None and (text := _san_differs(played, claims.san)):
        found.append(text)
    if claims.fen is not None and (text := _fen_differs(played.board(), claims.fen)):
        found.append(text)
    won = played.outcome.winner if played.outcome else None
    if claims.winner is not None and claims.winner != won:
        found.append("the game was not won by the one you name")
    return tuple(found)


def _san_differs(played: Game, claimed: str) -> str | None:
    after = played.board()
    before = after.copy(stack=1)
    move = before.pop()
    is_right = claimed.rstrip(_CHECKS) == before.san(move).rstrip(_CHECKS)
    sign = claimed[len(claimed.rstrip(_CHECKS)) :]
    if not is_right:
        try:
            # Another program may name the rank or file where ours need not, or castle with zeros.
            is_right = before.parse_san(claimed) == move
        except ValueError:
            is_right = False
    if not is_right:
        return f"the move is written {before.san(move)}"
    if "#" in sign and not after.is_checkmate():
        return "the move is written as mate, and it is none"
    if "+" in sign and not after.is_check():
        return "the move is written as check, and it gives none"
    return None


def _fen_differs(board: chess.Board, claimed: str) -> str | None:
    rules, said = board.fen().split(), claimed.split()
    for name, right, text in zip(_COMPARED, rules, said, strict=False):
        if right != text:
            return f"the position's {name} differ from the claimed FEN's"
    if len(said) < len(_COMPARED):
        return "the claimed FEN is no FEN"
    if said[3:4] not in ([], ["-"], [board.fen(en_passant="fen").split()[3]]):
        return "the claimed FEN's en-passant square is not the last pawn's"
    if said[_MOVE_NUMBER:] not in ([], [rules[_MOVE_NUMBER]]):
        return "the claimed FEN's move number is wrong"
    return None
