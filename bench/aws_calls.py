"""The processor time of a call to DynamoDB: botocore's client and ours, in turn; and a table in
memory before which each call is made over HTTP too.

A server in another process answers all calls with the same item.
"""

import asyncio
import contextlib
import json
import multiprocessing
import socket
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.items.attributes import Item
from bench.figures import Figure, Target
from bench.measure import in_turn, measured, ratio
from bench.packed_games import TableInMemory

_ROUNDS = 41
_CALLS = 50
_KEY = {"pk": {"S": "g#0123456789abcdef0123456789abcdef"}}
_ITEM = {**_KEY, "v": {"N": "17"}, "m": {"B": "A" * 300}, "w": {"B": "B" * 44}}


class CalledTable(TableInMemory):
    """The table, asked by our client as well: its processor time is in what is measured."""

    def __init__(self, items: dict[str, Item], client: Any) -> None:  # noqa: ANN401 - ours
        super().__init__(items)
        self._client = client

    def get_item(self, **asked: Any) -> Item:  # noqa: ANN401 - as botocore has it
        """The item of this key, if there is one."""
        self._client.get_item(**asked)
        return super().get_item(**asked)

    def update_item(self, **asked: Any) -> Item:  # noqa: ANN401 - as botocore has it
        """Do what `update_of` asks."""
        self._client.update_item(**asked)
        return super().update_item(**asked)


class Calls:
    """Our client of DynamoDB, and how many calls of each kind were made by it."""

    def __init__(self, client: object) -> None:
        self._client = client
        self.made: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as botocore has it
        self.made[name] += 1
        return getattr(self._client, name)


@contextlib.contextmanager
def answering() -> Iterator[AwsClients]:
    """Clients of a server that answers, for the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = multiprocessing.get_context("fork").Process(
            target=_serve, args=(listening,), daemon=True
        )
        server.start()
        try:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            settings = {"aws_access_key_id": "bench", "aws_secret_access_key": "bench"}
            yield AwsClients({**settings, "region_name": "us-east-1", "endpoint_url": url})
        finally:
            server.terminate()
            server.join()


def calls() -> list[Figure]:
    """GetItem and UpdateItem by our client, each over the same by botocore's."""
    with answering() as clients:
        return _figures(clients)


def _figures(clients: AwsClients) -> list[Figure]:
    return [
        _figure(name, arguments, clients.dynamodb(), clients._client("dynamodb"))  # noqa: SLF001 - what ours replaces
        for name, arguments in (
            ("get_item", {"TableName": "games", "Key": _KEY, "ConsistentRead": True}),
            (
                "update_item",
                {
                    "TableName": "games",
                    "Key": _KEY,
                    "UpdateExpression": "SET #m = :m, #v = :v",
                    "ConditionExpression": "#v = :version",
                    "ExpressionAttributeNames": {"#m": "m", "#v": "v"},
                    "ExpressionAttributeValues": {
                        ":m": {"B": bytes(130)},
                        ":v": {"N": "8"},
                        ":version": {"N": "7"},
                    },
                },
            ),
        )
    ]


def _figure(name: str, arguments: dict[str, Any], ours: object, theirs: object) -> Figure:
    told = in_turn(
        {"ours": _calling(ours, name, arguments), "theirs": _calling(theirs, name, arguments)},
        _ROUNDS,
    )
    ours_us, theirs_us = (measured(told[it]).median / _CALLS for it in ("ours", "theirs"))
    return Figure(
        name=f"{name} as signed HTTP, over botocore's client",
        measured=ratio(told["ours"], told["theirs"]),
        target=Target(0.5),
        note=f"{ours_us:.0f} µs over {theirs_us:.0f} µs",
    )


def _calling(client: object, name: str, arguments: dict[str, Any]) -> Callable[[], None]:
    call = getattr(client, name)

    def make() -> None:
        for _ in range(_CALLS):
            call(**arguments)

    return make


class _Answers(asyncio.Protocol):
    """HTTP as far as the two clients speak it: one request at a time, its length told."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if end and len(body) >= int(head.lower().partition(b"content-length:")[2].split()[0]):
            self._received = b""
            self._transport.write(self._answer)


def _serve(listening: socket.socket) -> None:
    body = json.dumps({"Item": _ITEM, "Responses": {}}).encode()
    head = f"HTTP/1.1 200 OK\r\nx-amz-crc32: {zlib.crc32(body)}\r\nContent-Length: {len(body)}"
    answer = f"{head}\r\n\r\n".encode() + body

    async def forever() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Answers(answer), sock=listening)
        await server.serve_forever()

    asyncio.run(forever())
