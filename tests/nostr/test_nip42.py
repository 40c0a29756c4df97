"""NIP-42's answer, to the letter."""

from dataclasses import replace

import pytest

from arbiter.nostr.event import NostrEvent, VerifiedEvent, event_to_json, parse_event, verify
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS
from arbiter.nostr.nip42 import auth_objection, auth_template
from tests.nostr.hostile.case import PLAYER, text_of

URL = "wss://chess.example/v1"
NOW = 1_800_000_000
ELSEWHERE = "this was signed for another relay"


def test_the_answer_names_the_relay_and_the_longest_challenge_that_we_read() -> None:
    challenge = "é" * MAX_CHALLENGE_CHARS
    template = auth_template(URL, challenge, 1000)
    read = parse_event(text_of(event_to_json(PLAYER.sign(template))))

    assert (template.kind, template.content, template.created_at) == (22242, "", 1000)
    assert template.tags == (("relay", URL), ("challenge", challenge))
    assert isinstance(read, NostrEvent)
    assert isinstance(verify(read), VerifiedEvent)


def objection(
    url: str = URL, challenge: str = "abc", seconds: int = 0, ours: str = URL, kind: int = 22242
) -> str:
    """The objection to this answer to the challenge ``abc``; empty if it counts."""
    template = replace(auth_template(url, challenge, NOW + seconds), kind=kind)
    return auth_objection(PLAYER.sign(template), "abc" if challenge else "", ours, NOW) or ""


@pytest.mark.parametrize(
    "url", [URL, "wss://CHESS.example:443", "ws://chess.example:80/", "wss://chess.example.?x=1"]
)
def test_an_answer_that_names_our_host_in_whatever_spelling_counts(url: str) -> None:
    assert objection(url) == ""


@pytest.mark.parametrize(
    "url",
    [
        *("wss://chess.example.evil", "wss://evil@chess.example", "wss://evil/chess.example"),
        *("https://chess.example", "chess.example", "wss://chess.example\n", ""),
        *("ws://chess.example:7102/", "ws://chess.example:443", "wss://chess.example:8443/x"),
    ],
)
def test_an_answer_for_another_relay_counts_for_nothing(url: str) -> None:
    assert objection(url) == objection(url, ours="") == ELSEWHERE


def test_nor_does_one_to_another_challenge_or_to_none_of_another_time_or_kind() -> None:
    for challenge in ("abx", ""):
        assert "challenge" in objection(challenge=challenge)
    for sign in (1, -1):
        assert objection(seconds=600 * sign) == ""
        assert "ten minutes" in objection(seconds=601 * sign)
    assert "22242" in objection(kind=20303)
