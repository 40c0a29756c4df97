"""Direct messages, read and written by another implementation."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from nostr_sdk import (  # type: ignore[import-untyped]
    Event,
    Keys,
    PublicKey,
    UnwrappedGift,
    nip17_make_private_msg,
)

from arbiter.application.notices.tell import HOW_TO_STOP
from arbiter.core.notices import Occasion, text_of
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json, parse_event, verify
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.limits import GIFT_WRAP, MAX_WRAP_CHARS
from arbiter.nostr.nip17 import (
    MAX_RELAYS,
    DirectMessage,
    relays_in,
    unwrap_message,
    wrap_message,
)
from arbiter.nostr.nip44 import conversation_key, encrypt
from clients.web.scripts import HOME, installed
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, an_event

AT = NOW_MS // 1000


def chance() -> Callable[[int], bytes]:
    numbers = count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def wrapped(sender: SecretKey = SERVER, to: SecretKey = ALICE, text: str = "stop") -> VerifiedEvent:
    wrap = wrap_message(sender, to.pubkey, text, AT, chance())
    assert wrap is not None
    return wrap


def sealed_by_hand(signer: SecretKey, rumor: dict[str, object], kind: int = 13) -> VerifiedEvent:
    """A wrap for the server with this rumor, sealed by this key."""

    def locked(key: SecretKey, value: object) -> str:
        shared = conversation_key(bytes.fromhex(key.to_hex()), SERVER.pubkey)
        return encrypt(json.dumps(value), shared, bytes(32))

    seal = signer.sign(EventTemplate(kind, (), locked(signer, rumor), AT))
    wrap = EventTemplate(GIFT_WRAP, (("p", SERVER.pubkey),), locked(EVE, event_to_json(seal)), AT)
    return EVE.sign(wrap)


RUMOR = {"kind": 14, "pubkey": BOB.pubkey, "created_at": AT, "tags": [], "content": "stop"}


def test_nostr_sdk_reads_our_message() -> None:
    keys = Keys.parse(ALICE.to_hex())
    event = Event.from_json(json.dumps(event_to_json(wrapped(text="It is your turn."))))
    gift = UnwrappedGift.from_gift_wrap(keys, event)
    rumor = json.loads(gift.rumor().as_json())
    assert gift.sender().to_hex() == SERVER.pubkey
    assert (rumor["kind"], rumor["content"]) == (14, "It is your turn.")
    assert (rumor["created_at"], rumor["tags"]) == (AT, [["p", ALICE.pubkey]])


_NOSTR_TOOLS = """
import { readFileSync } from "node:fs";
import { unwrapEvent } from "nostr-tools/nip17";
const { secret, wrap } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(unwrapEvent(wrap, Buffer.from(secret, "hex"))));
"""


def test_nostr_tools_reads_our_message() -> None:
    text = text_of((Occasion("turn", "a" * 32),), "https://chess.example") + HOW_TO_STOP
    given = {"secret": ALICE.to_hex(), "wrap": event_to_json(wrapped(text=text))}
    done = subprocess.run(
        (str(installed().node), "--input-type=module", "-e", _NOSTR_TOOLS),
        input=json.dumps(given), cwd=HOME, check=True, capture_output=True, text=True,
    )  # fmt: skip
    rumor = json.loads(done.stdout)
    assert (rumor["pubkey"], rumor["kind"], rumor["content"]) == (SERVER.pubkey, 14, text)
    assert (rumor["created_at"], rumor["tags"]) == (AT, [["p", ALICE.pubkey]])


def test_we_read_a_message_of_nostr_sdk() -> None:
    receiver = PublicKey.parse(SERVER.pubkey)
    event = nip17_make_private_msg(Keys.parse(ALICE.to_hex()), receiver, "stop")
    wrap = verify(parse_event(event.as_json()))  # type: ignore[arg-type]
    assert isinstance(wrap, VerifiedEvent)
    message = unwrap_message(SERVER, wrap)
    assert message is not None
    assert (message.author, message.text) == (ALICE.pubkey, "stop")


def test_no_relay_sees_who_wrote_when_or_what() -> None:
    one, other = wrapped(), wrapped(text="something else")
    assert SERVER.pubkey not in json.dumps(event_to_json(one))
    assert SERVER.pubkey not in (one.pubkey, other.pubkey)
    assert AT - 2 * 86400 <= one.created_at <= AT


@pytest.mark.parametrize(
    ("wrap", "why"),
    [
        (wrapped(), "it is for Alice"),
        (sealed_by_hand(ALICE, RUMOR), "another than its author sealed it"),
        (sealed_by_hand(BOB, RUMOR, kind=1), "it is in no seal"),
        (sealed_by_hand(BOB, {**RUMOR, "kind": 7}), "a reaction is no message"),
        (sealed_by_hand(BOB, {**RUMOR, "content": 5}), "a number is no text"),
        (an_event(EVE, GIFT_WRAP, "nonsense", (("p", SERVER.pubkey),), AT), "it is not encrypted"),
        (
            an_event(EVE, GIFT_WRAP, "A" * (MAX_WRAP_CHARS + 4), (("p", SERVER.pubkey),), AT),
            "it is too long",
        ),
    ],
)
def test_anything_else_is_no_message(wrap: VerifiedEvent, why: str) -> None:
    assert unwrap_message(SERVER, wrap) is None, why


def test_a_message_by_hand_is_one() -> None:
    assert unwrap_message(SERVER, sealed_by_hand(BOB, RUMOR)) == DirectMessage(
        BOB.pubkey, "stop", AT
    )


def test_a_seal_that_was_altered_is_none() -> None:
    wrap = sealed_by_hand(BOB, RUMOR)
    assert unwrap_message(SERVER, replace(wrap, content=wrap.content[:-4] + "AAA=")) is None


def test_no_message_is_for_what_is_no_key() -> None:
    assert wrap_message(SERVER, "f" * 64, "text", AT, chance()) is None


def test_of_a_list_three_relays_that_can_be_dialled_are_taken() -> None:
    urls = (
        "wss://a.example",
        "https://a.example",
        "wss://a.example",
        "ws://b.example:7777/x",
        "wss://user:secret@c.example",
        "wss://",
        "wss://d.example\n",
        "wss://[::1]/",
        "wss://e.example",
    )
    tags = (("relay",), *(("relay", url) for url in urls))
    found = relays_in(an_event(ALICE, 10050, "", tags, AT))
    assert found == ("wss://a.example", "ws://b.example:7777/x", "wss://[::1]/")
    assert len(found) == MAX_RELAYS
