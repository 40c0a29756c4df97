"""Calls without botocore's clients: what is sent, what comes back, and what is tried again."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
    SSLError,
)
from botocore.session import get_session

from arbiter.adapters import aws_clients
from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.connections import DynamoDbDayCounters
from tests.fakes.certificate import a_certificate

KEY = {"pk": {"S": "g#1"}, "m": {"B": b"\x00\xff"}, "s": {"BS": [b"a", b"b"]}}
KEY_TEXT = {"pk": {"S": "g#1"}, "m": {"B": "AP8="}, "s": {"BS": ["YQ==", "Yg=="]}}
KEYS = {"aws_access_key_id": "AKID", "aws_secret_access_key": "secret", "region_name": "eu-west-1"}


class Service:
    """Answers each request with the next of ``answers``: status, body, headers; the last for ever.
    What was asked is in ``asked``: method, path, headers, body.
    """

    def __init__(self) -> None:
        self.answers: list[tuple[int, bytes, dict[str, str]]] = [(200, b"{}", {})]
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.silence = threading.Event()
        self.silence.set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.asked.append((self.command, self.path, headers, body))
                service.silence.wait(10)
                answers = service.answers
                status, text, more = answers.pop(0) if len(answers) > 1 else answers[0]
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_POST = do_DELETE = answer  # noqa: N815 - http.server's names

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def say(self, *answers: tuple[int, Any]) -> None:
        self.answers = [
            (status, body if isinstance(body, bytes) else json.dumps(body).encode(), {})
            for status, body in answers
        ]


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    threading.Thread(target=running.server.serve_forever, daemon=True).start()
    yield running
    running.silence.set()
    running.server.shutdown()
    running.server.server_close()


@pytest.fixture
def clients(service: Service, monkeypatch: pytest.MonkeyPatch) -> AwsClients:
    monkeypatch.setattr("arbiter.adapters.signed_calls.random.random", lambda: 0.0)
    return AwsClients({**KEYS, "endpoint_url": service.url})


def dynamodb(clients: AwsClients) -> Any:
    return clients.dynamodb()


def comparable(asked: tuple[str, str, dict[str, str], bytes]) -> tuple[Any, ...]:
    """A request without what differs between two clients and means nothing to AWS."""
    method, path, headers, body = asked
    told = {name: headers.get(name) for name in ("content-type", "x-amz-target", "host")}
    credential = headers["authorization"].partition(", ")[0]
    return method, path, told, json.loads(body), credential


ENTRY = {"Id": "0", "MessageBody": "{}", "MessageGroupId": "g", "MessageDeduplicationId": "d"}
UPDATE: dict[str, Any] = {
    "TableName": "games",
    "Key": KEY,
    "UpdateExpression": "SET #a = :a",
    "ExpressionAttributeNames": {"#a": "é"},
    "ExpressionAttributeValues": {":a": {"L": [{"B": b"x"}, {"N": "7"}]}},
}


@pytest.mark.parametrize(
    ("name", "operation", "asked"),
    [
        ("dynamodb", "update_item", UPDATE),
        ("ssm", "get_parameter", {"Name": "/arbiter/key", "WithDecryption": True}),
        ("sqs", "send_message_batch", {"QueueUrl": "/1/moves.fifo", "Entries": [ENTRY]}),
    ],
)
def test_a_call_is_the_one_that_botocore_makes(
    service: Service, clients: AwsClients, name: str, operation: str, asked: dict[str, Any]
) -> None:
    if "QueueUrl" in asked:
        asked = {**asked, "QueueUrl": service.url + asked["QueueUrl"]}
    for client in (getattr(clients, name)(), clients._client(name)):
        getattr(client, operation)(**asked)

    ours, theirs = map(comparable, service.asked)
    assert ours == theirs


def test_a_frame_goes_to_the_path_that_botocore_names(
    service: Service, clients: AwsClients
) -> None:
    session: Any = get_session()
    management = session.create_client(
        "apigatewaymanagementapi", endpoint_url=f"{service.url}/v1", **KEYS
    )
    for gateway in (clients.gateway(f"{service.url}/v1"), management):
        gateway.post_to_connection(ConnectionId="L0SM9cOF/+vHcCI=", Data=b"[]")
        gateway.delete_connection(ConnectionId="L0SM9cOF/+vHcCI=")

    said = [(method, path, body) for method, path, _, body in service.asked]
    assert said[:2] == said[2:]
    scopes = [headers["authorization"].split("/")[3] for _, _, headers, _ in service.asked]
    assert scopes == ["execute-api"] * 4


def test_octets_come_back_as_octets(service: Service, clients: AwsClients) -> None:
    service.say(
        (200, {"Item": KEY_TEXT}), (200, {"Items": [{"l": {"L": [{"M": KEY_TEXT}]}}]}), (200, {})
    )

    assert dynamodb(clients).get_item(TableName="games", Key=KEY)["Item"] == KEY
    answer = dynamodb(clients).query(TableName="games")
    assert answer["Items"] == [{"l": {"L": [{"M": KEY}]}}]
    assert dynamodb(clients).get_item(TableName="games", Key=KEY) == {}


def test_a_refusal_is_botocores_error_with_what_came_along(
    service: Service, clients: AwsClients
) -> None:
    body = {
        "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
        "message": "The conditional request failed",
        "Item": {"m": {"B": "AP8="}},
    }
    service.say((400, body))
    caught: list[ClientError] = []
    for client in (dynamodb(clients), clients._client("dynamodb")):
        with pytest.raises(ClientError) as error:
            client.get_item(TableName="games", Key=KEY)
        caught.append(error.value)

    ours, theirs = caught
    assert str(ours) == str(theirs)
    assert ours.response["Error"] == theirs.response["Error"]
    assert ours.response["Item"] == {"m": {"B": b"\x00\xff"}}  # type: ignore[typeddict-item]
    assert len(service.asked) == 2


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (500, {"__type": "x#InternalServerError"}, "InternalServerError"),
        (400, {"__type": "x#ThrottlingException"}, "ThrottlingException"),
        (400, {"__type": "x#ProvisionedThroughputExceededException"}, None),
        (503, b"<html>", "503"),
        (502, b"[1]", "502"),
        (500, b"\xff", "500"),
    ],
)
def test_what_passes_is_tried_again_three_times_in_all(
    service: Service, clients: AwsClients, status: int, body: Any, code: str | None
) -> None:
    service.say((status, body), (status, body), (200, {"Item": {}}))
    assert dynamodb(clients).get_item(TableName="games", Key=KEY) == {"Item": {}}

    service.say((status, body))
    with pytest.raises(ClientError) as error:
        dynamodb(clients).get_item(TableName="games", Key=KEY)

    assert len(service.asked) == 6
    assert error.value.response["Error"]["Code"] == (code or body["__type"][2:])


def test_a_transaction_has_one_token_in_all_attempts(service: Service, clients: AwsClients) -> None:
    service.say((500, {}), (200, {}))
    dynamodb(clients).transact_write_items(TransactItems=[])
    dynamodb(clients).transact_write_items(TransactItems=[])

    first, again, other = (json.loads(body)["ClientRequestToken"] for *_, body in service.asked)
    assert first == again != other


def test_a_socket_that_is_gone_is_a_410(service: Service, clients: AwsClients) -> None:
    service.answers = [(410, b"", {"x-amzn-ErrorType": "GoneException:http://internal/"})]
    with pytest.raises(ClientError) as error:
        clients.gateway(service.url).post_to_connection(ConnectionId="a", Data=b"x")

    assert error.value.response["Error"]["Code"] == "GoneException"
    assert error.value.response["ResponseMetadata"]["HTTPStatusCode"] == 410
    assert len(service.asked) == 1


def test_a_service_that_does_not_answer_is_a_time_out(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aws_clients, "READ_SECONDS", 0.5)
    monkeypatch.setattr(aws_clients, "ATTEMPTS", 2)
    clients = AwsClients({**KEYS, "endpoint_url": service.url})
    service.silence.clear()

    with pytest.raises(ReadTimeoutError):
        dynamodb(clients).get_item(TableName="games", Key=KEY)

    assert len(service.asked) == 2


def test_what_counts_the_day_waits_once_and_half_a_second_for_a_silent_table(
    service: Service, clients: AwsClients
) -> None:
    service.silence.clear()
    with pytest.raises(ReadTimeoutError):
        DynamoDbDayCounters(clients.counters, "sockets").add("2026-11-28", "", {"cents": 1})
    assert len(service.asked) == 1
    assert aws_clients.COUNTERS_SECONDS < aws_clients.READ_SECONDS
    assert clients.counters() is not clients.dynamodb()


def test_a_service_that_is_not_there_is_an_error_of_the_connection(service: Service) -> None:
    service.server.server_close()
    clients = AwsClients({**KEYS, "endpoint_url": service.url})
    with pytest.raises((EndpointConnectionError, ConnectTimeoutError)) as error:
        dynamodb(clients).get_item(TableName="games", Key=KEY)
    assert isinstance(error.value, BotoCoreError)


def test_a_connection_that_the_service_closed_is_made_anew(
    service: Service, clients: AwsClients
) -> None:
    service.answers = [(200, b"{}", {"Connection": "close"})]
    for _ in range(3):
        assert dynamodb(clients).get_item(TableName="games", Key=KEY) == {}


def test_an_answer_that_is_cut_short_is_asked_for_again(
    service: Service, clients: AwsClients
) -> None:
    whole = json.dumps({"Item": KEY_TEXT}).encode()
    service.answers = [
        (200, whole[:-9], {"Content-Length": str(len(whole)), "Connection": "close"}),
        (200, whole, {}),
    ]
    assert dynamodb(clients).get_item(TableName="games", Key=KEY) == {"Item": KEY}
    assert len(service.asked) == 2


def test_without_credentials_no_request_is_made(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    clients = AwsClients({"region_name": "eu-west-1", "endpoint_url": service.url})
    with pytest.raises(NoCredentialsError):
        dynamodb(clients).get_item(TableName="games", Key=KEY)
    assert service.asked == []


def test_what_is_no_attribute_value_is_not_sent(service: Service, clients: AwsClients) -> None:
    with pytest.raises(TypeError):
        dynamodb(clients).get_item(TableName="games", Key={"pk": {"S": object()}})
    assert service.asked == []


@pytest.mark.parametrize(
    ("region", "variables", "endpoint"),
    [
        ("eu-west-1", {}, "https://dynamodb.eu-west-1.amazonaws.com"),
        ("cn-north-1", {}, "https://dynamodb.cn-north-1.amazonaws.com.cn"),
        ("eu-west-1", {"AWS_ENDPOINT_URL": "http://a"}, "http://a"),
        (
            "eu-west-1",
            {"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_DYNAMODB": "http://b"},
            "http://b",
        ),
    ],
)
def test_the_endpoint_is_the_one_that_botocore_finds(
    monkeypatch: pytest.MonkeyPatch, region: str, variables: dict[str, str], endpoint: str
) -> None:
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    clients = AwsClients({**KEYS, "region_name": region})
    assert clients._endpoint(get_session(), "dynamodb") == endpoint
    assert clients._client("dynamodb").meta.endpoint_url == endpoint


def test_a_server_that_no_authority_vouches_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(a_certificate(tmp_path, "127.0.0.1"))
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def shake_hands() -> None:
            accepted, _ = listening.accept()
            with accepted, pytest.raises(ssl.SSLError):
                context.wrap_socket(accepted, server_side=True)

        threading.Thread(target=shake_hands, daemon=True).start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        monkeypatch.setattr(aws_clients, "CONNECT_SECONDS", 10)
        monkeypatch.setattr(aws_clients, "ATTEMPTS", 1)
        with pytest.raises(SSLError):
            dynamodb(AwsClients({**KEYS, "endpoint_url": url})).list_tables()
