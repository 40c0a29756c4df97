"""`arbiter verify` hears out a relay for a note, whatever the relay sends."""

import json
from collections.abc import Iterator
from itertools import chain, repeat

import pytest
import websocket

from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.nostr.filters import Filter
from server.game_proof import asked
from tests.builders import ALICE, SERVER, an_event

GAME = "0a" * 16
NOTE = an_event(SERVER, 64, "1. e4 *", (("d", GAME),))
WANTED = Filter(kinds=(64,), authors=(SERVER.pubkey,), tags={"d": (GAME,)})
END = '["EOSE","note"]'


class Relay:
    """A socket that has these frames."""

    def __init__(self, frames: Iterator[str]) -> None:
        self.frames, self.is_closed = frames, False

    def send(self, _text: str) -> None:
        pass

    def settimeout(self, _seconds: float) -> None:
        pass

    def recv(self) -> str:
        return next(self.frames)

    def close(self, **_: float) -> None:
        self.is_closed = True


def answered(
    monkeypatch: pytest.MonkeyPatch, wanted: Filter, frames: Iterator[str]
) -> VerifiedEvent | None:
    relay = Relay(frames)
    monkeypatch.setattr(websocket, "create_connection", lambda *_, **__: relay)
    found = asked("ws://relay", wanted)
    assert relay.is_closed
    return found


def delivered(event: VerifiedEvent, **changed: object) -> str:
    return json.dumps(["EVENT", "note", event_to_json(event) | changed])


JUNK = [
    "",
    "{}",
    "5",
    "[]",
    '["EVENT"]',
    '["EVENT","note",7]',
    '["EOSE","another"]',
    '["NOTICE","slow down"]',
    delivered(NOTE, sig="ab" * 64),
    delivered(NOTE, content="another"),
    delivered(an_event(ALICE, 64, "", (("d", GAME),))),
    delivered(an_event(SERVER, 20302, "", (("d", GAME),))),
    delivered(an_event(SERVER, 64, "", (("d", "0b" * 16),))),
]


def test_the_note_is_found_behind_what_was_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    by_id = Filter(ids=(NOTE.id,), kinds=(64,))
    for wanted in (WANTED, by_id):
        assert answered(monkeypatch, wanted, iter([*JUNK, delivered(NOTE)])) == NOTE


@pytest.mark.parametrize("junk", JUNK)
def test_what_was_not_asked_for_is_no_note(monkeypatch: pytest.MonkeyPatch, junk: str) -> None:
    assert answered(monkeypatch, WANTED, iter([junk, END])) is None


@pytest.mark.parametrize("junk", JUNK)
def test_a_relay_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch, junk: str) -> None:
    assert answered(monkeypatch, WANTED, chain(repeat(junk, 10_000), [delivered(NOTE)])) is None


def test_a_note_of_another_id_is_not_the_one(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Filter(ids=("ab" * 32,), kinds=(64,))

    assert answered(monkeypatch, other, iter([delivered(NOTE), END])) is None
