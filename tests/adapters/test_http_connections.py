"""Requests over connections that are kept open, to a server that answers with given bytes."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arbiter.adapters.http_connections import Answer, HttpConnections, MalformedAnswer

OK = b"HTTP/1.1 200 OK\r\n"
EMPTY = OK + b"Content-Length: 0\r\n\r\n"


class Server:
    """Answers each request with the next of ``answers``, and then closes the connection if it is in
    ``closing``. ``asked`` are the requests, ``connections`` how many were opened.
    """

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.closing: set[bytes] = set()
        self.asked: list[bytes] = []
        self.connections = 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                connected, _ = self.listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(connected,), daemon=True).start()

    def _answer(self, connected: socket.socket) -> None:
        with connected:
            while request := connected.recv(65_536):
                self.asked.append(request)
                if not self.answers:
                    continue  # nothing is said
                answer = self.answers.pop(0)
                connected.sendall(answer)
                if answer in self.closing:
                    return


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    threading.Thread(target=running.serve, daemon=True).start()
    yield running
    running.listening.shutdown(socket.SHUT_RDWR)
    running.listening.close()


def connected(server: Server, read_seconds: float = 5.0) -> HttpConnections:
    return HttpConnections(server.url, 1.0, read_seconds, 4)


def asked(connections: HttpConnections) -> Answer:
    return connections.request("POST", "/a%2Fb", {"Host": "x", "X-Y": "z"}, b"body")


def test_a_request_is_told_whole_and_its_answer_read_whole(server: Server) -> None:
    server.answers = [OK + b"X-Name:  some text \r\ncontent-length: 4\r\n\r\ntext"]
    answer = asked(connected(server))

    assert answer.status == 200
    assert answer.body == b"text"
    assert answer.headers["x-name"] == "some text"
    head = b"POST /a%2Fb HTTP/1.1\r\nHost: x\r\nX-Y: z\r\nAccept-Encoding: identity\r\n"
    assert server.asked == [head + b"Content-Length: 4\r\n\r\nbody"]


@pytest.mark.parametrize(
    ("told", "body"),
    [
        (EMPTY, b""),
        (OK + b"Content-Length: 2\n\nab", b"ab"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (
            OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nX: y\r\n\r\n",
            b"abc",
        ),
    ],
)
def test_one_connection_serves_one_request_after_another(
    server: Server, told: bytes, body: bytes
) -> None:
    server.answers = [told, told, told]
    connections = connected(server)

    assert [asked(connections).body for _ in range(3)] == [body] * 3
    assert server.connections == 1


@pytest.mark.parametrize(
    "last",
    [
        OK + b"\r\nuntil it ends",
        OK + b"Connection: close\r\nContent-Length: 13\r\n\r\nuntil it ends",
        b"HTTP/1.0 200 OK\r\nContent-Length: 13\r\n\r\nuntil it ends",
    ],
)
def test_after_a_last_answer_a_connection_is_made_anew(server: Server, last: bytes) -> None:
    server.answers = [last, EMPTY]
    server.closing = set() if b"Length" in last else {last}
    connections = connected(server)

    assert asked(connections).body == b"until it ends"
    assert asked(connections).body == b""
    assert server.connections == 2


def test_a_connection_that_ended_meanwhile_is_not_used(server: Server) -> None:
    server.answers, server.closing = [EMPTY, EMPTY], {EMPTY}
    connections = connected(server)
    asked(connections)
    (kept,) = connections._kept
    while not kept.has_ended():
        pass

    assert asked(connections).status == 200
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"HTTP/1.1 200",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 two OK\r\n\r\n",
        OK + b"Content-Length: 5\r\n\r\nless",
        OK + b"Content-Length: -1\r\n\r\n",
        OK + b"X: y\r\n" * 300 + b"\r\n",
        OK + b"X: " + b"y" * 70_000,
        OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nab\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
def test_what_is_no_answer_is_an_error_and_the_connection_is_left(
    server: Server, told: bytes
) -> None:
    server.answers, server.closing = [told, EMPTY], {told}
    connections = connected(server)

    with pytest.raises((MalformedAnswer, ConnectionError)):
        asked(connections)
    assert asked(connections).status == 200
    assert server.connections == 2


def test_a_late_answer_is_a_time_out_and_is_not_taken_for_the_next(server: Server) -> None:
    connections = connected(server, read_seconds=0.5)
    with pytest.raises(TimeoutError):
        asked(connections)

    server.answers = [OK + b"Content-Length: 1\r\n\r\n2"]
    assert asked(connections).body == b"2"
    assert server.connections == 2


def test_requests_at_the_same_time_have_a_connection_each(server: Server) -> None:
    server.answers = [EMPTY] * 64
    connections = connected(server)
    statuses: list[int] = []

    def ask_often() -> None:
        statuses.extend(asked(connections).status for _ in range(8))

    asking = [threading.Thread(target=ask_often) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()

    assert statuses == [200] * 64
    assert len(connections._kept) <= 4


def test_a_server_that_no_authority_vouches_for_is_refused(tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_own_certificate(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def shake_hands() -> None:
            accepted, _ = listening.accept()
            with accepted, pytest.raises(ssl.SSLError):
                context.wrap_socket(accepted, server_side=True)

        threading.Thread(target=shake_hands, daemon=True).start()
        url = f"https://localhost:{listening.getsockname()[1]}"
        with pytest.raises(ssl.SSLCertVerificationError):
            asked(HttpConnections(url, 5.0, 5.0, 4))


def _own_certificate(folder: Path) -> Path:
    """A certificate for localhost that it signed itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(tz=UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "own.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
