"""The arbiter receives the fields that clients read, whatever is beside them."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from arbiter.application.intake.routing import bridged_entry
from arbiter.dialects.base import GameCommand, RequestToPlay, SlotCommand
from arbiter.dialects.ssb.decode import decode
from arbiter.dialects.ssb.messages import (
    MAX_ENVELOPE_BYTES,
    SsbEnvelope,
    read_content,
    read_envelope,
)
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip19 import encode_npub
from bridge.envelopes import EnvelopeWriter
from bridge.peer_log import GameFacts, Message
from tests.bridge.logs import ANNA, BERT, US, Author, key
from tests.bridge.test_incoming import KEY, NOW_S, SERVER
from tests.builders import ALICE

NOW_MS = NOW_S * 1000
ROOT = key("a game before")
DEEP: Any = 1
for _ in range(30):
    DEEP = [DEEP]

BESIDE = {
    "what is nested": DEEP,
    "half a surrogate": "\ud800",
    "a number without end": float("inf"),
    "eight thousand letters": "\u00e9" * 8_000,
}
MOVE = {"type": "chess_move", "orig": "e2", "dest": "e4", "ply": 1, "pgnMove": "e4", "fen": "8/8"}
SAID: Mapping[str, Mapping[str, Any]] = {
    "a move": MOVE,
    "a promotion": {**MOVE, "orig": "e7", "dest": "e8", "promotion": "n"},
    "a mate": {**MOVE, "type": "ssb_chess_game_end", "status": "mate", "winner": ANNA},
    "a resignation": {"type": "chess_game_end", "status": "resigned"},
    "an acceptance": {"type": "chess_invite_accept"},
    "talk": {"type": "chess_chat", "msg": "Good luck!"},
}


def event_of(message: Message, invite: Message) -> VerifiedEvent:
    facts = GameFacts(invite, None, {ANNA: (), BERT: ()}, message.key)
    writer = EnvelopeWriter(KEY, SERVER, US)
    event = writer.event(facts, message, NOW_MS)
    assert event is not None
    assert len(event.content) <= MAX_ENVELOPE_BYTES
    assert writer.envelope(facts, message, NOW_MS) == bridged_entry(event, NOW_MS) is not None
    return event


def envelope_of(content: Mapping[str, Any], **invited: object) -> SsbEnvelope:
    anna = Author(ANNA)
    invite = anna.invites(BERT, **invited)
    message = anna.writes({**content, "root": invite.key})
    envelope = read_envelope(event_of(message, invite))
    assert envelope is not None
    return envelope


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("said", SAID)
def test_an_additional_field_changes_nothing(said: str, beside: str) -> None:
    envelope = envelope_of({**SAID[said], "note": BESIDE[beside]}, note=BESIDE[beside])

    assert not isinstance(read_content(SAID[said]), str)
    assert read_content(envelope.content) == read_content(SAID[said])


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("field", ["orig", "dest", "ply", "promotion", "pgnMove", "fen"])
def test_a_field_that_cannot_be_carried_makes_the_move_malformed(field: str, beside: str) -> None:
    anna = Author(ANNA)
    invite = anna.invites(BERT)
    move = anna.writes({**MOVE, "root": invite.key, field: BESIDE[beside]})
    heard = decode(event_of(move, invite), NOW_MS)

    assert isinstance(heard, GameCommand)
    assert type(heard.command).__name__ == "Unrecognized"


@pytest.mark.parametrize("beside", BESIDE)
def test_an_invitation_with_additional_fields_asks_for_its_game(beside: str) -> None:
    npub = encode_npub(ALICE.pubkey)
    plain, named = (
        Author(ANNA).invites(US, **more)
        for more in ({"text": npub}, {"text": f"\udc00 {npub}", "note": BESIDE[beside]})
    )
    asked, heard = (decode(event_of(it, it), NOW_MS) for it in (plain, named))

    assert isinstance(asked, RequestToPlay)
    assert asked.flaw is None
    assert heard == asked


SPOILT = (*BESIDE.values(), "red", [], {}, 1)


@pytest.mark.parametrize(
    ("field", "spoilt"), [("myColor", None), *product(("myColor", "root"), SPOILT)]
)
def test_an_unreadable_invitation_of_us_reaches_the_arbiter_and_so_does_its_game(
    field: str, spoilt: object
) -> None:
    anna = Author(ANNA)
    invite = anna.invites(US, **{field: spoilt})
    heard = decode(event_of(invite, invite), NOW_MS)
    played = decode(event_of(anna.moves(invite, 1, "e2e4"), invite), NOW_MS)

    assert isinstance(heard, RequestToPlay)
    assert heard.flaw is not None
    assert heard.flaw.startswith(field)
    assert isinstance(played, SlotCommand)
    assert played.seat == heard.seat


def test_a_name_at_the_end_of_the_longest_invitation_is_found() -> None:
    npub = encode_npub(ALICE.pubkey)
    short, long = (Author(ANNA).invites(US, text=f"{it} {npub}") for it in ("", "\u00e9" * 7_900))

    assert decode(event_of(long, long), NOW_MS) == decode(event_of(short, short), NOW_MS)
