"""Anybody may connect to our peer, and say what he likes: it costs him his connection, and nobody
else anything.
"""

import base64
import hashlib
import hmac
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from bridge.peer_process import TOOL
from tests.bridge.peers import CAPS, PlayingPeer, eventually, needs_peer, playing_peer
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]

NODE = {"env": {**os.environ, "NODE_PATH": str(TOOL / "node_modules")}}
OF_AN_ADDRESS = 64
"""How many connections one address may have."""
_BASE64 = str.maketrans("-_", "+/")


@pytest.fixture(scope="module")
def anna(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayingPeer]:
    """A peer that all of these strangers come to, one after the other: it must live on."""
    with playing_peer(tmp_path_factory.mktemp("anna")) as peer:
        yield peer


class Stranger:
    """See stranger.js."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def line(self) -> str:
        """What he prints next."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()


@contextmanager
def stranger(says: str, *address: str) -> Iterator[Stranger]:
    """Somebody with a made-up key, who hangs up in the end."""
    command = (TOOL / "bin" / "node", ROOT / "tests" / "bridge" / "stranger.js", says, CAPS)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen((*command, *address), **pipes, **NODE) as process:  # type: ignore[call-overload]
        yield Stranger(process)
        process.stdin.close()


def place(peer: PlayingPeer) -> tuple[str, int]:
    host, port = peer.address.split("~")[0].removeprefix("net:").rsplit(":", 1)
    return host, int(port)


def challenge_of_nobody() -> bytes:
    """A handshake's first word, with a key that the curve's arithmetic refuses."""
    key = bytes(32)
    return hmac.digest(base64.b64decode(CAPS), key, hashlib.sha512)[:32] + key


def is_closed(caller: socket.socket) -> bool:
    """Whether the other side ends it, before long."""
    caller.settimeout(10)
    try:
        return caller.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_key_that_is_none_ends_the_connection_of_whoever_shows_it(anna: PlayingPeer) -> None:
    with socket.create_connection(place(anna)) as caller:
        caller.sendall(challenge_of_nobody())

        assert is_closed(caller)
    assert anna.peer.ask("state")["connections"] == 0


@pytest.mark.parametrize("says", ["null-request", "null-stream", "long-packet"])
def test_what_no_peer_says_ends_the_connection_and_frees_its_place(
    anna: PlayingPeer, says: str
) -> None:
    with stranger(says, anna.address) as rude:
        assert [rude.line(), rude.line()] == ["met", "closed"]

        eventually(lambda: anna.peer.ask("state")["connections"] == 0)


@pytest.mark.parametrize("says", ["many-notes", "a-list"])
def test_who_notes_more_feeds_than_there_are_is_not_heard_out(anna: PlayingPeer, says: str) -> None:
    with stranger(says, anna.address) as talker:
        assert [talker.line(), talker.line()] == ["met", "told off"]


def test_whom_we_call_cannot_end_us_by_a_key_that_is_none(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as nobody,
        playing_peer(tmp_path, peers=[address_of(nobody)]) as carl,
    ):
        nobody.settimeout(10)
        for _ in range(2):  # He is called again.
            called, _ = nobody.accept()
            with called:
                called.sendall(challenge_of_nobody())
                while called.recv(100):
                    pass

        assert carl.peer.ask("state")["connections"] == 0


def address_of(server: socket.socket) -> str:
    return f"net:127.0.0.1:{server.getsockname()[1]}~shs:{base64.b64encode(bytes(32)).decode()}"


def test_whom_we_call_cannot_end_us_by_what_no_peer_says(tmp_path: Path) -> None:
    with stranger("null-request") as rude, playing_peer(tmp_path, peers=[rude.line()]) as carl:
        assert [rude.line() for _ in range(4)] == ["met", "closed", "met", "closed"]
        assert carl.peer.is_running


def test_whoever_hangs_up_without_a_word_of_chess_is_forgotten(tmp_path: Path) -> None:
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

    stale = tmp_path / "anna" / "ebt" / "@nobody.ed25519"
    stale.write_text("{}")
    with playing_peer(tmp_path / "anna") as anna:
        eventually(lambda: not stale.exists())
        assert noted_by(tmp_path / "anna") == [bert.id]


def test_whoever_was_forgotten_is_heard_again_when_he_returns(tmp_path: Path) -> None:
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


def test_one_address_has_a_part_of_the_places_and_gets_them_back(anna: PlayingPeer) -> None:
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


def test_a_network_of_ipv6_has_the_places_of_one_address_of_ipv4() -> None:
    script = ROOT / "tests" / "bridge" / "full_door.js"
    told = json.loads(subprocess.check_output((TOOL / "bin" / "node", script), **NODE))  # type: ignore[call-overload]

    alone, many = [OF_AN_ADDRESS, 1], [4 * OF_AN_ADDRESS, 1]
    assert told.pop("five addresses") == many
    assert told.pop("five mapped addresses") == many
    assert told.pop("five networks") == many
    assert set(map(tuple, told.values())) == {tuple(alone)}


def test_nobody_is_heard_who_could_never_be_answered() -> None:
    script = ROOT / "tests" / "bridge" / "unusable_key.js"
    told = json.loads(subprocess.check_output((TOOL / "bin" / "node", script), **NODE))  # type: ignore[call-overload]

    assert told == {"signed": ["usual", "twisted"], "admitted": ["usual"]}
