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


def an_answer(url: str = URL, challenge: str = "abc", at: int = NOW) -> EventTemplate:
    return auth_template(url, challenge, at)


def objection(template: EventTemplate, challenge: str = "abc", url: str = URL) -> str | None:
    return auth_objection(PLAYER.sign(template), challenge, url, NOW)


@pytest.mark.parametrize(
    "url",
    [URL, "wss://CHESS.example", "ws://chess.example:7102/", "wss://chess.example.?x=1"],
)
def test_an_answer_that_names_our_host_in_whatever_spelling_counts(url: str) -> None:
    assert objection(an_answer(url)) is None


@pytest.mark.parametrize(
    "url",
    [
        "wss://chess.example.evil",
        "wss://evil@chess.example",
        "wss://evil/chess.example",
        "https://chess.example",
        "chess.example",
        "wss://chess.example\n",
        "",
    ],
)
def test_an_answer_for_another_relay_counts_for_nothing(url: str) -> None:
    assert objection(an_answer(url)) == "this was signed for another relay"


def test_a_relay_without_an_address_believes_nobody() -> None:
    assert objection(an_answer(""), url="") == "this was signed for another relay"


def test_an_answer_to_another_challenge_counts_for_nothing() -> None:
    assert "challenge" in (objection(an_answer(challenge="abx")) or "")


def test_nobody_answers_a_challenge_that_was_never_made() -> None:
    assert "challenge" in (objection(an_answer(challenge=""), challenge="") or "")


@pytest.mark.parametrize("seconds", [-601, 601])
def test_an_answer_that_is_more_than_ten_minutes_off_counts_for_nothing(seconds: int) -> None:
    assert "ten minutes" in (objection(an_answer(at=NOW + seconds)) or "")


@pytest.mark.parametrize("seconds", [-600, 600])
def test_ten_minutes_are_forgiven(seconds: int) -> None:
    assert objection(an_answer(at=NOW + seconds)) is None


def test_no_other_kind_is_an_answer_whatever_its_tags() -> None:
    assert "22242" in (objection(replace(an_answer(), kind=20303)) or "")
