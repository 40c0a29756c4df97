import contextlib
import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from arbiter.adapters.relays.connection import (
    MAX_PASSED_OVER,
    PASSED_OVER,
    Pong,
    RelayConnection,
    RelayFailure,
    RelayFailureError,
    address_of,
    connect,
    tls,
)
from arbiter.nostr.limits import MAX_FRAME_BYTES
from tests.fakes.certificate import a_certificate
from tests.fakes.relay import CONTINUED, PATIENCE_SECONDS, PING, PONG, TEXT, Client, FakeRelay


@pytest.fixture
def a_tls_relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakeRelay]:
    """A relay with a certificate for this address, which the process trusts during the test."""

    def make(host: str) -> FakeRelay:
        certificate = a_certificate(tmp_path, host)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        monkeypatch.setattr("arbiter.adapters.relays.connection.tls", tls.__wrapped__)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        return FakeRelay(tls=context)

    return make


@pytest.fixture(params=["ws", "wss"])
def either_relay(
    request: pytest.FixtureRequest, a_tls_relay: Callable[[str], FakeRelay]
) -> Iterator[FakeRelay]:
    with a_tls_relay("127.0.0.1") if request.param == "wss" else FakeRelay() as relay:
        yield relay


@contextmanager
def connected(relay: FakeRelay) -> Iterator[tuple[RelayConnection, Client]]:
    connection = connect(relay.url, PATIENCE_SECONDS)
    try:
        yield connection, relay.client()
    finally:
        connection.close()


@pytest.fixture
def pair() -> Iterator[tuple[RelayConnection, Client]]:
    with FakeRelay() as relay, connected(relay) as ends:
        yield ends


Pair = tuple[RelayConnection, Client]


def failure_of(act: Callable[[], object]) -> RelayFailure:
    with pytest.raises(RelayFailureError) as caught:
        act()
    error = caught.value
    is_alone = error.__context__ is None or error.__suppress_context__
    assert is_alone, "the library's own text may quote the relay"
    return error.failure


@contextmanager
def repeating(send: Callable[[], object], *, pause_seconds: float) -> Iterator[threading.Event]:
    """Send again and again, for as long as a test may take; the event is set at the end."""
    is_over = threading.Event()
    ends_at = time.monotonic() + PATIENCE_SECONDS

    def repeat() -> None:
        with contextlib.suppress(OSError):
            while not is_over.wait(pause_seconds) and time.monotonic() < ends_at:
                send()
        is_over.set()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield is_over
    finally:
        is_over.set()
        thread.join()


def received(connection: RelayConnection) -> bytes | Pong | None:
    return connection.receive(PATIENCE_SECONDS)


def test_text_and_pings_go_both_ways(either_relay: FakeRelay) -> None:
    with connected(either_relay) as (connection, client):
        assert connection.receive(0.0) is None
        connection.send('["REQ","x",{}]')
        assert either_relay.message("REQ") == ["REQ", "x", {}]
        assert received(connection) == b'["EOSE", "x"]'
        client.send_frame(PING, b"there?")
        client.send_text("x" * MAX_FRAME_BYTES)
        assert received(connection) == b"x" * MAX_FRAME_BYTES
        either_relay.message("pong")
        connection.ping()
        assert isinstance(received(connection), Pong)


def test_a_frame_half_there_is_read_on_at_the_next_call(either_relay: FakeRelay) -> None:
    half = b"x" * MAX_FRAME_BYTES
    with connected(either_relay) as (connection, client):
        # The second is too large, and passed over.
        for first, second, message in ((b"abc", b"def", b"abcdef"), (half, half, PASSED_OVER)):
            client.send_header(TEXT, len(first + second))
            client.send_raw(first)
            assert connection.receive(0.01) is None
            client.send_raw(second)
            assert received(connection) == message


def test_abort_wakes_the_reader(either_relay: FakeRelay) -> None:
    with connected(either_relay) as (connection, _):
        aborting = threading.Timer(0.05, connection.abort)
        aborting.start()
        assert failure_of(lambda: received(connection)) is RelayFailure.ENDED
        aborting.join()
        connection.abort()


def test_fragments_become_one_message_with_control_frames_in_between(pair: Pair) -> None:
    connection, client = pair
    client.send_frame(TEXT, b"one ", fin=False)
    client.send_frame(PING, b"")
    client.send_frame(CONTINUED, b"and ", fin=False)
    client.send_frame(CONTINUED, b"all")
    client.send_text("next")
    assert [received(connection), received(connection)] == [b"one and all", b"next"]


def test_a_message_too_large_is_passed_over_and_the_next_one_is_received(pair: Pair) -> None:
    connection, client = pair
    client.send_text("x" * (2 * MAX_FRAME_BYTES + 1))
    client.send_frame(TEXT, b"x" * MAX_FRAME_BYTES, fin=False)
    client.send_frame(PING, b"there?")
    client.send_frame(CONTINUED, b"x", fin=False)
    client.send_frame(CONTINUED, b"x" * MAX_FRAME_BYTES)
    client.send_text("next")
    assert [received(connection) for _ in range(3)] == [PASSED_OVER, PASSED_OVER, b"next"]


@pytest.mark.parametrize("length", [MAX_PASSED_OVER + 1, 2**63])
def test_a_frame_that_no_honest_relay_sends_is_not_read_to_its_end(length: int, pair: Pair) -> None:
    connection, client = pair
    client.send_text("x" * (MAX_PASSED_OVER - 1000))
    assert received(connection) == PASSED_OVER
    client.send_header(TEXT, length)
    pouring = threading.Thread(target=client.send_raw, args=(b"x" * MAX_PASSED_OVER,))
    pouring.start()
    assert failure_of(lambda: received(connection)) is RelayFailure.TOO_LARGE
    pouring.join()


def test_nothing_is_kept_of_fragments_without_end(pair: Pair) -> None:
    connection, client = pair
    client.send_frame(TEXT, b"x" * MAX_FRAME_BYTES, fin=False)
    tracemalloc.start()
    try:
        for _ in range(3 * MAX_PASSED_OVER // MAX_FRAME_BYTES):
            client.send_frame(CONTINUED, b"x" * MAX_FRAME_BYTES, fin=False)
            client.send_frame(PING, b"")
            client.send_frame(PONG, b"")
            assert isinstance(received(connection), Pong)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    client.send_frame(CONTINUED, b"x")
    client.send_text("next")
    assert [received(connection), received(connection)] == [PASSED_OVER, b"next"]
    assert kept < 4 * MAX_FRAME_BYTES, f"{kept} bytes are kept"


def test_endless_empty_fragments_do_not_keep_the_caller(pair: Pair) -> None:
    connection, client = pair
    client.send_frame(TEXT, b"", fin=False)
    empty = bytes((CONTINUED, 0)) * 1_000
    with repeating(lambda: client.send_raw(empty), pause_seconds=0.0) as is_over:
        kept = connection.receive(0.05)
        was_over = is_over.is_set()
        client.drop()  # or its last fragments wait for room
    assert kept is None
    assert not was_over, "the caller was kept until the fragments ended"


@pytest.mark.parametrize(
    "raw",
    [
        b"\xc1\x01x",  # RSV1: compression that was never agreed on
        b"\x83\x01x",  # an opcode that does not exist
        b"\x80\x01x",  # a continuation of nothing
        b"\x01\x01x\x81\x01y",  # a new message inside another
        b"\x81\x81\x00\x00\x00\x00x",  # masked, which only clients may do
        b"\x09\x00",  # a fragmented ping
        b"\x89\x7e\x00\x80" + b"x" * 128,  # a ping longer than RFC 6455 5.5 allows
    ],
)
def test_frames_that_break_the_protocol_end_the_connection(raw: bytes, pair: Pair) -> None:
    pair[1].send_raw(raw)
    assert failure_of(lambda: received(pair[0])) is RelayFailure.NOT_THE_PROTOCOL


@pytest.mark.parametrize("end", [Client.close, Client.drop])
def test_a_relay_that_hangs_up_has_ended(end: Callable[[Client], None], pair: Pair) -> None:
    end(pair[1])
    assert failure_of(lambda: received(pair[0])) is RelayFailure.ENDED


def test_a_connection_can_be_closed_twice_and_is_of_no_use_afterwards(pair: Pair) -> None:
    connection, _ = pair
    connection.close()
    connection.close()
    assert failure_of(lambda: received(connection)) is RelayFailure.ENDED
    connection.abort()


def test_a_relay_that_reads_nothing_is_stuck() -> None:
    deaf = FakeRelay(on_req=lambda client, _: client.go_deaf())
    with deaf as relay, connected(relay) as (connection, _):
        connection.send('["REQ","x"]')
        relay.message("REQ")

        def fill() -> None:
            while True:
                connection.send("x" * 1_000_000, timeout_seconds=0.05)

        assert failure_of(fill) is RelayFailure.STUCK


def test_closed_ports_impossible_names_and_plain_ports_of_wss_urls_are_unreachable() -> None:
    with FakeRelay() as relay:
        secure = relay.url.replace("ws://", "wss://")
        assert failure_of(lambda: connect(secure, 0.2)) is RelayFailure.UNREACHABLE
    for url in (relay.url, f"ws://{'a' * 70}:1/", "ws://a..b:1/"):
        assert failure_of(partial(connect, url, 1.0)) is RelayFailure.UNREACHABLE


def test_certificates_are_checked_for_their_authority_and_host(
    a_tls_relay: Callable[[str], FakeRelay], monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_tls_relay("127.0.0.2") as relay:
        assert failure_of(lambda: connect(relay.url, 5.0)) is RelayFailure.UNREACHABLE
    with a_tls_relay("127.0.0.1") as relay:
        monkeypatch.delenv("SSL_CERT_FILE")
        assert failure_of(lambda: connect(relay.url, 5.0)) is RelayFailure.UNREACHABLE


HEAD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    "handshake",
    [
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 99999999999999\r\n\r\n" + b"x" * 60_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        b"HTTP/1.1 " + b"1" * 5000 + b" OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
        b"no header\r\n" * 10_000,
        HEAD + b"Sec-WebSocket-Accept: wrong\r\n\r\n",
        HEAD + b"Set-Cookie: \x01=\x02; Domain=,;\r\n\r\n",
        HEAD + b"X: " + b"x" * 100_000,
        b"",
    ],
)
def test_another_answer_than_a_handshake_is_no_websocket(handshake: bytes) -> None:
    with FakeRelay(handshake=handshake) as relay:
        failure = failure_of(lambda: connect(relay.url, PATIENCE_SECONDS))
        assert failure is RelayFailure.NO_WEBSOCKET


def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    poured = 0

    def pour(server: socket.socket) -> None:
        nonlocal poured
        sock, _ = server.accept()
        with sock, contextlib.suppress(OSError):
            sock.sendall(b"HTTP/1.1 403 No\r\nContent-Length: 99999999999999\r\n\r\n")
            while True:
                poured += sock.send(b"x" * 65_536)

    with socket.create_server(("127.0.0.1", 0)) as server:
        pouring = threading.Thread(target=pour, args=(server,))
        pouring.start()
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/"
        assert failure_of(lambda: connect(url, PATIENCE_SECONDS)) is RelayFailure.NO_WEBSOCKET
        pouring.join(PATIENCE_SECONDS)
    # What the kernel had room for, and not what ten seconds would bring.
    assert poured < 24_000_000


def test_a_frame_that_comes_byte_by_byte_does_not_keep_the_caller(pair: Pair) -> None:
    connection, client = pair
    client.send_header(TEXT, MAX_FRAME_BYTES)
    with repeating(lambda: client.send_raw(b"x"), pause_seconds=0.01) as is_over:
        assert connection.receive(0.1) is None
        assert not is_over.is_set(), "the caller was kept until the bytes ended"


def test_a_handshake_that_comes_byte_by_byte_is_given_up_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/"
        accepted: list[socket.socket] = []

        def send() -> None:
            if not accepted:
                accepted.append(server.accept()[0])
            accepted[0].send(b"x")

        with repeating(send, pause_seconds=0.01) as is_over:
            assert failure_of(lambda: connect(url, 0.2)) is RelayFailure.NO_WEBSOCKET
            assert not is_over.is_set(), "the caller was kept until the bytes ended"
        accepted[0].close()


def test_neither_redirects_nor_proxies_of_the_environment_are_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeRelay() as other:
        to_other = f"HTTP/1.1 302 Found\r\nLocation: {other.url}\r\n\r\n".encode()
        with FakeRelay(handshake=to_other) as relay:
            failure = failure_of(lambda: connect(relay.url, PATIENCE_SECONDS))
            assert failure is RelayFailure.NO_WEBSOCKET
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, other.url.replace("ws://", "http://"))
        monkeypatch.delenv("no_proxy", raising=False)
        with FakeRelay() as relay, connected(relay):
            # Neither compression is offered nor an origin named.
            (headers,) = relay.headers
            assert not headers.keys() & {"sec-websocket-extensions", "origin"}
        assert not other.headers


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ws://relay.example", ("relay.example", 80, False)),
        ("wss://relay.example/path?x=1", ("relay.example", 443, True)),
        ("ws://127.0.0.1:7777/", ("127.0.0.1", 7777, False)),
        ("ws://[::1]:7777/", ("::1", 7777, False)),
        *[(url, None) for url in ("", "relay.example", "http://relay.example", "ws://")],
        *[(url, None) for url in ("ws://me:pw@relay.example", "ws://x:y/")],
    ],
)
def test_a_configured_url_has_an_address_or_is_an_error(
    url: str, address: tuple[str, int, bool] | None
) -> None:
    if address is None:
        with pytest.raises(ValueError, match=r"."):
            address_of(url)
    else:
        assert address_of(url) == address
