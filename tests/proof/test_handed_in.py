"""A transcript that is handed in is kept if it leads to the game's chain; else it is refused by the
name of what is wrong, and what is kept stays.
"""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arbiter.core.chain import first_link, next_link
from arbiter.core.game import Game
from arbiter.proof.check import check
from arbiter.proof.handed_in import MAX_LINES, Wrong, completed
from arbiter.proof.transcript import MAX_BYTES, MAX_LINE_BYTES, Transcript, unpack
from tests.builders import SERVER
from tests.proof.games import KeptWorld, Values, file_of, play, random_moves, values_of
from tests.proof.tampered import alterations
from tests.proof.test_proof import MATE

BLITZ = ("time", "180+2")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[KeptWorld]:
    world = KeptWorld(tmp_path)
    yield world
    world.store.close()


def without(values: Values, *numbers: int) -> bytes:
    """The file without the events of these lines."""
    return file_of(
        [
            {name: it[name] for name in it if name != "event" or at not in numbers}
            for at, it in enumerate(values)
        ]
    )


def of(world: KeptWorld, octets: bytes) -> Game:
    return world.game(values_of(octets)[0]["game"])


def handed_in(game: Game, octets: bytes, kept: bytes | None = None) -> bytes | None:
    return completed(game, SERVER.pubkey, kept, octets)


def why_not(game: Game, octets: bytes, kept: bytes | None = None) -> str:
    with pytest.raises(Wrong) as wrong:
        handed_in(game, octets, kept)
    return str(wrong.value)


def test_the_first_right_one_is_kept_as_the_arbiter_writes_it(world: KeptWorld) -> None:
    octets = play(world, MATE, BLITZ).octets
    theirs = file_of([*values_of(octets)])

    kept = handed_in(of(world, octets), theirs)

    assert kept == octets
    assert theirs != octets
    for again in (theirs, octets, without(values_of(octets), 3)):
        assert handed_in(of(world, octets), again, kept) is None


def test_a_request_behind_a_state_of_the_same_id_is_refused(world: KeptWorld) -> None:
    octets = play(world, MATE, BLITZ).octets
    head, *lines = values_of(octets)
    state = next(it for it in lines if it.get("shown"))
    twice = [{"id": state["id"], "shown": state["shown"]}, {"id": state["id"]}]
    assert "do not lead to the game's chain" in why_not(of(world, octets), file_of([head, *twice]))


def test_what_is_missing_is_added_by_whoever_saw_it(world: KeptWorld) -> None:
    octets = play(world, [*MATE[:3], "w:draw", *MATE[3:]], BLITZ).octets
    game, values = of(world, octets), values_of(octets)
    one, other = (
        without(values, *range(1, len(values), 2)),
        without(values, *range(2, len(values), 2)),
    )

    first = handed_in(game, one)
    assert first is not None
    found = unpack(first)
    assert isinstance(found, Transcript)
    assert check(found).missing
    assert handed_in(game, one, first) is None
    assert handed_in(game, other, first) == octets


def test_lines_without_the_requests_are_kept_until_somebody_has_them(world: KeptWorld) -> None:
    octets = play(world, MATE, BLITZ).octets
    game, (head, *lines) = of(world, octets), values_of(octets)
    links = links_of(octets)
    states = [it for it in lines if "shown" in it]

    kept = handed_in(game, file_of([head | {"first": links[0]}, *states]))
    assert kept is not None
    assert values_of(kept) == [head | {"first": links[0]}, *states]
    assert handed_in(game, octets, kept) == octets
    assert handed_in(game, kept, octets) is None
    for at, link in enumerate(links[1:], 1):
        cut = file_of([head | {"first": link}, *states[at:]])
        assert "do not lead to the game's chain" in why_not(game, cut), f"first is link {at}"


def links_of(octets: bytes) -> list[str]:
    """Each link of a transcript in hex."""
    found = unpack(octets)
    assert isinstance(found, Transcript)
    requests = [it.id for it in found.lines if not it.shown]
    links = [first_link(found.game_id, requests)]
    for it in found.lines[len(requests) :]:
        links.append(next_link(links[-1], bytes.fromhex(it.id), it.shown))
    return [it.hex() for it in links]


@pytest.mark.parametrize("has_kept", [True, False])
def test_whatever_is_altered_is_refused(world: KeptWorld, *, has_kept: bool) -> None:
    octets = play(world, [*random_moves(7, 6), "w:resign"], BLITZ).octets
    game, kept = of(world, octets), octets if has_kept else None
    theirs = values_of(play(world, MATE, BLITZ).octets)

    for it in alterations(values_of(octets), theirs):
        # What is missing may be handed in later.
        if not it.what.endswith("without event"):
            assert why_not(game, file_of(it.values), kept), it.what


def exchanged(values: Values, other: Values) -> Values:
    """With one event of another game."""
    return [*values[:4], values[4] | {"event": other[4]["event"]}, *values[5:]]


def padded(values: Values, other: Values) -> Values:
    return [*values, *[values[-1]] * 50]


def tagged(values: Values, other: Values) -> Values:
    """With a tag of a hundred thousand lists."""
    event = values[3]["event"] | {"tags": [[[]] * 20_000]}
    return [*values[:3], values[3] | {"event": event}, *values[4:]]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda _, other: other, "of another game: game differs"),
        (lambda values, _: values[:-1], "do not lead to the game's chain"),
        (lambda values, _: [values[0], *values[2:]], "do not lead to the game's chain"),
        (lambda values, _: [values[0], *values[:0:-1]], "do not lead to the game's chain"),
        (exchanged, "Line 5 has another event than the one of its id"),
        (padded, "at most 9 lines are taken"),
        (tagged, "Line 4"),
        (
            lambda values, _: [*values[:3], values[3] | {"more": 1}, *values[4:]],
            "Line 4 has more than",
        ),
        (lambda values, _: [*values[:3], {"id": "x"}], "Line 4 has no id"),
        (lambda values, _: [*values[:3], values[3] | {"shown": 1}], "Line 4 has no id"),
        (lambda values, _: [*values[:2], []], "Line 3 is no object"),
    ],
)
def test_a_wrong_one_is_refused_by_name(
    world: KeptWorld, wrong: Callable[[Values, Values], Any], why: str
) -> None:
    one, other = play(world, MATE, BLITZ).octets, play(world, MATE, BLITZ).octets

    octets = file_of(wrong(values_of(one), values_of(other)))

    assert why in why_not(of(world, one), octets, one)


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"", "cut"),
        (b"{}", "not gzip"),
        (gzip.compress(b"{}")[:-3], "cut"),
        (gzip.compress(b"{}") * 2, "longer than one file"),
        (gzip.compress(b"["), "Line 1 is no JSON"),
        (gzip.compress(bytes(MAX_LINE_BYTES + 1)), "a line is over"),
        (gzip.compress(b"\n" * MAX_BYTES), "Line 1 is no JSON"),
    ],
    ids=range(7),
)
def test_what_is_no_transcript_is_refused(world: KeptWorld, octets: bytes, why: str) -> None:
    one = play(world, [*MATE[:2], "w:resign"]).octets

    assert why in why_not(of(world, one), octets)


def test_a_signature_of_somebody_else_is_refused(world: KeptWorld) -> None:
    octets = play(world, MATE, BLITZ).octets
    values = values_of(octets)
    values[3]["event"]["sig"] = values[4]["event"]["sig"]

    assert "Line 4: sig is not" in why_not(of(world, octets), file_of(values))
    assert "Line 4: sig is not" in why_not(of(world, octets), file_of(values), octets)


def test_a_game_that_is_too_long_is_refused_before_its_signatures(world: KeptWorld) -> None:
    octets = play(world, MATE, BLITZ).octets
    values = values_of(octets)
    states = [values[3]] * (MAX_LINES - 1)
    chain = first_link(values[0]["game"], [])
    for it in states:
        chain = next_link(chain, bytes.fromhex(it["id"]), it["shown"])
    game = replace(of(world, octets), chain=chain, state_version=5_000)
    head = values[0] | {"chain": chain.hex()}

    assert handed_in(game, file_of([head, *states]))
    forged = states[0] | {"event": states[0]["event"] | {"sig": "0" * 128}}
    assert f"Line {MAX_LINES}: sig is not" in why_not(game, file_of([head, *states[1:], forged]))
    assert f"at most {MAX_LINES + 1} lines" in why_not(game, file_of([head, *states * 2]))
