"""AWS clients from one botocore session, each created on first use; DynamoDB's, SQS's, SSM's and
the gateway's are those of `signed_calls`.

Invariant: calls give up within seconds, since the queue delivers again and waiting costs money.
botocore alone: boto3's resources add 70 ms to a cold start, each of its clients 40 ms.
"""

import logging
import socket
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.configprovider import ConfiguredEndpointProvider
from botocore.credentials import Credentials
from botocore.exceptions import NoRegionError
from botocore.httpsession import URLLib3Session
from botocore.session import Session, get_session

from arbiter.adapters.api_gateway import Management
from arbiter.adapters.signed_calls import JsonClient, Service, uncounted

if TYPE_CHECKING:  # the types are installed for checks only
    from types_boto3_dynamodb.client import DynamoDBClient
    from types_boto3_scheduler.client import EventBridgeSchedulerClient
    from types_boto3_sqs.client import SQSClient
    from types_boto3_ssm.client import SSMClient

CONNECT_SECONDS = 1
READ_SECONDS = 3
SOCKET_READ_SECONDS = 1
"""Three attempts of three seconds would outlast the function; ten ms are usual."""

COUNTERS_SECONDS = 0.5
"""For what is no reason to wait: one attempt to connect, and to read."""

ATTEMPTS = 3
"""Enough for a throttled second. Three timeouts outlast the function; the queue retries."""

KEY_ATTEMPTS = 6
"""All environments that start at once ask for the key; an account has forty such calls a second."""

CONNECTIONS_AT_ONCE = 32
"""botocore pools ten and discards those of further threads, a handshake each."""


class AwsClients:
    """The clients of one process. Thread-safe."""

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        counted: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """``settings`` are botocore's, for each client; ``counted`` is told of calls."""
        self._settings = dict(settings or {})
        self._counted = counted or uncounted
        self._session: Session | None = None
        self._made: dict[str, Any] = {}
        self._lock = Lock()

    def dynamodb(self) -> "DynamoDBClient":
        client: DynamoDBClient = self._json("dynamodb", "DynamoDB_20120810")
        return client

    def counters(self) -> "DynamoDBClient":
        """DynamoDB's, which gives up at once."""
        client: DynamoDBClient = self._json(
            "dynamodb", "DynamoDB_20120810", seconds=COUNTERS_SECONDS, attempts=1
        )
        return client

    def sqs(self) -> "SQSClient":
        client: SQSClient = self._json("sqs", "AmazonSQS")
        return client

    def scheduler(self) -> "EventBridgeSchedulerClient":
        client: EventBridgeSchedulerClient = self._client("scheduler")
        return client

    def ssm(self) -> "SSMClient":
        client: SSMClient = self._json("ssm", "AmazonSSM", "1.1", attempts=KEY_ATTEMPTS)
        return client

    def cloudwatch(self) -> Any:  # noqa: ANN401 - its types are 3 MB, for one call
        return self._client("cloudwatch")

    def functions(self) -> Any:  # noqa: ANN401 - as above
        return self._client("lambda")

    def s3(self) -> Any:  # noqa: ANN401 - as above
        def make(session: Session) -> Any:  # noqa: ANN401 - as above
            client = self._make(session, "s3")
            count = self._counted
            client.meta.events.register(
                "after-call.s3", lambda model, **_: count(model.name, 0, 0), unique_id="bill"
            )
            return client

        return self._once("s3", make)

    def gateway(self, endpoint: str) -> Management:
        """The client for our gateway's sockets; ``endpoint`` is the URL before @connections."""
        client: Management = self._once(
            endpoint,
            lambda session: Management(
                self._service(session, "execute-api", endpoint, SOCKET_READ_SECONDS, ATTEMPTS)
            ),
        )
        return client

    def _client(self, service: str) -> Any:  # noqa: ANN401 - botocore makes the class at run time
        return self._once(service, lambda session: self._make(session, service))

    def _once(self, name: str, make: Callable[[Session], Any]) -> Any:  # noqa: ANN401 - as above
        with self._lock:  # a botocore session is not thread-safe while it creates a client
            if self._session is None:
                # At DEBUG botocore logs whole responses, the decrypted key and players' events
                # included.
                logging.getLogger("botocore").setLevel(logging.WARNING)
                self._session = get_session()
            if name not in self._made:
                self._made[name] = make(self._session)
            return self._made[name]

    def _make(self, session: Session, service: str) -> Any:  # noqa: ANN401 - as above
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=CONNECTIONS_AT_ONCE,
        )
        return session.create_client(service, config=config, **self._settings)

    def _json(
        self,
        name: str,
        target: str,
        version: str = "1.0",
        seconds: float | None = None,
        attempts: int | None = None,
    ) -> Any:  # noqa: ANN401 - as above
        def make(session: Session) -> JsonClient:
            endpoint = self._settings.get("endpoint_url") or self._endpoint(session, name)
            service = self._service(
                session, name, endpoint, seconds or READ_SECONDS, attempts or ATTEMPTS
            )
            return JsonClient(service, target, version)

        return self._once(f"signed {name} {attempts}", make)

    def _service(
        self, session: Session, name: str, endpoint: str, read_seconds: float, attempts: int
    ) -> Service:
        # Head and body are sent apart: Nagle's algorithm would wait between them.
        at_once = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        connections: Any = URLLib3Session  # botocore's stub has other types than its code
        return Service(
            name=name,
            region=self._region(session),
            endpoint=endpoint.rstrip("/"),
            credentials=partial(self._credentials, session),
            connections=connections(
                timeout=(min(CONNECT_SECONDS, read_seconds), read_seconds),
                max_pool_connections=CONNECTIONS_AT_ONCE,
                socket_options=at_once,
            ),
            attempts=attempts,
            counted=self._counted,
        )

    def _endpoint(self, session: Session, name: str) -> str:
        configured = ConfiguredEndpointProvider(
            full_config=session.full_config,
            scoped_config=session.get_scoped_config(),
            client_name=name,
        ).provide()
        region = self._region(session)
        suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        return str(configured or f"https://{name}.{region}.{suffix}")

    def _region(self, session: Session) -> str:
        region = self._settings.get("region_name") or session.get_config_variable("region")
        if not region:
            raise NoRegionError
        return str(region)

    def _credentials(self, session: Session) -> Any:  # noqa: ANN401 - botocore's classes differ
        if "aws_access_key_id" in self._settings:
            return Credentials(
                self._settings["aws_access_key_id"], self._settings["aws_secret_access_key"]
            )
        return session.get_credentials()
