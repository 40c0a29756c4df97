"""Moves in SAN or UCI, read on a position. An illegal one is never sent: the third loses."""

import re
from dataclasses import dataclass

import chess

from clients.terminal.text import closest

COMMANDS = (
    *("resign", "quit", "exit", "flip", "moves", "board", "challenges", "games", "new", "cancel"),
    *("draw", "claim", "claim-left", "takeback", "rematch", "abort", "flag", "help", "pgn"),
    *("challenge", "house", "accept", "decline", "go", "say", "chat", "events", "standings"),
    "notify",
    *("join", "leave", "here", "pause", "back", "bye", "if", "lines", "vacation"),
    *("block", "unblock", "blocked", "report"),
)
"""The words that are no moves."""

_UCI = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([qrbn]?)", re.IGNORECASE)
_SAN_LIKE = re.compile(r"[KQRBNkqrbn]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNqrbn])?|[0Oo]-[0Oo](-[0Oo])?")


@dataclass(frozen=True, slots=True)
class NotAMove:
    """The reason why a text is not a legal move; ``code`` is the machine word."""

    code: str
    text: str


def read_move(board: chess.Board, text: str) -> chess.Move | NotAMove:
    """The legal move that ``text`` names on ``board``."""
    bare = text.rstrip("+#!? ").removesuffix(" e.p.")
    if squares := _UCI.fullmatch(bare):
        return _by_squares(board, squares[1].lower(), squares[2].lower(), squares[3].lower(), text)
    if not _SAN_LIKE.fullmatch(bare):
        problem = f"“{text}” is neither a move nor a command: {_instead(text)}"
        return NotAMove("unknown-command", problem)
    ambiguous: NotAMove | None = None
    for spelling in _spellings(bare):
        try:
            return board.parse_san(spelling)
        except chess.AmbiguousMoveError:
            ambiguous = NotAMove(
                "ambiguous-move", f"{text} could be {_candidates(board, spelling)}"
            )
        except ValueError:
            continue
    if ambiguous is None and _lacks_piece(board, bare):
        return NotAMove("promotion-missing", f"Promote to what? For example {bare}=Q")
    return ambiguous or NotAMove("illegal-move", f"{text} is not legal here" + _why(board))


def _instead(text: str) -> str:
    """The command to try in place of a mistyped one."""
    words = text.lower().split()
    meant = closest("".join(words), COMMANDS)
    if meant is None and words and words[0] in COMMANDS:
        meant = words[0]
    return f"did you mean {meant}?" if meant else "try help"


def _by_squares(
    board: chess.Board, start: str, end: str, piece: str, text: str
) -> chess.Move | NotAMove:
    if start == end:
        return NotAMove("illegal-move", f"{text} starts and ends on one square")
    move = chess.Move.from_uci(start + end + piece)
    if board.is_legal(move):
        return board.parse_uci(board.uci(move))
    if not piece and board.is_legal(chess.Move.from_uci(start + end + "q")):
        return NotAMove("promotion-missing", f"Promote to what? For example {start}{end}q")
    return NotAMove("illegal-move", f"{text} is not legal here" + _why(board))


def _spellings(san: str) -> tuple[str, ...]:
    """The text as typed comes first: ``bc4`` is a pawn's capture rather than a bishop's move."""
    castling = san.upper().replace("0", "O")
    if castling in ("O-O", "O-O-O"):
        return (castling,)
    promoted = re.sub(r"([a-h][18])=?([qrbnQRBN])$", lambda m: f"{m[1]}={m[2].upper()}", san)
    return (promoted, promoted[0].upper() + promoted[1:])


def _candidates(board: chess.Board, san: str) -> str:
    """The moves that an ambiguous SAN could mean."""
    piece, target = san[0], san[-2:]
    meant = sorted(
        board.san(move)
        for move in board.legal_moves
        if chess.square_name(move.to_square) == target and board.san(move)[0] == piece
    )
    return " or ".join(meant)


def _lacks_piece(board: chess.Board, san: str) -> bool:
    return any(board.san(move).startswith(f"{san}=") for move in board.legal_moves)


def _why(board: chess.Board) -> str:
    return ": your king is in check" if board.is_check() else ""
