"""Real Scuttlebutt peers on loopback, in a network of their own, for tests to play with.

A player's own client, as an end-to-end test plays it::

    with playing_peer(tmp_path / "bob", peers=[endpoints["scuttlebutt"]["address"]]) as bob:
        invite = bob.publish({"type": "chess_invite", "inviting": arbiter, "myColor": "white"})
        accept = bob.await_message(lambda it: it["content"]["type"] == "chess_invite_accept")
        bob.publish({"type": "chess_move", "root": invite, ...})
        bob.publish({"type": "chess_chat", "root": invite, "msg": "/draw"}, to=[arbiter])
        bob.messages(invite)  # the whole game: the invitation's two players' and our own

A message is ``{"key", "author", "sequence", "timestamp", "private", "content", "at"}``.
``follow(feed)`` replicates that feed, and is how two players ask it to be their arbiter. Connected
peers replicate each other. A private network's peers share its ``caps``, the base64 of 32 bytes.
"""

import base64
import hashlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.peer_process import TOOL, Peer, PeerJson, PeerSettings

CAPS = base64.b64encode(hashlib.sha256(b"the tests' own network").digest()).decode()
_TIMEOUT_SECONDS = 60.0

NODE_ENVIRONMENT = {**os.environ, "NODE_PATH": str(TOOL / "node_modules")}

needs_peer = pytest.mark.skipif(
    not (TOOL / "bin" / "node").exists(),
    reason="no Scuttlebutt peer is installed: `make .venv/tools/.ssb`",
)


class PlayingPeer:
    """An independent player's peer."""

    def __init__(self, peer: Peer, news: threading.Event, notices: list[PeerJson]) -> None:
        self.peer = peer
        self.id = peer.id
        self.address = peer.address
        self.notices = notices
        self._news = news

    def publish(self, content: dict[str, Any], to: Sequence[str] = ()) -> str:
        """Publish a message, privately if there are recipients. Returns its key."""
        private = {"recps": [*to]} if to else {}
        key: str = self.peer.ask("publish", content=content, **private)["key"]
        return key

    def follow(self, feed: str, *, following: bool = True) -> str:
        return self.publish({"type": "contact", "contact": feed, "following": following})

    def heard(self) -> list[dict[str, Any]]:
        """Every chess message and every `contact` about us so far, in the order of arrival."""
        told: list[dict[str, Any]] = []
        after = -1
        while page := self.peer.ask("hear", after=after, most=500)["messages"]:
            told += page
            after = page[-1]["at"]
        return told

    def messages(self, root: str) -> list[dict[str, Any]]:
        """The messages of one game, in the order of arrival."""
        return [it for it in self.heard() if root in (it["key"], it["content"].get("root"))]

    def await_message(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted, as soon as there is one."""
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            self._news.clear()
            for message in self.heard():
                if wanted(message):
                    return message
            self._news.wait(1.0)
        raise AssertionError(f"the message never came: {self.peer.ask('state')}")

    def await_notice(self, wanted: PeerJson) -> None:
        """Wait until the peer has sent this notice."""
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while wanted not in self.notices:
            assert time.monotonic() < deadline, "the notice never came"
            self._news.clear()
            self._news.wait(0.1)

    def await_key(self, key: str) -> dict[str, Any]:
        """The message with this key, as soon as it is here."""
        return self.await_message(lambda it: bool(it["key"] == key))


def script(name: str, *arguments: object, timeout: float = 60.0) -> Any:
    """The JSON that a script of this folder prints, with the peer's libraries."""
    command = [str(TOOL / "bin/node"), str(Path(__file__).with_name(name)), *map(str, arguments)]
    return json.loads(subprocess.check_output(command, env=NODE_ENVIRONMENT, timeout=timeout))


def eventually(wanted: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not wanted():
        assert time.monotonic() < deadline, "the condition never held"
        time.sleep(0.02)


@contextmanager
def playing_peer(
    directory: Path, *, peers: Sequence[str] = (), port: int = 0, caps: str = CAPS
) -> Iterator[PlayingPeer]:
    """A peer for as long as the block takes; its directory keeps its log and its identity."""
    news = threading.Event()
    notices: list[PeerJson] = []

    def noticed(told: PeerJson) -> None:
        notices.append(told)
        news.set()

    peer = Peer(PeerSettings(directory=directory, peers=(*peers,), port=port, caps=caps), noticed)
    try:
        yield PlayingPeer(peer, news, notices)
    finally:
        peer.close()
