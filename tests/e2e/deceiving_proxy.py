"""A proxy in front of an honest relay that loses what a test wants to be lost, and says nothing."""

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

_PATIENCE_SECONDS = 120.0


class DeceivingProxy:
    """``url`` is where it listens, as long as it is `running`."""

    def __init__(self, relay: str, host: str, port: int) -> None:
        self._relay = relay
        self._host, self._port = host, port
        self._muted: set[ServerConnection] = set()
        self._open: set[ServerConnection] = set()
        self._brought: dict[int, set[ServerConnection]] = {}
        self._lost: Counter[int] = Counter()
        self._to_forget: Counter[int] = Counter()
        self._changed = threading.Condition()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"ws://{self._host}:{self._port}"

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Pass on until the end of the block."""
        with serve(self._serve, self._host, self._port) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield
            finally:
                server.shutdown()
                thread.join()

    def mute(self) -> None:
        """From now on the open connections bring answers, and no events any more."""
        with self._changed:
            self._muted |= self._open

    def forget(self, kind: int, times: int) -> None:
        """Answer OK to the next ``times`` events of this kind, and keep none of them."""
        with self._changed:
            self._to_forget[kind] = times

    def is_to_forget(self, kind: int) -> int:
        """How many more are to be forgotten."""
        with self._changed:
            return self._to_forget[kind]

    def clients_brought(self, kind: int, count: int) -> int:
        """How many clients were brought an event of this kind, once they are ``count``."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._brought.get(kind, ())) >= count, timeout=_PATIENCE_SECONDS
            )
            return len(self._brought.get(kind, ()))

    def lost(self, kind: int) -> int:
        """How many events of this kind were lost."""
        with self._changed:
            return self._lost[kind]

    def left(self, kind: int) -> bool:
        """Whether every muted connection that was brought events of this kind is closed, once it
        is. Clients that only publish keep theirs.
        """
        with self._changed:
            listening = self._muted & self._brought.get(kind, set())
            return self._changed.wait_for(
                lambda: not listening & self._open, timeout=_PATIENCE_SECONDS
            )

    def _serve(self, client: ServerConnection) -> None:
        with connect(self._relay) as relay:
            with self._changed:
                self._open.add(client)
            back = threading.Thread(target=self._bring, args=(client, relay))
            back.start()
            with contextlib.suppress(ConnectionClosed):
                for frame in client:
                    if not self._forgot(client, frame):
                        relay.send(frame)
            relay.close()
            back.join()
        with self._changed:
            self._open.discard(client)
            self._changed.notify_all()

    def _forgot(self, client: ServerConnection, frame: str | bytes) -> bool:
        match json.loads(frame):
            case ["EVENT", {"kind": int(kind), "id": str(id_)}] if self.is_to_forget(kind):
                with self._changed:
                    self._to_forget[kind] -= 1
                client.send(json.dumps(["OK", id_, True, ""]))
                return True
            case _:
                return False

    def _bring(self, client: ServerConnection, relay: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            for frame in relay:
                if self._passes(client, frame):
                    client.send(frame)
        client.close()

    def _passes(self, client: ServerConnection, frame: str | bytes) -> bool:
        match json.loads(frame):
            case ["EVENT", _, {"kind": int(kind)}]:
                with self._changed:
                    is_muted = client in self._muted
                    if is_muted:
                        self._lost[kind] += 1
                    else:
                        self._brought.setdefault(kind, set()).add(client)
                    self._changed.notify_all()
                return not is_muted
            case _:
                return True
