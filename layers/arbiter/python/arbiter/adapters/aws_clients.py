"""Clients of AWS: one session for all of them, each made when first asked for.

The law: waiting is bounded. A call gives up in seconds, for whoever made it can be delivered again
by the queue, and a function that waits is paid for.

botocore alone, since boto3's resources cost 70 ms more of a cold start and give nothing the
adapters use; and lazily, since each further client costs 40 ms and a move usually needs neither SQS
nor SSM. Endpoint, region and credentials are found by botocore itself, in the environment.
"""

import logging
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config

from arbiter.adapters.api_gateway import Management

if TYPE_CHECKING:  # the types are installed beside the checks, never beside the code
    from types_boto3_dynamodb.client import DynamoDBClient
    from types_boto3_scheduler.client import EventBridgeSchedulerClient
    from types_boto3_sqs.client import SQSClient
    from types_boto3_ssm.client import SSMClient

CONNECT_SECONDS = 1
READ_SECONDS = 3
SOCKET_READ_SECONDS = 1
"""A message for a socket is taken in some ten milliseconds. Whoever makes API Gateway wait has the
players behind him in the same batch wait as well, and three tries at three seconds would outlast
the function, and with it the whole batch.
"""

ATTEMPTS = 3
"""Enough to ride out a throttled second, which fails fast. Three silent time-outs in a row outlast
the function, and then the queue is the retry.
"""

CONNECTIONS_AT_ONCE = 32
"""botocore keeps ten warm and throws away what more threads than that opened, a handshake each."""


_SOCKETS = "apigatewaymanagementapi"


class AwsClients:
    """The clients of one process. Threads may share it, and them."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        """``settings`` go to every client as botocore spells them; none are needed where the
        environment tells all.
        """
        self._settings = dict(settings or {})
        self._session: botocore.session.Session | None = None
        self._made: dict[tuple[str, str | None], Any] = {}
        self._lock = Lock()

    def dynamodb(self) -> "DynamoDBClient":
        """The client for the table."""
        client: DynamoDBClient = self._client("dynamodb")
        return client

    def sqs(self) -> "SQSClient":
        """The client for the queues."""
        client: SQSClient = self._client("sqs")
        return client

    def scheduler(self) -> "EventBridgeSchedulerClient":
        """The client for what is to happen in more than a quarter of an hour."""
        client: EventBridgeSchedulerClient = self._client("scheduler")
        return client

    def ssm(self) -> "SSMClient":
        """The client for the parameter that holds the key."""
        client: SSMClient = self._client("ssm")
        return client

    def cloudwatch(self) -> Any:  # noqa: ANN401 - its types are 3 MB, for one call
        """The client for how long messages wait."""
        return self._client("cloudwatch")

    def gateway(self, endpoint: str) -> Management:
        """The client for our gateway's open sockets; ``endpoint`` is the URL before @connections,
        stage and all.
        """
        client: Management = self._client(_SOCKETS, endpoint)
        return client

    def _client(self, service: str, endpoint: str | None = None) -> Any:  # noqa: ANN401 - botocore makes the class at run time
        with self._lock:  # a botocore session may not make two clients at once
            if (service, endpoint) not in self._made:
                self._made[service, endpoint] = self._make(service, endpoint)
            return self._made[service, endpoint]

    def _make(self, service: str, endpoint: str | None) -> Any:  # noqa: ANN401 - as above
        # At DEBUG botocore logs whole responses, the decrypted key among them, and strangers'
        # events with them.
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
