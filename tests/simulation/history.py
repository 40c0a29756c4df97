"""What happened in one run, as values: the simulation writes it down, the checker reads it.

Nothing here is of the arbiter's own making. Events, messages, records and items are kept
as they were on the wire and in the table, so a reader must parse them. All
times are unix milliseconds of the world's one true clock, unless a field says whose they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Item = Mapping[str, Any]
"""An item of the table in DynamoDB's words: ``{"v": {"N": "7"}}``; binary values are bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A client with keys. An honest one asks until it is answered, and is owed the latest state."""

    name: str
    pubkeys: tuple[str, ...]
    dialect: str
    is_honest: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What each record below is: something that happened at this time."""

    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed(Happening):
    """A player's key signed this event (JSON); what no ``Signed`` holds is forged."""

    who: str
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent(Happening):
    """A client sent an event's JSON, or a whole frame, to a relay or socket (``way``)."""

    who: str
    way: str
    text: str
    is_event: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Happening):
    """A client opened a socket (``way``) to our gateway, each from an address of its own."""

    who: str
    way: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought(Happening):
    """A listener (``by``) read this frame from a relay (``way``)."""

    by: str
    way: str
    frame: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver(Happening):
    """A relay answered a REQ of a listener without these matching events (JSON), which it has."""

    by: str
    way: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard(Happening):
    """A listener or the gateway (``by``) got an event from a relay or a socket (``way``), and
    stamped it by its own clock. ``dropped`` is its word for why it went no further; None when it
    was passed on to the queue. ``event`` is the JSON as it came.
    """

    by: str
    way: str
    event: str
    stamped_ms: int
    dropped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued(Happening):
    """A queue was given a record: ``taken``, ``repeated``, ``refused`` or ``unknown``."""

    by: str
    queue: str
    group: str
    dedup_id: str
    body: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled(Happening):
    """Scheduler keeps a record, and puts it into the clock queue when its time comes."""

    by: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered(Happening):
    """A record was given to a worker for the ``count``-th time, in one invocation (``batch``)."""

    worker: str
    batch: int
    queue: str
    group: str
    record: str
    body: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Happening):
    """A worker logged a record's ``status``; ``failed`` leaves it in the queue."""

    worker: str
    batch: int
    record: str
    status: str
    event: str = ""
    game: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed(Happening):
    """A function was done with a record of the clock queue, which was deleted."""

    record: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLettered(Happening):
    """A record was delivered too often and lies among the dead letters (an alarm rings)."""

    queue: str
    group: str
    record: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote(Happening):
    """One transaction: items by key, before and after. ``is_known``: its author learnt of it."""

    who: str
    items: tuple[tuple[str, Item | None, Item | None], ...]
    is_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Published(Happening):
    """The arbiter offered an event (JSON) to a relay: whether it took it, and what it told: ``ok``,
    ``no``, ``mute`` (an ephemeral event has no subscriber), or nothing.
    """

    who: str
    way: str
    event: str
    taken: bool
    told: str = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted(Happening):
    """The arbiter put a frame on a socket of its own gateway. ``arrived`` is the truth."""

    who: str
    way: str
    frame: str
    arrived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Happening):
    """A client received this from a relay or a socket: an event's JSON, or a whole frame."""

    who: str
    way: str
    text: str
    is_event: bool = True


STOPPED = "stopped"
"""No fault: a process of ours ended, whatever it was at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired(Happening):
    """A fault struck. ``kind`` is what it is counted by, such as ``F07``; ``STOPPED`` is none."""

    kind: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What a client believes of one game when all is quiet, from what they were told alone.

    ``version`` and ``fen`` are None on wires that do not say; ``result`` is the PGN token, ``*``
    while the game goes on. ``asked`` are ids of events that they signed and that were not answered
    yet, though they asked again.
    """

    who: str
    game: str | None
    version: int | None = None
    ply: int | None = None
    fen: str | None = None
    result: str | None = None
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One run, in order, and what was stored at its end.

    ``servers`` are the arbiter's own public keys, the present one last. From ``healed_at_ms`` on no
    fault was fired, and ``is_quiet`` says that nothing was left to do when the run ended. ``table``
    holds the raw items by their key ``pk``. ``skew_ms`` is by how much the arbiter's clocks may
    have been wrong, at most, either way.
    """

    seed: int
    servers: tuple[str, ...]
    actors: tuple[Actor, ...]
    happenings: tuple[Happening, ...]
    table: Mapping[str, Item] = field(default_factory=dict)
    beliefs: tuple[Belief, ...] = ()
    ended_at_ms: int = 0
    healed_at_ms: int | None = None
    is_quiet: bool = True
    skew_ms: int = 0


T = TypeVar("T")


def of_kind(happenings: Iterable[Happening], kind: type[T]) -> tuple[T, ...]:
    return tuple(one for one in happenings if isinstance(one, kind))
