"""One input that a stranger may send, its entry point, and the answer that it must get.

Invariant: it changes nothing. An input that is its author's own sound event all the same has an
answer that ends in ``, heeded``.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.hostile.scenario import ENTRY_POINTS, Scenario
from tests.nostr.hostile.case import CREATED_AT, GAME, SERVER, Body, bytes_of, text_of

Said = bytes | str
Script = Callable[[Scenario], Iterable[Said]]
"""The pieces that are sent, one by one. It may look at the scenario between two."""

Row = tuple[str, str, Said | tuple[Said, ...] | Script]
"""Name, answer and what is sent. ``played|queued`` is one answer at the relay and one at the
socket."""


@dataclass(frozen=True, slots=True)
class Case:
    """``send`` sends it and returns the answer to the last that was sent."""

    name: str
    entry_point: str
    answer: str
    send: Callable[[Scenario], str]
    scenario: Callable[[], Scenario] = Scenario

    @property
    def id(self) -> str:
        return f"{self.name} [{self.entry_point}]"


def frames(
    entry_point: str, rows: Iterable[Row], scenario: Callable[[], Scenario] = Scenario
) -> Iterator[Case]:
    """Whole frames, or bodies of the queue, at this entry point."""
    for name, answer, sent in rows:
        yield Case(name, entry_point, answer, bring(entry_point, sent), scenario)


def events(
    rows: Iterable[Row],
    scenario: Callable[[], Scenario] = Scenario,
    entry_points: str = "relay socket",
) -> Iterator[Case]:
    """These events as JSON: at the relay, and at the socket where the gateway has an answer of its
    own. What the arbiter decides is decided behind both.
    """
    for name, answers, sent in rows:
        for entry_point, answer in zip(entry_points.split(), answers.split("|"), strict=False):
            yield Case(name, entry_point, answer, bring(entry_point, sent, is_event=True), scenario)


def each(
    name: str, answer: str, built: Callable[[Any], bytes], values: Iterable[object]
) -> Iterator[Row]:
    for value in values:
        yield f"{name} {shown(value)}", answer, partial(_built, built, value)


def _built(built: Callable[[Any], bytes], value: object, _: Scenario) -> tuple[bytes, ...]:
    return (built(value),)


def shown(value: object) -> str:
    """The value as it is in a name of a case: of a long one its ends and its length."""
    text = repr(value)
    return text if len(text) < 70 else f"{text[:25]}…{text[-25:]} of {len(text)}"


def bring(entry_point: str, sent: object, *, is_event: bool = False) -> Callable[[Scenario], str]:
    """A function that sends this at an entry point and returns the answer to the last."""

    def send(scenario: Scenario) -> str:
        said: Iterable[Said] = sent(scenario) if callable(sent) else _all(sent)
        if is_event:
            said = (wrapped(entry_point, it, scenario) for it in said if isinstance(it, bytes))
        return ENTRY_POINTS[entry_point](scenario, said)

    return send


def wrapped(entry_point: str, event: bytes, scenario: Scenario | None = None) -> bytes:
    if entry_point == "queue":
        assert scenario is not None
        return b'{"event":' + event + b',"received_at_ms":%d}' % scenario.world.clock.ms
    return (b'["EVENT","arbiter",' if entry_point == "relay" else b'["EVENT",') + event + b"]"


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


def edited(event: bytes, **fields: object) -> bytes:
    """The event with these fields written over it once it is signed."""
    return bytes_of({**json.loads(event), **fields})


def frame(*message: object) -> bytes:
    return text_of(list(message)).encode("utf-8", "surrogatepass")
