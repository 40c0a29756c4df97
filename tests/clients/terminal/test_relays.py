"""One relay's thread, against a relay that misbehaves on purpose."""

import io
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import pytest
import websocket

from arbiter.nostr.event import event_to_json
from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal import relays
from clients.terminal.board import Style
from clients.terminal.clocks import Clock
from clients.terminal.game_view import GameView
from clients.terminal.relays import (
    LIVE_DELAY_SECONDS,
    LOOK_SECONDS,
    MAX_DELAY_SECONDS,
    Delivered,
    FromRelay,
    Relay,
    delay_seconds,
)
from clients.terminal.screens import PlainScreen
from clients.terminal.session import CaughtUp, LinkDown, LinkUp, Phase, Verdict
from clients.terminal.shell import Shell
from clients.terminal.terms import PLAIN, Terms
from clients.terminal.writing import chat_wanted, people_wanted, request_to_play, wanted
from tests.builders import ALICE, BOB, SERVER
from tests.clients.terminal.scene import Scene
from tests.fakes.relay import Client, FakeRelay, Message

PATIENCE_SECONDS = 10.0
T = TypeVar("T")


class Link:
    """A relay's thread and its inputs."""

    def __init__(self, url: str) -> None:
        self.inputs: queue.Queue[FromRelay] = queue.Queue()
        filters = wanted(SERVER.pubkey, ALICE.pubkey)
        self.relay = Relay(url, ALICE, filters, self.inputs.put)

    def next(self) -> FromRelay:
        return self.inputs.get(timeout=PATIENCE_SECONDS)

    def until(self, kind: type[T]) -> T:
        while True:
            given = self.next()
            if isinstance(given, kind):
                return given


@contextmanager
def linked(url: str) -> Iterator[Link]:
    link = Link(url)
    link.relay.start()
    try:
        yield link
    finally:
        link.relay.stop()


@contextmanager
def connected(**answers: Any) -> Iterator[tuple[FakeRelay, Link]]:
    """A relay with these answers, and the client's thread for it."""
    with FakeRelay(**answers) as relay, linked(relay.url) as link:
        yield relay, link


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays, "RESUBSCRIBE_SECONDS", 0)


CHAT = chat_wanted("f" * 32, ALICE.pubkey, opponent=BOB.pubkey, public=True, since=1)
PEOPLE = people_wanted(SERVER.pubkey, (ALICE.pubkey, BOB.pubkey))


def a_response() -> dict[str, object]:
    template = request_to_play(ALICE.pubkey, 1_800_000_000)
    return event_to_json(SERVER.sign(template))


def test_stored_events_are_told_from_new_ones() -> None:
    def stored_then_live(client: Client, message: Message) -> None:
        client.send("EVENT", message[1], a_response())
        client.send("EOSE", message[1])
        client.send("EVENT", message[1], a_response())

    with connected(on_req=stored_then_live) as (_, link):
        assert link.until(Delivered).stored
        assert not link.until(Delivered).stored


def test_a_connection_that_the_relay_closes_leaves_no_socket_open() -> None:
    with connected() as (relay, link):
        link.until(CaughtUp)
        websocket = link.relay._socket
        assert websocket is not None
        tcp = websocket.sock
        assert tcp is not None
        relay.client().close()
        link.until(LinkDown)
        assert tcp.fileno() == -1


def test_a_relay_that_is_not_there_is_reported_in_plain_words() -> None:
    with FakeRelay() as relay:
        url = relay.url
    with linked(url) as link:
        assert link.until(LinkDown).why == "connection refused"


def test_a_closed_subscription_is_opened_again() -> None:
    closed: list[str] = []

    def close_once(client: Client, message: Message) -> None:
        if closed:
            client.send("EOSE", message[1])
            return
        closed.append(message[1])
        client.send("CLOSED", message[1], "error: shutting down")

    with connected(on_req=close_once) as (relay, link):
        link.until(CaughtUp)
        assert relay.message("REQ", 2)


class Time:
    """A clock that moves on by half a second whenever a silent socket is looked at."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class HalfOpen:
    """A socket that is heard until ``last_heard``, by pongs alone, and then stays open."""

    def __init__(self, clock: Time, last_heard: float) -> None:
        self._clock = clock
        self._last_heard = last_heard
        self._pinged = False
        self.pings = 0
        self.connected = True

    def recv_data(self, *, control_frame: bool) -> tuple[int, bytes]:
        assert control_frame
        self._clock.now += LOOK_SECONDS
        if self._pinged and self._clock.now <= self._last_heard:
            self._pinged = False
            return websocket.ABNF.OPCODE_PONG, b""
        raise websocket.WebSocketTimeoutException

    def ping(self) -> None:
        self._pinged = True
        self.pings += 1

    def shutdown(self) -> None:
        self.connected = False


@pytest.mark.parametrize("quiet_seconds", [0, 1, 3, 4, 10, 20, 39, 61, 100, 1_000])
@pytest.mark.parametrize(("is_live", "most_seconds"), [(True, 8), (False, 25)])
def test_silence_is_noticed_in_time_whenever_it_begins(
    monkeypatch: pytest.MonkeyPatch, *, quiet_seconds: int, is_live: bool, most_seconds: int
) -> None:
    clock = Time()
    monkeypatch.setattr(relays, "time", clock)
    last_heard = clock.now + quiet_seconds
    socket = HalfOpen(clock, last_heard)
    relay = Relay("wss://relay.example", ALICE, (), lambda _: None)
    relay.is_live = is_live

    why = relay._listen(socket)  # type: ignore[arg-type]

    assert (why, socket.connected) == ("silent", False)
    assert 0 < clock.now - last_heard <= most_seconds
    assert is_live or socket.pings <= 1 + quiet_seconds / 20, "each ping wakes a radio"


RUNNING = Clock(control="60+0", white_ms=1, black_ms=1, deadline_ms=1, ply=2)
PLAYED = GameView(id="f" * 32, clock=RUNNING)


@pytest.mark.parametrize(
    ("phase", "game", "terms", "is_live"),
    [
        (Phase.PLAYING, PLAYED, PLAIN, True),
        (Phase.QUEUED, None, replace(PLAIN, time="60+0"), True),
        (Phase.QUEUED, None, replace(PLAIN, time="3d"), False),
        (Phase.PLAYING, replace(PLAYED, watched=True), PLAIN, False),
        (Phase.PLAYING, replace(PLAYED, clock=replace(RUNNING, control="3d")), PLAIN, False),
        (Phase.PLAYING, replace(PLAYED, clock=None), PLAIN, False),
        (Phase.OVER, PLAYED, PLAIN, False),
        (Phase.CONNECTING, None, replace(PLAIN, time="60+0"), False),
    ],
)
def test_relays_are_hurried_while_a_live_clock_of_the_player_runs(
    *, phase: Phase, game: GameView | None, terms: Terms, is_live: bool
) -> None:
    session = replace(Scene().session, phase=phase, game=game, terms=terms)
    screen = PlainScreen(io.StringIO(), Style(color=False, unicode=False))
    shell = Shell(key=ALICE, session=session, relays=("wss://relay.example",), screen=screen)

    shell._step(LinkDown("wss://another.example", "silent"))

    assert [relay.is_live for relay in shell._relays] == [is_live]


def test_a_silent_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CALM_PING_SECONDS", "PONG_SECONDS", "LOOK_SECONDS"):
        monkeypatch.setattr(relays, name, 0.1)
    with connected() as (relay, link):
        link.until(CaughtUp)
        relay.client().go_deaf()
        assert link.until(LinkDown).why == "silent"


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

    with connected(on_event=demand, on_auth=admit) as (relay, link):
        link.until(CaughtUp)
        event = ALICE.sign(request_to_play(SERVER.pubkey, 1_800_000_000))
        link.relay.publish(event)
        assert link.until(Verdict) == Verdict(relay.url, event.id, PublishStatus.ACCEPTED, "")


def test_malformed_frames_are_ignored() -> None:
    def rubbish(client: Client, message: Message) -> None:
        for text in ("", "[]", "{", '["EVENT","x",{}]', '["NOTICE","\\u001b[2J"]', "[" * 5_000):
            client.send_text(text)
        client.send("EOSE", message[1])

    with connected(on_req=rubbish) as (_, link):
        link.until(LinkUp)
        assert isinstance(link.next(), CaughtUp)


def test_attempts_are_ever_further_apart_up_to_a_limit_and_never_in_step() -> None:
    delays = [delay_seconds(failures, 1.0) for failures in range(1, 40)]
    assert delays == sorted(delays)
    assert delays[0] < 1
    assert delays[-1] == MAX_DELAY_SECONDS
    assert delay_seconds(40, 1.0, is_live=True) == LIVE_DELAY_SECONDS
    assert delay_seconds(3, 0.0) == delay_seconds(3, 1.0) / 2


def test_chat_has_a_subscription_of_its_own_that_catches_up_with_nothing() -> None:
    asked: list[str] = []

    def only_chat_ends(client: Client, message: Message) -> None:
        """The stored end of the first subscription never comes; that of the chat does."""
        asked.append(message[1])
        if len(asked) > 1:
            client.send("EOSE", message[1])
            client.send("EVENT", message[1], a_response())

    with connected(on_req=only_chat_ends) as (relay, link):
        link.until(LinkUp)
        relay.message("REQ")
        link.relay.tune_in(CHAT)
        players, spectators = relay.message("REQ", 2)[2:]
        assert (players["kinds"], players["authors"]) == ([20305], [BOB.pubkey])
        assert (spectators["kinds"], spectators["#d"]) == ([20306], ["f" * 32])
        line = link.next()
        assert isinstance(line, Delivered)
        assert not line.stored
        relay.client(1).drop()
        link.until(LinkDown)
        link.until(LinkUp)
        assert {relay.message("REQ", 3)[1], relay.message("REQ", 4)[1]} == set(asked[:2])


def test_profiles_are_subscribed_to_again_after_a_loss_and_not_after_a_refusal() -> None:
    def refuses_to_look(client: Client, message: Message) -> None:
        if message[1] == "people":
            client.send("CLOSED", "people", "blocked: no profiles here")
            client.send("EVENT", "arbiter", a_response())
        else:
            client.send("EOSE", message[1])

    with connected(on_req=refuses_to_look) as (relay, link):
        link.until(CaughtUp)
        link.relay.look_up(PEOPLE)
        link.until(Delivered)
        link.relay.tune_in(CHAT)
        relay.message("REQ", 3)
        relay.client(1).drop()
        names = [relay.message("REQ", number)[1] for number in range(1, 7)]
        assert names == ["arbiter", "people", "chat", "arbiter", "people", "chat"]


def test_the_end_of_stored_profiles_does_not_end_catching_up() -> None:
    def slow(client: Client, message: Message) -> None:
        if message[1] == "people":
            client.send("EVENT", "people", a_response())
            client.send("EOSE", "people")
            client.send("EVENT", "arbiter", a_response())

    with connected(on_req=slow) as (_, link):
        link.until(LinkUp)
        link.relay.look_up(PEOPLE)
        assert [link.until(Delivered).stored for _ in range(2)] == [False, True]
        assert link.inputs.empty()
