"""Where a peer says that it is reached, it is: a port that somebody else has is no way in."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

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
