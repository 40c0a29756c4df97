"""API Gateway's answers and their results; some answers no emulator gives."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.api_gateway import ApiGatewaySockets, MessageTooLarge
from arbiter.application.connections import SocketBusy
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


class Busy:
    """Sockets that do not take their messages, and one that does."""

    def __init__(self, *busy: str) -> None:
        self.busy, self.closed = {*busy}, list[str]()

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> None:  # noqa: N803
        if ConnectionId in self.busy:
            raise refused("LimitExceededException", 429)

    def delete_connection(self, *, ConnectionId: str) -> None:  # noqa: N803
        self.closed.append(ConnectionId)
        raise refused("LimitExceededException", 429)


def fates(open_ones: ApiGatewaySockets, *sent: str) -> list[str]:
    def fate(socket: str) -> str:
        try:
            return "taken" if open_ones.send(socket, "hello") else "gone"
        except SocketBusy:
            return "busy"

    return [fate(socket) for socket in sent]


def test_a_socket_is_closed_that_refuses_again_and_again_while_others_take_what_they_are_sent() -> (
    None
):
    client = Busy("slow")
    sent = ("slow", "other", "slow", "other", "slow", "slow")
    assert fates(sockets(client), *sent) == ["busy", "taken", "busy", "taken", "gone", "busy"]
    assert client.closed == ["slow"]


def test_no_socket_is_closed_while_all_are_refused() -> None:
    client = Busy("a", "b")
    assert {*fates(sockets(client), *"abababababab")} == {"busy"}
    assert client.closed == []


def test_a_socket_that_takes_a_message_begins_anew() -> None:
    client = Busy("slow")
    open_ones = sockets(client)
    assert fates(open_ones, "slow", "other", "slow") == ["busy", "taken", "busy"]
    client.busy.clear()
    assert fates(open_ones, "slow") == ["taken"]
    client.busy.add("slow")
    assert fates(open_ones, "slow", "other", "slow") == ["busy", "taken", "busy"]


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
