"""Connections to one server that are kept open, and HTTP/1.1 as far as AWS answers by it.

A request by urllib3 takes 0.4 ms of processor time, by http.client 0.2, here 0.04: the two are made
for any server, and read headers as those of e-mail. TLS is Python's, with botocore's certificates.

Invariant: a connection is used again only when its last answer was read to its end. Nothing is
tried again here.
"""

import re
import select
import socket
import ssl
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO
from urllib.parse import urlsplit

from botocore.httpsession import get_cert_path

_MAX_LINE = 65_536
_MAX_HEADERS = 200
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,8}")
_CONTINUES = 200
"""An answer of a lower status is followed by another."""


class ConnectTimeout(Exception):
    """The server could not be reached in time."""


class MalformedAnswer(Exception):
    """The server did not answer as by HTTP, or not to the end."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The server's answer. The names of ``headers`` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpConnections:
    """Makes requests of one server, each over a connection that no other request uses meanwhile.
    Thread-safe.
    """

    def __init__(
        self, url: str, connect_seconds: float, read_seconds: float, most_kept: int
    ) -> None:
        """``url`` names the server; ``most_kept`` connections wait for further requests."""
        parts = urlsplit(url)
        self._is_tls = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if self._is_tls else 80)
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._most_kept = most_kept
        self._kept: list[_Connection] = []
        weakref.finalize(self, _close, self._kept)

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """The answer to this request. Raises ConnectTimeout, TimeoutError where an answer is late,
        MalformedAnswer, and OSError.
        """
        connection = self._take()
        try:
            answer = connection.ask(method, path, headers, body)
        except BaseException:
            connection.close()
            raise
        if connection.is_done and len(self._kept) < self._most_kept:
            self._kept.append(connection)
        else:
            connection.close()
        return answer

    def _take(self) -> "_Connection":
        while self._kept:
            try:
                kept = self._kept.pop()
            except IndexError:  # another thread was faster
                break
            if not kept.has_ended():
                return kept
            kept.close()
        return _Connection(self._connected())

    def _connected(self) -> socket.socket:
        try:
            made = socket.create_connection((self._host, self._port), self._connect_seconds)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._is_tls:
                made = _tls().wrap_socket(made, server_hostname=self._host)
        except TimeoutError as error:
            raise ConnectTimeout from error
        made.settimeout(self._read_seconds)
        return made


def _close(kept: "list[_Connection]") -> None:
    for connection in kept:
        connection.close()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes as long as a hundred requests."""
    return ssl.create_default_context(cafile=get_cert_path(True))


class _Connection:
    """``is_done`` while its last answer was read to the end, and further requests are welcome."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._reader: BinaryIO = connected.makefile("rb")
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)
        self.is_done = False

    def has_ended(self) -> bool:
        """Whether the server closed it, or sends more than was asked for."""
        return bool(self._poll.poll(0))

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        self.is_done = False
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"{method} {path} HTTP/1.1\r\n{told}"
            f"Accept-Encoding: identity\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode("latin-1") + body)
        version, status = self._status()
        heard = self._headers()
        while status < _CONTINUES:
            version, status = self._status()
            heard = self._headers()
        answered, is_whole = self._body(status, heard)
        stays = version == b"HTTP/1.1" and heard.get("connection", "").lower() != "close"
        self.is_done = is_whole and stays
        return Answer(status, heard, answered)

    def _status(self) -> tuple[bytes, int]:
        version, _, rest = self._line().partition(b" ")
        code = rest[:3]
        if not version.startswith(b"HTTP/1.") or len(code) != 3 or not code.isdigit():  # noqa: PLR2004
            raise MalformedAnswer("no status line")
        return version, int(code)

    def _headers(self) -> dict[str, str]:
        heard: dict[str, str] = {}
        for _ in range(_MAX_HEADERS):
            line = self._line()
            if not line:
                return heard
            name, _, value = line.partition(b":")
            heard[name.decode("latin-1").lower()] = value.strip().decode("latin-1")
        raise MalformedAnswer("too many headers")

    def _line(self) -> bytes:
        line = self._reader.readline(_MAX_LINE)
        if not line.endswith(b"\n"):
            raise MalformedAnswer("the answer ended within a line")
        return line.rstrip(b"\r\n")

    def _body(self, status: int, heard: Mapping[str, str]) -> tuple[bytes, bool]:
        """The body, and whether its end was told, so that another answer may follow it."""
        if status in {204, 304}:
            return b"", True
        if heard.get("transfer-encoding", "").lower() == "chunked":
            return self._chunks(), True
        length = heard.get("content-length")
        if length is None:
            return self._reader.read(), False
        if not (length.isascii() and length.isdigit()):
            raise MalformedAnswer("no length")
        return self._exactly(int(length)), True

    def _chunks(self) -> bytes:
        chunks = []
        while size := self._chunk_size():
            chunks.append(self._exactly(size))
            self._line()
        self._headers()  # what trails
        return b"".join(chunks)

    def _chunk_size(self) -> int:
        size = self._line().partition(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(size):
            raise MalformedAnswer("no size of a chunk")
        return int(size, 16)

    def _exactly(self, length: int) -> bytes:
        read = self._reader.read(length)
        if len(read) < length:
            raise MalformedAnswer("the answer ended within its body")
        return read
