"""NIP-98: a signature is for one request, and nothing else passes for one."""

from base64 import b64encode
from dataclasses import replace

import pytest

from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_to_json, verify
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
ELSEWHERE = "https://else.example/bridge/letters?a=1"


def template(
    method: str = "POST", url: str = URL, body: bytes = b"[]", at: int = NOW
) -> EventTemplate:
    return http_auth_template(method, url, body, at)


def sent(asked: EventTemplate) -> NostrEvent:
    """As it comes out of its header."""
    event = event_of_header(http_auth_header(ALICE.sign(asked)))
    assert isinstance(event, NostrEvent)
    return event


@pytest.mark.parametrize(("method", "body"), [("POST", b"[]"), ("GET", b"")])
def test_a_signed_request_is_read_back_and_is_for_its_body_alone(method: str, body: bytes) -> None:
    event = sent(template(method, body=body))
    verified = verify(event)

    assert isinstance(verified, VerifiedEvent)
    assert http_auth_objection(event, method, ("http://127.0.0.1:1/", URL), NOW + 60) is None
    assert [it for it in (b"[]", b"", b"x") if is_signed_body(verified, it)] == [body]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (template("GET"), "another method"),
        (template(url=URL.removesuffix("?a=1")), "another URL"),
        (template(url=ELSEWHERE), "another URL"),
        *((template(at=NOW + off), "set your clock") for off in (-61, 61)),
        (replace(template(), kind=1), "27235"),
        # Tags that say nothing name nothing.
        *((replace(template(), tags=it), "another") for it in ((), (("u",), ("method",)))),
        (replace(template(), tags=(("u", URL),)), "another method"),
    ],
)
def test_a_signature_is_for_no_other_request(asked: EventTemplate, why: str) -> None:
    assert why in str(http_auth_objection(sent(asked), "POST", (URL,), NOW))


WHOLE = b64encode(write_json(event_to_json(ALICE.sign(template()))).encode()).decode()


@pytest.mark.parametrize(
    "header",
    [
        *("", "Nostr ", "Nostr =", "Nostr \xff", "Basic bm9wZTpub3Bl", "nostr e30="),
        *("Nostr " + b64encode(it).decode() for it in (b"{}", b"[" * 60_000)),
        *("Nostr " + "A" * 200_000, f"Nostr {WHOLE}!"),
    ],
)
def test_any_other_header_is_an_answer_and_no_exception(header: str) -> None:
    assert isinstance(event_of_header(header), ParseError)
