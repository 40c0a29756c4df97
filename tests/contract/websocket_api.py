"""A WebSocket API that tells each client which connection it is."""

import contextlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from websockets.sync.client import ClientConnection, connect

from arbiter.adapters.aws_clients import AwsClients

STAGE = "v1"

_FUNCTION = """
def handler(invocation, context):
    return {"statusCode": 200, "body": invocation["requestContext"]["connectionId"]}
"""


@dataclass(frozen=True)
class WebSocketApi:
    """The API's addresses: ``url`` for clients, ``endpoint`` for @connections."""

    url: str
    endpoint: str

    @contextlib.contextmanager
    def opened(self) -> Iterator[tuple[str, ClientConnection]]:
        with connect(self.url, compression=None) as socket:
            socket.send("Which connection is this?")
            yield str(socket.recv(30)), socket


def made(clients: AwsClients) -> WebSocketApi:
    """A new one on an emulator, at the path that emulators have it at."""
    name = uuid4().hex
    apis: Any = clients._client("apigatewayv2")
    api_id = apis.create_api(
        Name=name, ProtocolType="WEBSOCKET", RouteSelectionExpression="$request.body.action"
    )["ApiId"]
    integration_id = apis.create_integration(
        ApiId=api_id,
        IntegrationType="AWS_PROXY",
        IntegrationUri="arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/"
        f"{_function(clients, name)}/invocations",
    )["IntegrationId"]
    target = f"integrations/{integration_id}"
    apis.create_route(ApiId=api_id, RouteKey="$default", Target=target)
    apis.create_stage(ApiId=api_id, StageName=STAGE)
    place = apis.meta.endpoint_url.removeprefix("http://") + f"/_aws/execute-api/{api_id}/{STAGE}"
    return WebSocketApi(f"ws://{place}", f"http://{place}")


def _function(clients: AwsClients, name: str) -> str:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("app.py", _FUNCTION)
    functions: Any = clients._client("lambda")
    arn: str = functions.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role="arn:aws:iam::000000000000:role/none",
        Handler="app.handler",
        Code={"ZipFile": archive.getvalue()},
    )["FunctionArn"]
    return arn
