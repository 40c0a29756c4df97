"""NIP-98: a signature is for one request, and nothing else passes for one."""

from base64 import b64encode

import pytest

from arbiter.nostr.event import NostrEvent, event_to_json, verify
from arbiter.nostr.nip98 import (
    event_of_header,
    http_auth_header,
    http_auth_objection,
    http_auth_template,
    is_signed_body,
)
from arbiter.nostr.strict_json import ParseError, write_json
from tests.builders import ALICE

NOW = 1_800_000_000
URL = "https://chess.example/bridge/letters?a=1"


def signed(method: str = "POST", url: str = URL, body: bytes = b"[]", at: int = NOW) -> NostrEvent:
    event = event_of_header(http_auth_header(ALICE.sign(http_auth_template(method, url, body, at))))
    assert isinstance(event, NostrEvent)
    return event


def test_a_signed_request_is_read_back_and_has_nothing_against_it() -> None:
    event = signed()
    verified = verify(event)

    assert not isinstance(verified, ParseError)
    assert http_auth_objection(event, "POST", ("http://127.0.0.1:1/", URL), NOW + 60) is None
    assert is_signed_body(verified, b"[]")
    assert not is_signed_body(verified, b"")


def test_a_request_without_a_body_is_for_none() -> None:
    verified = verify(signed("GET", body=b""))

    assert not isinstance(verified, ParseError)
    assert is_signed_body(verified, b"")
    assert not is_signed_body(verified, b"x")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (signed("GET"), "another method"),
        (signed(url=URL.removesuffix("?a=1")), "another URL"),
        (signed(url="https://else.example/bridge/letters?a=1"), "another URL"),
        (signed(at=NOW - 61), "set your clock"),
        (signed(at=NOW + 61), "set your clock"),
    ],
)
def test_a_signature_is_for_no_other_request(event: NostrEvent, why: str) -> None:
    assert why in str(http_auth_objection(event, "POST", (URL,), NOW))


def test_tags_that_say_nothing_name_nothing() -> None:
    template = http_auth_template("POST", URL, b"", NOW)
    for tags in ((), (("u",), ("method",)), (("u", URL),)):
        bare = ALICE.sign(type(template)(template.kind, tags, "", NOW))
        event = event_of_header(http_auth_header(bare))
        assert isinstance(event, NostrEvent)
        assert http_auth_objection(event, "POST", (URL,), NOW)


def test_no_other_kind_signs_a_request() -> None:
    template = http_auth_template("POST", URL, b"", NOW)
    other = ALICE.sign(type(template)(1, template.tags, "", NOW))
    event = event_of_header(http_auth_header(other))

    assert isinstance(event, NostrEvent)
    assert "27235" in str(http_auth_objection(event, "POST", (URL,), NOW))


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Nostr ",
        "Nostr =",
        "Nostr \xff",
        "Nostr " + "A" * 200_000,
        "Basic bm9wZTpub3Bl",
        "nostr e30=",
        "Nostr " + b64encode(b"{}").decode(),
        "Nostr " + b64encode(b"[" * 60_000).decode(),
        "Nostr " + b64encode(write_json(event_to_json(signed())).encode()).decode() + "!",
    ],
)
def test_any_other_header_is_an_answer_and_no_exception(header: str) -> None:
    assert isinstance(event_of_header(header), ParseError)
