"""The calls that every move and every cold start makes, as signed HTTP: DynamoDB's items, messages
to SQS, API Gateway's sockets, and the key in SSM.

botocore's clients check parameters, resolve endpoints and build responses by models, which takes
most of a call's processor time (`make bench`). Here botocore has the credentials, and
`http_connections` the connections. The signature is AWS's Signature Version 4 for requests of one
form: no query, and a path that needs no encoding. Arguments, results and errors are those of
botocore's clients; calls that are not listed here are made by them.
"""

import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

from botocore.configprovider import ConfiguredEndpointProvider
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.session import Session

from arbiter.adapters.http_connections import (
    Answer,
    ConnectTimeout,
    HttpConnections,
    MalformedAnswer,
)


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
        connections: HttpConnections,
        attempts: int,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """``credentials`` returns botocore's, None if there are none; ``service`` is the name in
        the signature; ``endpoint`` is a URL without a slash at its end, ``connections`` lead there.
        """
        parts = urlsplit(endpoint)
        self.endpoint = endpoint
        self._host = parts.netloc
        self._path = parts.path
        self._credentials = credentials
        self._scope = Scope(region, service)
        self._connections = connections
        self._attempts = attempts
        self._pause = pause

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
        credentials = self._credentials()
        if credentials is None:
            raise NoCredentialsError
        keys = credentials.get_frozen_credentials()
        told = {**headers, "Host": self._host}
        request = Request(method, self._path + path, told, body)
        headers = signed(request, self._scope, keys, datetime.now(tz=UTC))
        try:
            answer = self._connections.request(method, request.path, headers, body)
        except ConnectTimeout as error:
            raise ConnectTimeoutError(endpoint_url=url) from error
        except TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=url) from error
        except (OSError, MalformedAnswer) as error:
            raise EndpointConnectionError(endpoint_url=url) from error
        if answer.status >= _FAILED:
            raise _refused(answer, operation)
        return json.loads(answer.body, object_hook=_octets) if answer.body else None


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


@dataclass(frozen=True, slots=True)
class Request:
    """The parts that are signed; ``path`` is URI-encoded as it is sent, ``headers`` have the
    host.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Scope:
    """The region and service for which a signature is valid."""

    region: str
    service: str


def signed(request: Request, scope: Scope, keys: Any, at: datetime) -> dict[str, str]:  # noqa: ANN401 - botocore's frozen credentials
    """The request's headers with those of Signature Version 4, named as in AWS's "Create a signed
    AWS API request".
    """
    timestamp = at.strftime("%Y%m%dT%H%M%SZ")
    headers = {**request.headers, "X-Amz-Date": timestamp}
    if keys.token:
        headers["X-Amz-Security-Token"] = keys.token
    lowered = sorted((name.lower(), value) for name, value in headers.items())
    names = ";".join(name for name, _ in lowered)
    canonical_request = "\n".join((
        request.method,
        # "URI-encode … twice", but for S3: the path is encoded once already.
        quote(request.path, safe="/~"),
        "",
        *(f"{name}:{value}" for name, value in lowered),
        "",
        names,
        hashlib.sha256(request.body).hexdigest(),
    ))  # fmt: skip
    within = f"{timestamp[:8]}/{scope.region}/{scope.service}/aws4_request"
    digest = hashlib.sha256(canonical_request.encode()).hexdigest()
    string_to_sign = f"AWS4-HMAC-SHA256\n{timestamp}\n{within}\n{digest}"
    key = _signing_key(keys.secret_key, timestamp[:8], scope.region, scope.service)
    signature = hmac.digest(key, string_to_sign.encode(), "sha256").hex()
    headers["Authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys.access_key}/{within}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return headers


@lru_cache(maxsize=8)
def _signing_key(secret: str, date: str, region: str, service: str) -> bytes:
    """Of one day."""
    key = f"AWS4{secret}".encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def endpoint_of(service: str, session: Session, region: str) -> str:
    """The service's URL, by the environment and botocore's configuration."""
    configured = ConfiguredEndpointProvider(
        full_config=session.full_config,
        scoped_config=session.get_scoped_config(),
        client_name=service,
    ).provide()
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return str(configured or f"https://{service}.{region}.{suffix}")


def _path(connection_id: str) -> str:
    return f"/@connections/{quote(connection_id, safe='')}"


def _refused(answer: Answer, operation: str) -> ClientError:
    """The error that botocore makes of this answer."""
    try:
        told = json.loads(answer.body, object_hook=_octets)
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
