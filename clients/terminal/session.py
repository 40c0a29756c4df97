"""The player's session as a value, and what may come in.

The law: everything that happens is one call of `step` (in step.py): a session, an input and the
time give the next session and its effects. No sockets, no clock, no screen in here; so every order
of arrival can be tried in a test.
"""

from dataclasses import dataclass, field
from enum import Enum, StrEnum

from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import GameView, OpenChallenge, Question
from clients.terminal.profiles import Person, Profile, Rating
from clients.terminal.terms import PLAIN, Terms
from clients.terminal.wire import ChatLine, Heard, Paired, StateClaim

CONNECT_SECONDS = 15
"""How long the first relay may take, before the program gives up."""

CATCH_UP_SECONDS = 3
"""How long a relay may take to send what it has stored, before we ask the arbiter regardless."""

ANSWER_SECONDS = 10
"""How long the arbiter may take to answer a request to play; each further time twice as long."""

ANSWER_SECONDS_MAX = 60
RECALL_SECONDS = 2
"""How long we wait for the answer itself before we make do with what the relays had stored.

A relay that stores ephemeral events drops an answer it has seen before, and the arbiter's answers
to two requests within a second may show the very same state.
"""

MOVE_SECONDS = 6
"""How long a move may go unanswered before we look where the game stands."""

MOVE_TRIES = 3
SENT_REMEMBERED = 8
QUEUE_SECONDS = 120
"""How often a waiting player asks again: nothing is stored, so the news may have passed us by."""

QUIET_SECONDS = 60
"""How long a game may be quiet before we look; each further time twice as long."""

QUIET_SECONDS_MAX = 600
LEAVE_SECONDS = 5
"""How long we wait for the last word (the end of a game we quit, its PGN) before leaving."""


SAME_REQUEST_SECONDS = 100
"""How long a challenge may be sent again as the very same event: a second one would stand beside
it, and the arbiter takes no request that is two minutes old.
"""

FLAG_SECONDS = 15
"""How long a called flag may go unanswered before it is called again."""

CHALLENGES_REMEMBERED = 20


class ExitCode(int, Enum):
    """What the program tells the shell that started it."""

    ENDED = 0
    REFUSED = 1
    USAGE = 2
    NO_RELAY = 3
    INTERRUPTED = 130


class Phase(StrEnum):
    """Where the player is between two games."""

    CONNECTING = "connecting"
    ASKING = "asking"
    QUEUED = "queued"
    PLAYING = "playing"
    OVER = "over"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Request:
    """A question that was not answered yet: a 20300, or ``state`` about a game; times in unix
    seconds. A ``probe`` asks whether a game has come of our challenge.
    """

    template: EventTemplate
    event_id: str
    sent_at: float
    tries: int
    answered_at: float | None = None
    """When the arbiter named our game in answer; its state may follow, or be known already."""

    probe: bool = False


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All that the client knows. Times are unix seconds, and None means "not going on"."""

    me: str
    server: str
    asks: bool
    """Whether a person is there to answer questions; a script is not asked."""

    started_at: float
    seed: bytes = field(repr=False)
    """32 bytes that nobody knows, to draw the keys of links from."""

    phase: Phase = Phase.CONNECTING
    links: frozenset[str] = frozenset()
    unreachable: frozenset[str] = frozenset()
    """Relays whose failure the player knows of."""

    was_linked: bool = False
    catching_up_since: float | None = None
    request: Request | None = None
    game: GameView | None = None
    early: StateClaim | None = None
    """The newest state of a game not yet ours: it overtook its ``started:``, or was stored."""

    recalled: Paired | None = None
    """The newest ``started:`` that a relay had stored."""

    finished: frozenset[str] = frozenset()
    """Games known to be over."""

    pending: Pending | None = None
    sent: tuple[str, ...] = ()
    """Ids of the moves we sent lately, to tell our own late refusals from the opponent's."""

    terms: Terms = PLAIN
    """What was last asked for."""

    answer: str = ""
    """What a 20300 says beside asking for a game: ``cancel``, or ``accept:<challenge>``."""

    proof: str = ""
    """What shows that a player who accepts has the challenge's link."""

    back_to: Phase | None = None
    """Where the player stands again if the challenge he accepts is gone."""

    challenge_asked: EventTemplate | None = None
    link_key: SecretKey | None = None
    """The key in the link to the open challenge that was last asked for."""

    own_challenge: str | None = None
    """A challenge of ours that stands: it is asked after, and not made again."""

    challenges: tuple[OpenChallenge, ...] = ()
    """Challenges to us, the newest last."""

    challenges_seen: int = 0
    """How many challenges have been numbered."""

    people: tuple[Person, ...] = ()
    """What is known of the players of this game, and of those who challenge us."""

    closed: frozenset[str] = frozenset()
    """Challenges that were answered."""

    declining: int = 0
    """How many challenges we declined, and have not heard of since."""

    words: tuple[str, ...] = ()
    """Ids of the words we sent lately: their refusals are ours."""

    flags: frozenset[str] = frozenset()
    """Ids of the flags the client called by itself: their refusals are nobody's news."""

    flagged_at: float = 0.0
    extended: bool = False
    """Whether the arbiter numbers its states, and so knows the words beyond version 2."""

    watching: str | None = None
    """The game we watch and do not play."""

    hears_players: bool = True
    hears_spectators: bool = True
    lines_heard: tuple[tuple[str, float], ...] = ()
    """Who said something when, lately."""

    question: Question | None = None
    flipped: bool = False
    heard_at: float = 0.0
    quiet_checks: int = 0
    input_over: bool = False
    leave_at: float | None = None


# ---------------------------------------------------------------------------- inputs


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A relay is connected, and our subscription was sent to it."""

    url: str


@dataclass(frozen=True, slots=True)
class LinkDown:
    """A relay is lost."""

    url: str
    why: str


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """A relay has sent all it had stored."""

    url: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A relay's OK for an event of ours."""

    url: str
    event_id: str
    status: PublishStatus
    text: str


@dataclass(frozen=True, slots=True)
class FromArbiter:
    """Something the arbiter said and signed."""

    heard: Heard
    stored: bool = False
    """Whether the relay had it stored when we subscribed, so that it may be old."""


@dataclass(frozen=True, slots=True)
class FromChat:
    """A line that somebody wrote and signed."""

    line: ChatLine


@dataclass(frozen=True, slots=True)
class FromPeople:
    """A profile that its owner signed, or a rating that the arbiter did."""

    told: Profile | Rating


@dataclass(frozen=True, slots=True)
class TypedLine:
    """The player entered a line."""

    text: str


@dataclass(frozen=True, slots=True)
class InputOver:
    """No more lines will come."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Input = (
    LinkUp
    | LinkDown
    | CaughtUp
    | Verdict
    | FromArbiter
    | FromChat
    | FromPeople
    | TypedLine
    | InputOver
    | Tick
)
