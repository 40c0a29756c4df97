"""Direct messages to relays that strangers name, some of which are hostile."""

import json
import socket
from collections.abc import Callable, Iterator

import pytest

from arbiter.adapters import direct_messages
from arbiter.adapters.direct_messages import DirectMessages
from arbiter.nostr.event import VerifiedEvent, event_to_json, parse_event, verify
from arbiter.nostr.nip17 import unwrap_message
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.relay import Client, FakeRelay, Message


@pytest.fixture
def own() -> Iterator[FakeRelay]:
    with FakeRelay() as relay:
        yield relay


@pytest.fixture
def inbox() -> Iterator[FakeRelay]:
    with FakeRelay() as relay:
        yield relay


def lists(own: FakeRelay, *urls: str, at: int = 1_800_000_000) -> None:
    tags = tuple(("relay", url) for url in urls)
    own.remembered.append(event_to_json(an_event(ALICE, 10050, "", tags, at)))


def messages(own: FakeRelay) -> DirectMessages:
    return DirectMessages(lambda: SERVER, [own.url], socket.create_connection)


def received(relay: FakeRelay) -> list[str]:
    events = [parse_event(json.dumps(it[1])) for _, it in relay.messages if it[0] == "EVENT"]
    wraps = [verify(event) for event in events]  # type: ignore[arg-type]
    read = [unwrap_message(ALICE, it) for it in wraps if isinstance(it, VerifiedEvent)]
    return [message.text for message in read if message]


def test_a_message_comes_to_the_relays_of_the_newest_list(own: FakeRelay, inbox: FakeRelay) -> None:
    lists(own, inbox.url)
    assert messages(own).send(ALICE.pubkey, "It is your turn.")
    assert received(inbox) == ["It is your turn."]


def test_who_has_no_list_is_sent_nothing(own: FakeRelay, inbox: FakeRelay) -> None:
    lists(own, inbox.url)
    assert not messages(own).send(BOB.pubkey, "It is your turn.")
    assert received(inbox) == []


def test_a_list_that_points_inward_is_not_followed(own: FakeRelay, inbox: FakeRelay) -> None:
    lists(own, inbox.url, inbox.url.replace("127.0.0.1", "localhost"), "ws://[::1]:1/")
    assert not DirectMessages(lambda: SERVER, [own.url]).send(ALICE.pubkey, "text")
    assert inbox.clients == []


def test_our_own_relay_is_the_operators_choice(own: FakeRelay) -> None:
    lists(own, own.url)
    assert DirectMessages(lambda: SERVER, [own.url]).send(ALICE.pubkey, "text")
    assert received(own) == ["text"]


def test_a_forged_list_is_not_followed(own: FakeRelay, inbox: FakeRelay) -> None:
    event = event_to_json(an_event(ALICE, 10050, "", (("relay", inbox.url),)))
    own.remembered.append({**event, "sig": "0" * 128})
    assert not messages(own).send(ALICE.pubkey, "text")
    assert inbox.clients == []


def test_a_redirect_inward_is_not_followed(own: FakeRelay, inbox: FakeRelay) -> None:
    location = f"HTTP/1.1 302 Found\r\nLocation: {inbox.url}\r\n\r\n".encode()
    with FakeRelay(handshake=location) as hostile:
        lists(own, hostile.url)
        assert not messages(own).send(ALICE.pubkey, "text")
    assert inbox.clients == []


def hang(_client: Client, _message: Message) -> None:
    """No answer."""


def flood(client: Client, _message: Message) -> None:
    """A frame of a gigabyte."""
    client.send_header(1, 2**30)
    client.send_raw(b"x" * 100_000)


def chatter(client: Client, _message: Message) -> None:
    """Notices without end."""
    for _ in range(1000):
        client.send("NOTICE", "x" * 1000)


def wrong(client: Client, _message: Message) -> None:
    client.send("OK", "0" * 64, True, "")
    client.send_text("nonsense")


def refuse(client: Client, message: Message) -> None:
    client.send("OK", message[1]["id"], False, "blocked: no")


@pytest.mark.parametrize("answer", [hang, flood, chatter, wrong, refuse])
def test_a_hostile_relay_takes_some_seconds_and_the_others_have_the_message(
    own: FakeRelay,
    inbox: FakeRelay,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[Client, Message], None],
) -> None:
    monkeypatch.setattr(direct_messages, "SEND_SECONDS", 1.0)
    with FakeRelay(on_event=answer) as hostile:
        lists(own, hostile.url)
        assert not messages(own).send(ALICE.pubkey, "text"), "nothing was accepted"
        lists(own, hostile.url, inbox.url, at=1_800_000_001)
        own.remembered = own.remembered[-1:]
        assert messages(own).send(ALICE.pubkey, "text")
    assert received(inbox) == ["text"]


@pytest.mark.parametrize("answer", [hang, flood, chatter])
def test_an_own_relay_that_is_ill_leaves_the_lists_of_the_others(
    own: FakeRelay,
    inbox: FakeRelay,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[Client, Message], None],
) -> None:
    monkeypatch.setattr(direct_messages, "ASK_SECONDS", 1.0)
    lists(own, inbox.url)
    with FakeRelay(on_req=answer) as ill:
        sent = DirectMessages(lambda: SERVER, [ill.url, own.url], socket.create_connection)
        assert sent.send(ALICE.pubkey, "text")
