"""AWS's calls by botocore's signer, connections and retries, without its clients: DynamoDB, SQS,
SSM, and API Gateway's sockets, with the clients' arguments, results (without ``ResponseMetadata``)
and errors (docs/decisions/0036-aws-without-botocores-clients.md).
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import orjson
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    NoCredentialsError,
)
from botocore.parsers import create_parser
from botocore.retries.standard import (
    OrRetryChecker,
    RetryContext,
    ThrottledRetryableChecker,
    TransientRetryableChecker,
)

from arbiter.adapters.items.attributes import octets_text, with_octets

_FIRST_PAUSE_SECONDS = 0.2
"""Doubled each time, and a random part of it is waited."""
_FAILED = 300
_PASSES = OrRetryChecker([TransientRetryableChecker(), ThrottledRetryableChecker()])


def uncounted(_operation: str, _sent: int, _received: int) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Signed calls of one service, ``name`` in the signature; thread-safe. ``credentials`` returns
    botocore's or None; ``counted`` is told of each answered attempt, with bytes of body and answer.
    """

    name: str
    region: str
    endpoint: str
    credentials: Callable[[], Any]
    connections: Any
    attempts: int
    pause: Callable[[float], None] = time.sleep
    counted: Callable[[str, int, int], None] = uncounted

    def call(self, operation: str, method: str, path: str, headers: Any, body: bytes) -> Any:  # noqa: ANN401 - JSON
        """The answer's JSON, None if empty, after up to ``attempts``. Raises botocore's errors."""
        error: BotoCoreError | ClientError
        for attempt in range(self.attempts):
            if attempt:
                self.pause(random.random() * _FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))  # noqa: S311
            answer, refusal = None, None
            try:
                answer = self._answer(method, path, headers, body)
                self.counted(operation, len(body), len(answer.content))
                if answer.status_code < _FAILED:
                    return with_octets(orjson.loads(answer.content or b"null"))
                refusal = _refusal(answer, "rest-json" if self.name == "execute-api" else "json")
                error = ClientError(refusal, operation)
            except BotoCoreError as failure:
                error = failure
            if not _PASSES.is_retryable(RetryContext(attempt, None, refusal, answer, error)):
                break
        raise error

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Any:  # noqa: ANN401 - botocore has no stub
        credentials = self.credentials()
        if credentials is None:
            raise NoCredentialsError
        url = self.endpoint + path
        request = AWSRequest(method, url, headers=headers, data=body)
        keys = credentials.get_frozen_credentials()
        SigV4Auth(keys, self.name, self.region).add_auth(request)
        answer = self.connections.send(request.prepare())
        # botocore leaves it to the reader of a body to find that it was cut short.
        if len(answer.content) < int(answer.headers.get("Content-Length", 0)):
            raise ConnectionClosedError(endpoint_url=url)
        return answer


class JsonClient:
    """A service that speaks JSON, asked for as botocore's client is."""

    def __init__(self, service: Service, target: str, version: str) -> None:
        self._call, self._target = service.call, target
        self._type = f"application/x-amz-json-{version}"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = name.title().replace("_", "")
        headers = {"Content-Type": self._type, "X-Amz-Target": f"{self._target}.{operation}"}

        def call(**arguments: Any) -> Any:  # noqa: ANN401 - as botocore's
            if name == "transact_write_items":
                # The same for every attempt, so that DynamoDB makes the transaction once.
                arguments.setdefault("ClientRequestToken", str(uuid4()))
            return self._call(operation, "POST", "/", headers, orjson.dumps(arguments, octets_text))

        return call


def _refusal(answer: Any, protocol: str) -> Any:  # noqa: ANN401 - the response of a ClientError
    told = {"status_code": answer.status_code, "headers": answer.headers, "body": answer.content}
    parser: Any = create_parser(protocol)
    try:
        said = {**with_octets(orjson.loads(answer.content or b"{}")), **parser.parse(told, None)}
    except (ValueError, AttributeError, TypeError):  # no object of JSON
        said = {"Error": {"Code": str(answer.status_code), "Message": ""}}
    return {**said, "ResponseMetadata": {"HTTPStatusCode": answer.status_code}}
