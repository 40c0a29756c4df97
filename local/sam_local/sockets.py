"""Receives what the gateway sends to sockets: `@connections`, which moto lacks here."""

import contextlib
import threading
from collections import defaultdict
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

_CONNECTIONS = "/@connections/"


class SentFrames:
    """Every frame that was sent, by the socket's id; ``url`` is where it is sent to."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.frames: defaultdict[str, list[str]] = defaultdict(list)

    def taken(self, connection_id: str) -> tuple[str, ...]:
        return tuple(self.frames.pop(connection_id, ()))


@contextlib.contextmanager
def catching_frames(host: str, port: int) -> Iterator[SentFrames]:
    """Catch what is sent to sockets through this address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            _, _, connection_id = self.path.partition(_CONNECTIONS)
            sent.frames[unquote(connection_id)].append(body.decode())
            self._answer(200)

        def do_DELETE(self) -> None:
            self._answer(204)

        def log_message(self, *_: object) -> None: ...

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
