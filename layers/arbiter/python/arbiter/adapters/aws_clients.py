"""AWS clients from one botocore session, each created on first use.

Invariant: calls give up within seconds, since the queue delivers again and waiting functions cost
money.

botocore alone: boto3's resources add 70 ms to a cold start. Lazily: each client adds 40 ms, and
most moves need neither SQS nor SSM. botocore itself reads endpoint, region and credentials from the
environment.
"""

import logging
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config

from arbiter.adapters.api_gateway import Management

if TYPE_CHECKING:  # the types are installed for checks only
    from types_boto3_dynamodb.client import DynamoDBClient
    from types_boto3_scheduler.client import EventBridgeSchedulerClient
    from types_boto3_sqs.client import SQSClient
    from types_boto3_ssm.client import SSMClient

CONNECT_SECONDS = 1
READ_SECONDS = 3
SOCKET_READ_SECONDS = 1
"""API Gateway accepts a message in about ten milliseconds. A client that delays it delays the
players behind it in the same batch, and three attempts of three seconds would outlast the function.
"""

ATTEMPTS = 3
"""Enough for a throttled second, which fails fast. Three timeouts in a row outlast the function,
and the queue retries.
"""

CONNECTIONS_AT_ONCE = 32
"""botocore pools ten and discards those of further threads, a handshake each."""


_SOCKETS = "apigatewaymanagementapi"


class AwsClients:
    """The clients of one process. Thread-safe."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        """``settings`` are passed to every client as botocore's keyword arguments."""
        self._settings = dict(settings or {})
        self._session: botocore.session.Session | None = None
        self._made: dict[tuple[str, str | None], Any] = {}
        self._lock = Lock()

    def dynamodb(self) -> "DynamoDBClient":
        """The DynamoDB client."""
        client: DynamoDBClient = self._client("dynamodb")
        return client

    def sqs(self) -> "SQSClient":
        """The SQS client."""
        client: SQSClient = self._client("sqs")
        return client

    def scheduler(self) -> "EventBridgeSchedulerClient":
        """The EventBridge Scheduler client."""
        client: EventBridgeSchedulerClient = self._client("scheduler")
        return client

    def ssm(self) -> "SSMClient":
        """The SSM client."""
        client: SSMClient = self._client("ssm")
        return client

    def cloudwatch(self) -> Any:  # noqa: ANN401 - its types are 3 MB, for one call
        """The CloudWatch client."""
        return self._client("cloudwatch")

    def gateway(self, endpoint: str) -> Management:
        """The client for our gateway's sockets; ``endpoint`` is the URL before @connections, with
        the stage.
        """
        client: Management = self._client(_SOCKETS, endpoint)
        return client

    def _client(self, service: str, endpoint: str | None = None) -> Any:  # noqa: ANN401 - botocore makes the class at run time
        with self._lock:  # a botocore session is not thread-safe while it creates a client
            if (service, endpoint) not in self._made:
                self._made[service, endpoint] = self._make(service, endpoint)
            return self._made[service, endpoint]

    def _make(self, service: str, endpoint: str | None) -> Any:  # noqa: ANN401 - as above
        # At DEBUG botocore logs whole responses, the decrypted key and players' events included.
        logging.getLogger("botocore").setLevel(logging.WARNING)
        if self._session is None:
            self._session = botocore.session.get_session()
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=SOCKET_READ_SECONDS if service == _SOCKETS else READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=CONNECTIONS_AT_ONCE,
        )
        settings = self._settings | ({"endpoint_url": endpoint} if endpoint else {})
        return self._session.create_client(service, config=config, **settings)
