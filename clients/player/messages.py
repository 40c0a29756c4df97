"""The arbiter's events as values; one that cannot be read is None, and texts are clean."""

import re
from dataclasses import dataclass, field

import chess

from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, first_tag, is_hex_32_bytes
from clients.player.terms import Terms, TimeControl, read_fen, read_time, terms_of
from clients.player.text import clean, clean_lines

REQUEST, RESPONSE, STATE, MOVE, ERROR, PLAYERS_CHAT, SPECTATORS_CHAT = range(20300, 20307)
PGN_NOTE = 64

GAME_ID = re.compile(r"[0-9a-f]{32}")
_NUMBER = re.compile(r"[0-9]{1,16}")
MOVE_TEXT = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_TOURNAMENT = re.compile(r"30327:([0-9a-f]{64}):([0-9a-f]{32})")
_BOARD = re.compile(r"[0-9]{1,5}\.[0-9]{1,4}")
_RATING = re.compile(r"[0-9]{1,4}")
_SECONDS = re.compile(r"(\d{1,6}) second", re.ASCII)
_BITS = re.compile(r"(\d{1,3})(?!\S)", re.ASCII)
_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_OFFERS = ("draw", "takeback", "rematch", "abort")
_UNIX_SECONDS = re.compile(r"[0-9]{1,12}")
_COLORS = {"w": chess.WHITE, "b": chess.BLACK}

MAX_WORK = 24
"""Bits of work that are done, half a minute's: a request's date may be two minutes off."""

Event = NostrEvent | VerifiedEvent


@dataclass(frozen=True, slots=True)
class Started:
    """20301 ``started:``: a game of ours goes on, as this ``color``. ``answers`` a request, None
    where the game begins; ``challenge`` and ``tournament`` are what it came of.
    """

    game: str
    opponent: str
    answers: str | None = None
    challenge: str | None = None
    color: chess.Color = chess.WHITE
    tournament: str | None = None


@dataclass(frozen=True, slots=True)
class Queued:
    """20301 ``queued``: we wait, with this ``challenge`` made, or at a ``place`` in the house's
    line.
    """

    answers: str | None = None
    challenge: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """20301 ``cancelled``: we wait no more, or a ``challenge`` to us was taken back."""

    answers: str | None = None
    challenge: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """20301 ``end``: all that ``state`` asked for was told, ``number`` games among it."""

    number: int
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class NoticesSet:
    """20301 ``notify``: whether the player is told of their turn by direct message."""

    dm: bool
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class Challenged:
    """20301 ``challenged:``: another player asks us for a game; ``expires_at`` in unix seconds."""

    id: str
    challenger: str
    terms: Terms
    expires_at: int | None = None
    name: str = ""

    def is_over(self, now_ms: int) -> bool:
        return self.expires_at is not None and self.expires_at * 1000 <= now_ms


@dataclass(frozen=True, slots=True)
class Blocked:
    """20301 ``blocked``: these are the keys of the players whom we block."""

    keys: tuple[str, ...]
    answers: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """20301 ``error:``: a request of ours is not granted, or our ``challenge`` was declined."""

    reason: str
    text: str
    answers: str | None = None
    dated: int = 0
    challenge: str | None = None

    @property
    def seconds(self) -> int | None:
        """Time to wait before the next request, if the text says so."""
        found = _SECONDS.search(self.text)
        return int(found[1]) if found else None

    @property
    def bits(self) -> int | None:
        """The bits of work that `pow` asks for; None for more than a request can wait for."""
        found = _BITS.match(self.text)
        return int(found[1]) if found and int(found[1]) <= MAX_WORK else None


@dataclass(frozen=True, slots=True)
class Rejected:
    """20304: a move or a word, ours or the opponent's, is in error."""

    reason: str
    text: str
    answers: str | None = None
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer of a ``draw``, ``takeback``, ``rematch`` or ``abort``, and whose it is."""

    kind: str
    color: chess.Color


@dataclass(frozen=True, slots=True)
class State:
    """20302: a position. ``dated`` in unix seconds, ``clock`` and ``deadline`` in ms; ``stand_ins``
    are players without a Nostr key, ``away`` those who left, ``vacations`` until when (unix
    seconds) a clock rests.
    """

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
    offer: Offer | None = None
    result: str | None = None
    termination: str | None = None
    rematch: str | None = None
    stand_ins: tuple[str, ...] = ()
    away: tuple[chess.Color, ...] = ()
    vacations: tuple[tuple[chess.Color, int], ...] = ()
    names: tuple[str, ...] = ()
    answers: str | None = None
    tournament: str | None = None
    board_of_round: str = ""

    @property
    def position(self) -> str:
        """The name of the position within its game."""
        return f"{self.ply} {self.moves[-1] if self.moves else ''} {self.fen}"

    @property
    def turn(self) -> chess.Color:
        """The side to move in the position."""
        return self.fen.split()[1] == "w"

    @property
    def complete(self) -> bool:
        """Whether the moves are listed: beyond 2,000 plies they are not."""
        return len(self.moves) == self.ply

    @property
    def base(self) -> chess.Board:
        """The position before the first of the listed moves."""
        fen = (self.start or chess.STARTING_FEN) if self.complete else self.fen
        return chess.Board(fen, chess960=self.chess960)

    def board(self) -> chess.Board:
        """The board with every listed move played on it."""
        board = self.base
        for move in self.moves:
            board.push(board.parse_uci(move))
        return board

    @property
    def is_slow(self) -> bool:
        """Whether the game is by days, or without a clock, and leaves room for others."""
        return self.time is None or bool(self.time.days)

    def color_of(self, player: str) -> chess.Color:
        return player == self.white

    def opponent_of(self, player: str) -> str:
        return self.black if self.white == player else self.white


@dataclass(frozen=True, slots=True)
class Record:
    """Kind 64: a finished game as PGN. ``ratings``: White's and Black's before and after."""

    game: str
    pgn: str
    result: str | None = None
    termination: str | None = None
    ratings: tuple[tuple[int, int], tuple[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class LinesTold:
    """20301 ``lines:``: conditional moves after ``ply`` half-moves; ``text`` is still encrypted."""

    game: str
    ply: int
    text: str = field(repr=False)
    answers: str | None = None

    @property
    def lines(self) -> tuple[tuple[str, ...], ...]:
        """The lines of a text that was read, in UCI; empty for what is none."""
        lines = (tuple(line.split()) for line in self.text.split("\n") if line.strip())
        return tuple(line for line in lines if all(map(MOVE_TEXT.fullmatch, line)))


Response = (
    Started | Queued | Cancelled | Listed | NoticesSet | Blocked | Challenged | Refused | LinesTold
)
Message = Response | Rejected | State | Record


def read_message(event: Event, arbiter: str) -> Message | None:
    """None for what is not the arbiter's, or cannot be read."""
    if event.pubkey != arbiter:
        return None
    if event.kind == STATE:
        return _state(event)
    if event.kind == RESPONSE:
        return _lines(event) or _response(event)
    game = _game(event, "d")
    if event.kind == ERROR:
        return Rejected(*_reason(event.content), value(event, "e"), game)
    if event.kind == PGN_NOTE and game is not None:
        return Record(game, clean_lines(event.content), *_end(event), _ratings(event))
    return None


def value(event: Event, name: str) -> str | None:
    """The first value of the first tag of this name."""
    tag = first_tag(event, name)
    return tag[1] if tag is not None and len(tag) > 1 else None


def _response(event: Event) -> Response | None:  # noqa: C901 - a case for each word
    answers = value(event, "e")
    word, _, rest = event.content.partition(":")
    match event.content.split(":"):
        case ["queued"]:
            return Queued(answers, _game(event, "challenge"), _number(value(event, "place")))
        case ["cancelled"]:
            return Cancelled(answers)
        case ["cancelled", withdrawn] if GAME_ID.fullmatch(withdrawn):
            return Cancelled(answers, withdrawn)
        case ["notify"]:
            return NoticesSet(first_tag(event, "dm") is not None, answers)
        case ["end"] if (number := _numbered(event, "end")) is not None:
            return Listed(number, answers)
        case ["blocked"]:
            keys = (first_tag(event, "blocked") or ("",))[1:]
            return Blocked(tuple(filter(is_hex_32_bytes, keys)), answers)
        case _ if word == "error":
            about = _game(event, "challenge")
            return Refused(*_reason(rest), answers, event.created_at, about)
        case ["started", game, opponent, "w" | "b" as color]:
            if GAME_ID.fullmatch(game) and is_hex_32_bytes(opponent):
                about = _game(event, "challenge")
                tournament = tournament_of(event)
                return Started(game, opponent, answers, about, _COLORS[color], tournament)
        case ["challenged", challenge, challenger]:
            terms = terms_of(event.tags)
            if GAME_ID.fullmatch(challenge) and is_hex_32_bytes(challenger) and terms:
                expires_at, name = _number(value(event, "expiration")), value(event, "name")
                return Challenged(challenge, challenger, terms, expires_at, name or "")
        case _:
            pass
    return None


def _lines(event: Event) -> LinesTold | None:
    word, _, sealed = event.content.partition(":")
    game, ply = _game(event, "d"), _numbered(event, "ply")
    if word != "lines" or game is None or ply is None:
        return None
    return LinesTold(game, ply, sealed, value(event, "e"))


def _reason(text: str) -> tuple[str, str]:
    """The machine word before the colon, and the text after it."""
    word, colon, rest = clean(text).partition(":")
    if word.replace("-", "").isalpha() and word.isascii() and (colon or not rest):
        return word, rest.strip() or word
    return "refused", clean(text) or "no reason given"


def _state(event: Event) -> State | None:
    game, version, ply = _game(event, "d"), _numbered(event, "version"), _numbered(event, "ply")
    # An answer to a spectator has no p tags, which would bring it to the players.
    named = first_tag(event, "players")
    players = named[1:] if named else tuple(tag[1] for tag in all_tags(event, "p") if len(tag) > 1)
    moves = (first_tag(event, "moves") or ("",))[1:]
    if game is None or version is None or ply is None or not all(map(MOVE_TEXT.fullmatch, moves)):
        return None
    if len(players) != len(_COLORS) or not all(map(is_hex_32_bytes, players)):
        return None
    result, termination = _end(event)
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
        value(event, "start"),
        chess960=value(event, "variant") == "chess960",
        time=read_time(value(event, "time") or ""),
        rated=value(event, "mode") == "rated",
        clock=_clock(event),
        deadline=_numbered(event, "deadline"),
        offer=_offer(event),
        result=result,
        termination=termination,
        rematch=_game(event, "rematch"),
        stand_ins=tuple(tag[1] for tag in all_tags(event, "stand-in") if len(tag) > 1),
        away=tuple(_COLORS[tag[1]] for tag in all_tags(event, "away") if {*tag[1:2]} & {*_COLORS}),
        vacations=_vacations(event),
        names=(first_tag(event, "names") or ("",))[1:3],
        answers=value(event, "e"),
        tournament=tournament_of(event),
        board_of_round=found if _BOARD.fullmatch(found := value(event, "round") or "") else "",
    )
    return state if _is_possible(state) else None


def _vacations(event: Event) -> tuple[tuple[chess.Color, int], ...]:
    tags = (tag for tag in all_tags(event, "vacation") if len(tag) > 2)  # noqa: PLR2004
    known = (tag for tag in tags if tag[1] in _COLORS and _UNIX_SECONDS.fullmatch(tag[2]))
    return tuple((_COLORS[tag[1]], int(tag[2])) for tag in known)


def _is_possible(state: State) -> bool:
    """Whether the moves are legal and lead to the position."""
    shown = read_fen(state.fen, chess960=state.chess960)
    start = read_fen(state.start, chess960=state.chess960) if state.start else shown
    if shown is None or start is None or (state.moves and not state.complete):
        return False
    try:
        board = state.board()
    except ValueError:
        return False
    return board.board_fen() == shown.board_fen() and board.turn == shown.turn


def _clock(event: Event) -> tuple[int, int] | None:
    match tuple(map(_number, (first_tag(event, "clock") or ("",))[1:])):
        case (int(white), int(black)):
            return white, black
        case _:
            return None


def _offer(event: Event) -> Offer | None:
    match first_tag(event, "offer"):
        case (_, kind, "w" | "b" as color, *_) if kind in _OFFERS:
            return Offer(kind, _COLORS[color])
        case _:
            return None


def _ratings(event: Event) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Both ratings before and after a rated game; None unless both are there."""
    changes: dict[str, tuple[int, int]] = {}
    for tag in all_tags(event, "rating"):
        match tag:
            case (_, "w" | "b" as color, before, after) if all(
                map(_RATING.fullmatch, (before, after))
            ):
                changes[color] = int(before), int(after)
            case _:
                return None
    return (changes["w"], changes["b"]) if len(changes) == len(_COLORS) else None


def _end(event: Event) -> tuple[str | None, str | None]:
    result, termination = value(event, "result"), value(event, "termination")
    known = result if result in _RESULTS else None
    return known, clean(termination, 40) if termination else None


def _game(event: Event, name: str) -> str | None:
    found = value(event, name)
    return found if found is not None and GAME_ID.fullmatch(found) else None


def tournament_of(event: Event) -> str | None:
    """The id of its author's tournament that the event is about."""
    found = _TOURNAMENT.fullmatch(value(event, "a") or "")
    return found[2] if found and found[1] == event.pubkey else None


def _numbered(event: Event, name: str) -> int | None:
    return _number(value(event, name))


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None
