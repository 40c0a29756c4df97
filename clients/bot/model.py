"""The session, what comes in and what goes out: values alone."""

from dataclasses import dataclass

from clients.bot.config import Config
from clients.bot.timing import Limits
from clients.player import model as player
from clients.player.events import Send, SendLine
from clients.player.messages import MOVE_TEXT, State
from clients.player.model import Given, Mine
from clients.player.timing import Timing


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
class Request:
    """Ask the arbiter for this (20300)."""

    content: str
    tags: tuple[tuple[str, ...], ...] = ()


Input = EngineMoved | EngineFailed | Request | Given


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


@dataclass(frozen=True, slots=True)
class Command:
    """Say a word about a tournament."""

    tournament: str
    word: str
    tags: tuple[tuple[str, ...], ...] = ()


Effect = Send | Mine | SendLine | Think | StopThinking | RestartEngine | Say
Act = Effect | Speak | Request | Command
Effects = tuple[Act, ...]


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
    read_at: int = 0
    flagged_at: int = 0
    left_at: int = 0  # since when the opponent is seen to be away
    claimed: str = ""  # the position
    greeted: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that the bot knows."""

    config: Config
    wire: (
        player.Session
    )  # all that is known by the arbiter's word, and what is sent until it counts
    since: int = 0  # when the last game ended
    game: Game | None = None  # at the board
    aside: tuple[Game, ...] = ()  # those that are not
    asks: int = 0
    ask_at: int = 0
    accept_at: int = 0  # after the arbiter refused an acceptance
    asked_at: int = 0  # for these terms first
    last: State | None = None  # of the game that ended last
    rematches: int = 0
    rematch_answered: bool = False
    rematch_with: str | None = None
    tournaments: tuple[str, ...] = ()  # that were joined

    @property
    def me(self) -> str:
        return self.wire.me

    @property
    def arbiter(self) -> str:
        return self.wire.arbiter

    @property
    def timing(self) -> Timing:
        return self.wire.timing

    def is_pending(self, game: Game) -> bool:
        """Whether a move in this game is on its way, or our leaving it."""
        said = (one.content for one in self.wire.open.values() if one.game == game.state.game)
        return any(MOVE_TEXT.fullmatch(word) or word in {"quit", "resign"} for word in said)
