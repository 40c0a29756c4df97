"""A stranger that connects to our peer and breaks the protocol loses the connection, no other."""

import base64
import hashlib
import hmac
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bridge.peer_process import TOOL
from tests.bridge.peers import (
    CAPS,
    NODE_ENVIRONMENT,
    PlayingPeer,
    eventually,
    needs_peer,
    playing_peer,
    script,
)
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]

OF_AN_ADDRESS = 64
"""Connections that one address may have."""
_BASE64 = str.maketrans("-_", "+/")


@pytest.fixture(scope="module")
def anna(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayingPeer]:
    """A peer for all of these strangers, one after the other."""
    with playing_peer(tmp_path_factory.mktemp("anna")) as peer:
        yield peer


class Stranger:
    """See stranger.js."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def line(self) -> str:
        """Its next line of output."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()


@contextmanager
def stranger(says: str, *address: str) -> Iterator[Stranger]:
    """A client with a random key, which disconnects at the end."""
    command = (TOOL / "bin" / "node", ROOT / "tests" / "bridge" / "stranger.js", says, CAPS)
    with subprocess.Popen(
        (*command, *address), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=NODE_ENVIRONMENT
    ) as process:
        yield Stranger(process)
        assert process.stdin is not None
        process.stdin.close()


def place(peer: PlayingPeer) -> tuple[str, int]:
    host, port = peer.address.split("~")[0].removeprefix("net:").rsplit(":", 1)
    return host, int(port)


def challenge_with_invalid_key() -> bytes:
    """The first message of a handshake, with a key that is no point of the curve."""
    key = bytes(32)
    return hmac.digest(base64.b64decode(CAPS), key, hashlib.sha512)[:32] + key


def is_closed(caller: socket.socket) -> bool:
    caller.settimeout(10)
    try:
        return caller.recv(1) == b""
    except ConnectionResetError:
        return True


def test_an_invalid_key_ends_its_connection(anna: PlayingPeer) -> None:
    with socket.create_connection(place(anna)) as caller:
        caller.sendall(challenge_with_invalid_key())

        assert is_closed(caller)
    assert anna.peer.ask("state")["connections"] == 0


@pytest.mark.parametrize("says", ["null-request", "null-stream", "long-packet"])
def test_a_protocol_error_ends_the_connection_and_frees_its_place(
    anna: PlayingPeer, says: str
) -> None:
    with stranger(says, anna.address) as rude:
        assert [rude.line(), rude.line()] == ["met", "closed"]

        eventually(lambda: anna.peer.ask("state")["connections"] == 0)


@pytest.mark.parametrize("says", ["many-notes", "a-list"])
def test_a_peer_that_notes_too_many_feeds_is_refused(anna: PlayingPeer, says: str) -> None:
    with stranger(says, anna.address) as talker:
        assert [talker.line(), talker.line()] == ["met", "told off"]


def test_a_peer_that_we_call_cannot_stop_us_by_an_invalid_key(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        playing_peer(tmp_path, peers=[address_of(silent)]) as carl,
    ):
        silent.settimeout(10)
        for _ in range(2):  # it is called again
            called, _ = silent.accept()
            with called:
                called.sendall(challenge_with_invalid_key())
                while called.recv(100):
                    pass

        assert carl.peer.ask("state")["connections"] == 0


def address_of(server: socket.socket) -> str:
    return f"net:127.0.0.1:{server.getsockname()[1]}~shs:{base64.b64encode(bytes(32)).decode()}"


def test_a_peer_that_disconnects_without_a_chess_message_is_forgotten(tmp_path: Path) -> None:
    with playing_peer(tmp_path / "anna") as anna, playing_peer(tmp_path / "bert") as bert:
        with stranger("few-notes", anna.address) as visitor:
            assert visitor.line() == "met"
            eventually(lambda: anna.peer.ask("state")["feeds"] == len({"anna", "visitor"}))
        eventually(lambda: anna.peer.ask("state")["feeds"] == len({"anna"}))
        bert.peer.ask("connect", address=anna.address)
        invite = bert.publish({"type": "chess_invite", "inviting": anna.id, "myColor": "white"})
        anna.await_key(invite)
        bert.peer.close()
        eventually(lambda: anna.peer.ask("state")["connections"] == 0)
        eventually(lambda: bool(noted_by(tmp_path / "anna")))

        assert anna.peer.ask("state")["feeds"] == len({"anna", "bert"})
        assert noted_by(tmp_path / "anna") == [bert.id]

    stale = tmp_path / "anna" / "ebt" / "@absent.ed25519"
    stale.write_text("{}")
    with playing_peer(tmp_path / "anna") as anna:
        eventually(lambda: not stale.exists())
        assert noted_by(tmp_path / "anna") == [bert.id]


def test_a_forgotten_peer_is_received_again_when_it_returns(tmp_path: Path) -> None:
    invite = {"type": "chess_invite", "myColor": "white"}
    with playing_peer(tmp_path / "anna") as anna:
        with playing_peer(tmp_path / "bert", peers=[anna.address]) as bert:
            anna.await_key(bert.publish({**invite, "inviting": bert.id}))
        eventually(lambda: anna.peer.ask("state")["feeds"] == len({"anna"}))
        with playing_peer(tmp_path / "bert", peers=[anna.address]) as bert:
            heard = anna.await_key(bert.publish({**invite, "inviting": anna.id}))

    assert heard["sequence"] == 2


def noted_by(directory: Path) -> list[str]:
    """The feeds of whose peers it is kept what they noted."""
    names = [path.name for path in (directory / "ebt").glob("@*.ed25519")]
    return [name.translate(_BASE64).replace(".ed25519", "=.ed25519") for name in names]


def test_one_address_has_a_share_of_the_connections(anna: PlayingPeer) -> None:
    eventually(lambda: anna.peer.ask("state")["connections"] == 0)
    with ExitStack() as callers:
        for _ in range(OF_AN_ADDRESS):
            callers.enter_context(socket.create_connection(place(anna)))
        with socket.create_connection(place(anna)) as one_too_many:
            assert is_closed(one_too_many)

    def is_let_in() -> bool:
        with stranger("few-notes", anna.address) as next_one:
            return next_one.line() == "met"

    eventually(is_let_in)


def test_an_ipv6_network_has_the_share_of_one_ipv4_address() -> None:
    told = script("connection_limit.js")

    alone, many = [OF_AN_ADDRESS, 1], [4 * OF_AN_ADDRESS, 1]
    assert told.pop("five addresses") == many
    assert told.pop("five mapped addresses") == many
    assert told.pop("five networks") == many
    assert set(map(tuple, told.values())) == {tuple(alone)}


def test_a_feed_whose_key_cannot_be_encrypted_to_is_not_admitted() -> None:
    assert script("unusable_key.js") == {"signed": ["usual", "twisted"], "admitted": ["usual"]}
