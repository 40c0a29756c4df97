"""The values of a session: games and challenges, what is uncertain, and the news of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import chess

from clients.player import messages
from clients.player.events import Draft, Send
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick
from clients.player.terms import Terms
from clients.player.timing import UNTIMED, Timing
from clients.player.tournaments import Told, Tournament

CHALLENGE_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Open:
    """A request or a word without an answer. ``draft`` is its last copy, ``ids`` those of all;
    ``handle``, the first, names it. A word answers a ``position``; ``refused`` came in place of a
    state. ``quiet``: the session asks for itself.
    """

    draft: Draft
    ids: tuple[str, ...]
    asked_at: int
    sent_at: int
    game: str | None = None
    ply: int = 0
    position: str = ""
    refused: messages.Rejected | None = None
    quiet: bool = False

    @property
    def handle(self) -> str:
        return self.ids[0]

    @property
    def content(self) -> str:
        return self.draft.content

    @property
    def opponent(self) -> str | None:
        """The opponent of a challenge that is made; None for all else."""
        named = (tag[1] for tag in self.draft.tags if tag[0] == "challenge")
        return next(named, None) if self.game is None and not self.content else None


@dataclass(frozen=True, slots=True)
class Known:
    """A game of ours, when it was first and last heard of, and the challenge that it came of."""

    state: messages.State
    seen_at: int
    heard_at: int
    began: bool = False
    challenge: str | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A challenge of ours, with the id that it has at the arbiter: more work makes another."""

    id: str
    terms: Terms
    made_at: int


@dataclass(frozen=True, slots=True)
class Seek:
    """A place in a pool, which is asked for again before it ends."""

    tags: tuple[tuple[str, ...], ...]
    renewed_at: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The arbiter's answer to what was asked or said."""

    open: Open
    by: messages.Response | messages.Rejected | messages.State | Told

    @property
    def refusal(self) -> messages.Refused | messages.Rejected | None:
        return self.by if isinstance(self.by, messages.Refused | messages.Rejected) else None


@dataclass(frozen=True, slots=True)
class Began:
    """A game of ours goes on, new or found again; what it came of."""

    state: messages.State
    color: chess.Color
    challenge: str | None = None
    rematch_of: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A newer state of a game, and the one before it."""

    state: messages.State
    before: messages.State | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """The arbiter has no such game any more."""

    game: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A challenge to us waits no more: it was ``cancelled``, ``expired``, or ``answered``."""

    challenge: str
    why: str


@dataclass(frozen=True, slots=True)
class Declined:
    """A challenge of ours is gone, or, without an id, our place in a pool is lost."""

    challenge: str | None
    refused: messages.Refused


News = (
    Answered
    | Began
    | Shown
    | Gone
    | messages.Challenged
    | Withdrawn
    | Declined
    | messages.Record
    | messages.Listed
    | messages.Queued
    | Told
    | messages.LinesTold
)


@dataclass(frozen=True, slots=True)
class Mine:
    """Do so many bits of work on the request of this handle."""

    handle: str
    draft: Draft
    bits: int


@dataclass(frozen=True, slots=True)
class Mined:
    """The request of this handle with the work that the arbiter wanted."""

    handle: str
    draft: Draft


Given = LinkUp | LinkDown | CaughtUp | Tick | Mined | Told | Tournament | messages.Message
Effect = Send | Mine | News
Step = tuple["Session", tuple[Effect, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All that is known; mappings are never changed in place. ``made`` by the first half of the
    handle that asked, ``closed`` challenges, keys ``blocked``; ``quiet_ms`` a live game may be
    quiet before its state is asked for. ``entered`` events, and ``arenas`` that are played.
    """

    me: str
    arbiter: str
    name: str = ""
    by_bot: bool = False
    gateway: str | None = None
    quiet_ms: int = 12_000
    links: frozenset[str] = frozenset()
    timing: Timing = UNTIMED
    listed: bool = False
    games: Mapping[str, Known] = field(default_factory=dict)
    started: Mapping[str, tuple[messages.Started, int]] = field(default_factory=dict)
    challenges: Mapping[str, messages.Challenged] = field(default_factory=dict)
    made: Mapping[str, Made] = field(default_factory=dict)
    seek: Seek | None = None
    open: Mapping[str, Open] = field(default_factory=dict)
    closed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    entered: frozenset[str] = frozenset()
    arenas: frozenset[str] = frozenset()
    here_at: int = 0
