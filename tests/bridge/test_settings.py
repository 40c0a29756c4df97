"""The settings of a bridge, and the answers to an operator's mistakes."""

import pytest

from arbiter.nostr.nip19 import encode_npub
from bridge.settings import UnusableSetting, server_pubkey, server_url

KEY = "ab" * 32


def test_a_server_is_named_by_its_url_and_its_key_in_either_spelling() -> None:
    assert server_url({}) == ""
    for url in ("http://127.0.0.1:8080", "https://chess.example", "http://[::1]:1/chess"):
        assert server_url({"ARBITER_URL": url + "/"}) == url
    for text in (KEY, encode_npub(KEY)):
        assert server_pubkey({"SERVER_PUBKEY": text}) == KEY


@pytest.mark.parametrize(
    "url",
    ["chess.example", "ws://chess.example", "http://", "http://a b", "http://a:x", "http://a?"],
)
def test_what_is_no_url_is_refused_with_its_name(url: str) -> None:
    with pytest.raises(UnusableSetting, match="ARBITER_URL"):
        server_url({"ARBITER_URL": url})


@pytest.mark.parametrize("text", [None, "", "npub1", KEY[1:], "nsec1" + "q" * 58])
def test_a_key_that_is_none_is_refused_and_not_shown(text: str | None) -> None:
    with pytest.raises(UnusableSetting) as refused:
        server_pubkey({} if text is None else {"SERVER_PUBKEY": text})

    assert "arbiter key" in str(refused.value)
    assert not text or text not in str(refused.value).replace("npub1…", "")
