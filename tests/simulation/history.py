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
    """A client with keys. ``dialect`` is the wire they speak; ``is_honest`` means that they sign
    what they mean, ask again until they are answered, and are owed the latest state in the end.
    """

    name: str
    pubkeys: tuple[str, ...]
    dialect: str
    is_honest: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A player's key signed this event. ``event`` is its JSON; what no ``Signed`` holds and bears a
    player's pubkey is forged.
    """

    at_ms: int
    who: str
    event: str


ARBITER = "the arbiter"
"""Who writes the arbiter's own log on Scuttlebutt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """Somebody appended a message to their log on Scuttlebutt: the feed's id, the message's key and
    number, its content as JSON, and for whom alone it is, if it is private.
    """

    at_ms: int
    who: str
    author: str
    key: str
    sequence: int
    content: str
    recps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """Somebody handed a text to a relay or a socket (``way``, such as ``relay 1``): an event's
    JSON if ``is_event``, else a whole frame.
    """

    at_ms: int
    who: str
    way: str
    text: str
    is_event: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Somebody opened a socket of this name (``way``) to our own gateway; each has an address of
    its own.
    """

    at_ms: int
    who: str
    way: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """A listener (``by``) read this frame from a relay (``way``); what became of an event in it, a
    `Heard` tells.
    """

    at_ms: int
    by: str
    way: str
    frame: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A relay (``way``) answered a REQ of a listener (``by``) without these events (each its JSON),
    which it has, and which match the filter but for its ``since`` and ``limit``.
    """

    at_ms: int
    by: str
    way: str
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A listener or the gateway (``by``) got an event from a relay or a socket (``way``), and
    stamped it by its own clock. ``dropped`` is its word for why it went no further; None when it
    was passed on to the queue. ``event`` is the JSON as it came.
    """

    at_ms: int
    by: str
    way: str
    event: str
    stamped_ms: int
    dropped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """The queue was given a record. ``status`` is what it did: ``taken``, ``repeated`` (its own
    deduplication), ``refused`` or ``unknown`` (taken, but the sender was told nothing).
    """

    at_ms: int
    by: str
    queue: str
    group: str
    dedup_id: str
    body: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """Scheduler keeps a record (``body``), and puts it into the clock queue when its time comes."""

    at_ms: int
    by: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A record was given to a worker; ``count`` is the how-manyth time. One ``batch`` is one
    invocation.
    """

    at_ms: int
    worker: str
    batch: int
    queue: str
    group: str
    record: str
    body: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A worker logged what came of a record: ``status`` is its word; ``failed`` means that the
    record stays in the queue. ``event`` and ``game`` are ids, where the log has them.
    """

    at_ms: int
    worker: str
    batch: int
    record: str
    status: str
    event: str = ""
    game: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A function was done with a record of the clock queue, which was deleted."""

    at_ms: int
    record: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLettered:
    """A record was delivered too often and lies among the dead letters (an alarm rings)."""

    at_ms: int
    queue: str
    group: str
    record: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """One write or transaction that the table made: each item by its key, before and after (None:
    absent). ``who`` asked for it; ``is_known`` is False if they were never told that it was made.
    """

    at_ms: int
    who: str
    items: tuple[tuple[str, Item | None, Item | None], ...]
    is_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The arbiter offered an event that it signed (its JSON) to a relay. ``taken`` is what the
    relay truly did with it; ``told`` is what the arbiter was told: ``ok``, ``no`` or nothing
    (empty).
    """

    at_ms: int
    who: str
    way: str
    event: str
    taken: bool
    told: str = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The arbiter put a frame on a socket of its own gateway. ``arrived`` is the truth."""

    at_ms: int
    who: str
    way: str
    frame: str
    arrived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A client heard this from a relay or a socket: an event's JSON, or a whole frame."""

    at_ms: int
    who: str
    way: str
    text: str
    is_event: bool = True


STOPPED = "stopped"
"""No fault: a process of ours ended, whatever it was at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A fault struck. ``kind`` is what it is counted by, such as ``F07`` or ``crash after
    games.commit``; ``where`` says whom it struck. ``STOPPED`` is none.
    """

    at_ms: int
    kind: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRead:
    """A part of the arbiter looked at its own clock, which may be wrong."""

    at_ms: int
    who: str
    read_ms: int


Happening = (
    Signed
    | Authored
    | Sent
    | Opened
    | Brought
    | PassedOver
    | Heard
    | Queued
    | Scheduled
    | Delivered
    | Answered
    | Removed
    | DeadLettered
    | Wrote
    | Published
    | Posted
    | Told
    | Fired
    | ClockRead
)


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
    """One run, in order, and what stood at its end.

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
