"""What a listener speaks to, in this process: relays that send what they are given, and as much of
SQS and DynamoDB as a listener calls, over HTTP.

A queue notes when each message came, and answers after the time that AWS takes.
"""

import asyncio
import base64
import contextlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

SUBSCRIPTION = "arbiter"
_GOODBYE_SECONDS = 1.0


@dataclass
class Cloud:
    """Both queues and the table of games. ``games`` has the two players (64 hex) of each id,
    ``latency_seconds`` is how long each call takes.
    """

    games: Mapping[str, tuple[str, str]]
    latency_seconds: float
    came: dict[str, float] = field(default_factory=dict)
    """When (monotonic seconds) each message first came, by its event's id."""
    last_of: dict[str, int] = field(default_factory=dict)
    """The latest event of each group, by its place in what was sent."""
    calls: Counter[str] = field(default_factory=Counter)
    port: int = 0

    def answer(self, target: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to one call."""
        operation = target.rpartition(".")[2]
        self.calls[operation] += 1
        match operation:
            case "SendMessageBatch":
                return self._take(asked)
            case "BatchGetItem":
                return {"Responses": self._found(asked["RequestItems"]), "UnprocessedKeys": {}}
            case _:
                return {}

    def seconds_of(self, operation: str) -> float:
        """How long this call takes."""
        del operation
        return self.latency_seconds

    def _take(self, asked: dict[str, Any]) -> dict[str, Any]:
        now = time.monotonic()
        for entry in asked["Entries"]:
            event_id = entry["MessageDeduplicationId"]
            self.calls["twice" if event_id in self.came else "messages"] += 1
            self.came.setdefault(event_id, now)
            content = json.loads(entry["MessageBody"])["event"]["content"]
            if content.startswith("move "):
                number = int(content.split()[1])
                if number < self.last_of.get(entry["MessageGroupId"], -1):
                    self.calls["out of order"] += 1
                self.last_of[entry["MessageGroupId"]] = number
        return {"Successful": [{"Id": entry["Id"]} for entry in asked["Entries"]], "Failed": []}

    def _found(self, asked: dict[str, Any]) -> dict[str, Any]:
        ((table, wanted),) = asked.items()
        ids = (key["pk"]["S"].removeprefix("g#") for key in wanted["Keys"])
        return {table: [self._item(game_id) for game_id in ids if game_id in self.games]}

    def _item(self, game_id: str) -> dict[str, Any]:
        white, black = (
            {"B": base64.b64encode(bytes.fromhex(player)).decode()}
            for player in self.games[game_id]
        )
        return {"pk": {"S": f"g#{game_id}"}, "w": white, "b": black}

    @contextlib.asynccontextmanager
    async def serving(self) -> Any:  # noqa: ANN401 - an async iterator of nothing
        """Answer on ``port`` for the block."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Http(self), "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            server.close()


class _Http(asyncio.Protocol):
    """HTTP as far as a signed client speaks it: one request at a time, its length told."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if len(body) < int(headers[b"content-length"]):
            return
        self._received = b""
        before = head.lower().partition(b"x-amz-target: ")[0]
        named = head[len(before) :].split(b"\r\n")[0].decode().partition(": ")[2]
        told = self._cloud.answer(named, json.loads(body))
        status = b"400 Bad Request" if "__type" in told else b"200 OK"
        answer = json.dumps(told).encode()
        reply = b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(answer), answer)
        seconds = self._cloud.seconds_of(named.rpartition(".")[2])
        asyncio.get_running_loop().call_later(seconds, self._write, reply)

    def _write(self, reply: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(reply)


class Relay:
    """A relay with one subscriber, which sends what it is given and remembers nothing."""

    def __init__(self) -> None:
        self.port = 0
        self.has_subscriber = asyncio.Event()
        self.connections = 0
        self._socket: ServerConnection | None = None

    @contextlib.asynccontextmanager
    async def serving(self) -> Any:  # noqa: ANN401 - an async iterator of nothing
        """Listen on ``port`` for the block."""
        async with serve(
            self._serve, "127.0.0.1", 0, compression=None, close_timeout=_GOODBYE_SECONDS
        ) as server:
            self.port = next(iter(server.sockets)).getsockname()[1]
            yield

    async def send(self, frame: str) -> bool:
        """Send this frame, waiting while the subscriber does not read; False without one."""
        if self._socket is None:
            return False
        try:
            await self._socket.send(frame)
        except ConnectionClosed:
            return False
        return True

    async def _serve(self, socket: ServerConnection) -> None:
        self.connections += 1
        with contextlib.suppress(ConnectionClosed):
            async for frame in socket:
                match json.loads(frame):
                    case ["REQ", subscription, *_]:
                        await socket.send(json.dumps(["EOSE", subscription]))
                        self._socket = socket
                        self.has_subscriber.set()
                    case ["EVENT", event]:  # the listener's own probe
                        await socket.send(json.dumps(["OK", event["id"], True, ""]))
                        await socket.send(json.dumps(["EVENT", SUBSCRIPTION, event]))
                    case _:
                        pass
        if self._socket is socket:
            self._socket = None
            self.has_subscriber.clear()
