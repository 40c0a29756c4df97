"""The player's session as a value, and its inputs. `step` in update.py makes the next session."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum

from arbiter.nostr.house import HousePlayer
from arbiter.nostr.keys import SecretKey
from clients.player.chat import ChatLine
from clients.player.events import Draft
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick, Verdict
from clients.player.messages import Challenged, Message, State
from clients.player.sent import NOTHING_SENT, UNTIMED, Sent, Timing
from clients.player.terms import Terms
from clients.player.tournaments import Standings, Told, Tournament
from clients.terminal.game_view import GameView
from clients.terminal.profiles import Person, Profile, Rating
from clients.terminal.terms import PLAIN

CONNECT_SECONDS = 15
"""Time for the first relay to answer before the program gives up."""

ANSWER_SECONDS = 10
"""Time for the arbiter to answer a request to play; each further time twice as long."""

ANSWER_SECONDS_MAX = 60
MOVE_SECONDS = 10
"""PROTOCOL.md: "No answer within ten seconds: sign the move anew with the same `e`"."""

MOVE_TRIES = 3
QUEUE_SECONDS = 60
"""Time before a waiting player asks again: nothing is stored, so news may have been missed."""

QUIET_SECONDS, SLOW_QUIET_SECONDS = 60, 600
"""Time for which a live or a slow game may be quiet before we ask for its state."""

LEAVE_SECONDS = 5
"""Time to wait for the end of a game we quit and for its PGN before leaving."""

SAME_REQUEST_SECONDS = 100
"""Time for which a challenge is sent again as the same event: another event would be another
challenge, and the arbiter takes no request that is two minutes old.
"""

FLAG_SECONDS = 15
"""Time for which a flag claim may go unanswered before it is sent again."""

CHALLENGES_REMEMBERED = 20
MAX_OTHER_GAMES = 60
"""Games beside the one on the board that are followed; the arbiter allows fewer."""


class Question(Enum):
    """A question that the player has not answered yet."""

    RESIGN = "resign"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class OpenChallenge:
    """A challenge to us, under a number that it keeps while the program runs."""

    number: int
    challenge: Challenged


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


@dataclass(frozen=True, slots=True)
class Request:
    """An open request: a 20300, or ``state`` about a game; ``sent_at`` in unix seconds. Once it is
    ``answered`` with our game, its state may follow.
    """

    draft: Draft
    sent_at: float
    tries: int
    answered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A move or ``quit`` the arbiter has not confirmed. ``sent_at`` is None while it waits for a
    relay; ``ply`` is the one it answers.
    """

    content: str
    san: str
    ply: int
    event_id: str = ""
    sent_at: float | None = None
    tries: int = 0
    refused_by: frozenset[str] = frozenset()
    taken: bool = False


@dataclass(frozen=True, slots=True)
class House:
    """Those that the arbiter announced at ``at``, in unix seconds."""

    players: tuple[HousePlayer, ...] = ()
    at: int = -1

    @property
    def levels(self) -> tuple[int, ...]:
        """Each once, the weakest first."""
        return tuple(sorted({player.level for player in self.players}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All that the client knows. Times are unix seconds."""

    me: str
    server: str
    asks: bool  # whether a person answers questions; a script is not asked
    started_at: float
    seed: bytes = field(repr=False)  # 32 secret bytes, from which the keys of links are derived
    name: str = ""  # the name that the player gives themselves
    web: str | None = None  # the address of the arbiter's web client, if it is known
    # The arbiter's own relay, if it is known: it tells our opponent if we leave.
    gateway: str | None = None
    phase: Phase = Phase.CONNECTING
    links: frozenset[str] = frozenset()
    unreachable: frozenset[str] = frozenset()  # relays whose failure was shown
    was_linked: bool = False
    # Whether the arbiter is asked once a relay has sent what it had stored.
    catching_up: bool = False
    # Whether the arbiter was asked what waits for us, since we were last without a relay.
    knows_waiting: bool = False
    request: Request | None = None
    game: GameView | None = None
    # The newest state of a game not yet ours: it came before its ``started:``, or was stored.
    early: State | None = None
    finished: frozenset[str] = frozenset()
    others: tuple[GameView, ...] = ()  # our games that go on beside the one on the board
    numbers: tuple[str, ...] = ()  # the ids of our games in the order of their numbers, from 1 on
    pending: Pending | None = None
    sent: Sent = NOTHING_SENT
    timing: Timing = UNTIMED
    terms: Terms = PLAIN
    # The content of a 20300 that does not ask for a game: ``cancel``, or ``accept:<challenge>``.
    answer: str = ""
    # The signature by which a player who accepts shows that they have the challenge's link.
    proof: str = ""
    # The phase to return to if the challenge that the player accepts is gone.
    back_to: Phase | None = None
    challenge_asked: Draft | None = None
    link_key: SecretKey | None = None
    own_challenge: str | None = None
    challenges: tuple[OpenChallenge, ...] = ()  # challenges to us, the newest last
    challenges_seen: int = 0
    people: tuple[Person, ...] = ()
    house: House = House()
    tournaments: tuple[Tournament, ...] = ()  # in the order of their numbers, from 1 on
    tournament: str = ""  # the last that was spoken of
    entered: frozenset[str] = frozenset()
    standings: Standings | None = None
    standings_asked: bool = False
    here_at: float = 0.0  # when we last said that we wait in an arena
    # Whether a house player is challenged and has not been silent for long.
    house_asked: bool = False
    house_offered: bool = False
    closed: frozenset[str] = frozenset()
    flagged_at: float = 0.0
    watching: str | None = None
    shows_players: bool = True
    shows_spectators: bool = True
    # Authors and times of the latest lines of chat.
    recent_lines: tuple[tuple[str, float], ...] = ()
    question: Question | None = None
    flipped: bool = False
    last_news_at: float = 0.0
    input_over: bool = False
    leave_at: float | None = None


Signed = Message | ChatLine | Profile | Rating | House | Tournament | Standings | Told


@dataclass(frozen=True, slots=True)
class Heard:
    """Something signed by who may say it; ``stored`` if the relay had it before we subscribed, so
    that it may be old.
    """

    what: Signed
    stored: bool = False


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The player entered a line."""

    text: str


@dataclass(frozen=True, slots=True)
class InputOver:
    """No more lines will come."""


Input = LinkUp | LinkDown | CaughtUp | Verdict | Heard | TypedLine | InputOver | Tick
