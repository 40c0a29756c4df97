import socket
from contextlib import closing

import pytest

from local.ports import LOOPBACK, port_base_from, taken


def test_a_port_is_taken_while_a_program_listens_and_not_while_a_connection_lingers() -> None:
    with closing(socket.socket()) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        listening.bind((LOOPBACK, 0))
        listening.listen()
        port = listening.getsockname()[1]
        assert taken([port]) == (port,)
        # The side that closes first keeps the port in TIME_WAIT.
        with closing(socket.create_connection((LOOPBACK, port))) as client:
            served, _ = listening.accept()
            served.close()
            client.recv(1)
    assert taken([port]) == ()


@pytest.mark.parametrize("text", ["1024", "7100", "65526"])
def test_a_base_with_room_for_ten_ports_is_accepted(text: str) -> None:
    assert port_base_from(text) == int(text)


@pytest.mark.parametrize(
    "text", ["", "x", "-7100", "7100.0", " 7100", "1023", "65527", "\u0667\u0661\u0660\u0660"]
)
def test_a_base_without_room_for_ten_ports_is_refused(text: str) -> None:
    assert port_base_from(text) is None
