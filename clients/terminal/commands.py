"""What a player types, read once: a command word, or else a move in SAN or UCI.

The law: reading a line needs no game; reading a move needs the position, and answers with the move
in UCI or with a sentence that says what is wrong with it. An illegal move never leaves this
machine: the arbiter counts them, and the third loses.
"""

import re
from dataclasses import dataclass
from enum import Enum

import chess


class Word(Enum):
    """The commands that take no argument."""

    RESIGN = "resign"
    QUIT = "quit"
    FLIP = "flip"
    MOVES = "moves"
    BOARD = "board"
    HELP = "help"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class WantPgn:
    """Print the game as PGN, or save it to ``path``."""

    path: str | None


@dataclass(frozen=True, slots=True)
class TryMove:
    """Anything else: perhaps a move."""

    text: str


@dataclass(frozen=True, slots=True)
class NotAMove:
    """Why a text is no move here; ``code`` is the machine word for scripts."""

    code: str
    text: str


Typed = Word | WantPgn | TryMove

HELP = """\
  e4, Nf3, exd5, O-O, e8=Q   a move as in books (SAN)
  e2e4, e7e8q                or by its squares (UCI)
  board     show the board again        moves       list the moves
  flip      look from the other side    pgn [FILE]  show or save the game
  resign    give up the game            new         ask for another game
  quit      leave; the game can wait    help        this list"""

_UCI = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([qrbn]?)", re.IGNORECASE)
_SAN_LIKE = re.compile(r"[KQRBNkqrbn]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNqrbn])?|[0Oo]-[0Oo](-[0Oo])?")


def read_line(line: str) -> Typed | None:
    """The command in one line of input; None for an empty line."""
    word, _, rest = line.strip().partition(" ")
    if not word:
        return None
    lower = word.lower()
    if lower == "pgn":
        return WantPgn(rest.strip() or None)
    if not rest and lower in {command.value for command in Word}:
        return Word(lower)
    if lower in ("?", "exit"):
        return Word.HELP if lower == "?" else Word.QUIT
    return TryMove(line.strip())


def read_move(board: chess.Board, text: str) -> chess.Move | NotAMove:
    """The legal move that ``text`` names on ``board``."""
    bare = text.rstrip("+#!? ").removesuffix(" e.p.")
    if squares := _UCI.fullmatch(bare):
        return _by_squares(board, squares[1].lower(), squares[2].lower(), squares[3].lower(), text)
    if not _SAN_LIKE.fullmatch(bare):
        return NotAMove("unknown-command", f"“{text}” is neither a move nor a command: try help")
    problem: NotAMove | None = None
    for spelling in _spellings(bare):
        try:
            return board.parse_san(spelling)
        except chess.AmbiguousMoveError:
            problem = NotAMove("ambiguous-move", f"{text} could be {_candidates(board, spelling)}")
        except ValueError:
            continue
    if problem is None and _lacks_piece(board, bare):
        problem = NotAMove("promotion-missing", f"Promote to what? For example {bare}=Q")
    return problem or NotAMove("illegal-move", f"{text} is not legal here" + _why(board))


def _by_squares(
    board: chess.Board, start: str, end: str, piece: str, text: str
) -> chess.Move | NotAMove:
    if start == end:
        return NotAMove("illegal-move", f"{text} goes nowhere")
    move = chess.Move.from_uci(start + end + piece)
    if board.is_legal(move):
        return board.parse_uci(board.uci(move))
    if not piece and board.is_legal(chess.Move.from_uci(start + end + "q")):
        return NotAMove("promotion-missing", f"Promote to what? For example {start}{end}q")
    return NotAMove("illegal-move", f"{text} is not legal here" + _why(board))


def _spellings(san: str) -> tuple[str, ...]:
    """The text as typed first: ``bc4`` is a pawn's capture before it is a careless bishop."""
    castling = san.upper().replace("0", "O")
    if castling in ("O-O", "O-O-O"):
        return (castling,)
    promoted = re.sub(r"([a-h][18])=?([qrbnQRBN])$", lambda m: f"{m[1]}={m[2].upper()}", san)
    return (promoted, promoted[0].upper() + promoted[1:])


def _candidates(board: chess.Board, san: str) -> str:
    """The moves that an ambiguous SAN could mean, each spelled out."""
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
