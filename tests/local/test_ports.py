"""Ports of a run: counted from a base, refused when taken, never searched for."""

import socket
from contextlib import closing

import pytest

from local.ports import LOOPBACK, PORTS_PER_RUN, Ports, port_base_from, taken


def _listener() -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
    listening.bind((LOOPBACK, 0))
    listening.listen()
    return listening


def test_a_port_somebody_listens_on_is_taken() -> None:
    with closing(_listener()) as somebody:
        port = somebody.getsockname()[1]
        assert taken([port]) == (port,)


def test_a_port_whose_listener_has_gone_is_free_again() -> None:
    with closing(_listener()) as somebody:
        port = somebody.getsockname()[1]
    assert taken([port]) == ()


def test_a_port_with_a_connection_that_lingers_is_free() -> None:
    # The side that closes first keeps the port in TIME_WAIT; that is no listener.
    with closing(_listener()) as somebody:
        port = somebody.getsockname()[1]
        with closing(socket.create_connection((LOOPBACK, port))) as client:
            served, _ = somebody.accept()
            served.close()
            client.recv(1)
    assert taken([port]) == ()


def test_a_run_stays_within_its_ten_ports() -> None:
    ports = Ports.counted_from(7100)
    used = {ports.relay, ports.aws, ports.front_door}
    assert used <= set(range(7100, 7100 + PORTS_PER_RUN))
    assert len(used) == 3


@pytest.mark.parametrize("text", ["1024", "7100", "65526"])
def test_a_base_with_room_for_ten_ports_is_accepted(text: str) -> None:
    assert port_base_from(text) == int(text)


@pytest.mark.parametrize(
    "text", ["", "x", "-7100", "7100.0", " 7100", "80", "65527", "\u0667\u0661\u0660\u0660"]
)
def test_a_base_without_room_for_ten_ports_is_refused(text: str) -> None:
    assert port_base_from(text) is None
