"""The player's session as a value, and its inputs. `step` in update.py makes the next session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from arbiter.nostr.keys import SecretKey
from clients.player import model as player
from clients.player.chat import ChatLine
from clients.player.heard import Tick
from clients.player.inbox import Aside, News
from clients.player.messages import LinesTold
from clients.player.people import House
from clients.player.terms import Terms
from clients.player.tournaments import Standings, Tournament
from clients.terminal.game_view import GameView
from clients.terminal.profiles import Person
from clients.terminal.terms import PLAIN

CONNECT_SECONDS = 15
"""Time for the first relay to answer before the program gives up."""

QUIET_SECONDS = 60
"""Time for which a live game may be quiet before we ask for its state."""

LEAVE_SECONDS = 5
"""Time to wait for the end of a game we quit and for its PGN before leaving."""

FLAG_SECONDS = 15
"""Time for which a flag claim may go unanswered before it is sent again."""


class Question(Enum):
    """A question that the player has not answered yet."""

    RESIGN = "resign"
    LEAVE = "leave"


class ExitCode(int, Enum):
    """The program's exit codes."""

    ENDED = 0
    REFUSED = 1
    USAGE = 2
    NO_RELAY = 3
    INTERRUPTED = 130


class Phase(StrEnum):
    """The player's phases: before, in and after a game."""

    CONNECTING = "connecting"
    ASKING = "asking"
    QUEUED = "queued"
    PLAYING = "playing"
    OVER = "over"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All that the client knows, beside the session that players share. Times are unix seconds."""

    wire: player.Session
    asks: bool  # whether a person answers questions; a script is not asked
    started_at: float
    seed: bytes = field(repr=False)  # 32 secret bytes, from which the keys of links are derived
    web: str | None = None  # the address of the arbiter's web client, if it is known
    phase: Phase = Phase.CONNECTING
    unreachable: frozenset[str] = frozenset()  # relays whose failure was shown
    was_linked: bool = False
    game: GameView | None = None
    numbers: tuple[str, ...] = ()  # the ids of our games in the order of their numbers, from 1 on
    terms: Terms = PLAIN
    asked: str = ""  # the handle of the request whose answer the player waits for
    answer: str = ""  # ``accept:<challenge>``, where no game is asked for by terms
    # The signature by which a player who accepts shows that they have the challenge's link.
    proof: str = ""
    # The phase to return to if the challenge that the player accepts is gone.
    back_to: Phase | None = None
    link_key: SecretKey | None = None
    # The ids of challenges to us in the order of their numbers, from 1 on.
    challenges: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    house: House = field(default_factory=House)
    tournaments: tuple[Tournament, ...] = ()  # in the order of their numbers, from 1 on
    tournament: str = ""  # the last that was spoken of
    standings: Standings | None = None
    standings_asked: bool = False
    # Whether a house player is challenged and has not been silent for long.
    house_asked: bool = False
    house_offered: bool = False
    flagged_at: float = 0.0
    watching: str | None = None
    lines: Mapping[str, LinesTold] = field(default_factory=dict)  # by game, as last told
    # A game, a ply in it, and a line from there: added once the game's lines are told.
    lines_to_add: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    shows_players: bool = True
    shows_spectators: bool = True
    # Authors and times of the latest lines of chat.
    recent_lines: tuple[tuple[str, float], ...] = ()
    chat_lines: tuple[ChatLine, ...] = ()  # the last that were shown, which a report may disclose
    question: Question | None = None
    flipped: bool = False
    last_news_at: float = 0.0
    input_over: bool = False
    leave_at: float | None = None

    @property
    def me(self) -> str:
        return self.wire.me

    @property
    def server(self) -> str:
        return self.wire.arbiter

    @property
    def links(self) -> frozenset[str]:
        return self.wire.links


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The player entered a line."""

    text: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """What the lines of this game are sent as."""

    game: str
    content: str


@dataclass(frozen=True, slots=True)
class InputOver:
    """No more lines will come."""


Input = News | Aside | player.Mined | TypedLine | Sealed | InputOver | Tick
