"""Relays that misbehave on purpose, and what a program hears of them."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import pytest

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import PublishStatus
from clients.player import relays
from clients.player.drafts import PEOPLE
from clients.player.heard import CaughtUp, Delivered, FromRelay, LinkDown, LinkUp, Verdict
from clients.player.relays import LONG_PAUSE_SECONDS, MAIN, PAUSE_SECONDS, TRIES, Relays
from tests.builders import ALICE, SERVER
from tests.fakes.relay import Client, FakeRelay, Message

PATIENCE_SECONDS = 10.0
T = TypeVar("T")
WANTED = (Filter(authors=(SERVER.pubkey,), kinds=(20301,)),)
CHAT = (Filter(kinds=(20306,)),)
PEOPLES = (Filter(kinds=(0,)),)
EVENT = EventTemplate(20301, (("p", ALICE.pubkey),), "queued", 1_800_000_000)


class Program:
    """Relays in a loop of their own, and what they tell."""

    def __init__(self, *urls: str) -> None:
        self.told: queue.Queue[FromRelay] = queue.Queue()
        self.relays = Relays(urls, WANTED, ALICE.sign, self.told.put)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._running.cancel)
        self._thread.join(PATIENCE_SECONDS)
        self._loop.close()

    def _run(self) -> None:
        self._running = self._loop.create_task(self.relays.run())
        self._loop.run_until_complete(asyncio.wait([self._running]))

    def do(self, what: Callable[..., object], *given: object) -> None:
        self._loop.call_soon_threadsafe(what, *given)

    def next(self) -> FromRelay:
        return self.told.get(timeout=PATIENCE_SECONDS)

    def until(self, kind: type[T]) -> T:
        while not isinstance(given := self.next(), kind):
            pass
        return given


@contextmanager
def connected(**answers: Any) -> Iterator[tuple[FakeRelay, Program]]:
    """A relay with these answers, and the program that is connected to it."""
    with FakeRelay(**answers) as relay, Program(relay.url) as program:
        yield relay, program


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "RESUBSCRIBE_SECONDS", 0)
    monkeypatch.setattr(relays, "FIRST_PAUSE_SECONDS", 0.05)


def a_response() -> dict[str, object]:
    return event_to_json(SERVER.sign(EVENT))


def test_stored_events_are_told_from_new_ones() -> None:
    def stored_then_live(client: Client, message: Message) -> None:
        client.send("EVENT", message[1], a_response())
        client.send("EOSE", message[1])
        client.send("EVENT", message[1], a_response())

    with connected(on_req=stored_then_live) as (_, program):
        assert program.until(Delivered).stored
        assert not program.until(Delivered).stored


def test_a_relay_that_never_ends_its_stored_events_has_caught_up_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "CATCH_UP_SECONDS", 0.1)
    with connected(on_req=lambda *_: None) as (relay, program):
        for _ in range(2):
            assert program.until(CaughtUp) == CaughtUp(relay.url)
            program.do(program.relays.subscribe)


def test_a_relay_that_closes_or_drops_or_is_not_there_is_told_of_in_plain_words() -> None:
    with connected() as (relay, program):
        for number, leave in enumerate((Client.close, Client.drop), 1):
            program.until(CaughtUp)
            leave(relay.client(number))
            why = program.until(LinkDown).why
            assert why == ("closed by the relay", "connection lost")[number - 1]
        program.until(CaughtUp)
        relay.shut()
        program.until(LinkDown)
        assert program.until(LinkDown).why == "connection refused"


def test_a_closed_subscription_is_opened_again() -> None:
    closed: list[str] = []

    def close_once(client: Client, message: Message) -> None:
        if closed:
            client.send("EOSE", message[1])
            return
        closed.append(message[1])
        client.send("CLOSED", message[1], "error: shutting down")

    with connected(on_req=close_once) as (relay, program):
        program.until(CaughtUp)
        assert relay.message("REQ", 2)


def test_a_relay_that_falls_silent_is_left_within_eight_seconds_and_subscribed_to_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert relays.PING_SECONDS + relays.PONG_SECONDS + relays.CLOSE_SECONDS <= 8
    for name in ("PING_SECONDS", "PONG_SECONDS", "CLOSE_SECONDS"):
        monkeypatch.setattr(relays, name, 0.2)
    with connected() as (relay, program):
        relay.message("ping")
        relay.client().go_deaf()
        assert program.until(LinkDown).why == "silent"
        assert relay.message("REQ", 2)


def test_a_relay_that_asks_for_authentication_gets_it_and_the_event_again() -> None:
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

    with connected(on_event=demand, on_auth=admit) as (relay, program):
        program.until(CaughtUp)
        event = ALICE.sign(EVENT)
        program.do(program.relays.publish, event)
        assert program.until(Verdict) == Verdict(relay.url, event.id, PublishStatus.ACCEPTED, "")
        assert relay.message("REQ", 2), "what it may read now"


def test_a_verdict_on_an_event_of_another_is_passed_over() -> None:
    def judge(client: Client, message: Message) -> None:
        client.send("OK", "f" * 64, False, "blocked: you")
        client.send("OK", message[1]["id"], False, "blocked: you")

    with connected(on_event=judge) as (_, program):
        program.until(CaughtUp)
        event = ALICE.sign(EVENT)
        program.do(program.relays.publish, event)
        assert program.until(Verdict).event_id == event.id


def test_malformed_frames_are_ignored() -> None:
    def rubbish(client: Client, message: Message) -> None:
        for text in ("", "[]", "{", '["EVENT","x",{}]', '["NOTICE","\\u001b[2J"]', "[" * 5_000):
            client.send_text(text)
        client.send("EOSE", message[1])

    with connected(on_req=rubbish) as (_, program):
        program.until(LinkUp)
        assert isinstance(program.next(), CaughtUp)


def test_attempts_are_ever_further_apart_up_to_a_limit_and_never_in_step() -> None:
    pauses = [relays.pause_seconds(failures, 1.0) for failures in range(1, TRIES + 2)]
    assert pauses == sorted(pauses)
    assert pauses[0] < 1
    assert (pauses[-3], pauses[-1]) == (PAUSE_SECONDS, LONG_PAUSE_SECONDS)
    assert relays.pause_seconds(3, 0.0) == relays.pause_seconds(3, 1.0) / 2


def test_each_subscription_is_sent_after_a_loss_and_only_the_main_one_catches_up() -> None:
    def only_others_end(client: Client, message: Message) -> None:
        """The stored end of the first subscription never comes; those of the others do."""
        if message[1] != MAIN:
            client.send("EOSE", message[1])
            client.send("EVENT", message[1], a_response())

    with connected(on_req=only_others_end) as (relay, program):
        program.until(LinkUp)
        program.do(program.relays.subscribe, "chat", CHAT)
        line = program.next()
        assert isinstance(line, Delivered)
        assert not line.stored
        program.do(program.relays.subscribe, PEOPLE, PEOPLES)
        relay.message("REQ", 3)
        relay.client().drop()
        program.until(LinkDown)
        assert [relay.message("REQ", number)[1] for number in (4, 5, 6)] == [MAIN, "chat", PEOPLE]


def test_profiles_are_not_subscribed_to_again_after_a_refusal() -> None:
    def refuses_to_look(client: Client, message: Message) -> None:
        if message[1] == PEOPLE:
            client.send("CLOSED", PEOPLE, "blocked: no profiles here")
            client.send("EVENT", MAIN, a_response())
        else:
            client.send("EOSE", message[1])

    with connected(on_req=refuses_to_look) as (relay, program):
        program.until(CaughtUp)
        program.do(program.relays.subscribe, PEOPLE, PEOPLES)
        program.until(Delivered)
        program.do(program.relays.subscribe, "chat", CHAT)
        assert [relay.message("REQ", number)[1] for number in (1, 2, 3)] == [MAIN, PEOPLE, "chat"]


def test_several_keys_hear_over_one_connection_and_catch_up_once_all_are_told() -> None:
    bobs: queue.Queue[FromRelay] = queue.Queue()
    asked: list[str] = []

    def tell_of_both_at_last(client: Client, message: Message) -> None:
        asked.append(message[1])
        if len(asked) == len(("alice", "bob")):
            for name in asked:
                client.send("EVENT", name, a_response())
                client.send("EOSE", name)
            client.send("EVENT", asked[0], a_response())

    with FakeRelay(on_req=tell_of_both_at_last) as relay:
        program = Program(relay.url)
        program.relays.join(CHAT, bobs.put)
        with program:
            alices = [program.next() for _ in range(5)]
        assert alices == [bobs.get(timeout=PATIENCE_SECONDS) for _ in alices]
    up, first, second, caught_up, live = alices
    assert (up, caught_up) == (LinkUp(relay.url), CaughtUp(relay.url))
    stored = [it.stored for it in (first, second, live) if isinstance(it, Delivered)]
    assert stored == [True, True, False]
    assert asked[0] != asked[1]
