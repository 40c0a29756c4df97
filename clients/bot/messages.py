"""The arbiter's events 20301, 20302 and 20304 as values."""

import re
from dataclasses import dataclass

import chess

from arbiter.nostr.event import is_hex_32_bytes
from clients.bot.events import Event
from clients.bot.terms import Terms, TimeControl, read_terms, read_time

REQUEST, RESPONSE, STATE, MOVE, ERROR, PLAYERS_CHAT, SPECTATORS_CHAT = range(20300, 20307)
GAME_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
NUMBER = re.compile(r"\d{1,16}", re.ASCII)
MOVE_TEXT = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?", re.ASCII)
OFFERS = ("draw", "takeback", "rematch", "abort")


@dataclass(frozen=True, slots=True)
class Started:
    """A game of ours goes on."""

    game: str
    opponent: str
    answers: str | None


@dataclass(frozen=True, slots=True)
class Queued:
    """We wait."""

    answers: str | None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """We do not wait any more."""

    answers: str | None


@dataclass(frozen=True, slots=True)
class Challenged:
    """Another player asks us for a game."""

    id: str
    challenger: str
    terms: Terms
    expires_at: int | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A request of ours is not granted (20301 `error:`)."""

    reason: str
    text: str
    answers: str | None
    dated: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """A move or a word is in error (20304)."""

    reason: str
    text: str
    answers: str | None


@dataclass(frozen=True, slots=True)
class State:
    """A position with all that belongs to it (20302)."""

    event: str
    dated: int
    game: str
    white: str
    black: str
    version: int
    fen: str
    moves: tuple[str, ...] = ()
    ply: int = 0
    start: str | None = None
    chess960: bool = False
    time: TimeControl | None = None
    rated: bool = False
    clock: tuple[int, int] | None = None
    deadline: int | None = None
    offer: tuple[str, str] | None = None
    result: str | None = None
    termination: str | None = None
    rematch: str | None = None
    stand_ins: frozenset[str] = frozenset()

    @property
    def position(self) -> str:
        """The name of the position within its game."""
        return f"{self.ply} {self.moves[-1] if self.moves else ''} {self.fen}"

    @property
    def white_to_move(self) -> bool:
        """Whether it is white's turn in the position."""
        return self.fen.split()[1:2] == ["w"]

    def board(self) -> chess.Board:
        """The board with every move played on it, if the state lists them."""
        if self.ply and not self.moves:
            return chess.Board(self.fen, chess960=self.chess960)
        board = chess.Board(self.start or chess.STARTING_FEN, chess960=self.chess960)
        for move in self.moves:
            board.push(board.parse_uci(move))
        return board


def opponent_of(state: State, me: str) -> str:
    return state.black if state.white == me else state.white


Message = Started | Queued | Cancelled | Challenged | Refused | Rejected | State


def read_message(event: Event, arbiter: str) -> Message | None:
    """None for what is not the arbiter's, or cannot be read."""
    if event.pubkey != arbiter:
        return None
    if event.kind == STATE:
        return _state(event)
    if event.kind == RESPONSE:
        return _response(event)
    if event.kind == ERROR:
        reason, _, text = event.content.partition(": ")
        return Rejected(reason, text, event.first("e"))
    return None


def _response(event: Event) -> Message | None:
    answers = event.first("e")
    word, *rest = event.content.split(":")
    if event.content == "queued":
        return Queued(answers)
    if event.content == "cancelled":
        return Cancelled(answers)
    if word == "error":
        reason, _, text = event.content.removeprefix("error:").partition(": ")
        return Refused(reason, text, answers, event.created_at)
    if word == "started" and len(rest) == len(("game", "opponent", "color")):
        game, opponent, color = rest
        if GAME_ID.fullmatch(game) and is_hex_32_bytes(opponent) and color in {"w", "b"}:
            return Started(game, opponent, answers)
    if word == "challenged" and len(rest) == len(("challenge", "challenger")):
        challenge, challenger = rest
        terms = read_terms(event.tags)
        if GAME_ID.fullmatch(challenge) and is_hex_32_bytes(challenger) and terms:
            return Challenged(challenge, challenger, terms, _number(event.first("expiration")))
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and NUMBER.fullmatch(text) else None


def _state(event: Event) -> State | None:
    game, version = event.first("d"), _number(event.first("version"))
    players = [tag[1] for tag in event.tags if len(tag) > 1 and tag[0] == "p"]
    if game is None or not GAME_ID.fullmatch(game) or len(players) != len(("w", "b")):
        return None
    moves = event.tag("moves") or ()
    ply = _number(event.first("ply"))
    if version is None or ply is None or not all(map(MOVE_TEXT.fullmatch, moves)):
        return None
    clock = tuple(map(_number, event.tag("clock") or ()))
    offer = event.tag("offer") or ()
    state = State(
        event.id,
        event.created_at,
        game,
        players[0],
        players[1],
        version,
        event.content,
        moves,
        ply,
        event.first("start"),
        chess960=event.first("variant") == "chess960",
        time=read_time(event.first("time") or ""),
        rated=event.first("mode") == "rated",
        clock=_pair(clock),
        deadline=_number(event.first("deadline")),
        offer=(offer[0], offer[1]) if offer[:1] and offer[0] in OFFERS and len(offer) > 1 else None,
        result=event.first("result"),
        termination=event.first("termination"),
        rematch=event.first("rematch"),
        stand_ins=frozenset(tag[1] for tag in event.tags if len(tag) > 1 and tag[0] == "stand-in"),
    )
    return state if _is_possible(state) else None


def _pair(clock: tuple[int | None, ...]) -> tuple[int, int] | None:
    match clock:
        case (int(white), int(black)):
            return white, black
        case _:
            return None


def _is_possible(state: State) -> bool:
    """Whether the moves are legal and lead to the position."""
    try:
        board = state.board()
        shown = chess.Board(state.fen, chess960=state.chess960)
    except ValueError:
        return False
    kings = shown.king(chess.WHITE), shown.king(chess.BLACK)
    if None in kings or (state.moves and len(state.moves) != state.ply):
        return False
    return board.board_fen() == shown.board_fen() and board.turn == shown.turn
