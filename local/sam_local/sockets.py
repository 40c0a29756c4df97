"""Receives what the gateway's functions send to sockets: API Gateway's `@connections` in a thread.

moto's own answers only under Amazon's host names.
"""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

_CONNECTIONS = "/@connections/"


class SentFrames:
    """Every frame that was sent, by the socket's id."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._frames: dict[str, list[str]] = {}
        self._lock = threading.Lock()

    def add(self, connection_id: str, frame: str) -> None:
        """Keep a frame."""
        with self._lock:
            self._frames.setdefault(connection_id, []).append(frame)

    def taken(self, connection_id: str) -> tuple[str, ...]:
        """The frames of this socket since they were last asked for."""
        with self._lock:
            return tuple(self._frames.pop(connection_id, ()))


@contextlib.contextmanager
def catching_frames(host: str, port: int) -> Iterator[SentFrames]:
    """Catch what is sent to sockets through this address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """PostToConnection."""
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            _, _, connection_id = self.path.partition(_CONNECTIONS)
            sent.add(unquote(connection_id), body.decode())
            self._answer(200)

        def do_DELETE(self) -> None:
            """DeleteConnection."""
            self._answer(204)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer((host, port), Handler)
    sent = SentFrames(f"http://{host}:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
