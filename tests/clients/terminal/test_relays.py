"""One relay's thread, against a relay that misbehaves on purpose."""

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from arbiter.nostr.event import event_to_json
from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal import relays
from clients.terminal.relays import (
    LONGEST_DELAY_SECONDS,
    Delivered,
    FromRelay,
    Relay,
    delay_seconds,
)
from clients.terminal.session import CaughtUp, LinkDown, LinkUp, Verdict
from clients.terminal.writing import chat_wanted, people_wanted, request_to_play, wanted
from tests.builders import ALICE, BOB, SERVER
from tests.fakes.relay import Client, FakeRelay, Message

PATIENCE_SECONDS = 10.0
T = TypeVar("T")


class Link:
    """A relay's thread and what it told."""

    def __init__(self, url: str) -> None:
        self.told: queue.Queue[FromRelay] = queue.Queue()
        filters = wanted(SERVER.pubkey, ALICE.pubkey)
        self.relay = Relay(url, ALICE, filters, self.told.put)

    def until(self, kind: type[T]) -> T:
        while True:
            told = self.told.get(timeout=PATIENCE_SECONDS)
            if isinstance(told, kind):
                return told


@contextmanager
def linked(relay: FakeRelay) -> Iterator[Link]:
    link = Link(relay.url)
    link.relay.start()
    try:
        yield link
    finally:
        link.relay.stop()


def a_response() -> dict[str, object]:
    template = request_to_play(ALICE.pubkey, 1_800_000_000)
    return event_to_json(SERVER.sign(template))


def test_it_subscribes_before_it_says_that_it_is_there() -> None:
    with FakeRelay() as relay, linked(relay) as link:
        link.until(LinkUp)
        request = relay.message("REQ")
        assert request[2]["authors"] == [SERVER.pubkey]
        assert request[2]["#p"] == [ALICE.pubkey]
        link.until(CaughtUp)


def test_it_tells_old_news_from_new() -> None:
    def stored_then_live(client: Client, message: Message) -> None:
        client.send("EVENT", message[1], a_response())
        client.send("EOSE", message[1])
        client.send("EVENT", message[1], a_response())

    with FakeRelay(on_req=stored_then_live) as relay, linked(relay) as link:
        assert link.until(Delivered).stored
        assert not link.until(Delivered).stored


def test_a_lost_connection_is_told_and_made_again() -> None:
    with FakeRelay() as relay, linked(relay) as link:
        link.until(CaughtUp)
        relay.client().drop()
        assert link.until(LinkDown).url == relay.url
        link.until(LinkUp)
        assert relay.message("REQ", 2)


def test_a_relay_that_is_not_there_is_told_in_plain_words() -> None:
    with FakeRelay() as relay:
        url = relay.url
    link = Link(url)
    link.relay.start()
    assert link.until(LinkDown).why == "connection refused"
    link.relay.stop()


def test_a_closed_subscription_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "RESUBSCRIBE_SECONDS", 0)
    closed: list[str] = []

    def close_once(client: Client, message: Message) -> None:
        if closed:
            client.send("EOSE", message[1])
            return
        closed.append(message[1])
        client.send("CLOSED", message[1], "error: shutting down")

    with FakeRelay(on_req=close_once) as relay, linked(relay) as link:
        link.until(CaughtUp)
        assert relay.message("REQ", 2)


def test_silence_is_death(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "PING_SECONDS", 0.1)
    with FakeRelay() as relay, linked(relay) as link:
        link.until(CaughtUp)
        relay.client().go_deaf()
        assert link.until(LinkDown).why == "silent"


def test_an_answered_ping_is_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "PING_SECONDS", 0.5)
    with FakeRelay() as relay, linked(relay) as link:
        link.until(CaughtUp)
        # A relay taken for dead after the first ping would never get a second one.
        assert relay.sender_and_message("ping", 2)[0] is relay.client(1)


def test_a_relay_that_asks_who_we_are_is_told_and_gets_the_event_again() -> None:
    known: list[Client] = []

    def demand(client: Client, message: Message) -> None:
        if client in known:
            client.send("OK", message[1]["id"], True, "")
            return
        client.send("OK", message[1]["id"], False, "auth-required: who are you?")
        client.send("AUTH", "challenge")

    def admit(client: Client, message: Message) -> None:
        assert message[1]["pubkey"] == ALICE.pubkey
        assert ["challenge", "challenge"] in message[1]["tags"]
        known.append(client)
        client.send("OK", message[1]["id"], True, "")

    with FakeRelay(on_event=demand, on_auth=admit) as relay, linked(relay) as link:
        link.until(CaughtUp)
        event = ALICE.sign(request_to_play(SERVER.pubkey, 1_800_000_000))
        link.relay.publish(event)
        assert link.until(Verdict) == Verdict(relay.url, event.id, PublishStatus.ACCEPTED, "")


def test_frames_that_make_no_sense_are_read_over() -> None:
    def rubbish(client: Client, message: Message) -> None:
        for text in ("", "[]", "{", '["EVENT","x",{}]', '["NOTICE","\\u001b[2J"]', "[" * 5_000):
            client.send_text(text)
        client.send("EOSE", message[1])

    with FakeRelay(on_req=rubbish) as relay, linked(relay) as link:
        link.until(LinkUp)
        assert isinstance(link.told.get(timeout=PATIENCE_SECONDS), CaughtUp)


def test_attempts_are_ever_further_apart_up_to_a_limit_and_never_in_step() -> None:
    delays = [delay_seconds(failures, 1.0) for failures in range(1, 40)]
    assert delays == sorted(delays)
    assert delays[0] < 1
    assert delays[-1] == LONGEST_DELAY_SECONDS
    assert delay_seconds(3, 0.0) == delay_seconds(3, 1.0) / 2


def test_chat_has_a_subscription_of_its_own_that_catches_up_with_nothing() -> None:
    chat = chat_wanted("f" * 32, ALICE.pubkey, opponent=BOB.pubkey, public=True, since=1)
    asked: list[str] = []

    def only_chat_ends(client: Client, message: Message) -> None:
        """The stored end of the first subscription never comes; that of the chat does."""
        asked.append(message[1])
        if len(asked) > 1:
            client.send("EOSE", message[1])
            client.send("EVENT", message[1], a_response())

    with FakeRelay(on_req=only_chat_ends) as relay, linked(relay) as link:
        link.until(LinkUp)
        relay.message("REQ")
        link.relay.tune_in(chat)
        players, spectators = relay.message("REQ", 2)[2:]
        assert (players["kinds"], players["authors"]) == ([20305], [BOB.pubkey])
        assert (spectators["kinds"], spectators["#d"]) == ([20306], ["f" * 32])
        told = link.told.get(timeout=PATIENCE_SECONDS)
        assert isinstance(told, Delivered)
        assert not told.stored
        relay.client(1).drop()
        link.until(LinkDown)
        link.until(LinkUp)
        assert {relay.message("REQ", 3)[1], relay.message("REQ", 4)[1]} == set(asked[:2])


def test_who_plays_is_asked_again_after_a_loss_and_not_after_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "RESUBSCRIBE_SECONDS", 0)

    def refuses_to_look(client: Client, message: Message) -> None:
        if message[1] == "people":
            client.send("CLOSED", "people", "blocked: no profiles here")
            client.send("EVENT", "arbiter", a_response())
        else:
            client.send("EOSE", message[1])

    with FakeRelay(on_req=refuses_to_look) as relay, linked(relay) as link:
        link.until(CaughtUp)
        link.relay.look_up(people_wanted(SERVER.pubkey, (ALICE.pubkey, BOB.pubkey)))
        link.until(Delivered)
        link.relay.tune_in(chat_wanted("a", ALICE.pubkey, opponent=None, public=True, since=0))
        relay.message("REQ", 3)
        relay.client(1).drop()
        names = [relay.message("REQ", number)[1] for number in range(1, 7)]
        assert names == ["arbiter", "people", "chat", "arbiter", "people", "chat"]


def test_what_is_told_of_players_does_not_end_catching_up() -> None:
    def slow(client: Client, message: Message) -> None:
        if message[1] == "people":
            client.send("EVENT", "people", a_response())
            client.send("EOSE", "people")
            client.send("EVENT", "arbiter", a_response())

    with FakeRelay(on_req=slow) as relay, linked(relay) as link:
        link.until(LinkUp)
        link.relay.look_up(people_wanted(SERVER.pubkey, (BOB.pubkey,)))
        assert [link.until(Delivered).stored for _ in range(2)] == [False, True]
        assert link.told.empty()
