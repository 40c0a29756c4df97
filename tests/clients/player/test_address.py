"""The address of the arbiter; each fault has its own words."""

import json
from pathlib import Path

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.player.address import Address, address

KEY = "ab" * 32
NPUB = encode_npub(KEY)
RELAY = "wss://relay.example"
NOWHERE = Path("/nowhere")


@pytest.mark.parametrize("server", [KEY, KEY.upper(), NPUB, NPUB.upper(), f"nostr:{NPUB}"])
def test_the_arbiter_is_named_by_any_form_of_its_key(server: str) -> None:
    assert address(f" {RELAY} , ws://b", server, NOWHERE) == Address(KEY, (RELAY, "ws://b"))


@pytest.mark.parametrize(
    ("relays", "server", "text"),
    [
        (None, NPUB, "RELAYS is not"),
        (RELAY, None, "run `make run` first"),
        (RELAY, NPUB[:-1], "SERVER is neither"),
        (RELAY, KEY[1:], "SERVER is neither"),
        ("relay.example", NPUB, "RELAYS is a list"),
        (" , ", NPUB, "RELAYS is a list"),
    ],
)
def test_what_is_wrong_is_named(relays: str | None, server: str | None, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        address(relays, server, NOWHERE)


def test_the_arbiter_of_this_machine_is_found_also_over_other_relays(tmp_path: Path) -> None:
    known = {"server_pubkey": KEY, "relays": [RELAY], "web": "https://a", "websocket": "ws://g"}
    (tmp_path / "endpoints.json").write_text(json.dumps(known), encoding="utf-8")
    assert address(None, None, tmp_path) == Address(KEY, (RELAY,), "https://a", "ws://g")
    assert address("ws://b", "", tmp_path).relays == ("ws://b",)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"server_pubkey": "x"}', '{"relays": 1}'])
def test_a_file_that_is_there_is_not_called_missing(tmp_path: Path, content: str) -> None:
    (tmp_path / "endpoints.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read"):
        address(None, None, tmp_path)


def test_transcripts_are_where_the_web_client_is_and_else_at_the_host_of_the_own_relay() -> None:
    # A stack's sockets are at another host than its pages.
    known = Address(KEY, (RELAY,), "https://web.example", "wss://sockets.example/prod")
    assert known.http == "https://web.example"
    assert Address(KEY, (RELAY,), None, "wss://own.example:8000").http == "https://own.example:8000"
    assert Address(KEY, (RELAY,), None, "ws://own.example").http == "http://own.example"
    assert Address(KEY, (RELAY,)).http is None
