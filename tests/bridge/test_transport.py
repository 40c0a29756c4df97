"""A peer is reachable at the address that it announces, or does not start."""

import json
import signal
import socket
from pathlib import Path

import pytest

from arbiter import wiring
from bridge import __main__ as command
from bridge.peer_process import TOOL, Peer, PeerSettings, PeerUnusable
from tests.bridge.peers import CAPS, eventually, needs_peer, playing_peer, script
from tests.bridge.test_service import Harness, running
from tests.template.source import ROOT

pytestmark = [needs_peer, pytest.mark.slow]


@pytest.mark.parametrize(
    ("host", "complaint"), [("127.0.0.1", "port-taken"), ("192.0.2.7", "cannot-listen")]
)
def test_a_peer_that_cannot_listen_there_does_not_start(
    tmp_path: Path, host: str, complaint: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = PeerSettings(directory=tmp_path / "anna", host=host, port=port, caps=CAPS)

        with pytest.raises(PeerUnusable, match=complaint):
            Peer(settings, lambda _: None)


def test_a_bridge_that_cannot_listen_ends_and_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in ((wiring, "set_up_logs"), (signal, "signal")):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setenv("ARBITER_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SERVER_PUBKEY", "ab" * 32)
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


def test_a_peer_without_a_port_takes_a_free_one() -> None:
    told = script("taken_port.js")

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


def test_a_bridge_whose_host_has_no_address_yet_warns_and_retries(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    node = node_with_late_names(tmp_path)
    with running(Harness(tmp_path / "bridge", host="late.test", node=node)) as harness:
        harness.peer()
        told = json.loads(harness.ready.read_text())

    assert told["address"].startswith("net:late.test:")
    lines = [line.msg for line in caplog.records if line.levelname == "WARNING"]
    assert lines == [
        {"status": "host-unknown", "mend": "SSB_HOST", "failures": failures} for failures in (1, 2)
    ]


def test_a_peer_retries_an_address_that_has_no_dns_record_yet(tmp_path: Path) -> None:
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
