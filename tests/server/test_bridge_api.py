"""The bridge's way in and out of `arbiter serve`, with the bridge's own client, and strangers."""

import contextlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.sqs import OutboxRecord, QueueUnreachable
from arbiter.adapters.timers import SystemClock
from arbiter.application.intake.routing import bridged_entry
from arbiter.application.records import QueueEntry
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip98 import http_auth_header, http_auth_template
from bridge.over_http import REST_SECONDS, HttpEventQueue, HttpOutboxRecords, SignedRequests
from tests.builders import ALICE, BRIDGE, NOW_MS, SERVER
from tests.envelopes import US, a_feed, a_message, an_envelope
from tests.server.running_server import RunningServer, running_server

pytestmark = pytest.mark.slow

PUBLIC = "https://chess.example"


class Clock:
    """Moves when it is told to."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Far:
    """The bridge's end of a server."""

    def __init__(self, server: RunningServer, key: SecretKey = BRIDGE) -> None:
        url = f"http://127.0.0.1:{server.port}"
        self.clock = Clock()
        self._requests = SignedRequests(url, key, SystemClock())
        self.queue = HttpEventQueue(self._requests)
        self.records = HttpOutboxRecords(self._requests, self.clock)

    def send(self, *envelopes: VerifiedEvent) -> Sequence[QueueEntry]:
        entries = [bridged_entry(envelope, NOW_MS) for envelope in envelopes]
        return self.queue.send([entry for entry in entries if entry])

    def said(self, *, count: int) -> list[OutboxRecord]:
        """This number of records, as soon as they are there, and not one more."""
        found = self.until(lambda found: len(found) >= count)
        assert [*map(content_of, found)][count:] == []
        return found

    def said_from_the_start(self, *, count: int) -> list[OutboxRecord]:
        """Likewise, but each time as a bridge that was given nothing yet: what follows in a group
        is given once what came before it is deleted, or together with it.
        """
        ends_at = time.monotonic() + 20
        while len(found := HttpOutboxRecords(self._requests, self.clock).receive()) < count:
            assert time.monotonic() < ends_at, [*map(content_of, found)]
        return self.said(count=count)

    def until(self, is_enough: Callable[[dict[str, OutboxRecord]], bool]) -> list[OutboxRecord]:
        """Those that come until they are enough."""
        found: dict[str, OutboxRecord] = {}
        ends_at = time.monotonic() + 20
        while not is_enough(found):
            found |= {one.receipt: one for one in self.records.receive()}
            assert time.monotonic() < ends_at, found
        return [*found.values()]

    def close(self) -> None:
        self._requests.close()

    def is_silent(self) -> bool:
        return not self.records.receive()


Connects = Callable[[RunningServer], Far]


def content_of(record: OutboxRecord) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(record.body)["content"]
    return content


def an_invitation(name: str, color: str) -> VerifiedEvent:
    content = {"type": "chess_invite", "inviting": US, "myColor": color}
    return an_envelope(a_feed(name), a_message(name), content)


def a_move(name: str, color: str, uci: str, ply: int) -> VerifiedEvent:
    root = a_message(name)
    invite = {"type": "chess_invite", "inviting": US, "myColor": color}
    content = {"type": "chess_move", "root": root, "orig": uci[:2], "dest": uci[2:], "ply": ply}
    key = a_message(f"{name} {ply}")
    return an_envelope(a_feed(name), key, content, (root, a_feed(name), invite))


def a_server(folder: Path, **more: str) -> Any:
    data = folder / "data"
    data.mkdir(parents=True)
    (data / "server.key").write_text(SERVER.to_hex())
    (data / "server.key").chmod(0o600)
    return running_server(folder, ARBITER_BRIDGE=BRIDGE.pubkey, **more)


@pytest.fixture
def far_end() -> Iterator[Connects]:
    with contextlib.ExitStack() as opened:
        yield lambda server: opened.enter_context(contextlib.closing(Far(server)))


@pytest.fixture
def bridged(tmp_path: Path) -> Iterator[RunningServer]:
    """A server of its own, whose games are no other test's."""
    with a_server(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def bothered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with a_server(tmp_path_factory.mktemp("bothered"), ARBITER_PUBLIC_URL=PUBLIC) as running:
        yield running


def test_envelopes_are_played_and_answers_wait_until_they_are_deleted_although_all_are_killed(
    bridged: RunningServer, far_end: Connects
) -> None:
    def killed_and_back() -> Far:
        bridged.kill()
        bridged.start()
        return far_end(bridged)

    far = far_end(bridged)
    assert far.send(an_invitation("sue", "white")) == ()
    (waits,) = far.said(count=1)  # which she is not told again once she has an opponent
    far.records.delete(waits)
    assert far.send(an_invitation("tom", "black")) == ()
    # Each has an opponent, and is told how to offer a draw.
    first = far_end(bridged).said_from_the_start(count=4)
    far = killed_and_back()
    assert [it.body for it in far.said(count=4)] == [it.body for it in first]
    types = [content_of(it)["type"] for it in first]
    assert Counter(types) == {"chess_chat": 2, "chess_invite_accept": 2}
    for record in first:
        far.records.delete(record)
        far.records.delete(record)
    assert far_end(bridged).is_silent()

    moves = [a_move("sue", "white", "e2e4", 1), a_move("tom", "black", "e7e5", 2)]
    assert far.send(*moves) == ()
    assert far.send(*moves) == ()  # as if the answer had been lost
    far = killed_and_back()
    # An envelope that comes again is answered by the same messages again, which were published.
    published = {it.receipt for it in first}
    news = far.until(lambda found: len(found.keys() - published) == 2)
    assert [it["ply"] for it in map(content_of, news) if it["type"] == "chess_move"] == [1, 2]


def test_a_bridge_that_waits_is_told_at_once_and_a_server_that_stops_lets_it_go(
    bridged: RunningServer, far_end: Connects
) -> None:
    far = far_end(bridged)
    far.send(an_invitation("sue", "white"))
    (record,) = far.said(count=1)
    far.records.put_aside(record)
    assert far.is_silent()
    assert bridged.stop() == 0

    with pytest.raises(QueueUnreachable):
        far.records.receive()
    assert far.send(an_invitation("tom", "white")) != ()
    bridged.start()
    assert far.is_silent()
    assert far.send(an_invitation("tom", "white")) == ()


def test_a_game_that_cannot_be_answered_yet_keeps_its_order_and_delays_no_other(
    bridged: RunningServer, far_end: Connects
) -> None:
    far_end(bridged).send(an_invitation("sue", "white"), an_invitation("tom", "black"))
    said = far_end(bridged).said_from_the_start(count=5)
    group = said[0].group_id
    of_sue = [one for one in said if one.group_id == group]
    of_tom = [one for one in said if one.group_id != group]
    far = far_end(bridged)
    assert [*far.records.receive()] == said
    assert [*far.records.receive()] == said  # nothing was published the first time

    assert far.is_silent()  # both rest
    far.clock.seconds = REST_SECONDS + 1
    assert [*far.records.receive()] == said
    for one in of_tom:
        far.records.delete(one)
    assert [*far.records.receive()] == of_sue
    far.send(an_invitation("ned", "white"))
    (ned,) = far.said(count=1)
    far.records.delete(ned)
    far.clock.seconds *= 2
    assert [*far.records.receive()] == of_sue


def test_what_is_no_envelope_of_the_bridge_is_dropped_and_the_envelopes_beside_it_are_taken(
    bridged: RunningServer, far_end: Connects
) -> None:
    envelope, tom = event_to_json(an_invitation("sue", "white")), an_invitation("tom", "black")
    others: list[object] = [
        *(None, 7, "x", [], {}, [envelope]),
        {**envelope, "sig": "0" * 128},
        {**envelope, "content": "{}"},
        event_to_json(ALICE.sign(EventTemplate(tom.kind, tom.tags, tom.content, tom.created_at))),
        event_to_json(BRIDGE.sign(EventTemplate(20310, (), "{}", NOW_MS // 1000))),
        event_to_json(BRIDGE.sign(EventTemplate(20303, (), "e2e4", NOW_MS // 1000))),
    ]
    assert (
        request(bridged, "POST", "/bridge/letters", json.dumps([*others, envelope]).encode()) == 204
    )

    assert len(far_end(bridged).said(count=1)) == 1
    metrics = HTTPConnection("127.0.0.1", bridged.port)
    metrics.request("GET", "/metrics")
    text = metrics.getresponse().read().decode()
    metrics.close()
    assert f"arbiter_LettersDropped {len(others)}" in text
    assert "arbiter_OutboxWaiting 1" in text
    assert "arbiter_RecordFaults 0" in text


def request(
    server: RunningServer,
    method: str,
    target: str,
    body: bytes = b"",
    *,
    key: SecretKey = BRIDGE,
    header: str | None = None,
    signed: tuple[str, str, bytes] | None = None,
    at: float | None = None,
) -> int:
    """The status of a request; ``signed`` is what the key has signed, if something else."""
    url = f"http://127.0.0.1:{server.port}"
    what, where, content = signed or (method, url + target, body)
    template = http_auth_template(what, where, content, int(at or time.time()))
    if header is None:
        header = http_auth_header(key.sign(template))
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(method, target, body or None, {"Authorization": header} if header else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"header": ""}, id="no-header"),
        pytest.param({"header": "Nostr !"}, id="no-base64"),
        pytest.param({"header": "Nostr " + "A" * 8_000}, id="no-event"),
        pytest.param({"key": ALICE}, id="another-key"),
        pytest.param({"key": SERVER}, id="the-servers-own-key"),
        pytest.param({"at": 1_800_000_000}, id="another-time"),
        pytest.param({"signed": ("GET", "http://else.example/bridge/letters", b"[]")}, id="host"),
        pytest.param({"signed": ("POST", "http://else.example/bridge/letters", b"[]")}, id="url"),
    ],
)
def test_nothing_is_taken_from_anybody_else(bothered: RunningServer, wrong: dict[str, Any]) -> None:
    assert request(bothered, "POST", "/bridge/letters", b"[]", **wrong) == 401
    assert request(bothered, "POST", "/bridge/letters", b"[]") == 204


def test_another_body_than_the_signed_one_is_not_read(bothered: RunningServer) -> None:
    url = f"http://127.0.0.1:{bothered.port}/bridge/letters"
    for signed, sent in ((b"[]", b"[1]"), (b"[]", b""), (b"", b"[]")):
        status = request(bothered, "POST", "/bridge/letters", sent, signed=("POST", url, signed))
        assert status == 401


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("POST", "/bridge/letters", b"", 400),
        ("POST", "/bridge/letters", b"{}", 400),
        ("POST", "/bridge/letters", b"\xff", 400),
        ("POST", "/bridge/letters", b"[" * 10_000, 400),
        ("POST", "/bridge/letters", b"[" + b"1," * 100 + b"1]", 400),
        ("POST", "/bridge/letters", b" " * (1024 * 1024 + 1), 413),
        ("POST", "/bridge/messages", b"", 400),
        ("POST", "/bridge/messages", b"{}", 400),
        ("POST", "/bridge/messages", b'["x"]', 400),
        ("POST", "/bridge/messages", json.dumps(["ab" * 32] * 51).encode(), 400),
        ("POST", "/bridge/messages?" + "x" * 2000, b"[]", 401),
        ("DELETE", "/bridge/messages/x", b"", 404),
        ("DELETE", "/bridge/messages/" + "AB" * 32, b"", 404),
        ("DELETE", "/bridge/messages/" + "ab" * 32, b"", 204),
        ("POST", "/bridge/dead-letters/" + "ab" * 32, b"", 204),
        ("GET", "/bridge/letters", b"", 404),
        ("PATCH", "/bridge/", b"", 404),
        ("GET", "/bridge/../server.key", b"", 404),
    ],
)
def test_a_request_of_the_bridge_that_is_none_is_answered(
    bothered: RunningServer, method: str, target: str, body: bytes, status: int
) -> None:
    assert request(bothered, method, target, body) == status
    assert request(bothered, "POST", "/bridge/letters", b"[]") == 204


def test_a_server_without_a_bridge_has_no_such_paths(server: RunningServer) -> None:
    assert request(server, "POST", "/bridge/letters", b"[]") == 404
    assert request(server, "POST", "/bridge/messages", b"[]") == 404


def test_behind_a_proxy_the_bridge_may_name_the_servers_public_url(bothered: RunningServer) -> None:
    signed = ("POST", f"{PUBLIC}/bridge/letters", b"[]")
    assert request(bothered, "POST", "/bridge/letters", b"[]", signed=signed) == 204
    assert request(bothered, "POST", "/bridge/letters", b"[]") == 204
