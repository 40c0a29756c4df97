"""The contract of the port on sockets, with a client at the other end."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from arbiter.adapters.api_gateway import MAX_MESSAGE_BYTES, ApiGatewaySockets, MessageTooLarge
from arbiter.adapters.aws_clients import AwsClients
from arbiter.application.connections import Sockets
from tests.contract.race import race
from tests.contract.websocket_api import WebSocketApi, made
from tests.fakes.sockets import FakeSockets

PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Line:
    """An open socket: its id, and what its client can do. ``hear`` waits for the next text, None
    being the server's hanging up.
    """

    id: str
    hear: Callable[[], str | None]
    hang_up: Callable[[], None]


@dataclass(frozen=True)
class Exchange:
    """One implementation of the port, and a way to get an open socket."""

    sockets: Sockets
    open: Callable[[], Line]


@pytest.fixture(scope="module")
def api(endpoint: Callable[[str], AwsClients]) -> WebSocketApi:
    return made(endpoint("ministack"))


@pytest.fixture(params=["memory", "ministack"])
def exchange(
    request: pytest.FixtureRequest, endpoint: Callable[[str], AwsClients]
) -> Iterator[Exchange]:
    if request.param == "memory":
        yield _in_memory()
        return
    api: WebSocketApi = request.getfixturevalue("api")
    gateway = endpoint("ministack").gateway
    with contextlib.ExitStack() as stack:

        def open_() -> Line:
            id_, socket = stack.enter_context(api.opened())
            return Line(id_, lambda: _heard(socket), socket.close)

        yield Exchange(ApiGatewaySockets(lambda: gateway(api.endpoint)), open_)


def _heard(socket: ClientConnection) -> str | None:
    try:
        return str(socket.recv(PATIENCE_SECONDS))
    except ConnectionClosed:
        return None


def _in_memory() -> Exchange:
    fake = FakeSockets()

    def open_() -> Line:
        id_ = uuid4().hex

        def hear() -> str | None:
            return fake.texts[id_].pop(0) if fake.texts[id_] else None

        return Line(id_, hear, lambda: fake.gone.add(id_))

    return Exchange(fake, open_)


def test_what_is_sent_arrives_in_order_and_at_no_other_socket(exchange: Exchange) -> None:
    one, other = exchange.open(), exchange.open()
    texts = [f'["NOTICE","{number} \u2654 \\u0000"]' for number in range(5)]
    # Characters of three bytes: the limit is one of bytes.
    texts.append("\u2654" * (MAX_MESSAGE_BYTES // 3))

    assert all(exchange.sockets.send(one.id, text) for text in texts)
    assert exchange.sockets.send(other.id, "only this")

    assert [one.hear() for _ in texts] == texts
    assert other.hear() == "only this"


def test_nothing_can_be_sent_to_a_socket_that_is_gone(exchange: Exchange) -> None:
    line = exchange.open()
    line.hang_up()

    # The server may be a moment behind its client.
    while exchange.sockets.send(line.id, "are you there?"):
        pass

    assert not exchange.sockets.send(line.id, "are you there?")


def test_a_closed_socket_receives_what_was_sent_before_and_no_more(exchange: Exchange) -> None:
    line = exchange.open()
    exchange.sockets.send(line.id, "goodbye")
    first = line.hear()

    for _ in range(2):
        exchange.sockets.close(line.id)

    assert (first, line.hear()) == ("goodbye", None)
    assert not exchange.sockets.send(line.id, "one more thing")


def test_threads_may_send_at_the_same_time(exchange: Exchange) -> None:
    lines = [exchange.open() for _ in range(4)]

    def send(to: Line) -> None:
        for number in range(10):
            assert exchange.sockets.send(to.id, str(number))

    race(*[partial(send, line) for line in lines])

    for line in lines:
        assert [line.hear() for _ in range(10)] == [str(number) for number in range(10)]


def test_no_message_is_sent_to_a_socket_that_never_was_or_larger_than_api_gateway_takes(
    api: WebSocketApi, endpoint: Callable[[str], AwsClients]
) -> None:
    sockets = ApiGatewaySockets(lambda: endpoint("ministack").gateway(api.endpoint))
    assert not sockets.send("L0SM9cOFvHcCIhw=", "hello")
    sockets.close("L0SM9cOFvHcCIhw=")

    with api.opened() as (id_, socket):
        with pytest.raises(MessageTooLarge, match="131073 bytes"):
            sockets.send(id_, "x" * (MAX_MESSAGE_BYTES + 1))
        sockets.send(id_, "next")

        assert socket.recv(PATIENCE_SECONDS) == "next"
