"""NIP-42's answer, to the letter."""

from arbiter.nostr.auth import auth_template
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_to_json,
    parse_event,
    verify,
)
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS
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
