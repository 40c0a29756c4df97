import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.connection import (
    MOST_PASSED_OVER,
    PASSED_OVER,
    Pong,
    RelayConnection,
    connect,
)
from arbiter.adapters.relays.deadline_socket import (
    Address,
    DeadlineSocket,
    RelayFailure,
    RelayFailureError,
    address_of,
    tls,
)
from arbiter.nostr.limits import MAX_FRAME_BYTES
from tests.fakes.relay import CONTINUED, PATIENCE_SECONDS, PING, TEXT, Client, FakeRelay


@contextmanager
def connected(relay: FakeRelay) -> Iterator[tuple[RelayConnection, Client]]:
    connection = connect(relay.url, PATIENCE_SECONDS)
    try:
        yield connection, relay.client()
    finally:
        connection.close()


def trouble_of(act: Callable[[], object]) -> RelayFailure:
    with pytest.raises(RelayFailureError) as caught:
        act()
    error = caught.value
    is_alone = error.__context__ is None or error.__suppress_context__
    assert is_alone, "the library's own text may quote the relay"
    return error.failure


def received(connection: RelayConnection) -> bytes | Pong | None:
    return connection.receive(PATIENCE_SECONDS)


def test_text_goes_both_ways() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, _):
        connection.send('["REQ","x",{}]')
        assert relay.message("REQ") == ["REQ", "x", {}]
        assert received(connection) == b'["EOSE", "x"]'


def test_a_ping_is_answered_and_ours_brings_a_pong() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_frame(PING, b"there?")
        client.send_text("yes")
        assert received(connection) == b"yes"
        relay.message("pong")
        connection.ping()
        assert isinstance(received(connection), Pong)


def test_nothing_to_receive_is_none() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, _):
        assert connection.receive(0.0) is None


def test_a_frame_half_there_is_read_on_at_the_next_call() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_header(TEXT, 6)
        client.send_raw(b"abc")
        while connection.receive(0.01) is not None:
            pass
        client.send_raw(b"def")
        assert received(connection) == b"abcdef"


def test_fragments_become_one_message_with_control_frames_in_between() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_frame(TEXT, b"one ", fin=False)
        client.send_frame(PING, b"")
        client.send_frame(CONTINUED, b"and ", fin=False)
        client.send_frame(CONTINUED, b"all")
        client.send_text("next")
        assert received(connection) == b"one and all"
        assert received(connection) == b"next"


def test_the_largest_message_is_let_through() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_text("x" * MAX_FRAME_BYTES)
        assert received(connection) == b"x" * MAX_FRAME_BYTES


def test_a_message_too_large_is_passed_over_and_the_next_one_is_heard() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_text("x" * (2 * MAX_FRAME_BYTES + 1))
        client.send_frame(TEXT, b"x" * MAX_FRAME_BYTES, fin=False)
        client.send_frame(PING, b"there?")
        client.send_frame(CONTINUED, b"x", fin=False)
        client.send_frame(CONTINUED, b"x" * MAX_FRAME_BYTES)
        client.send_text("next")
        heard = [received(connection) for _ in range(3)]
        assert heard == [PASSED_OVER, PASSED_OVER, b"next"]
        relay.message("pong")


def test_a_frame_too_large_that_is_half_there_is_passed_over_at_the_next_calls() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_header(TEXT, 2 * MAX_FRAME_BYTES)
        for _ in range(4):
            client.send_raw(b"x" * (MAX_FRAME_BYTES // 2 - 1))
            assert connection.receive(0.01) is None
        client.send_raw(b"xxxx")
        client.send_text("next")
        assert [received(connection) for _ in range(2)] == [PASSED_OVER, b"next"]


@pytest.mark.parametrize(
    ("opcode", "length"),
    [(TEXT, MOST_PASSED_OVER + 1), (TEXT, 2**63), (PING, MAX_FRAME_BYTES + 1)],
)
def test_a_frame_that_no_honest_relay_sends_is_refused_on_its_announcement(
    opcode: int, length: int
) -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        # Not a byte of the payload is ever sent, so whoever reads on would wait for it in vain.
        client.send_header(opcode, length)
        assert trouble_of(lambda: received(connection)) is RelayFailure.TOO_LARGE


def test_fragments_that_no_honest_relay_sends_together_are_refused() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_frame(TEXT, b"x" * (2 * MAX_FRAME_BYTES), fin=False)
        client.send_header(CONTINUED, MOST_PASSED_OVER - MAX_FRAME_BYTES)
        assert trouble_of(lambda: received(connection)) is RelayFailure.TOO_LARGE


def test_endless_empty_fragments_hold_nobody() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        is_over = threading.Event()

        def flood() -> None:
            client.send_frame(TEXT, b"", fin=False)
            while not is_over.is_set():
                client.send_frame(CONTINUED, b"", fin=False)

        flooding = threading.Thread(target=flood)
        flooding.start()
        assert connection.receive(0.05) is None
        is_over.set()
        flooding.join()


@pytest.mark.parametrize(
    "raw",
    [
        b"\xc1\x01x",  # RSV1: compression that was never agreed on
        b"\x83\x01x",  # an opcode that does not exist
        b"\x80\x01x",  # a continuation of nothing
        b"\x01\x01x\x81\x01y",  # a new message inside another
        b"\x81\x81\x00\x00\x00\x00x",  # masked, which only clients may do
        b"\x09\x00",  # a fragmented ping
    ],
)
def test_frames_that_break_the_protocol_end_the_connection(raw: bytes) -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        client.send_raw(raw)
        assert trouble_of(lambda: received(connection)) is RelayFailure.NOT_THE_PROTOCOL


@pytest.mark.parametrize("end", [Client.close, Client.drop])
def test_a_relay_that_hangs_up_has_ended(end: Callable[[Client], None]) -> None:
    with FakeRelay() as relay, connected(relay) as (connection, client):
        end(client)
        assert trouble_of(lambda: received(connection)) is RelayFailure.ENDED


def test_a_relay_that_reads_nothing_is_stuck() -> None:
    deaf = FakeRelay(on_req=lambda client, _: client.go_deaf())
    with deaf as relay, connected(relay) as (connection, _):
        connection.send('["REQ","x"]')
        relay.message("REQ")

        def fill() -> None:
            while True:
                connection.send("x" * 1_000_000, timeout_seconds=0.05)

        assert trouble_of(fill) is RelayFailure.STUCK


def test_abort_wakes_the_reader() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, _):
        threading.Thread(target=connection.abort).start()
        assert trouble_of(lambda: received(connection)) is RelayFailure.ENDED
        connection.abort()


def test_closing_twice_is_harmless() -> None:
    with FakeRelay() as relay, connected(relay) as (connection, _):
        connection.close()
        connection.close()
        assert trouble_of(lambda: received(connection)) is RelayFailure.ENDED
        connection.abort()


def test_nobody_at_the_address_is_unreachable() -> None:
    with FakeRelay() as relay:
        url = relay.url
    assert trouble_of(lambda: connect(url, PATIENCE_SECONDS)) is RelayFailure.UNREACHABLE


@pytest.mark.parametrize("host", ["a" * 70, "a..b"])
def test_a_name_that_nobody_can_have_is_unreachable(host: str) -> None:
    assert trouble_of(lambda: connect(f"ws://{host}:1/", 1.0)) is RelayFailure.UNREACHABLE


def test_tls_is_insisted_on_where_the_url_says_so() -> None:
    with FakeRelay() as relay:
        url = relay.url.replace("ws://", "wss://")
        assert trouble_of(lambda: connect(url, 0.2)) is RelayFailure.UNREACHABLE


HEAD = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    "handshake",
    [
        b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n",
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
def test_what_is_no_handshake_is_no_websocket(handshake: bytes) -> None:
    with FakeRelay(handshake=handshake) as relay:
        assert trouble_of(lambda: connect(relay.url, PATIENCE_SECONDS)) is RelayFailure.NO_WEBSOCKET


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
        assert trouble_of(lambda: connect(url, PATIENCE_SECONDS)) is RelayFailure.NO_WEBSOCKET
        pouring.join(PATIENCE_SECONDS)
    # What the kernel had room for, and not what ten seconds would bring.
    assert poured < 24_000_000


def test_a_redirect_is_not_followed() -> None:
    with FakeRelay() as target:
        to_target = f"HTTP/1.1 302 Found\r\nLocation: {target.url}\r\n\r\n".encode()
        with FakeRelay(handshake=to_target) as relay:
            assert (
                trouble_of(lambda: connect(relay.url, PATIENCE_SECONDS))
                is RelayFailure.NO_WEBSOCKET
            )
        assert not target.headers


def test_a_handshake_that_never_ends_is_given_up_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/"
        assert trouble_of(lambda: connect(url, 0.05)) is RelayFailure.NO_WEBSOCKET


def test_no_compression_is_offered_and_no_origin_claimed() -> None:
    with FakeRelay() as relay, connected(relay):
        (headers,) = relay.headers
        assert "sec-websocket-extensions" not in headers
        assert "origin" not in headers


def test_no_proxy_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeRelay() as proxy, FakeRelay() as relay:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url.replace("ws://", "http://"))
        monkeypatch.delenv("no_proxy", raising=False)
        with connected(relay):
            assert relay.headers
        assert not proxy.headers


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ws://relay.example", Address("relay.example", 80, is_secure=False)),
        ("wss://relay.example/path?x=1", Address("relay.example", 443, is_secure=True)),
        ("ws://127.0.0.1:7777/", Address("127.0.0.1", 7777, is_secure=False)),
        ("ws://[::1]:7777/", Address("::1", 7777, is_secure=False)),
    ],
)
def test_a_configured_url_leads_somewhere(url: str, address: Address) -> None:
    assert address_of(url) == address


@pytest.mark.parametrize(
    "url",
    ["", "relay.example", "http://relay.example", "ws://", "ws://me:pw@relay.example", "ws://x:y/"],
)
def test_a_url_that_is_none_is_our_own_fault(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        address_of(url)


def test_certificates_and_names_are_checked() -> None:
    context = tls()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


def test_a_wire_counts_the_bytes_it_was_limited_to() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire = DeadlineSocket(ours)
        theirs.sendall(b"abcdef")
        wire.limit_seconds(PATIENCE_SECONDS)
        wire.limit_bytes(4)
        assert wire.recv(3) == b"abc"
        with pytest.raises(ConnectionError):
            wire.recv(2)
        wire.limit_bytes(None)
        assert wire.recv(100) == b"def"


def test_a_wire_whose_time_is_over_still_gives_what_is_there() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        wire = DeadlineSocket(ours)
        theirs.sendall(b"abc")
        wire.limit_seconds(-1.0)
        assert wire.recv(10) == b"abc"
        with pytest.raises(TimeoutError):
            wire.recv(10)
