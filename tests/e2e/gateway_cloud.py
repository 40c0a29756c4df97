"""Behind the gateway of a running arbiter: what its table holds of sockets, and closing them as API
Gateway does after ten silent minutes or two hours.
"""

import asyncio
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.connections import DynamoDbConnections
from arbiter.application.connections import Filed
from clients.probes.independent_client import GAME_STATE
from clients.probes.raw_socket import RawSocket

_POLL_SECONDS = 0.1


class GatewayCloud:
    """The table of sockets, and the sockets. The test limits how long it waits."""

    def __init__(self, run_dir: Path) -> None:
        """``run_dir`` is the run's RUN_DIR."""
        aws = json.loads((run_dir / "endpoints.json").read_text(encoding="utf-8"))["aws"]
        clients = AwsClients(
            {
                "endpoint_url": aws,
                "region_name": "us-east-1",
                "aws_access_key_id": "test",
                "aws_secret_access_key": "test",
            }
        )
        self._dynamodb: Any = clients.dynamodb()
        tables = self._dynamodb.list_tables()["TableNames"]
        (self._table,) = (name for name in tables if "ShortLivedTable" in name)
        apis: Any = clients._client("apigatewayv2")
        (api_id,) = (
            api["ApiId"] for api in apis.get_apis()["Items"] if api["ProtocolType"] == "WEBSOCKET"
        )
        self._management = clients.gateway(f"{aws}/_aws/execute-api/{api_id}/v1")
        self._connections = DynamoDbConnections(clients.dynamodb, self._table)

    def items_about(self, socket: str) -> list[str]:
        """The keys of every item that has to do with a socket: its own, and topics it is in."""
        return [
            f"{item['pk']['S']} {item['sk']['S']}"
            for item in self._items()
            if any(socket in name for name in (item["pk"]["S"], item["sk"]["S"], *item))
        ]

    async def socket_of(self, player: RawSocket) -> str:
        """The id of this player's socket, found by a subscription of its own."""
        topic = uuid4().hex
        await player.subscribe("who am I?", kinds=[GAME_STATE], tag_d=[topic])
        ((socket, _),) = await self.until_filed(f"d:{topic}", 1)
        await player.say("CLOSE", "who am I?")
        await self.until_filed(f"d:{topic}", 0)
        return socket

    async def until_filed(self, topic: str, count: int) -> list[tuple[str, str]]:
        """Wait until so many subscriptions are filed under a topic; their sockets and ids."""
        while True:
            filed = self._connections.subscribers([topic]).get(topic, Filed(()))
            found = filed.subscribers
            if len(found) == count:
                return [(one.connection_id, one.subscription_id) for one in found]
            await asyncio.sleep(_POLL_SECONDS)

    def close(self, socket: str) -> None:
        """Close a socket as API Gateway does, with a close frame."""
        self._management.delete_connection(ConnectionId=socket)

    async def until_forgotten(self, socket: str) -> None:
        """Wait until the table holds nothing of this socket but counters."""
        while True:
            if all(key.startswith("r#") for key in self.items_about(socket)):
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _items(self) -> list[dict[str, Any]]:
        pages = self._dynamodb.get_paginator("scan").paginate(
            TableName=self._table, ConsistentRead=True
        )
        return [item for page in pages for item in page["Items"]]
