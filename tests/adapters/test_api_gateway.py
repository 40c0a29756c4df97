"""API Gateway's answers and their results; some answers no emulator gives."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from arbiter.adapters.api_gateway import ApiGatewaySockets, MessageTooLarge


class Management:
    """Answers every call with this failure, or takes it; ``hangs_up`` says that it can do that much
    all the same.
    """

    def __init__(self, failure: Exception | None = None, *, hangs_up: bool = False) -> None:
        self.failure = failure
        self.hangs_up = hangs_up
        self.posted: list[tuple[str, bytes]] = []
        self.deleted: list[str] = []

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> Any:  # noqa: N803 - botocore's
        self.posted.append((ConnectionId, Data))
        if self.failure:
            raise self.failure

    def delete_connection(self, *, ConnectionId: str) -> Any:  # noqa: N803 - as above
        self.deleted.append(ConnectionId)
        if self.failure and not self.hangs_up:
            raise self.failure


def refused(code: str, status: int) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": ""},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "PostToConnection")


def test_a_text_is_sent_as_utf_8_if_its_bytes_are_not_too_many() -> None:
    management = Management()
    sockets = ApiGatewaySockets(lambda: management)

    assert sockets.send("a=", "\u2654")
    with pytest.raises(MessageTooLarge, match="150000 bytes"):
        sockets.send("a=", "\u2654" * 50_000)

    assert management.posted == [("a=", b"\xe2\x99\x94")]


@pytest.mark.parametrize(
    "gone", [refused("GoneException", 410), refused("BadRequestException", 400)]
)
def test_a_socket_that_is_gone_or_can_be_none_is_an_answer(gone: ClientError) -> None:
    management = Management(gone)
    sockets = ApiGatewaySockets(lambda: management)

    assert not sockets.send("a=", "hello")
    sockets.close("a=")

    assert management.deleted == ["a="]


@pytest.mark.parametrize("hangs_up", [True, False])
def test_a_client_that_does_not_read_is_hung_up_on(hangs_up: bool) -> None:  # noqa: FBT001
    management = Management(refused("LimitExceededException", 429), hangs_up=hangs_up)

    assert not ApiGatewaySockets(lambda: management).send("a=", "hello")

    assert management.deleted == ["a="]


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
    sockets = ApiGatewaySockets(lambda: Management(failure))

    with pytest.raises(type(failure)):
        sockets.send("a=", "hello")
    with pytest.raises(type(failure)):
        sockets.close("a=")
