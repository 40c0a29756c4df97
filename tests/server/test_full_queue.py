"""A full queue: sockets and relays are read no more until there is room."""

import asyncio
from typing import Any, cast

import pytest

from arbiter.application.gateway.deps import FrameResult, GatewayDeps
from arbiter.application.records import QueueEntry
from server.gateway import Gateway
from server.job_groups import Job
from server.metrics import Metrics
from server.processing import Processing
from server.reading import ReadHere
from server.relays import FromListener
from server.rounds import Rounds
from server.sockets import LocalSockets
from server.transaction_loop import TransactionLoop
from tests.fakes.clock import FakeClock
from tests.server.test_transaction_loop import Disk


async def test_a_socket_is_not_read_while_the_queue_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transactions = TransactionLoop(Disk(), capacity=3)
    frames: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    answered: list[str] = []

    def answer(_: object, __: str, frame: str, ___: int) -> FrameResult:
        answered.append(frame)
        transactions.put(Job(frame, lambda _: None, lambda _: None))
        return FrameResult("queued")

    monkeypatch.setattr("server.gateway.admit", lambda *_: True)
    monkeypatch.setattr("server.gateway.forget", lambda *_: None)
    monkeypatch.setattr("server.gateway.answer_frame", answer)
    gateway = Gateway(
        cast("GatewayDeps", type("Deps", (), {"clock": FakeClock(0)})),
        LocalSockets(),
        transactions,
        Metrics(),
        ReadHere(lambda _: ()),
        Rounds(),
    )
    frames.put_nowait({"type": "websocket.connect"})
    for number in range(10):
        frames.put_nowait({"type": "websocket.receive", "text": str(number)})
    frames.put_nowait({"type": "websocket.disconnect"})

    async def send(_: dict[str, Any]) -> None:
        await asyncio.sleep(0)

    socket = asyncio.create_task(gateway.serve({}, frames.get, send))
    await asyncio.sleep(0.05)
    assert answered == ["0", "1", "2"]
    assert frames.qsize() >= 6
    working = asyncio.create_task(transactions.serve())
    await socket
    assert len(answered) == 10
    await transactions.wait_idle()
    working.cancel()


async def test_the_listener_keeps_what_there_is_no_room_for() -> None:
    taken: list[QueueEntry] = []

    class Busy:
        are_relays_ahead = True

        def take(self, entry: QueueEntry) -> None:
            taken.append(entry)

    busy = Busy()
    from_listener = FromListener(asyncio.get_running_loop(), cast("Processing", busy))
    entry = QueueEntry(queue="moves", body="{}", group_id="a", dedup_id="b")
    assert await asyncio.to_thread(from_listener.send, [entry]) == [entry]
    busy.are_relays_ahead = False
    assert await asyncio.to_thread(from_listener.send, [entry]) == ()
    await asyncio.sleep(0)
    assert taken == [entry]
