"""One game out of a bag of events of kind 30: lost, doubled, forked, forged, in any order."""

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.game import Game, Termination
from arbiter.dialects.jester.line import NOBODY, played
from arbiter.dialects.jester.wire import (
    MAX_FEN_CHARS,
    JesterEvent,
    Start,
    game_id,
    private_reference,
)

AT = 1_800_000_000
GAME = "5f" * 32
ALICE, BOB, EVE = (sha256(name).hexdigest() for name in (b"alice", b"bob", b"eve"))
PLAYERS = {"alice": ALICE, "bob": BOB, "eve": EVE, "nobody": NOBODY, "referee": "ee" * 32}
START = Start(GAME, ALICE, AT, is_white=True, named=(BOB,))
OPEN = replace(START, named=())
STARTS = {
    "open": OPEN,
    "black": replace(START, is_white=False),
    "private": replace(OPEN, reference=private_reference(BOB)),
}


def said(author: str, history: str, at: int = 0, **fields: object) -> JesterEvent:
    """This player's event ``at`` seconds after the start."""
    id_ = sha256(f"{author} {history} {at} {fields}".encode()).hexdigest()
    return JesterEvent(id_, author, AT + at, GAME, tuple(history.split()), **fields)  # type: ignore[arg-type]


def a_talk(history: str) -> list[JesterEvent]:
    """One event for each move, as the clients send them."""
    moves = history.split()
    return [
        said((ALICE, BOB)[ply % 2], " ".join(moves[: ply + 1]), ply + 1)
        for ply in range(len(moves))
    ]


def position(sans: Iterable[str]) -> chess.Board:
    board = chess.Board()
    for san in sans:
        board.push_san(san)
    return board


def end(game: Game) -> str:
    """Moves, result and termination."""
    board = chess.Board()
    moves = [board.san_and_push(move) for move in game.moves]
    return " ".join([*moves, game.result, *([game.outcome.termination] if game.outcome else [])])


def line(*events: JesterEvent) -> str:
    return end(played(START, events))


def bag(row: dict[str, Any]) -> tuple[Start, list[JesterEvent]]:
    """The start and the events of a row: who says which history, with what fields. ``talk`` is one
    event for each move, ``fen`` the position after these moves, and ``answers`` the number of an
    event, of which 0 is the start.
    """
    start = row.get("start", START)
    if isinstance(start, list):
        start = replace(START, named=tuple(PLAYERS[name] for name in start))
    elif isinstance(start, str):
        start = STARTS[start]
    events: list[JesterEvent] = []
    for who, history, *fields in row["bag"]:
        if who == "talk":
            events += a_talk(history)
            continue
        given: dict[str, Any] = {**(fields[0] if fields else {})}
        if "claims" in given:
            given["result"], given["termination"] = given.pop("claims").split(" ")
        if "answers" in given:
            number = given.pop("answers")
            given["head"] = events[number - 1].id if number else GAME
        if "named" in given:
            given["named"] = (PLAYERS[given["named"]],)
        if "fen" in given:
            given["fen"] = position(given["fen"].split()).fen(en_passant="fen")
        events.append(said(PLAYERS[who], history, given.pop("at", 0), **given))
    return start, events


ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("jester_bags.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["case"] for row in ROWS])
def test_a_game_is_found_in_a_bag(row: dict[str, Any]) -> None:
    game = played(*bag(row))
    assert end(game) == row["game"]
    if "black" in row:
        assert game.black.player == PLAYERS[row["black"]]


def test_of_two_unanswered_moves_the_earlier_counts_and_then_the_lower_id() -> None:
    moves = [said(ALICE, san) for san in ("a3", "b3", "c3", "d3")]
    first = min(moves, key=lambda it: it.id)
    assert line(*moves) == f"{first.history[0]} *"
    assert line(*moves, said(ALICE, "h3", -1)) == "h3 *"


def test_events_of_another_game_are_not_of_this_one() -> None:
    other = JesterEvent("77" * 32, BOB, AT, "66" * 32, ("e4", "e5"))
    assert line(*a_talk("e4"), other) == "e4 *"


def test_a_game_has_the_id_of_its_start_and_the_times_of_its_events() -> None:
    game = played(START, a_talk("e4 e5"))
    assert (game.white.player, game.id) == (ALICE, game_id(GAME))
    assert (game.created_at_ms, game.changed_at_ms) == (AT * 1000, (AT + 2) * 1000)


def test_a_date_beyond_every_calendar_is_the_last_one() -> None:
    game = played(START, [said(ALICE, "e4", 2**53 - 1 - AT)])
    assert end(game) == "e4 *"
    assert game.changed_at_ms // 1000 == 253_402_300_799


# A small world, where histories meet: four first moves, of which one is illegal.
_WORDS = ["e4", "e5", "d4", "d5", "Nf3", "Nf6", "exd5", "Qxd5", "Ke9", "e4"]
_ENDS = [
    *({}, {}, {}, {"offers_draw": True}),
    *({"result": one, "termination": "resignation"} for one in ("1-0", "0-1")),
    {"result": "1/2-1/2", "termination": "draw_agreement"},
]
_histories = st.lists(st.sampled_from(_WORDS), max_size=4).map(" ".join)
_true = st.sampled_from(["e4 e5 Nf3 Nf6", "e4 d5 exd5 Qxd5", "d4 d5 Nf3", "e4 e5 Nf3 Nf6 d4"])
_cut = st.builds(lambda text, plies: " ".join(text.split()[:plies]), _true, st.integers(0, 5))
_events = st.builds(
    lambda author, history, at, fields: said(author, history, at, **fields),
    st.sampled_from([ALICE, BOB]),
    _cut | _histories,
    st.integers(0, 3),
    st.sampled_from(_ENDS),
)
_strange = st.builds(lambda it: said(EVE, " ".join(it.history), it.created_at - AT), _events)
_bags = st.lists(_events, max_size=12)


def shuffled(events: Iterable[JesterEvent], seed: int) -> list[JesterEvent]:
    bag = [*events]
    return random.Random(seed).sample(bag, len(bag))


@pytest.mark.parametrize("number", ["9" * 9000, "9" * 100, "-1", "x", "²"])
def test_a_position_with_strange_counters_makes_no_history_short(number: str) -> None:
    talk = a_talk("e4 e5 Nf3")
    fen = f"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 {number}"
    flaw = "fen is a text" if len(fen) > MAX_FEN_CHARS else None

    assert line(*talk, said(BOB, "Nc6", 9, head=talk[-1].id, fen=fen, flaw=flaw)) in (
        "e4 e5 Nf3 *",
        "e4 e5 Nf3 Nc6 *",
    )


@given(_bags, st.lists(_strange, max_size=3), st.integers(), st.sampled_from([START, OPEN]))
def test_neither_order_nor_repetition_matters(
    bag: list[JesterEvent], strange: list[JesterEvent], seed: int, start: Start
) -> None:
    events = [*bag, *strange]
    assert played(start, shuffled([*events, *events[:4]], seed)) == played(start, events)


@given(_bags, st.lists(_strange, max_size=8))
def test_a_stranger_changes_nothing(bag: list[JesterEvent], strange: list[JesterEvent]) -> None:
    assert played(START, [*strange, *bag]) == played(START, bag)


@given(st.lists(_events | _strange, max_size=14), st.sampled_from([START, OPEN]))
def test_every_move_is_legal_and_signed_by_its_player(bag: list[JesterEvent], start: Start) -> None:
    game = played(start, bag)

    board = chess.Board()
    for ply, move in enumerate(game.moves):
        assert board.is_legal(move)
        board.push(move)
        mover = game.seat(game.mover(ply)).player
        histories = [it.history for it in bag if it.author == mover and len(it.history) > ply]
        assert any(_replayed(its[: ply + 1]) == game.moves[: ply + 1] for its in histories)
    if game.outcome and game.outcome.termination is Termination.AGREEMENT:
        assert {it.author for it in bag if it.offers_draw or it.result} >= {ALICE}


def _replayed(history: Iterable[str]) -> tuple[chess.Move, ...] | None:
    board = chess.Board()
    try:
        for san in history:
            board.push_san(san)
    except ValueError:
        return None
    return tuple(board.move_stack)
