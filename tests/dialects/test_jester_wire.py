"""Kind 30 as three clients write it, and what only looks like it."""

import json
from hashlib import sha256
from typing import Any, TypeGuard

import chess
import pytest
from hypothesis import given

from arbiter.dialects.jester.wire import (
    START,
    Start,
    game_id,
    private_reference,
    read,
    read_event,
)
from arbiter.nostr.event import EventTemplate, Tag, VerifiedEvent
from tests.builders import ALICE, BOB, EVE
from tests.nostr.strategies import templates

AT = 1_800_000_000
OPEN: tuple[Tag, ...] = (("e", START),)
GAME = "5f" * 32
HEAD = "6f" * 32
BARE = {"version": "0", "kind": 0, "history": [], "nonce": "abcdef42"}


def signed(content: object, *tags: Tag, kind: int = 30) -> VerifiedEvent:
    text = content if isinstance(content, str) else json.dumps(content)
    return ALICE.sign(EventTemplate(kind, tags, text, AT))


def start(content: object = BARE, *tags: Tag) -> Start:
    found = read(signed(content, *(tags or OPEN)))
    assert is_start(found)
    return found


def is_start(found: object) -> TypeGuard[Start]:
    return isinstance(found, Start) and found.flaw is None


def said(**fields: object) -> VerifiedEvent:
    content = {"version": "0", "kind": 1, "history": ["e4"], **fields}
    return signed(content, ("e", GAME), ("e", HEAD), ("p", BOB.pubkey))


@pytest.mark.parametrize(
    ("tags", "named"),
    [
        ((), ()),
        ((("p", EVE.pubkey), ("p", BOB.pubkey), ("p", BOB.pubkey)), (EVE.pubkey, BOB.pubkey)),
        (tuple(("p", it) for it in ("nobody", ALICE.pubkey, BOB.pubkey)), (BOB.pubkey,)),
        ((("p",), ("p", BOB.pubkey)), (BOB.pubkey,)),
    ],
)
def test_a_start_names_others_than_its_author_once(
    tags: tuple[Tag, ...], named: tuple[str, ...]
) -> None:
    assert start(BARE, *OPEN, *tags).named == named


def test_the_private_reference_is_the_one_of_jesterui() -> None:
    pubkey = "66869f8504b150e5b22d01c81c65c206ef5945d27ee5a8705e9b10725b6208d1"
    reference = "37129a11f30bd79036b7ad658f66fb74ef0addfb2e3f6006ef073ab01dbb1472"
    assert private_reference(pubkey) == reference


def test_the_id_of_a_game_has_sixteen_bytes() -> None:
    assert game_id(GAME) != game_id(HEAD)
    assert len(bytes.fromhex(game_id(GAME))) == 16


@pytest.mark.parametrize(
    ("fields", "color"),
    [
        ({}, "white"),
        ({"playerColor": "black", "fen": chess.STARTING_FEN}, "black"),
        ({"player_color": "black"}, "black"),
        ({"playerColor": "white", "player_color": "white"}, "white"),
    ],
)
def test_the_starter_has_the_colour_they_write(fields: dict[str, Any], color: str) -> None:
    assert start({**BARE, **fields}).is_white is (color == "white")


def test_an_event_of_a_game_has_its_history_without_annotations() -> None:
    found = read_event(said(history=["e4", "e5!?", "Nf3!"], fen="here", draw_offered=True))

    assert found is not None
    assert (found.game, found.history, found.fen) == (GAME, ("e4", "e5", "Nf3"), "here")
    assert (found.head, found.offers_draw) == (HEAD, True)


def test_a_history_is_read_up_to_what_cannot_be_a_move() -> None:
    for strange in ("", " e5", "e5\n", "x" * 11, "\u265e", 7, None, ["e5"]):
        found = read_event(said(history=["e4", strange, "Nf3"]))
        assert found is not None
        assert found.history == ("e4",)


def test_only_results_of_pgn_are_results() -> None:
    for claimed, seen in (("1-0", "1-0"), ("1/2-1/2", "1/2-1/2"), ("2-0", ""), (1, ""), (None, "")):
        found = read_event(said(result=claimed, termination=claimed))
        assert found is not None
        assert found.result == seen


STRANGE: list[Any] = [
    *("", "{", "[]", "null", "0", '"e4"', "[" * 9000, '{"kind":0,"kind":1}', "NaN"),
    *({}, {"kind": 2, "history": []}, {"kind": True, "history": []}, {"kind": "0", "history": []}),
    *({"kind": 1}, {"kind": 1, "history": "e4"}, {"kind": 1, "history": {"0": "e4"}}),
    *({"kind": 0, "history": ["e4"]}, {"kind": 0, "history": None}, {"kind": 0, "fen": 7}),
    {"kind": 0, "history": [], "fen": chess.STARTING_FEN.replace("KQkq", "KQ")},
    {"kind": 0, "history": [], "playerColor": ["black"]},
    {"kind": 0, "history": [], "playerColor": "white", "player_color": "black"},
]


@pytest.mark.parametrize("content", STRANGE)
def test_other_content_is_neither_a_start_nor_of_a_game(content: object) -> None:
    event = signed(content, ("e", START))

    assert not is_start(read(event))
    assert read_event(event) is None


def test_another_kind_and_an_event_without_a_game_are_nothing() -> None:
    assert not is_start(read(signed(BARE, *OPEN, kind=31)))
    for tags in ((), (("e",),), (("e", GAME.upper()),), (("p", GAME),)):
        assert read_event(signed({"kind": 1, "history": []}, *tags)) is None


@given(templates)
def test_any_event_is_read_or_is_nothing(template: EventTemplate) -> None:
    event = ALICE.sign(EventTemplate(30, template.tags, template.content, template.created_at))
    assert not is_start(read(event))
    assert read_event(event) is None


def test_open_starts_refer_to_the_initial_position() -> None:
    assert sha256(chess.STARTING_FEN.encode()).hexdigest() == START
