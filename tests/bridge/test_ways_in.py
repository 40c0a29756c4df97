"""Where a peer says that it is reached, it is: a port that somebody else has is no way in, nor
is an address that is not this machine's.
"""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from arbiter import environment, wiring
from bridge import __main__ as command
from bridge.peer_process import TOOL, Peer, PeerSettings, PeerUnusable
from tests.bridge.peers import CAPS, needs_peer
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]


def test_a_peer_whose_port_is_taken_says_so_and_does_not_start(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = PeerSettings(directory=tmp_path / "anna", port=port, caps=CAPS)

        with pytest.raises(PeerUnusable, match="port-taken"):
            Peer(settings, lambda _: None)


def test_a_peer_that_is_to_listen_where_it_cannot_says_so_and_does_not_start(
    tmp_path: Path,
) -> None:
    settings = PeerSettings(directory=tmp_path / "anna", host="192.0.2.7", caps=CAPS)

    with pytest.raises(PeerUnusable, match="cannot-listen"):
        Peer(settings, lambda _: None)


def test_a_bridge_that_cannot_be_reached_ends_and_says_which_setting_to_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in (
        (environment, "server_pubkey"),
        (wiring, "set_up_logs"),
        (wiring, "event_queue"),
        (wiring, "outbox_records"),
        (signal, "signal"),
    ):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setenv("SCUTTLEBUTT_DEAD_LETTERS_URL", "http://127.0.0.1/dead")
    monkeypatch.setenv("SSB_DIR", str(tmp_path))
    said = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("SSB_PORT", str(taken.getsockname()[1]))
        for host in ("192.0.2.7", "127.0.0.1"):
            monkeypatch.setenv("SSB_HOST", host)
            assert command.main() != 0
            said.append(capsys.readouterr().err.splitlines())

    assert [len(lines) for lines in said] == [1, 1]
    assert "SSB_HOST" in said[0][0]
    assert "SSB_PORT" in said[1][0]


def test_a_peer_that_may_listen_anywhere_takes_another_port_than_one_that_is_taken() -> None:
    script = ROOT / "tests" / "bridge" / "taken_port.js"
    told = json.loads(
        subprocess.check_output(
            (TOOL / "bin" / "node", script),
            env={**os.environ, "NODE_PATH": str(TOOL / "node_modules")},
            timeout=30,
        )
    )

    assert told["first"] == told["taken"]
    assert told["port"] != told["taken"]
