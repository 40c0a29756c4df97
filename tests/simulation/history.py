"""The events of one run, as values: the simulation writes it down, the checker reads it.

Nothing here is of the arbiter's own making. Events, frames, records and items are kept as they
were on the wire and in the table, so a reader must parse them. All times are unix milliseconds of
the world's one true clock, unless a field says whose they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Item = Mapping[str, Any]
"""An item of the table in DynamoDB's words: ``{"v": {"N": "7"}}``; binary values are bytes."""


@dataclass(slots=True, kw_only=True)
class Actor:
    """A client with keys. An honest one asks until it is answered, and is owed the latest state."""

    name: str
    pubkeys: tuple[str, ...]
    dialect: str
    is_honest: bool = True


@dataclass(slots=True, kw_only=True)
class Happening:
    """What each record below is: something that happened at this time."""

    at_ms: int


@dataclass(slots=True, kw_only=True)
class Signed(Happening):
    """A player's key signed this event (JSON); what no ``Signed`` holds is forged."""

    who: str
    event: str


@dataclass(slots=True, kw_only=True)
class Arrived(Happening):
    """An event of this id reached the arbiter over a relay or a socket (``way``)."""

    way: str
    event_id: str


@dataclass(slots=True, kw_only=True)
class Taken(Happening):
    """The arbiter took a record: its inbox did, or one of its queues."""

    who: str
    body: str


@dataclass(slots=True, kw_only=True)
class Wrote(Happening):
    """One transaction that is on the disk: items by key, before and after."""

    who: str
    items: tuple[tuple[str, Item | None, Item | None], ...]


@dataclass(slots=True, kw_only=True)
class Committed(Happening):
    """A commit of SQLite is on the disk."""


@dataclass(slots=True, kw_only=True)
class Started(Happening):
    """A process of the arbiter serves from now on."""


@dataclass(slots=True, kw_only=True)
class Ended(Happening):
    """A process of the arbiter was killed, or ended."""


@dataclass(slots=True, kw_only=True)
class Published(Happening):
    """The arbiter offered an event (JSON) to a relay: whether it took it, and what it told: ``ok``,
    ``no``, ``mute`` (an ephemeral event has no subscriber), or nothing.
    """

    who: str
    way: str
    event: str
    taken: bool
    told: str = "ok"


@dataclass(slots=True, kw_only=True)
class Posted(Happening):
    """The arbiter put a frame on a socket of its own gateway."""

    who: str
    way: str
    frame: str


@dataclass(slots=True, kw_only=True)
class Listed(Happening):
    """The arbiter answered with the list of running games (JSON)."""

    text: str


@dataclass(slots=True, kw_only=True)
class Fired(Happening):
    """A fault struck. ``kind`` is what it is counted by, such as ``F07``."""

    kind: str
    where: str = ""


@dataclass(slots=True, kw_only=True)
class Failed(Happening):
    """The arbiter logged a failure of its own: the line, and the exception's name."""

    line: str
    failure: str


@dataclass(slots=True, kw_only=True)
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


@dataclass(slots=True, kw_only=True)
class History:
    """One run, in order, and what was stored at its end.

    From ``healed_at_ms`` on no fault was fired, and ``is_quiet`` says that nothing was left to do
    when the run ended. ``table`` holds the raw items by their key ``pk``. ``skew_ms`` is by how
    much the arbiter's clocks may have been wrong, at most, either way. ``left`` is what should be
    gone by then, in words.
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
    has_relays: bool = True
    skew_ms: int = 0
    left: tuple[str, ...] = ()


T = TypeVar("T")


def of_kind(happenings: Iterable[Happening], kind: type[T]) -> tuple[T, ...]:
    return tuple(one for one in happenings if isinstance(one, kind))
