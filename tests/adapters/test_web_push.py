"""Pushes to servers that strangers name, some of which are hostile."""

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arbiter.adapters import web_push
from arbiter.adapters.web_push import WebPush
from arbiter.core.notices import Device
from arbiter.nostr.nip44 import conversation_key, encrypt
from tests.builders import BOB, EVE, SERVER
from tests.fakes.certificate import a_certificate
from tests.nostr.test_web_push import AUTH, POINT

Answer = Callable[[ssl.SSLSocket], object]


def says(text: str) -> Answer:
    return lambda sock: sock.sendall(text.encode())


class PushServer:
    """A server of Web Push on loopback; what it was sent, as bytes."""

    def __init__(self, folder: Path) -> None:
        certificate = a_certificate(folder, "127.0.0.1")
        self.received: list[bytes] = []
        self.answer: Answer = says("HTTP/1.1 201 Created\r\n\r\n")
        self._ends = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self.trusted = trusted = ssl.create_default_context(cafile=str(certificate))
        self.push = WebPush(
            lambda: SERVER, "https://arbiter.example", socket.create_connection, lambda: trusted
        )
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            with (
                contextlib.suppress(OSError),
                self._context.wrap_socket(sock, server_side=True) as it,
            ):
                data = b""
                while b"\r\n\r\n" not in data or data.endswith(b"\r\n\r\n"):
                    data += it.recv(65_536)
                self.received.append(data)
                self.answer(it)

    def hang(self, _sock: ssl.SSLSocket) -> None:
        self._ends.wait(10)

    def close(self) -> None:
        self._ends.set()
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def device(self, **more: object) -> Device:
        endpoint = f"https://127.0.0.1:{self.port}/send/abc?d=1"
        said = {"endpoint": endpoint, "keys": {"p256dh": POINT, "auth": AUTH}, **more}
        shared = conversation_key(bytes.fromhex(BOB.to_hex()), SERVER.pubkey)
        return Device("d", encrypt(json.dumps(said), shared, bytes(32)))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PushServer]:
    server = PushServer(tmp_path)
    yield server
    server.close()


def test_a_push_is_encrypted_and_signed(server: PushServer) -> None:
    assert server.push.send(BOB.pubkey, server.device(), "It is your turn.") == "taken"
    head, _, body = server.received[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /send/abc?d=1 HTTP/1.1"
    headers = dict(line.split(": ", 1) for line in lines[1:])
    assert headers["Host"] == f"127.0.0.1:{server.port}"
    assert headers["Authorization"].startswith("vapid t=")
    assert (headers["Content-Encoding"], headers["TTL"]) == ("aes128gcm", "172800")
    assert int(headers["Content-Length"]) == len(body)
    assert b"turn" not in body


@pytest.mark.parametrize(
    ("status", "result"),
    [
        ("200 OK", "taken"),
        ("404 Not Found", "gone"),
        ("410 Gone", "gone"),
        ("429 Too Many Requests", "failed"),
        ("500 Internal Server Error", "failed"),
    ],
)
def test_the_status_says_what_came_of_it(server: PushServer, status: str, result: str) -> None:
    server.answer = says(f"HTTP/1.1 {status}\r\n\r\n")
    assert server.push.send(BOB.pubkey, server.device(), "text") == result


def test_a_redirect_is_not_followed(server: PushServer, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    inner = PushServer(tmp_path / "inner")
    server.answer = says(f"HTTP/1.1 307 Moved\r\nLocation: https://127.0.0.1:{inner.port}/\r\n\r\n")
    assert server.push.send(BOB.pubkey, server.device(), "text") == "failed"
    inner.close()
    assert inner.received == []


def flood(sock: ssl.SSLSocket) -> None:
    for _ in range(2**30 // 65_536):
        sock.sendall(b"x" * 65_536)


@pytest.mark.parametrize("answer", [flood, says("garbage\r\n"), says(""), says("HTTP/1.1 2")])
def test_no_answer_costs_more_than_some_bytes(server: PushServer, answer: Answer) -> None:
    server.answer = answer
    assert server.push.send(BOB.pubkey, server.device(), "text") == "failed"


def test_a_server_that_hangs_costs_some_seconds(
    server: PushServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_push, "PUSH_SECONDS", 0.5)
    server.answer = server.hang
    assert server.push.send(BOB.pubkey, server.device(), "text") == "failed"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://169.254.169.254/",
        "https://10.0.0.1/",
        "https://100.64.0.1/",
        "https:///",
        "https://a:b/",
    ],
)
def test_an_endpoint_that_points_inward_is_not_dialled(server: PushServer, endpoint: str) -> None:
    push, device = WebPush(lambda: SERVER, ""), server.device(endpoint=endpoint)
    assert push.send(BOB.pubkey, device, "text") == "failed"
    push = WebPush(lambda: SERVER, "", context=lambda: server.trusted)
    assert push.send(BOB.pubkey, server.device(), "text") == "failed"
    assert server.received == []


def test_what_is_no_subscription_of_this_player_is_gone(server: PushServer) -> None:
    assert server.push.send(EVE.pubkey, server.device(), "text") == "gone"
    assert server.push.send(BOB.pubkey, server.device(keys={}), "text") == "gone"
    assert server.push.send(BOB.pubkey, server.device(endpoint="http://a.example/"), "x") == "gone"
    assert server.push.send(BOB.pubkey, Device("d", "A" * 132), "text") == "gone"
    assert server.received == []
