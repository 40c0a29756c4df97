"""A relay that passes everything on to a true one, and adds what it likes."""

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.client import ClientConnection, connect
from websockets.sync.server import ServerConnection, serve

from tests.server.running_server import free_port


class MeddlingRelay:
    """It remembers what passes through it. Make it with `meddling_relay`."""

    def __init__(self, true_relay: str) -> None:
        self.url = f"ws://127.0.0.1:{free_port()}"
        self.passed: list[dict[str, Any]] = []
        """Events from the true relay, in their order."""
        self._true_relay = true_relay
        self._sockets: dict[ServerConnection, set[str]] = {}
        self._silent: set[ServerConnection] = set()

    def serve_one(self, socket: ServerConnection) -> None:
        """Pass messages on, both ways, until either side closes."""
        self._sockets[socket] = set()
        with connect(self._true_relay) as behind, contextlib.suppress(ConnectionClosed):
            threading.Thread(target=self._answer, args=(socket, behind), daemon=True).start()
            for message in socket:
                kind, name, *_ = json.loads(message)
                if kind == "REQ":
                    self._sockets[socket].add(name)
                behind.send(message)

    def _answer(self, socket: ServerConnection, behind: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            for message in behind:
                said = json.loads(message)
                if said[0] == "EVENT":
                    self.passed.append(said[2])
                if socket not in self._silent:
                    socket.send(message)

    def fall_silent(self) -> None:
        """Say nothing more over the sockets that are open now, and leave them open."""
        self._silent.update(self._sockets)

    def say(self, *events: dict[str, Any]) -> None:
        """Send these to everybody who is connected, in each of their subscriptions."""
        for socket, subscriptions in self._sockets.items():
            with contextlib.suppress(ConnectionClosed):
                for name in subscriptions:
                    for event in events:
                        socket.send(json.dumps(["EVENT", name, event]))


def _describe(_: ServerConnection, request: Request) -> Response | None:
    """NIP-11: pages may read what a relay says of itself."""
    if request.headers.get("Upgrade"):
        return None
    return Response(200, "OK", Headers({"Access-Control-Allow-Origin": "*"}), b"{}")


@contextlib.contextmanager
def meddling_relay(true_relay: str) -> Iterator[MeddlingRelay]:
    """One for the block."""
    relay = MeddlingRelay(true_relay)
    port = int(relay.url.rsplit(":", 1)[1])
    with serve(relay.serve_one, "127.0.0.1", port, process_request=_describe) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield relay
        server.shutdown()
