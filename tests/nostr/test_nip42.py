"""NIP-42's answer, to the letter."""

from dataclasses import replace

import pytest

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_to_json,
    parse_event,
    verify,
)
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS
from arbiter.nostr.nip42 import auth_objection, auth_template
from tests.nostr.hostile.case import PLAYER, text_of


def test_the_answer_names_the_relay_and_the_challenge() -> None:
    assert auth_template("wss://relay.example/", "challengestring", 1000) == EventTemplate(
        kind=22242,
        tags=(("relay", "wss://relay.example/"), ("challenge", "challengestring")),
        content="",
        created_at=1000,
    )


def test_the_longest_challenge_that_we_read_makes_an_answer_that_we_would_read() -> None:
    challenge = "é" * MAX_CHALLENGE_CHARS

    answer = PLAYER.sign(auth_template("wss://relay.example/", challenge, 1000))
    read = parse_event(text_of(event_to_json(answer)))

    assert isinstance(read, NostrEvent)
    assert isinstance(verify(read), VerifiedEvent)


URL = "wss://chess.example/v1"
NOW = 1_800_000_000


def objection(url: str = URL, challenge: str = "abc", seconds: int = 0, ours: str = URL) -> str:
    """Why this answer to the challenge ``abc`` does not count; empty if it does."""
    template = auth_template(url, challenge, NOW + seconds)
    return auth_objection(PLAYER.sign(template), "abc" if challenge else "", ours, NOW) or ""


@pytest.mark.parametrize(
    "url", [URL, "wss://CHESS.example", "ws://chess.example:7102/", "wss://chess.example.?x=1"]
)
def test_an_answer_that_names_our_host_in_whatever_spelling_counts(url: str) -> None:
    assert objection(url) == ""


@pytest.mark.parametrize(
    "url",
    [
        *("wss://chess.example.evil", "wss://evil@chess.example", "wss://evil/chess.example"),
        *("https://chess.example", "chess.example", "wss://chess.example\n", ""),
    ],
)
def test_an_answer_for_another_relay_counts_for_nothing(url: str) -> None:
    assert objection(url) == "this was signed for another relay"
    assert objection(url, ours="") == "this was signed for another relay"


def test_an_answer_to_another_challenge_counts_for_nothing_and_none_to_one_never_made() -> None:
    for challenge in ("abx", ""):
        assert "challenge" in objection(challenge=challenge)


@pytest.mark.parametrize(("seconds", "counts"), [(600, True), (601, False)])
def test_ten_minutes_are_forgiven_and_no_more(seconds: int, *, counts: bool) -> None:
    for off in (seconds, -seconds):
        assert ("ten minutes" in objection(seconds=off)) is not counts


def test_no_other_kind_is_an_answer_whatever_its_tags() -> None:
    template = replace(auth_template(URL, "abc", NOW), kind=20303)

    assert "22242" in (auth_objection(PLAYER.sign(template), "abc", URL, NOW) or "")
