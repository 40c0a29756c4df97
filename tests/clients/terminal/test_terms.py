"""Terms of a game, in words and as tags."""

from dataclasses import replace

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.player.terms import Terms, TimeControl, terms_of, terms_tags
from clients.terminal.terms import (
    PLAIN,
    SPELLING,
    BadTerms,
    in_words,
    read_terms,
    read_time,
    time_in_words,
)
from tests.builders import BOB

KINGS = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
NPUB = encode_npub(BOB.pubkey)


@pytest.mark.parametrize(
    ("written", "wire", "shown"),
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
def test_people_write_minutes_and_the_protocol_seconds(written: str, wire: str, shown: str) -> None:
    time = read_time(written)
    assert str(time) == wire
    assert time_in_words(time) == shown


@pytest.mark.parametrize("text", ["0+0", "181+0", "3+181", "0d", "15d", "3", "3+2s", "½+0", "-1+2"])
def test_what_no_arbiter_offers_is_no_time(text: str) -> None:
    assert read_time(text) is None


@pytest.mark.parametrize(
    ("words", "terms", "tags", "shown"),
    [
        ("", PLAIN, (), "unlimited, casual"),
        (
            "3+2 white chess960 1400-1800 bots",
            Terms(
                time=TimeControl(180, 2),
                variant="chess960",
                color="white",
                rating=(1400, 1800),
                bots=True,
            ),
            (
                *(("time", "180+2"), ("color", "white"), ("rating", "1400", "1800")),
                *(("variant", "chess960"), ("bots", "welcome")),
            ),
            "3+2, casual, Chess960, white, rating 1400-1800, bots welcome",
        ),
        (
            f"{NPUB} 3d Black start {KINGS}",
            Terms(time=TimeControl(days=3), color="black", start=KINGS, challenge=BOB.pubkey),
            (*(("time", "3d"), ("color", "black"), ("start", KINGS)), ("challenge", BOB.pubkey)),
            f"3 days a move, casual, black, from {KINGS}",
        ),
        (
            "rated 10+0 CASUAL Rated random",
            Terms(time=TimeControl(600), rated=True),
            (("time", "600+0"), ("mode", "rated")),
            "10+0, rated",
        ),
        (
            "link",
            Terms(challenge="open", link_key=""),
            (("challenge", "open"),),
            "unlimited, casual",
        ),
    ],
)
def test_terms_in_words_and_tags(
    words: str, terms: Terms, tags: tuple[tuple[str, ...], ...], shown: str
) -> None:
    assert read_terms(words, whom=True) == terms
    if "start" not in words:
        assert read_terms(" ".join(reversed(words.split())), whom=True) == terms
    assert terms_tags(terms) == tags
    assert in_words(terms) == shown


@pytest.mark.parametrize(
    ("words", "says"),
    [
        *(
            (f"3+2 {word}", f"“{word}” is no term of a game: did you mean {meant}?")
            for word, meant in (("rate", "rated"), ("whyte", "white"), ("chess690", "chess960"))
        ),
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
        ("blitz", "“blitz” is no term of a game: for example"),
        (NPUB[:-1] + "q", "That npub is mistyped"),
    ],
)
def test_what_the_arbiter_would_refuse_has_a_reason(words: str, says: str) -> None:
    terms = read_terms(words, whom=True)
    assert isinstance(terms, BadTerms)
    assert terms.text.startswith(says)


@pytest.mark.parametrize("word", ["3", "10m", "90s", "2days", "5/3", "600+5", "0|1", "999"])
def test_a_time_in_another_spelling_is_answered_by_ours(word: str) -> None:
    assert read_terms(word) == BadTerms(f"“{word}” is no time control: {SPELLING}")


def test_the_tags_of_a_challenge_are_read_and_malformed_ones_left() -> None:
    for words in ("3+2 rated", "3+2 white 1400-1800", f"open chess960 start {KINGS}"):
        terms = read_terms(words, whom=True)
        assert isinstance(terms, Terms)
        read = terms_of(terms_tags(terms))
        assert read is not None
        assert replace(read, challenge=terms.challenge) == terms
    for unknown in ((("p", BOB.pubkey), ("time",)), (("color", "red"), ("rating", "a", "b"))):
        assert terms_of(unknown) == PLAIN
    for name, value in (("time", "soon"), ("start", "none"), ("start", "\x1b[2J")):
        assert terms_of(((name, value),)) is None, "another game would be played"
