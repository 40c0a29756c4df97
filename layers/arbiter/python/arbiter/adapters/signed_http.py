"""The calls that every move and every cold start makes, as signed HTTP: DynamoDB's items, messages to
SQS, API Gateway's sockets, and the key in SSM.

botocore's clients check parameters, resolve endpoints and build responses by models, which takes
most of a call's processor time (`make bench`). Here botocore has the
credentials and the signature, urllib3 the connections. Arguments, results and errors are those of
botocore's clients; calls that are not listed here are made by them.
"""

import base64
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.configprovider import ConfiguredEndpointProvider
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.httpsession import get_cert_path
from botocore.session import Session


@dataclass(frozen=True, slots=True)
class JsonService:
    """A service, the prefix of its targets, the version of its JSON, and the calls made here."""

    name: str
    target: str
    version: str
    calls: frozenset[str]


DYNAMODB = JsonService(
    "dynamodb",
    "DynamoDB_20120810",
    "1.0",
    frozenset({
        "batch_get_item", "batch_write_item", "delete_item", "get_item", "put_item", "query",
        "transact_write_items", "update_item",
    }),
)  # fmt: skip
SQS = JsonService("sqs", "AmazonSQS", "1.0", frozenset({"send_message", "send_message_batch"}))
SSM = JsonService("ssm", "AmazonSSM", "1.1", frozenset({"get_parameter"}))

_RETRIED = frozenset({
    "InternalServerError", "LimitExceededException", "ProvisionedThroughputExceededException",
    "RequestLimitExceeded", "RequestThrottled", "RequestThrottledException", "ThrottlingException",
    "TooManyRequestsException", "TransactionInProgressException",
})  # fmt: skip
"""Errors that pass: those that botocore's standard mode retries, as far as these services have
them.
"""
_SERVER_FAULT = 500
_FAILED = 400

_FIRST_PAUSE_SECONDS = 0.1
"""Doubled each time, and a random part of it is waited."""


class SignedHttp:
    """Signed requests to one service, each tried again a few times. Thread-safe."""

    def __init__(
        self,
        credentials: Callable[[], Any],
        region: str,
        service: str,
        endpoint: str,
        pool: urllib3.PoolManager,
        attempts: int,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """``credentials`` returns botocore's, None if there are none; ``service`` is the name in
        the signature; ``endpoint`` is a URL without a slash at its end.
        """
        self.endpoint = endpoint
        self._credentials = credentials
        self._service = service
        self._pool = pool
        self._attempts = attempts
        self._pause = pause
        self._region = region

    def request(
        self, operation: str, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> Any:  # noqa: ANN401 - JSON
        """The JSON of a successful answer, None if it is empty. Raises what botocore raises:
        ClientError for a refusal, and errors of its own for a connection.
        """
        for attempt in range(1, self._attempts + 1):
            try:
                return self._try(operation, method, path, body, headers)
            except ClientError as error:
                status = error.response["ResponseMetadata"]["HTTPStatusCode"]
                passes = error.response["Error"]["Code"] in _RETRIED or status >= _SERVER_FAULT
                if not passes or attempt == self._attempts:
                    raise
            except (EndpointConnectionError, ConnectTimeoutError, ReadTimeoutError):
                if attempt == self._attempts:
                    raise
            self._pause(random.random() * _FIRST_PAUSE_SECONDS * 2**attempt)  # noqa: S311
        raise AssertionError("one attempt at least")

    def _try(
        self, operation: str, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> Any:  # noqa: ANN401 - JSON
        url = self.endpoint + path
        signed = AWSRequest(method, url, headers=dict(headers), data=body)
        credentials = self._credentials()
        if credentials is None:
            raise NoCredentialsError
        frozen = credentials.get_frozen_credentials()
        SigV4Auth(frozen, self._service, self._region).add_auth(signed)
        try:
            answer = self._pool.urlopen(
                method, url, body=body, headers=dict(signed.headers), retries=False
            )
        except urllib3.exceptions.ConnectTimeoutError as error:
            raise ConnectTimeoutError(endpoint_url=url) from error
        except urllib3.exceptions.TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=url) from error
        except urllib3.exceptions.HTTPError as error:
            raise EndpointConnectionError(endpoint_url=url) from error
        if answer.status >= _FAILED:
            raise _refused(answer, operation)
        return json.loads(answer.data, object_hook=_octets) if answer.data else None


class SignedJson:
    """botocore's client of a service that speaks JSON, with some of its calls as signed HTTP."""

    def __init__(self, http: SignedHttp, service: JsonService, client: Callable[[], Any]) -> None:
        """``client`` returns botocore's client, for all other calls."""
        self._http = http
        self._service = service
        self._client = client

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as botocore's
        if name not in self._service.calls:
            return getattr(self._client(), name)
        operation = name.title().replace("_", "")
        headers = {
            "Content-Type": f"application/x-amz-json-{self._service.version}",
            "X-Amz-Target": f"{self._service.target}.{operation}",
        }

        def call(**arguments: Any) -> Any:  # noqa: ANN401 - as botocore's
            if name == "transact_write_items":
                # The same for every attempt, so that DynamoDB makes the transaction once.
                arguments.setdefault("ClientRequestToken", str(uuid4()))
            body = json.dumps(arguments, separators=(",", ":"), default=_base64).encode()
            return self._http.request(operation, "POST", "/", body, headers)

        self.__dict__[name] = call
        return call


class SignedManagement:
    """botocore's ``apigatewaymanagementapi`` client, as far as `api_gateway.Management` has it."""

    def __init__(self, http: SignedHttp) -> None:
        self._http = http

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> None:  # noqa: N803
        """Send one message."""
        headers = {"Content-Type": "application/octet-stream"}
        self._http.request("PostToConnection", "POST", _path(ConnectionId), Data, headers)

    def delete_connection(self, *, ConnectionId: str) -> None:  # noqa: N803
        """Disconnect the socket."""
        self._http.request("DeleteConnection", "DELETE", _path(ConnectionId), b"", {})


def endpoint_of(service: str, session: Session, region: str) -> str:
    """The service's URL, by the environment and botocore's configuration."""
    configured = ConfiguredEndpointProvider(
        full_config=session.full_config,
        scoped_config=session.get_scoped_config(),
        client_name=service,
    ).provide()
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return str(configured or f"https://{service}.{region}.{suffix}")


def connection_pool(
    connect_seconds: float, read_seconds: float, at_once: int
) -> urllib3.PoolManager:
    """Connections that are kept open, with botocore's certificates."""
    return urllib3.PoolManager(
        maxsize=at_once,
        timeout=urllib3.Timeout(connect=connect_seconds, read=read_seconds),
        cert_reqs="CERT_REQUIRED",
        ca_certs=get_cert_path(True),
    )


def _path(connection_id: str) -> str:
    return f"/@connections/{quote(connection_id, safe='')}"


def _refused(answer: urllib3.BaseHTTPResponse, operation: str) -> ClientError:
    """The error that botocore makes of this answer."""
    try:
        told = json.loads(answer.data, object_hook=_octets)
    except ValueError:
        told = {}
    if not isinstance(told, dict):
        told = {}
    # "AWS.SimpleQueueService.NonExistentQueue;Sender" in a header of SQS, "GoneException:http://…"
    # in one of API Gateway, "com.amazonaws…#Name" in DynamoDB's body.
    former = answer.headers.get("x-amzn-query-error", "").partition(";")[0]
    named = answer.headers.get("x-amzn-errortype") or told.pop("__type", "") or str(answer.status)
    code = former or str(named).partition(":")[0].rpartition("#")[2]
    message = told.pop("message", "") or told.pop("Message", "")
    response: Any = {
        **told,
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": answer.status},
    }
    return ClientError(response, operation)


def _octets(value: dict[str, Any]) -> dict[str, Any]:
    """DynamoDB's binary values, which JSON has in base64, as bytes. No attribute of ours is called
    ``B`` or ``BS``.
    """
    if len(value) == 1:
        match value:
            case {"B": str(text)}:
                return {"B": base64.b64decode(text)}
            case {"BS": list(texts)}:
                return {"BS": [base64.b64decode(text) for text in texts]}
            case _:
                pass
    return value


def _base64(octets: object) -> str:
    if not isinstance(octets, bytes):
        raise TypeError(f"{type(octets).__name__} is no attribute value")
    return base64.b64encode(octets).decode()
