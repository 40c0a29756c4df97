"""One input that a stranger may send, its entry point, and the answer that it must get.

Invariant: it changes nothing. An input that is its author's own sound event all the same has an
answer that ends in ``, heeded``.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.hostile.stage import DOORS, Stage
from tests.nostr.hostile.case import CREATED_AT, GAME, SERVER, Body, bytes_of, text_of

Said = bytes | str
Script = Callable[[Stage], Iterable[Said]]
"""What is sent, piece by piece. It may look at the stage between two."""

Row = tuple[str, str, Said | tuple[Said, ...] | Script]
"""Name, answer and what is sent. ``played|queued`` is one answer at the relay and one at the
socket."""


@dataclass(frozen=True, slots=True)
class Case:
    """``knock`` sends it and returns the answer to the last that was sent."""

    name: str
    door: str
    answer: str
    knock: Callable[[Stage], str]
    stage: Callable[[], Stage] = Stage

    @property
    def id(self) -> str:
        return f"{self.name} [{self.door}]"


def frames(door: str, rows: Iterable[Row], stage: Callable[[], Stage] = Stage) -> Iterator[Case]:
    """Whole frames, or bodies of the queue, at this door."""
    for name, answer, sent in rows:
        yield Case(name, door, answer, bring(door, sent), stage)


def events(
    rows: Iterable[Row], stage: Callable[[], Stage] = Stage, doors: str = "relay socket"
) -> Iterator[Case]:
    """These events as JSON: at the relay, and at the socket where the gateway has an answer of its
    own. What the arbiter decides is decided behind both.
    """
    for name, answers, sent in rows:
        for door, answer in zip(doors.split(), answers.split("|"), strict=False):
            yield Case(name, door, answer, bring(door, sent, is_event=True), stage)


def bring(door: str, sent: object, *, is_event: bool = False) -> Callable[[Stage], str]:
    """A function that sends this at a door and returns the answer to the last."""

    def knock(stage: Stage) -> str:
        said: Iterable[Said] = sent(stage) if callable(sent) else _all(sent)
        if is_event:
            said = (wrapped(door, it, stage) for it in said if isinstance(it, bytes))
        return DOORS[door](stage, said)

    return knock


def wrapped(door: str, event: bytes, stage: Stage | None = None) -> bytes:
    """An event as it is written at this door."""
    if door == "queue":
        assert stage is not None
        return b'{"event":' + event + b',"received_at_ms":%d}' % stage.world.clock.ms
    return (b'["EVENT","arbiter",' if door == "relay" else b'["EVENT",') + event + b"]"


def _all(sent: object) -> Iterable[Said]:
    return sent if isinstance(sent, tuple) else (sent,)


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
    """A message as it is in a frame."""
    return text_of(list(message)).encode("utf-8", "surrogatepass")
