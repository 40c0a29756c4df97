"""The bridge with a real peer: each message becomes one envelope, and ours are published once."""

import json
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.sqs import OutboxRecord
from arbiter.application.intake.queue_messages import message_body
from arbiter.application.records import QueueEntry
from arbiter.dialects.outgoing import SsbMessage
from bridge.peer_process import PeerSettings, PeerUnusable
from bridge.service import READY, Bridge, BridgeDeps
from tests.bridge.peers import CAPS, eventually, needs_peer, playing_peer
from tests.bridge.test_incoming import KEY, SERVER, FixedClock, event_of

pytestmark = [needs_peer, pytest.mark.slow]


class Queue:
    """Takes everything, each dedup id once, as SQS does within five minutes."""

    def __init__(self) -> None:
        self.envelopes: dict[str, dict[str, Any]] = {}

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        for entry in batch:
            self.envelopes.setdefault(entry.dedup_id, json.loads(event_of(entry).content))
        return ()

    def keys(self) -> list[str]:
        return [envelope["key"] for envelope in self.envelopes.values()]


class Records:
    """Utterances, given again until they are deleted; the first delete of each fails."""

    def __init__(self) -> None:
        self.waiting: dict[str, OutboxRecord] = {}
        self._failed: set[str] = set()
        self._more = threading.Event()

    def put(self, message: SsbMessage) -> None:
        record = OutboxRecord(message_body(message), message.root, message.id)
        self.waiting[message.id] = record
        self._more.set()

    def receive(self) -> Sequence[OutboxRecord]:
        self._more.wait(0.1)
        self._more.clear()
        return [*self.waiting.values()]

    def delete(self, record: OutboxRecord) -> None:
        if record.receipt not in self._failed:
            self._failed.add(record.receipt)
            return
        del self.waiting[record.receipt]

    def put_aside(self, record: OutboxRecord) -> None:
        pytest.fail(f"put aside: {record.body}")


class Harness:
    def __init__(self, directory: Path, *peers: str, **more: Any) -> None:
        self.queue, self.records = Queue(), Records()
        self.ready = directory / READY
        self.bridge = Bridge(
            BridgeDeps(
                peer=PeerSettings(directory=directory, peers=peers, caps=CAPS, **more),
                key=KEY,
                server=SERVER,
                queue=self.queue,
                records=self.records,
                clock=FixedClock(),
                chance=lambda: 0.0,
            )
        )

    def peer(self) -> tuple[str, int]:
        """Our feed and our peer's process, as soon as there is one."""
        eventually(self.ready.exists)
        told = json.loads(self.ready.read_text())
        return told["id"], told["pid"]


@contextmanager
def running(harness: Harness) -> Iterator[Harness]:
    thread = threading.Thread(target=harness.bridge.run)
    thread.start()
    try:
        yield harness
    finally:
        harness.bridge.stop()
        thread.join()


def test_envelopes_and_messages_pass_although_the_peer_is_killed(tmp_path: Path) -> None:
    with playing_peer(tmp_path / "anna") as anna:
        with running(Harness(tmp_path / "bridge", anna.address)) as harness:
            us, killed = harness.peer()
            root = anna.publish({"type": "chess_invite", "inviting": us, "myColor": "white"})
            eventually(lambda: harness.queue.keys() == [root])
            accept = {"type": "chess_invite_accept", "root": root}
            harness.records.put(SsbMessage("aa" * 32, root, accept))
            os.kill(killed, signal.SIGKILL)
            move = {"type": "chess_move", "root": root, "orig": "e2", "dest": "e4", "ply": 1}
            moved = anna.publish(move)
            eventually(lambda: harness.queue.keys() == [root, moved])
            heard = anna.await_message(lambda it: it["content"].get("utterance") == "aa" * 32)
            harness.records.put(SsbMessage("bb" * 32, root, {**move, "orig": "e7", "dest": "e5"}))
            anna.await_message(lambda it: it["content"].get("utterance") == "bb" * 32)
            eventually(lambda: not harness.records.waiting)
            _, last = harness.peer()

        assert not harness.ready.exists()
        ours = [it for it in anna.messages(root) if it["author"] == us]
        assert [it["content"]["utterance"] for it in ours] == ["aa" * 32, "bb" * 32]
        assert heard["content"]["branch"] in (root, moved)
        assert ours[1]["content"]["branch"] in (ours[0]["key"], moved)
        assert harness.bridge._counters.counts()["peer-gone"] == 1
        with pytest.raises(ProcessLookupError):
            os.kill(last, 0)


def test_a_peer_that_cannot_start_ends_the_bridge(tmp_path: Path) -> None:
    (tmp_path / "identity.json").touch(0o644)

    with pytest.raises(PeerUnusable, match="identity"):
        Harness(tmp_path).bridge.run()
