"""`endpoints.json` is written atomically and removed with the arbiter."""

import json
from dataclasses import replace
from pathlib import Path

from local.endpoints import Endpoints, endpoints_path, remove_endpoints, write_endpoints

_CONTENT = {
    "server_pubkey": "ab" * 32,
    "npub": "npub1example",
    "relays": ["ws://127.0.0.1:7100", "wss://relay.example"],
    "aws": "http://127.0.0.1:7101",
}
_ENDPOINTS = Endpoints(
    server_pubkey="ab" * 32,
    npub="npub1example",
    relays=("ws://127.0.0.1:7100", "wss://relay.example"),
    aws="http://127.0.0.1:7101",
)


def test_the_file_omits_what_does_not_exist_and_is_replaced_and_removed_as_a_whole(
    tmp_path: Path,
) -> None:
    path = endpoints_path(tmp_path)
    http, websocket = "http://127.0.0.1:7102", "ws://127.0.0.1:7102"

    write_endpoints(tmp_path, _ENDPOINTS)
    assert json.loads(path.read_text(encoding="utf-8")) == _CONTENT
    before = path.stat().st_ino
    write_endpoints(tmp_path, replace(_ENDPOINTS, http=http, websocket=websocket))
    assert json.loads(path.read_text(encoding="utf-8")) == {
        **_CONTENT,
        "http": http,
        "websocket": websocket,
    }
    # Another file of the same name: a reader of the old one still reads all of it.
    assert path.stat().st_ino != before
    assert [it.name for it in tmp_path.iterdir()] == ["endpoints.json"]
    for _ in range(2):
        remove_endpoints(tmp_path)
    assert not path.exists()
