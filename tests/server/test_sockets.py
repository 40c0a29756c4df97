"""Frames to open sockets: their order, what waits for the disk, and a client that does not read."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from arbiter.adapters.memory.connections import MemoryConnections
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.filters import Filter
from server.fanout import LocalFanout
from server.gateway import Gateway
from server.limits import MAX_UNREAD_BYTES
from server.metrics import Metrics
from server.sockets import JOINED_BYTES, TOO_SLOW, LocalSockets, Session
from server.transaction_loop import TransactionLoop
from tests.builders import ALICE, SERVER, an_event


class Wire:
    """The client's end of ASGI's ``send``; ``is_read`` is set while it reads."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.is_read = asyncio.Event()
        self.is_read.set()
        self.is_told = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await self.is_read.wait()
        self.messages.append(message)
        self.is_told.set()

    @property
    def texts(self) -> list[str]:
        return [message["text"] for message in self.messages if "text" in message]


async def test_frames_leave_in_order_and_a_socket_that_is_gone_says_so() -> None:
    wire, sockets = Wire(), LocalSockets()
    session = Session(wire.send)
    sockets.add("a", session)
    assert [sockets.send("a", str(number)) for number in range(3)] == [True] * 3
    assert not sockets.send("b", "x")
    await session.wait_drained()
    assert wire.texts == ["0", "1", "2"]
    sockets.close("a")
    assert not sockets.send("a", "too late")
    await session.wait_drained()
    assert wire.messages[-1] == {"type": "websocket.close", "code": 1000}


async def test_frames_that_wait_together_leave_in_one_write_up_to_a_bound() -> None:
    wire = Wire()
    session = Session(wire.send)
    for size in (9, 9, JOINED_BYTES, 9, 9):
        session.write("x" * size)
    await session.wait_drained()
    assert [message.get("more", False) for message in wire.messages] == [1, 1, 0, 1, 0]


async def test_a_client_that_reads_nothing_loses_its_socket_and_what_waited() -> None:
    wire = Wire()
    wire.is_read.clear()
    session = Session(wire.send)
    for _ in range(5):
        session.write("x" * (MAX_UNREAD_BYTES // 4))
    assert session.is_closed
    wire.is_read.set()
    await session.wait_drained()
    assert wire.messages[-1]["code"] == TOO_SLOW
    assert len(wire.texts) <= 1


async def test_to_a_client_that_went_away_no_further_frame_is_sent() -> None:
    sent = []

    async def gone(message: dict[str, Any]) -> None:
        sent.append(message["text"])
        raise ConnectionError

    session = Session(gone)
    session.write("x")
    session.write("y")
    await session.wait_drained()
    session.write("z")
    await session.wait_drained()
    assert sent == ["x"]


@pytest.mark.parametrize("is_held", [False, True])
async def test_each_subscription_that_wants_an_event_gets_one_copy_behind_what_is_held(
    *, is_held: bool
) -> None:
    wire, sockets, connections = Wire(), LocalSockets(), MemoryConnections()
    session = Session(wire.send)
    sockets.add("a", session)
    connections.add(Connection(id="a", address="", challenge="", opened_at_ms=0), 0)
    for name, wanted, topics in (
        ("mine", Filter(tags={"p": (SERVER.pubkey,)}), (f"p:{SERVER.pubkey}", "k:20303")),
        ("other", Filter(kinds=(64,)), ("k:20303",)),
    ):
        connections.subscribe("a", Subscriber("a", name, (wanted,)), topics, 0)
    event = an_event(ALICE, 20303, "e2e4", (("p", SERVER.pubkey),), 1_800_000_000)
    held: list[Callable[[], object]] = []
    if is_held:
        sockets.held = held
    sockets.send("a", "OK")
    LocalFanout(connections, sockets).publish([event], 0)
    sockets.held = None
    await session.wait_drained()
    assert wire.texts == [] if is_held else len(wire.texts) == 2
    for say in held:
        say()
    await session.wait_drained()
    ok, copy = wire.texts
    assert ok == "OK"
    assert json.loads(copy)[:2] == ["EVENT", "mine"]


async def test_an_address_has_so_many_sockets_open_and_more_when_one_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.gateway.MAX_SOCKETS_OF_ADDRESS", 2)
    monkeypatch.setattr("server.gateway.admit", lambda *_: True)
    monkeypatch.setattr("server.gateway.forget", lambda *_: None)
    nothing, metrics = cast("Any", None), Metrics()
    gateway = Gateway(
        *(nothing, LocalSockets(), TransactionLoop(nothing), metrics, nothing, nothing, nothing)
    )
    open_: list[asyncio.Queue[dict[str, Any]]] = []
    served: list[asyncio.Task[None]] = []

    async def opened(address: str) -> str:
        wire, said = Wire(), asyncio.Queue[dict[str, Any]]()
        said.put_nowait({"type": "websocket.connect"})
        open_.append(said)
        serving = asyncio.create_task(gateway.serve({"client": (address, 1)}, said.get, wire.send))
        await wire.is_told.wait()
        served.append(serving)
        return str(wire.messages[0].get("status", "open"))

    assert [await opened("192.0.2.1") for _ in range(3)] == ["open", "open", "429"]
    assert await opened("192.0.2.2") == "open"
    open_[0].put_nowait({"type": "websocket.disconnect"})
    await served[0]
    assert [await opened("192.0.2.1") for _ in range(2)] == ["open", "429"]
    assert 'arbiter_Refused{limit="sockets_of_address"} 2' in metrics.text().splitlines()
    for serving in served:
        serving.cancel()
