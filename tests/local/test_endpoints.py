"""`endpoints.json`: all of it or nothing, and gone with the arbiter."""

import json
from dataclasses import replace
from pathlib import Path

from local.endpoints import Endpoints, endpoints_path, remove_endpoints, write_endpoints

_ENDPOINTS = Endpoints(
    server_pubkey="ab" * 32,
    npub="npub1example",
    relays=("ws://127.0.0.1:7100", "wss://relay.example"),
    aws="http://127.0.0.1:7101",
)


def test_the_file_says_what_the_contract_says_and_omits_what_does_not_exist(tmp_path: Path) -> None:
    write_endpoints(tmp_path, _ENDPOINTS)
    assert json.loads((tmp_path / "endpoints.json").read_text(encoding="utf-8")) == {
        "server_pubkey": "ab" * 32,
        "npub": "npub1example",
        "relays": ["ws://127.0.0.1:7100", "wss://relay.example"],
        "aws": "http://127.0.0.1:7101",
    }


def test_the_two_doors_are_told_where_they_exist(tmp_path: Path) -> None:
    doors = replace(_ENDPOINTS, http="http://127.0.0.1:7102", websocket="ws://127.0.0.1:7102")
    write_endpoints(tmp_path, doors)
    told = json.loads((tmp_path / "endpoints.json").read_text(encoding="utf-8"))
    assert (told["http"], told["websocket"]) == ("http://127.0.0.1:7102", "ws://127.0.0.1:7102")


def test_writing_leaves_no_half_written_file_and_no_draft(tmp_path: Path) -> None:
    write_endpoints(tmp_path, _ENDPOINTS)
    before = endpoints_path(tmp_path).stat().st_ino
    write_endpoints(tmp_path, _ENDPOINTS)
    # Another file under the same name: whoever had the old one open still reads all of it.
    assert endpoints_path(tmp_path).stat().st_ino != before
    assert [path.name for path in tmp_path.iterdir()] == ["endpoints.json"]


def test_removing_is_no_matter_how_often(tmp_path: Path) -> None:
    write_endpoints(tmp_path, _ENDPOINTS)
    remove_endpoints(tmp_path)
    remove_endpoints(tmp_path)
    assert not endpoints_path(tmp_path).exists()
