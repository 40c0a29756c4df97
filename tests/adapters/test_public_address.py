"""Which addresses are dialled when a stranger names the host."""

import socket
from typing import Any

import pytest

from arbiter.adapters.public_address import NotPublic, dial_public, is_public

INWARD = (
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",  # noqa: S104
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2001:0:5ef5:79fb:0:0:f5ff:fffe",
    "fec0::1",
    "",
    "host",
)


@pytest.mark.parametrize("address", INWARD)
def test_no_inward_address_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "93.184.216.34",
        "2606:4700::1111",
        "::ffff:1.1.1.1",
        "2002:101:101::",
        "64:ff9b::101:101",
    ],
)
def test_what_the_internet_routes_is_public(address: str) -> None:
    assert is_public(address)


class Dialled:
    """A name server with these answers, and what is connected to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
        self.answers, self.connected = [*answers], []  # type: ignore[var-annotated]
        monkeypatch.setattr(socket, "getaddrinfo", self._resolve)
        monkeypatch.setattr(socket, "socket", lambda *_: self)

    def _resolve(self, host: str, port: int, **_: Any) -> list[Any]:
        found = self.answers.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (it, port)) for it in found]

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0

    def close(self) -> None:
        pass

    def connect(self, address: tuple[str, int]) -> None:
        self.connected.append(address[0])
        if address[0] == "1.0.0.1":
            raise ConnectionRefusedError


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "100.64.0.1", "10.0.0.1"])
def test_a_host_that_points_inward_is_not_dialled(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    dialled = Dialled(monkeypatch, [address] * 3)
    with pytest.raises(NotPublic):
        dial_public(("evil.example", 443), 1.0)
    assert dialled.connected == []


def test_of_several_addresses_a_public_one_is_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    dialled = Dialled(monkeypatch, ["10.0.0.1", "1.0.0.1", "1.1.1.1", "1.1.1.2"])
    dial_public(("push.example", 443), 1.0)
    assert dialled.connected == ["1.0.0.1", "1.1.1.1"]


def test_a_name_is_looked_at_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    dialled = Dialled(monkeypatch, ["1.1.1.1"], ["127.0.0.1"])
    dial_public(("rebinds.example", 443), 1.0)
    with pytest.raises(NotPublic):
        dial_public(("rebinds.example", 443), 1.0)
    assert dialled.connected == ["1.1.1.1"]
