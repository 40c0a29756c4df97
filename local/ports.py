"""The ports of a run: at most ten from PORT_BASE on 127.0.0.1, always the same ones."""

import contextlib
import http.client
import socket
from collections.abc import Sequence
from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
PORTS_PER_RUN = 10
_FIRST_UNPRIVILEGED = 1024
_LAST = 65535
_HEALTH_TIMEOUT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports by what answers there; ``sockets`` in `make sam-local`, ``ssb`` with a bridge."""

    relay: int
    aws: int
    arbiter: int
    sockets: int
    ssb: int

    @classmethod
    def counted_from(cls, base: int) -> "Ports":
        return cls(*range(base, base + 5))


def port_base_from(text: str) -> int | None:
    """PORT_BASE as a number, or None where ten ports from there are no ports of ours."""
    if not (text.isascii() and text.isdecimal()):
        return None
    base = int(text)
    if _FIRST_UNPRIVILEGED <= base <= _LAST - PORTS_PER_RUN + 1:
        return base
    return None


def taken(ports: Sequence[int]) -> tuple[int, ...]:
    return tuple(port for port in ports if not _is_free(port))


def _is_free(port: int) -> bool:
    # SO_REUSEADDR is what the servers themselves set: connections that linger from a run that
    # just ended do not block the next one, a listening program does.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def answers_over_http(port: int, path: str, host: str = LOOPBACK) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=_HEALTH_TIMEOUT_SECONDS)
    with contextlib.closing(connection):
        try:
            connection.request("GET", path)
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
