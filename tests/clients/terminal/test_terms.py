"""What is asked for, in words and as tags."""

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.terminal.terms import (
    PLAIN,
    SPELLING,
    BadTerms,
    Terms,
    in_words,
    read_terms,
    read_time,
    terms_of_tags,
    terms_tags,
    time_in_words,
)
from tests.builders import BOB

KINGS = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
NPUB = encode_npub(BOB.pubkey)


@pytest.mark.parametrize(
    ("said", "wire", "told"),
    [
        ("3+2", "180+2", "3+2"),
        ("0:30+0", "30+0", "0:30+0"),
        ("0+1", "0+1", "0+1"),
        ("1:40+0", "100+0", "1:40+0"),
        ("180+180", "10800+180", "180+180"),
        ("1d", "1d", "1 day a move"),
        ("14d", "14d", "14 days a move"),
    ],
)
def test_people_say_minutes_and_the_protocol_seconds(said: str, wire: str, told: str) -> None:
    assert read_time(said) == wire
    assert time_in_words(wire) == told


@pytest.mark.parametrize("said", ["0+0", "181+0", "3+181", "0d", "15d", "3", "3+2s", "½+0", "-1+2"])
def test_what_no_arbiter_offers_is_no_time(said: str) -> None:
    assert read_time(said) is None


def test_no_words_ask_for_the_plain_game_without_a_tag() -> None:
    assert read_terms("") == PLAIN
    assert terms_tags(PLAIN) == ()


def test_words_come_in_any_order() -> None:
    one, other = (
        read_terms("3+2 white chess960 1400-1800 bots"),
        read_terms("bots 1400-1800 White CHESS960 3+2"),
    )
    assert (
        one
        == other
        == Terms(time="180+2", chess960=True, color="white", rating=(1400, 1800), bots=True)
    )


def test_every_term_has_its_tag() -> None:
    terms = read_terms(f"{NPUB} chess960 3d black start {KINGS}", whom=True)
    assert isinstance(terms, Terms)
    assert terms_tags(terms) == (
        ("time", "3d"),
        ("color", "black"),
        ("variant", "chess960"),
        ("start", KINGS),
        ("challenge", BOB.pubkey),
    )
    rated = read_terms("10+0 rated 0-1500 bots")
    assert isinstance(rated, Terms)
    assert terms_tags(rated) == (
        ("time", "600+0"),
        ("mode", "rated"),
        ("rating", "0", "1500"),
        ("bots", "welcome"),
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rated", "A rated game is standard chess"),
        ("3+2 rated chess960", "A rated game is standard chess"),
        ("3+2 rated white", "You choose a colour"),
        ("open 3+2 rated black", "You choose a colour"),
        ("1800-1400", "The lower end"),
        (f"start {KINGS}", "A position to start from is for casual challenges"),
        (f"open 3+2 rated start {KINGS}", "A position to start from is for casual challenges"),
        ("open start nonsense", "The position to start from is no FEN"),
        ("open start 8/8/8/8/8/8/8/8 w - - 0 1", "No game can start"),
        ("open start ", "start is followed"),
        ("3+200", "“3+200” is no time control: 3+2 (3 minutes"),
        ("20d", "“20d” is no time control"),
        ("blitz", "“blitz” is no term of a game"),
        (NPUB[:-1] + "q", "That npub is mistyped"),
    ],
)
def test_what_the_arbiter_would_refuse_is_said_here(words: str, told: str) -> None:
    terms = read_terms(words, whom=True)
    assert isinstance(terms, BadTerms)
    assert terms.text.startswith(told)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("3", "3+0 is 3 minutes, 3d is 3 days a move"),
        ("1", "1+0 is 1 minute, 1d is 1 day a move"),
        ("60", "60+0 is 60 minutes"),
        ("10m", "10+0 is 10 minutes"),
        ("10MIN", "10+0 is 10 minutes"),
        ("90s", "1:30+0 is 1 minute 30 seconds"),
        ("2days", "2d is 2 days a move"),
        ("5/3", "5+3 is 5 minutes and 3 seconds a move"),
        ("600+5", "10+5 is 10 minutes and 5 seconds a move"),
        ("0|1", "0+1 is 1 second a move"),
        ("999", SPELLING),
        ("0", SPELLING),
    ],
)
def test_a_time_in_other_words_is_told_how_to_say_it(word: str, told: str) -> None:
    terms = read_terms(word)
    assert terms == BadTerms(f"“{word}” is no time control: {told}")


@pytest.mark.parametrize(
    ("word", "meant"), [("rate", "rated"), ("whyte", "white"), ("chess690", "chess960")]
)
def test_a_mistyped_term_is_told_which_was_meant(word: str, meant: str) -> None:
    assert read_terms(f"3+2 {word}") == BadTerms(
        f"“{word}” is no term of a game: did you mean {meant}?"
    )


def test_an_opponent_is_named_only_in_a_challenge() -> None:
    assert read_terms(NPUB) == BadTerms("To play one opponent: challenge npub…")


def test_the_tags_of_a_challenge_are_read_as_they_were_written() -> None:
    for words in ("3+2 rated", "3+2 white"):
        terms = read_terms(words, whom=True)
        assert isinstance(terms, Terms)
        assert terms_of_tags(terms_tags(terms)) == terms
    assert terms_of_tags([["p", BOB.pubkey], ["expiration", "1"], ["time"]]) == PLAIN
    assert terms_of_tags([["start", "a position that is none"]]) == PLAIN


def test_tags_that_make_no_sense_are_as_good_as_absent() -> None:
    odd = [["time", "soon"], ["color", "red"], ["rating", "a", "b"], ["start", "\x1b[2J"]]
    assert terms_of_tags(odd) == PLAIN


def test_terms_are_told_in_words() -> None:
    assert in_words(PLAIN) == "unlimited, casual"
    terms = read_terms(f"{NPUB} 3+2 rated white 1400-1800 bots", whom=True)
    assert isinstance(terms, Terms)
    assert in_words(terms) == "3+2, rated, white, rating 1400-1800, bots welcome"
    given = read_terms(f"open chess960 start {KINGS}", whom=True)
    assert isinstance(given, Terms)
    assert in_words(given) == f"unlimited, casual, Chess960, from {KINGS}"
