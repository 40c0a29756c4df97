"""The signed examples of PROTOCOL.md: two implementations verify them, and we read them."""

import json
import re
from pathlib import Path

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.core.clocks import read_time
from arbiter.core.commands import MakeOffer, PlayMove
from arbiter.dialects.base import GameCommand, RequestToPlay
from arbiter.dialects.native import DIALECT
from arbiter.nostr.event import NostrEvent, VerifiedEvent, parse_event, verify

TEXT = (Path(__file__).parents[2] / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```json\n(.*)\n```", TEXT)


def verified(text: str) -> VerifiedEvent:
    event = parse_event(text)
    assert isinstance(event, NostrEvent)
    event_verified = verify(event)
    assert isinstance(event_verified, VerifiedEvent)
    return event_verified


def test_every_kind_of_the_protocol_has_an_example() -> None:
    assert {json.loads(text)["kind"] for text in EXAMPLES} == {
        20300,
        20301,
        20302,
        20303,
        20304,
        64,
    }


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_what_its_author_signed(text: str) -> None:
    assert verified(text).id == json.loads(text)["id"]
    assert nostr_sdk.Event.from_json(text).verify()


def test_the_examples_of_players_are_heard_as_they_are_meant() -> None:
    events = [verified(text) for text in EXAMPLES]
    said = [
        DIALECT.decode(e, e.created_at * 1000, "0" * 64) for e in events if e.kind in DIALECT.kinds
    ]

    request, move, offer = said
    assert isinstance(request, RequestToPlay)
    assert request.terms.time == read_time("180+2")
    assert isinstance(move, GameCommand)
    assert isinstance(move.command, PlayMove)
    assert isinstance(offer, GameCommand)
    assert isinstance(offer.command, MakeOffer)


def test_a_move_of_the_examples_names_the_state_before_it() -> None:
    events = [verified(text) for text in EXAMPLES]
    first_state = next(event for event in events if event.kind == 20302)
    move = next(event for event in events if event.kind == 20303)

    assert ("e", first_state.id) in move.tags
