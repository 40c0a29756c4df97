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

from arbiter import config, wiring
from bridge import __main__ as command
from bridge.peer_process import TOOL, Peer, PeerSettings, PeerUnusable
from tests.bridge.peers import CAPS, eventually, needs_peer, playing_peer
from tests.bridge.test_service import Bench, running
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
        (config, "server_pubkey"),
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


def node_with_late_names(directory: Path) -> Path:
    """A Node whose name servers know `late.test` from the third question on: see late_names.js."""
    node = directory / "node"
    names = ROOT / "tests" / "bridge" / "late_names.js"
    asked = directory / "asked"
    node.write_text(f'#!/bin/sh\nASKED={asked} exec {TOOL}/bin/node --require {names} "$@"\n')
    node.chmod(0o700)
    return node


def test_a_bridge_whose_host_has_no_address_yet_says_so_and_tries_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    node = node_with_late_names(tmp_path)
    with running(Bench(tmp_path / "bridge", host="late.test", node=node)) as bench:
        bench.peer()
        told = json.loads(bench.ready.read_text())

    assert told["address"].startswith("net:late.test:")
    lines = [line.msg for line in caplog.records if line.levelname == "WARNING"]
    assert lines == [
        {"status": "host-unknown", "mend": "SSB_HOST", "failures": failures} for failures in (1, 2)
    ]


def test_a_peer_goes_on_calling_whom_no_name_server_knows_yet(tmp_path: Path) -> None:
    node = node_with_late_names(tmp_path)
    with playing_peer(tmp_path / "anna") as anna:
        address = anna.address.replace("127.0.0.1", "late.test")
        settings = PeerSettings(directory=tmp_path / "bert", peers=(address,), caps=CAPS, node=node)
        bert = Peer(settings, lambda _: None)
        try:
            eventually(lambda: bert.ask("state")["connections"] == 1)
        finally:
            bert.close()

    assert (tmp_path / "asked").read_text() == "..."
