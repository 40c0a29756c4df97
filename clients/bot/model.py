"""The session, what comes in and what goes out: values alone."""

from dataclasses import dataclass, replace
from enum import StrEnum

from clients.bot.config import Config
from clients.bot.timing import Limits
from clients.player import model as player
from clients.player.events import Draft, Send, SendLine
from clients.player.heard import Tick
from clients.player.messages import MOVE_TEXT, Challenged, Message, State
from clients.player.sent import NOTHING_SENT, Sent, Timing
from clients.player.tournaments import Told, Tournament


@dataclass(frozen=True, slots=True)
class Ready:
    """A relay has sent what it had stored: from now on answers come over it."""


@dataclass(frozen=True, slots=True)
class EngineMoved:
    """The engine's answer; the score in centipawns for the bot, if it gave one."""

    game: str
    position: str
    move: str
    score: int | None = None


@dataclass(frozen=True, slots=True)
class EngineFailed:
    """The engine died, or answered what is no answer."""

    game: str
    position: str
    why: str


@dataclass(frozen=True, slots=True)
class Mined:
    """A request with the work that the arbiter wanted."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Ask:
    """The program wants this request sent, whatever the bot does."""

    content: str


Input = Tournament | Told | Ready | Tick | EngineMoved | EngineFailed | Mined | Ask | Message


@dataclass(frozen=True, slots=True)
class Mine:
    """Do so many bits of work on this request."""

    draft: Draft
    bits: int


@dataclass(frozen=True, slots=True)
class Think:
    """Choose a move; by our own engine if the configured one has failed."""

    state: State
    limits: Limits
    excluded: frozenset[str] = frozenset()
    by_fallback: bool = False


@dataclass(frozen=True, slots=True)
class StopThinking:
    """The answer is not wanted any more."""


@dataclass(frozen=True, slots=True)
class RestartEngine:
    """The engine hangs, or cannot be trusted."""


@dataclass(frozen=True, slots=True)
class Say:
    """A line for the operator."""

    text: str


@dataclass(frozen=True, slots=True)
class Speak:
    """Say a word, or play a move, in a game."""

    game: str
    content: str


Effect = Send | Mine | SendLine | Think | StopThinking | RestartEngine | Say
Act = Effect | Speak
Effects = tuple[Act, ...]


class Phase(StrEnum):
    """The bot's phases with the arbiter."""

    LOST = "lost"  # ask with `state`
    IDLE = "idle"
    ASKED = "asked"  # a request or an acceptance is on its way
    WAITING = "waiting"  # in the pool, or challenged
    EXPECTING = "expecting"  # a game has started, its state has not come
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class Thinking:
    """A question to the engine."""

    position: str
    give_up_at: int


@dataclass(frozen=True, slots=True)
class Game:
    """The game that the bot plays."""

    state: State
    seen_at: int
    thinking: Thinking | None = None
    decided: tuple[str, str] | None = None  # a position and its move
    excluded: frozenset[str] = frozenset()  # moves that were refused here
    failures: int = 0  # of the engine in this position
    scores: tuple[int, ...] = ()
    offer_draw: bool = False
    draw_offered_at: int = -1_000  # the ply
    answered: tuple[int, str] | None = None  # the version of an offer, and our word
    taken_back: int = 0
    heard_at: int = 0
    read_at: int = 0
    flagged_at: int = 0
    left_at: int = 0  # since when the opponent is seen to be away
    claimed: str = ""  # the position
    greeted: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that the bot knows."""

    config: Config
    wire: player.Session  # what is said in games, until it counts
    phase: Phase = Phase.LOST
    since: int = 0
    connected: bool = False
    game: Game | None = None
    expected: str | None = None
    unclaimed: State | None = None  # a game's state that came before its `started:`
    requests: Sent = NOTHING_SENT
    challenges: tuple[Challenged, ...] = ()
    asks: int = 0
    ask_at: int = 0
    asked_at: int = 0  # for these terms first
    aside: tuple[Game, ...] = ()  # slow games that are not at the board
    read_at: int = 0  # when all games were asked for
    last: State | None = None  # of the game that ended last
    over: tuple[str, ...] = ()
    rematches: int = 0
    rematch_answered: bool = False
    rematch_with: str | None = None
    tournaments: tuple[str, ...] = ()  # that were joined
    entering: tuple[str, ...] = ()  # of them, those whose answer has not come
    entering_at: int = 0
    arenas: tuple[str, ...] = ()  # of them, those that are played
    here_at: int = 0

    @property
    def me(self) -> str:
        return self.wire.me

    @property
    def arbiter(self) -> str:
        return self.wire.arbiter

    @property
    def timing(self) -> Timing:
        return self.wire.timing

    def timed(self, timing: Timing) -> "Session":
        """The session with this timing."""
        return replace(self, wire=replace(self.wire, timing=timing))

    def is_pending(self, game: Game) -> bool:
        """Whether a move in this game is on its way, or our leaving it."""
        said = (one.content for one in self.wire.open.values() if one.game == game.state.game)
        return any(MOVE_TEXT.fullmatch(word) or word in {"quit", "resign"} for word in said)
