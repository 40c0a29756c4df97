"""API Gateway's answers and their results; some answers no emulator gives."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.api_gateway import ApiGatewaySockets, MessageTooLarge
from tests.adapters import scripted
from tests.adapters.scripted import ScriptedClient


def management(post: Exception | None = None, delete: Exception | None = None) -> ScriptedClient:
    return ScriptedClient(post_to_connection=post, delete_connection=delete)


def sockets(client: Any) -> ApiGatewaySockets:
    return ApiGatewaySockets(lambda: client)


def refused(code: str, status: int) -> ClientError:
    return scripted.refused(code, ResponseMetadata={"HTTPStatusCode": status})


def test_a_text_is_sent_as_utf_8_if_its_bytes_are_not_too_many() -> None:
    client = management()

    assert sockets(client).send("a=", "\u2654")
    with pytest.raises(MessageTooLarge, match="150000 bytes"):
        sockets(client).send("a=", "\u2654" * 50_000)

    sent = {"ConnectionId": "a=", "Data": b"\xe2\x99\x94"}
    assert client.calls == [("post_to_connection", sent)]


@pytest.mark.parametrize(
    "gone", [refused("GoneException", 410), refused("BadRequestException", 400)]
)
def test_a_socket_that_is_gone_or_can_be_none_is_an_answer(gone: ClientError) -> None:
    client = management(gone, gone)

    assert not sockets(client).send("a=", "hello")
    sockets(client).close("a=")

    assert client.calls[1:] == [("delete_connection", {"ConnectionId": "a="})]


def test_a_client_that_does_not_read_is_hung_up_on_if_possible() -> None:
    full = refused("LimitExceededException", 429)
    for client in (management(full), management(full, full)):
        assert not sockets(client).send("a=", "hello")
        assert client.calls[1:] == [("delete_connection", {"ConnectionId": "a="})]


@pytest.mark.parametrize(
    "failure",
    [
        refused("ForbiddenException", 403),
        refused("TooManyRequestsException", 429),
        refused("InternalServerError", 500),
        ReadTimeoutError(endpoint_url="https://example.invalid"),
    ],
)
def test_a_failure_of_the_infrastructure_is_raised(failure: Exception) -> None:
    client = management(failure, failure)

    with pytest.raises(type(failure)):
        sockets(client).send("a=", "hello")
    with pytest.raises(type(failure)):
        sockets(client).close("a=")
