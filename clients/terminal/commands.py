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
    CANCEL = "cancel"
    DRAW = "draw"
    CLAIM = "claim"
    TAKEBACK = "takeback"
    REMATCH = "rematch"
    ABORT = "abort"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class WantPgn:
    """Print the game as PGN, or save it to ``path``."""

    path: str | None


@dataclass(frozen=True, slots=True)
class AskFor:
    """Another game, on the terms in these words."""

    words: str
    challenge: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Yes or no: to the offer that stands, or else to a challenge, by its id or the newest."""

    yes: bool
    challenge: str | None = None
    reason: str = "generic"


@dataclass(frozen=True, slots=True)
class Say:
    """A line of chat."""

    text: str


@dataclass(frozen=True, slots=True)
class HearChat:
    """Switch a chat on or off; ``whose`` is ``players``, ``spectators``, or None for both."""

    whose: str | None
    on: bool


@dataclass(frozen=True, slots=True)
class TryMove:
    """Anything else: perhaps a move."""

    text: str


@dataclass(frozen=True, slots=True)
class NotAMove:
    """Why a text is no move here; ``code`` is the machine word for scripts."""

    code: str
    text: str


Typed = Word | WantPgn | AskFor | Answer | Say | HearChat | TryMove

HELP = """\
  e4, Nf3, exd5, O-O, e8=Q   a move as in books (SAN)
  e2e4, e7e8q                or by its squares (UCI); Chess960 castles king takes rook
  board     show the board again        moves       list the moves
  flip      look from the other side    pgn [FILE]  show or save the game
  draw      offer a draw                takeback    ask for your last move back
  accept    agree to an offer           decline     turn it down
  claim     a draw by threefold repetition or fifty moves
  flag      the opponent's time is up   abort       call off a game not begun
  resign    give up the game            rematch     after the end: once more
  say TEXT  talk to your opponent       chat off, chat on [players|spectators]
  new [3+2 rated white 1400-1800 chess960 bots]     another game; 3d is days a move
  challenge npub…|open [3+2 …] [start FEN]          one opponent, or whoever comes first
  accept [ID], decline [ID] [REASON]                a challenge to you; the newest without ID
  cancel    stop waiting                quit        leave; the game can wait"""

DECLINE_REASONS = (
    "later",
    "tooFast",
    "tooSlow",
    "timeControl",
    "rated",
    "casual",
    "variant",
    "noBot",
    "generic",
)
_REASONS = {reason.lower(): reason for reason in DECLINE_REASONS}
_CHAT = re.compile(r"(?:(players|spectators) )?(on|off)(?: (players|spectators))?")
_UCI = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([qrbn]?)", re.IGNORECASE)
_SAN_LIKE = re.compile(r"[KQRBNkqrbn]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBNqrbn])?|[0Oo]-[0Oo](-[0Oo])?")


def read_line(line: str) -> Typed | None:
    """The command in one line of input; None for an empty line."""
    word, _, rest = line.strip().partition(" ")
    if not word:
        return None
    lower, rest = word.lower(), rest.strip()
    if not rest and lower in {command.value for command in Word}:
        return Word(lower)
    match lower:
        case "pgn":
            return WantPgn(rest or None)
        case "?" | "exit" if not rest:
            return Word.HELP if lower == "?" else Word.QUIT
        case "new" | "challenge":
            return AskFor(rest, lower == "challenge")
        case "accept" | "decline":
            return _answer(lower, rest)
        case "say" if rest:
            return Say(rest)
        case "chat" if switch := _CHAT.fullmatch(rest.lower()):
            return HearChat(switch[1] or switch[3], switch[2] == "on")
        case _:
            return TryMove(line.strip())


def _answer(word: str, rest: str) -> Answer:
    """A reason for declining is a word of letters, an id is not."""
    first, _, second = rest.partition(" ")
    if word == "accept":
        return Answer(True, first or None)
    if first and first.lower() in _REASONS:
        return Answer(False, None, _REASONS[first.lower()])
    return Answer(False, first or None, _REASONS.get(second.strip().lower(), "generic"))


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
