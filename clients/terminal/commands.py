"""The player's input: commands, and moves in SAN or UCI, which are read on a position.

Invariant: an illegal move is never sent, as the arbiter counts them and the third loses.
"""

import re
from dataclasses import dataclass
from enum import Enum

import chess

from clients.terminal.text import closest


class Word(Enum):
    """The commands that take no argument."""

    RESIGN = "resign"
    QUIT = "quit"
    FLIP = "flip"
    MOVES = "moves"
    BOARD = "board"
    CHALLENGES = "challenges"
    GAMES = "games"
    NEW = "new"
    CANCEL = "cancel"
    DRAW = "draw"
    CLAIM = "claim"
    CLAIM_LEFT = "claim-left"
    TAKEBACK = "takeback"
    REMATCH = "rematch"
    ABORT = "abort"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class WantPgn:
    """Print the game as PGN, or save it to ``path``."""

    path: str | None


@dataclass(frozen=True, slots=True)
class WantHelp:
    """Show the commands, or those about ``topic``."""

    topic: str = ""


@dataclass(frozen=True, slots=True)
class AskFor:
    """Ask for another game, on the terms in these words."""

    words: str
    challenge: bool


@dataclass(frozen=True, slots=True)
class AskHouse:
    """Challenge a program of the level in the first of these words, on the terms in the others."""

    words: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Accept or decline: the open offer, or else a challenge by its number or id, or the newest."""

    yes: bool
    challenge: str | None = None
    reason: str = "generic"


@dataclass(frozen=True, slots=True)
class GoTo:
    """Put the game of this number on the board; "" for the next that waits for a move."""

    number: str


@dataclass(frozen=True, slots=True)
class Say:
    """A line of chat."""

    text: str


@dataclass(frozen=True, slots=True)
class SwitchChat:
    """Show or hide a chat; ``whose`` is ``players``, ``spectators``, or None for both."""

    whose: str | None
    on: bool


@dataclass(frozen=True, slots=True)
class TryMove:
    """Any other input: perhaps a move."""

    text: str


@dataclass(frozen=True, slots=True)
class NotAMove:
    """The reason why a text is not a legal move; ``code`` is the machine word."""

    code: str
    text: str


Typed = Word | WantPgn | WantHelp | AskFor | AskHouse | Answer | GoTo | Say | SwitchChat | TryMove

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
_COMMANDS = (
    *(word.value for word in Word),
    *("help", "exit", "pgn", "challenge", "house", "accept", "decline", "go", "say", "chat"),
)
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
        case "?" | "help":
            return WantHelp(rest)
        case "exit" if not rest:
            return Word.QUIT
        case "new" | "challenge" | "house" | "go":
            return _which_game(lower, rest)
        case "accept" | "decline":
            return _answer(lower, rest)
        case "say" if rest:
            return Say(rest)
        case "chat" if switch := _CHAT.fullmatch(rest.lower()):
            return SwitchChat(switch[1] or switch[3], switch[2] == "on")
        case _:
            return TryMove(line.strip())


def _which_game(word: str, rest: str) -> AskHouse | GoTo | AskFor:
    if word == "house":
        return AskHouse(rest)
    return GoTo(rest) if word == "go" else AskFor(rest, word == "challenge")


def _answer(word: str, rest: str) -> Answer:
    """``decline`` takes a challenge and a reason, or either."""
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
    meant = closest("".join(words), _COMMANDS)
    if meant is None and words and words[0] in _COMMANDS:
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
