"""The address of the arbiter that a bot plays at; each fault has its own words."""

from pathlib import Path

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.bot.address import address

KEY = "ab" * 32
NPUB = encode_npub(KEY)
RELAY = "wss://relay.example"


@pytest.mark.parametrize("server", [KEY, KEY.upper(), NPUB, NPUB.upper(), f"nostr:{NPUB}"])
def test_the_arbiter_is_named_by_any_form_of_its_key(server: str) -> None:
    assert address(f" {RELAY} , ws://b", server) == (KEY, (RELAY, "ws://b"))


@pytest.mark.parametrize(
    ("relays", "server", "text"),
    [
        (RELAY, None, "give both"),
        (None, NPUB, "give both"),
        (RELAY, NPUB[:-1], "SERVER is neither"),
        (RELAY, KEY[1:], "SERVER is neither"),
        ("relay.example", NPUB, "RELAYS is a list"),
        (" , ", NPUB, "RELAYS is a list"),
    ],
)
def test_what_is_wrong_is_named(relays: str | None, server: str | None, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        address(relays, server)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"server_pubkey": "x"}', '{"relays": 1}'])
def test_a_file_that_is_there_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setenv("RUN_DIR", str(tmp_path))
    with pytest.raises(ValueError, match="there is no"):
        address(None, None)

    (tmp_path / "endpoints.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read"):
        address(None, None)
