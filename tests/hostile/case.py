"""One thing that a stranger may send, where it enters, and the exact word that must answer it.

The law: a case changes nothing. Where one does, being its author's own sound word in odd clothes,
it says so (``heeded``), so that nobody can take the one for the other.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.hostile.stage import Stage
from tests.nostr.hostile.case import CREATED_AT, GAME, SERVER, Body, bytes_of, text_of

__all__ = [
    "Body",
    "Case",
    "Door",
    "Frames",
    "Script",
    "a_wish",
    "a_word",
    "by_queue",
    "by_relay",
    "by_socket",
    "bytes_of",
    "frame",
    "from_a_relay",
    "from_a_socket",
    "once",
    "sent",
    "signed",
]


class Door(StrEnum):
    """Where it enters."""

    RELAY = "relay"
    SOCKET = "socket"
    QUEUE = "queue"
    LETTER = "letter"
    HTTP = "HTTP"
    LOG = "log"
    NOTE = "note"


Script = Callable[[Stage], Iterable[bytes]]
"""What is sent, piece by piece: events as JSON. It may look at the stage between two."""

Frames = Callable[[Stage], Iterable[bytes | str]]
"""The same of frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """``knock`` sends it and gives back the word for the last that was sent."""

    name: str
    note: str
    door: Door
    answer: str
    knock: Callable[[Stage], str]
    stage: Callable[[], Stage] = Stage
    heeded: bool = False

    @property
    def id(self) -> str:
        """Its name among the tests."""
        return f"{self.name} [{self.door}]"


def by_relay(script: Script) -> Callable[[Stage], str]:
    """Events as a relay brings them to our subscription."""
    return lambda stage: stage.from_relay(
        b'["EVENT","arbiter",' + event + b"]" for event in script(stage)
    )


def by_socket(script: Script) -> Callable[[Stage], str]:
    """Events as a client publishes them at our own gateway."""
    return lambda stage: stage.from_socket(b'["EVENT",' + event + b"]" for event in script(stage))


def by_queue(script: Script) -> Callable[[Stage], str]:
    """Events as they stand in the queue, whoever may have put them there."""

    def knock(stage: Stage) -> str:
        at = b',"received_at_ms":%d}' % stage.world.clock.ms
        bodies = [(b'{"event":' + event + at).decode() for event in script(stage)]
        return [stage.from_queue(body) for body in bodies][-1]

    return knock


def sent(
    name: str,
    note: str,
    script: Script,
    relay: str,
    socket: str | None = None,
    *,
    stage: Callable[[], Stage] = Stage,
    heeded: bool = False,
) -> Iterator[Case]:
    """These events over a relay, and over a socket where the gateway has a word of its own. What
    the arbiter decides is decided behind both doors.
    """
    doors = [(Door.RELAY, by_relay(script), relay)]
    if socket is not None:
        doors.append((Door.SOCKET, by_socket(script), socket))
    for door, knock, answer in doors:
        yield Case(
            name=name,
            note=note,
            door=door,
            answer=answer,
            knock=knock,
            stage=stage,
            heeded=heeded,
        )


def from_a_relay(
    name: str, note: str, frames: Script, answer: str, *, heeded: bool = False
) -> Case:
    """Whole frames of a relay."""
    return Case(
        name=name,
        note=note,
        door=Door.RELAY,
        answer=answer,
        knock=lambda stage: stage.from_relay(frames(stage)),
        heeded=heeded,
    )


def from_a_socket(
    name: str, note: str, frames: Frames, answer: str, *, heeded: bool = False
) -> Case:
    """Whole frames of a client, as text or as bytes."""
    return Case(
        name=name,
        note=note,
        door=Door.SOCKET,
        answer=answer,
        knock=lambda stage: stage.from_socket(frames(stage)),
        heeded=heeded,
    )


def signed(
    by: SecretKey, kind: int, content: str = "", *tags: tuple[str, ...], at: int = CREATED_AT
) -> Body:
    """An event, properly signed."""
    return event_to_json(by.sign(EventTemplate(kind, tags, content, at)))


def a_word(by: SecretKey, content: str, *tags: tuple[str, ...], at: int = CREATED_AT) -> bytes:
    """Something said in the game under way (20303), properly addressed and signed."""
    game = () if any(tag[0] == "d" for tag in tags) else (("d", GAME),)
    return bytes_of(signed(by, 20303, content, *game, ("p", SERVER.pubkey), *tags, at=at))


def a_wish(by: SecretKey, content: str = "", *tags: tuple[str, ...], at: int = CREATED_AT) -> bytes:
    """A request to play (20300)."""
    return bytes_of(signed(by, 20300, content, ("p", SERVER.pubkey), *tags, at=at))


def frame(*message: object) -> bytes:
    """A message as it stands in a frame."""
    return text_of(list(message)).encode("utf-8", "surrogatepass")


def once(*events: bytes) -> Script:
    """These events, whatever the stage."""
    return lambda _: events
