import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.core.replies import Reason
from arbiter.core.tournaments.commands import Create
from arbiter.core.tournaments.decide import decide_tournament
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects import tournament_events, tournaments
from arbiter.dialects.base import TournamentAsked, TournamentFlaw
from arbiter.dialects.tournament_terms import tags_of, terms_of
from arbiter.nostr.event import NostrEvent, event_from_json, event_to_json
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import DEFAULT_LIMITS
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_key, an_event
from tests.tournaments import a_tournament

ID = "0123456789abcdef0123456789abcdef"
A = ("a", f"30327:{SERVER.pubkey}:{ID}")
P = ("p", SERVER.pubkey)
PLAIN = (
    ("title", "Club evening"),
    ("format", "swiss"),
    ("time", "180+2"),
    ("starts", "1800003600"),
    ("rounds", "7"),
)
ALL = (
    *PLAIN,
    ("interval", "manual"),
    ("noshow", "120"),
    ("mode", "rated"),
    ("limit", "64"),
    ("late", "3"),
    ("draws", "40"),
    ("bots", "welcome"),
    ("lategames", "count"),
    ("tiebreaks", "BH/C1", "BH", "SB", "WIN"),
    ("entry", "secret", EVE.pubkey),
)
DRAFT = Path(__file__).parents[2] / "docs/nip/events.md"

WORDS = st.sampled_from(
    [
        "join",
        "leave",
        "bye:",
        "create",
        "edit",
        "swap:1:",
        "forbid:",
        "result:1:1:",
        "boards:1",
        "add:",
    ]
)
NAMES = ["a", "p", "proof", "name", "boards", *(tag[0] for tag in ALL)]
VALUES = st.one_of(
    st.sampled_from([A[1], ALICE.pubkey, "180+2", "7", "list", "secret", "manual"]),
    st.text(max_size=40),
)
TAGS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.lists(VALUES, max_size=4)).map(
        lambda named: (named[0], *named[1])
    ),
    max_size=12,
).map(tuple)


def read(content: str, *tags: tuple[str, ...], at: int = NOW_MS // 1000) -> object:
    event = an_event(ALICE, 20307, content, (P, *tags), at)
    return tournaments.decode(event, NOW_MS, SERVER.pubkey)


@given(st.one_of(st.text(max_size=80), st.builds(str.__add__, WORDS, st.text(max_size=70))), TAGS)
@example("create", (*PLAIN, ("description", "x" * 60_000)))
@example("boards:1", (A, ("boards",)))
def test_anything_is_read_as_a_command_or_a_flaw_with_a_text(
    content: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    found = read(content, A, *tags)

    assert isinstance(found, TournamentAsked | TournamentFlaw)
    if isinstance(found, TournamentFlaw):
        assert found.text.isprintable()
        assert len(found.text) < 200
    else:
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x1f]", repr(found.command))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["content", "tags", "created_at", "pubkey"]))
def test_any_json_of_a_stranger_is_no_event_or_one_that_is_read(value: object, where: str) -> None:
    written = event_to_json(an_event(ALICE, 20307, "create", (P, *ALL)))
    event = event_from_json(written | {where: value})

    if isinstance(event, NostrEvent):
        found = tournaments.decode(event, NOW_MS, SERVER.pubkey)  # type: ignore[arg-type]
        assert isinstance(found, TournamentAsked | TournamentFlaw)


@pytest.mark.parametrize("tags", [PLAIN, ALL], ids=["plain", "all"])
def test_terms_are_shown_as_they_are_asked_for(tags: tuple[tuple[str, ...], ...]) -> None:
    terms = terms_of(an_event(ALICE, 20307, "create", tags))
    assert not isinstance(terms, str)
    shown = tags_of(terms)

    assert terms_of(an_event(ALICE, 20307, "create", shown)) == terms
    assert {*tags} <= {*shown} | {("lategames", "count")}, "each tag that was given is shown"


@pytest.mark.parametrize("off", [120, -120, 121, -121])
def test_a_command_is_read_while_its_date_is_two_minutes_off_at_most(off: int) -> None:
    found = read("leave", A, at=NOW_MS // 1000 + off)

    assert isinstance(found, TournamentAsked) == (abs(off) == 120)
    if isinstance(found, TournamentFlaw):
        assert (found.reason, found.tournament_id) == (Reason.STALE, ID)


def test_the_largest_command_passes_the_gateway() -> None:
    deputies = tuple(("p", a_key(f"deputy {number}").pubkey) for number in range(8))
    event = an_event(ALICE, 20307, "edit", (P, A, *ALL, ("minutes", "5"), *deputies))

    assert isinstance(tournaments.decode(event, NOW_MS, SERVER.pubkey), TournamentAsked)
    assert len(event.tags) <= DEFAULT_LIMITS.event_tags


def test_the_draft_names_each_kind_each_tag_and_each_word() -> None:
    text = DRAFT.read_text(encoding="utf-8")
    rows = {name: int(number) for number, name in re.findall(r"(?m)^\| (\d+) ([^|]+) \|", text)}
    tags = set(re.findall(r'(?m)^\| `\["([a-z]+)"', text))
    words = {
        word.partition(":")[0]
        for row in re.findall(r"(?m)^\| (`[a-z][^|]*) \|", text.split("## Commands")[1])
        for word in re.findall(r"`([a-z]+[^`]*)`", row)
    }

    assert rows == {
        "command": tournaments.COMMAND,
        "answer": tournaments.ANSWER,
        "event": 30327,
        "round": tournament_events.ROUND,
        "standings": tournament_events.STANDINGS,
    }
    assert tags == {tag[0] for tag in ALL} | {"cycles", "minutes"}
    reasons = {"not-organiser", "not-entered", "wrong-phase", "full", "bad-terms", "unknown-game"}
    read_words = {
        word
        for word in words
        if not isinstance(found := read(word, A), TournamentFlaw)
        or "not a command" not in found.text
    }
    assert {*words} - reasons - {"rate-limited", "stale", "pow"} == read_words | {
        *("bye", "boards", "swap", "forbid", "allow", "add", "remove", "forfeit", "result", "delay")
    }


def test_a_command_by_hand_of_another_key_is_that_keys_own() -> None:
    event = an_event(BOB, 20307, "result:1:1:1-0", (P, A))
    found = tournaments.decode(event, NOW_MS, SERVER.pubkey)

    assert isinstance(found, TournamentAsked)
    assert getattr(found.command, "author") == BOB.pubkey  # noqa: B009 - of many types


NUMBERS = st.sampled_from(["0", "1", "2", "3", "9", "33", "999999999999"])
KEYS = st.sampled_from([key.pubkey for key in (ALICE, BOB, EVE, SERVER)])
PARTS = {
    "bye": (NUMBERS,),
    "boards": (NUMBERS,),
    "swap": (NUMBERS, NUMBERS, NUMBERS),
    "forbid": (KEYS, KEYS),
    "allow": (KEYS, KEYS),
    "add": (KEYS,),
    "remove": (KEYS,),
    "forfeit": (NUMBERS, KEYS),
    "result": (NUMBERS, NUMBERS, st.sampled_from(["1-0", "-/-", "*"])),
    "delay": (NUMBERS,),
    **dict.fromkeys(("join", "leave", "here", "pause", "back", "create", "edit"), ()),
    **dict.fromkeys(("close", "pair", "start", "finish", "cancel"), ()),
}
SAID = st.sampled_from(sorted(PARTS)).flatmap(
    lambda word: st.tuples(st.just(word), *PARTS[word]).map(":".join)
)


@given(
    st.sampled_from([a_tournament(rounds=rounds, is_live=True) for rounds in (0, 1, 2)]),
    st.sampled_from([ALICE, BOB, EVE, a_key("stranger")]),
    st.lists(SAID, min_size=1, max_size=4),
    st.lists(KEYS, max_size=6),
)
def test_whatever_is_read_is_decided(
    tournament: Tournament, author: SecretKey, said: list[str], keys: list[str]
) -> None:
    for content in said:
        event = an_event(author, 20307, content, (P, A, *PLAIN, ("boards", *keys)))
        asked = tournaments.decode(event, NOW_MS, SERVER.pubkey)
        if isinstance(asked, TournamentAsked):
            made = None if isinstance(asked.command, Create) else tournament
            decision = decide_tournament(made, asked.command, NOW_MS)
            tournament = tournament if made is None else decision.tournament or tournament
            told = tournament_events.standings_template(tournament, SERVER.pubkey, 0)
            assert told.kind == 30329
