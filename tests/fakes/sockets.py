"""Sockets in memory: what each was sent, and which are gone."""

import json
from collections import defaultdict
from threading import RLock
from typing import Any

from tests.fakes.faults import Hook, quiet


class FakeSockets:
    """Points of the hook: ``sockets.send <connection id>``, ``sockets.close``. Put an id into
    ``gone`` and its socket is.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.texts: defaultdict[str, list[str]] = defaultdict(list)
        self.gone: set[str] = set()
        self.hung_up: list[str] = []
        self.hook = hook
        self.lock = RLock()

    def send(self, connection_id: str, text: str) -> bool:
        self.hook(f"sockets.send {connection_id}")
        with self.lock:
            if connection_id in self.gone:
                return False
            self.texts[connection_id].append(text)
            return True

    def close(self, connection_id: str) -> None:
        self.hook("sockets.close")
        with self.lock:
            self.gone.add(connection_id)
            self.hung_up.append(connection_id)

    def messages(self, connection_id: str) -> list[list[Any]]:
        """Messages to this socket so far, as JSON arrays."""
        return [json.loads(text) for text in self.texts[connection_id]]

    def heard(self, connection_id: str) -> list[list[Any]]:
        """Messages to this socket since the last call."""
        with self.lock:
            texts = self.texts.pop(connection_id, [])
        return [json.loads(text) for text in texts]
