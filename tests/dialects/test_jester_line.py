"""One game out of a bag of events of kind 30: lost, doubled, forked, forged, in any order."""

import random
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.game import Game, Termination
from arbiter.dialects.jester.line import NOBODY, played
from arbiter.nostr.jester import MAX_FEN_CHARS, Said, Start, game_id, private_reference

AT = 1_800_000_000
GAME = "5f" * 32
ALICE, BOB, EVE = (sha256(name).hexdigest() for name in (b"alice", b"bob", b"eve"))
START = Start(GAME, ALICE, AT, is_white=True, named=(BOB,))
OPEN = Start(GAME, ALICE, AT, is_white=True)


def said(author: str, history: str, at: int = 0, **fields: object) -> Said:
    """This player's event ``at`` seconds after the start."""
    id_ = sha256(f"{author} {history} {at} {fields}".encode()).hexdigest()
    return Said(id_, author, AT + at, GAME, tuple(history.split()), **fields)  # type: ignore[arg-type]


def a_talk(history: str, white: str = ALICE, black: str = BOB) -> list[Said]:
    """One event for each move, as the clients send them."""
    moves = history.split()
    return [
        said((white, black)[ply % 2], " ".join(moves[: ply + 1]), ply + 1)
        for ply in range(len(moves))
    ]


def sans(game: Game) -> str:
    board = chess.Board()
    return " ".join(board.san_and_push(move) for move in game.moves)


def line(*events: Said, start: Start = START) -> str:
    return sans(played(start, events))


def end(*events: Said, start: Start = START) -> str:
    """Moves, result and termination."""
    game = played(start, events)
    return f"{sans(game)} {game.result} {game.outcome.termination if game.outcome else ''}".strip()


START_SAID = replace(said(ALICE, ""), id=GAME)
ITALIAN = "e4 e5 Nf3 Nc6 Bc4 Bc5"
MATE = "f3 e5 g4 Qh4#"


def test_a_game_is_its_moves_between_its_players() -> None:
    game = played(START, a_talk(ITALIAN))

    assert sans(game) == ITALIAN
    assert (game.white.player, game.black.player) == (ALICE, BOB)
    assert (game.id, game.created_at_ms, game.outcome) == (game_id(GAME), AT * 1000, None)
    assert game.changed_at_ms == (AT + 6) * 1000


def test_the_board_ends_the_game() -> None:
    assert end(*a_talk(MATE), *a_talk(f"{MATE} e4")) == f"{MATE} 0-1 checkmate"


def test_a_starter_with_black_waits_for_white() -> None:
    start = Start(GAME, ALICE, AT, is_white=False, named=(BOB,))
    assert line(*a_talk("e4 e5", BOB, ALICE), start=start) == "e4 e5"
    assert line(*a_talk("e4"), start=start) == ""


def test_no_event_is_a_game_without_moves() -> None:
    assert line() == ""
    assert played(OPEN, ()).black.player == NOBODY


@pytest.mark.parametrize("lost", range(4))
def test_a_lost_event_is_made_good_by_the_next_one_of_its_author(lost: int) -> None:
    talk = a_talk(ITALIAN)
    assert line(*talk[:lost], *talk[lost + 1 :]) == ITALIAN


def test_the_last_events_of_both_are_the_game() -> None:
    assert line(*a_talk(ITALIAN)[-2:]) == ITALIAN


def test_a_player_alone_plays_no_move_of_their_opponent() -> None:
    assert line(said(ALICE, ITALIAN)) == "e4"
    assert line(said(BOB, ITALIAN)) == ""
    assert line(*a_talk("e4 e5"), said(ALICE, "e4 c5 Nf3", 9), said(ALICE, "e4 e5 Nf3 d6 d4")) == (
        "e4 e5 Nf3"
    )


def test_a_strangers_moves_are_not_played() -> None:
    forged = [*a_talk("e4 e5 Qh5", EVE, EVE), said(EVE, "e4 e5 Nf3", 1)]
    assert line(*a_talk("e4 e5"), *forged) == "e4 e5"


def test_a_move_of_the_wrong_colour_is_not_played() -> None:
    assert line(said(BOB, "e4")) == ""
    assert line(*a_talk("e4"), said(ALICE, "e4 e5")) == "e4"


def test_events_of_another_game_are_not_of_this_one() -> None:
    other = Said("77" * 32, BOB, AT, "66" * 32, ("e4", "e5"))
    assert line(*a_talk("e4"), other) == "e4"


@pytest.mark.parametrize("san", ["e5", "Ke3", "Nf6", "O-O", "--", "0000", "Z0", "x", "e9", "e4e5"])
def test_an_illegal_move_is_not_played_and_freezes_nothing(san: str) -> None:
    bad = said(ALICE, f"e4 e5 {san}", 0)
    assert line(*a_talk("e4 e5"), bad) == "e4 e5"
    assert line(*a_talk(ITALIAN), bad) == ITALIAN


def test_one_move_in_several_spellings_is_one_move() -> None:
    assert line(said(ALICE, "e4"), said(BOB, "e2-e4 e5"), said(ALICE, "e4 e7e5 Nf3")) == "e4 e5 Nf3"


def test_of_two_moves_the_one_that_was_answered_counts() -> None:
    late, early = said(ALICE, "d4", 500), said(ALICE, "e4", -500)
    assert line(late, early) == "e4"
    assert line(late, early, said(BOB, "d4 d5")) == "d4 d5"


def test_nothing_signed_later_changes_what_both_have_played() -> None:
    backdated = [said(BOB, "e4 c5", -900), said(BOB, "e4 e5 Nf3 d6", -900), said(ALICE, "a3", -900)]
    assert line(*a_talk(ITALIAN), *backdated) == ITALIAN


def test_of_two_unanswered_moves_the_earlier_counts_and_then_the_lower_id() -> None:
    moves = [said(ALICE, san) for san in ("a3", "b3", "c3", "d3")]
    first = min(moves, key=lambda it: it.id)
    assert line(*moves) == first.history[0]
    assert line(*moves, said(ALICE, "h3", -1)) == "h3"


def test_the_opponent_in_an_open_game_is_the_one_who_was_answered() -> None:
    intruder = said(EVE, "e4 c5", -100)
    assert played(OPEN, [*a_talk("e4"), intruder]).black.player == EVE
    game = played(OPEN, [intruder, *a_talk("e4 e5 Nf3")])
    assert (game.black.player, sans(game)) == (BOB, "e4 e5 Nf3")


def test_who_copies_a_history_in_an_open_game_does_not_take_the_seat_of_who_was_answered() -> None:
    first, second, third = a_talk("e4 e5 Nf3")
    by_head, by_key = replace(third, head=second.id), replace(third, named=(BOB,))
    intruder = said(EVE, "e4 e5 Nf3 Nf6", -100)
    for answer in (by_head, by_key):
        game = played(OPEN, [first, second, answer, intruder])
        assert (game.black.player, sans(game)) == (BOB, "e4 e5 Nf3")


def test_a_start_may_name_a_referee_besides_the_opponent() -> None:
    referee = "ee" * 32
    for named in ((BOB, referee), (referee, BOB)):
        start = Start(GAME, ALICE, AT, is_white=True, named=named)
        game = played(start, [*a_talk("e4 c5 Nf3 d6", black=EVE), *a_talk("e4 e5")])
        assert (game.black.player, sans(game)) == (BOB, "e4 e5")


def test_only_the_player_of_a_private_start_is_the_opponent() -> None:
    start = Start(GAME, ALICE, AT, is_white=True, reference=private_reference(BOB))
    game = played(start, [*a_talk("e4 c5 Nf3 d6", black=EVE), *a_talk("e4 e5")])
    assert (game.black.player, sans(game)) == (BOB, "e4 e5")


def test_a_last_move_that_is_written_twice_is_one() -> None:
    assert line(*a_talk("e4 e5"), said(ALICE, "e4 e5 Nf3 Nf3", 3)) == "e4 e5 Nf3"
    assert line(*(said((ALICE, BOB)[at], f"{san} {san}") for at, san in enumerate(["e4"]))) == "e4"
    talk = [said(it.author, " ".join([*it.history, it.history[-1]])) for it in a_talk(ITALIAN)]
    assert line(*talk) == ITALIAN


def test_two_can_take_on_one_square() -> None:
    exchange = "Nf3 Nf6 Nc3 Nc6 Nd5 Nd4 Nxf6+ gxf6 Nxd4 c5"
    assert line(*a_talk(exchange)) == exchange
    knights = "Nc3 Nf6 d4 d5 e4 Nxe4 Nxe4"
    assert line(*a_talk(knights)) == knights


def test_a_doubled_capture_is_told_from_a_recapture_by_the_position() -> None:
    taken, board = "Nc3 Nf6 d4 d5 e4 Nxe4", chess.Board()
    for san in taken.split():
        board.push_san(san)
    talk, twice = a_talk(taken), f"{taken} Nxe4"
    resigns = said(ALICE, twice, 9, fen=board.fen(), result="0-1", termination="resignation")
    assert end(*talk, resigns) == f"{taken} 0-1 resignation"
    board.push_san("Nxe4")
    assert line(*talk, said(ALICE, twice, 9, fen=board.fen())) == twice


def test_a_recapture_with_a_resignation_is_played_before_it() -> None:
    taken, board = "Nc3 Nf6 d4 d5 e4 Nxe4 Nxe4", chess.Board()
    for san in taken.split():
        board.push_san(san)
    resigns = said(ALICE, taken, 9, fen=board.fen(), result="0-1", termination="resignation")
    assert end(*a_talk(taken), resigns) == f"{taken} 0-1 resignation"


def resigned(author: str, history: str, result: str, at: int = 99) -> Said:
    return said(author, history, at, result=result, termination="resignation")


@pytest.mark.parametrize("history", ["e4 e5", "e4 e5 e5"])
def test_each_spelling_of_a_resignation_ends_the_game(history: str) -> None:
    talk = a_talk("e4 e5")
    assert end(*talk, resigned(ALICE, history, "0-1")) == "e4 e5 0-1 resignation"
    assert end(*talk, resigned(BOB, history, "1-0")) == "e4 e5 1-0 resignation"
    assert end(*talk[:1], resigned(BOB, "e4", "1-0")) == "e4 1-0 resignation"
    assert end(resigned(ALICE, "", "0-1")) == "0-1 resignation"


def test_a_resignation_sent_with_the_last_move_is_of_that_position() -> None:
    assert end(*a_talk("e4"), resigned(BOB, "e4 e5", "1-0")) == "e4 e5 1-0 resignation"


def test_of_two_resignations_the_earlier_counts() -> None:
    alices, bobs = resigned(ALICE, "e4 e5", "0-1", at=8), resigned(BOB, "e4 e5", "1-0", at=9)
    assert end(*a_talk("e4 e5"), bobs, alices) == "e4 e5 0-1 resignation"
    assert end(*a_talk("e4 e5"), alices, bobs) == "e4 e5 0-1 resignation"


def test_a_resignation_may_cross_a_move_of_the_opponent() -> None:
    resigns = resigned(BOB, "e4 e5", "1-0")
    assert end(*a_talk("e4 e5 Nf3"), resigns) == "e4 e5 1-0 resignation"
    assert end(*a_talk("e4 e5 Nf3 Nc6"), resigns) == "e4 e5 Nf3 Nc6 *"


@pytest.mark.parametrize(
    "claim",
    [
        resigned(BOB, "e4 e5", "0-1"),
        resigned(EVE, "e4 e5", "0-1"),
        resigned(BOB, "e4 e5", ""),
        resigned(BOB, "e4 c5", "1-0"),
        said(BOB, "e4 e5", 9, result="0-1", termination="checkmate"),
        said(BOB, "e4 e5", 9, result="0-1", termination="abandonment"),
        said(BOB, "e4 e5", 9, result="1/2-1/2", termination="threefold_repetition"),
        said(BOB, "e4 e5", 9, result="1/2-1/2", termination="draw_agreement"),
        said(ALICE, "e4 e5", 9, offers_draw=True),
    ],
)
def test_what_only_one_player_claims_is_no_end(claim: Said) -> None:
    assert end(*a_talk("e4 e5"), claim) == "e4 e5 *"


def drawn(author: str, history: str) -> Said:
    return said(author, history, 99, result="1/2-1/2", termination="draw_agreement")


@pytest.mark.parametrize("history", ["e4 e5", "e4 e5 e5"])
def test_each_spelling_of_an_offer_can_be_agreed_to(history: str) -> None:
    offers = said(BOB, history, 2, offers_draw=True)
    with_the_move = [*a_talk("e4"), offers]
    after_it = [*a_talk("e4 e5"), offers]
    as_a_claim = [*a_talk("e4 e5"), drawn(BOB, history)]
    for talk in (with_the_move, after_it, as_a_claim):
        assert end(*talk, drawn(ALICE, history)) == "e4 e5 1/2-1/2 agreement"


def test_an_offer_is_good_for_the_move_of_its_author_and_not_after_the_opponents() -> None:
    talk, offers = a_talk("e4 e5 Nf3"), said(ALICE, "e4 e5", 2, offers_draw=True)
    assert end(*talk, offers, drawn(BOB, "e4 e5 Nf3")) == "e4 e5 Nf3 1/2-1/2 agreement"
    on = a_talk("e4 e5 Nf3 Nc6")
    assert end(*on, offers, drawn(BOB, "e4 e5 Nf3 Nc6")) == "e4 e5 Nf3 Nc6 *"
    assert end(*on, offers, drawn(BOB, "e4 e5 Nf3")) == "e4 e5 Nf3 Nc6 *"


def test_a_draw_by_repetition_counts_where_the_position_is_one() -> None:
    thrice = " ".join(["Nf3 Nf6 Ng1 Ng8"] * 2)
    claim = said(BOB, thrice, 99, result="1/2-1/2", termination="threefold_repetition")
    assert end(*a_talk(thrice), claim) == f"{thrice} 1/2-1/2 threefold-repetition"
    early = said(BOB, "Nf3 Nf6", 99, result="1/2-1/2", termination="threefold_repetition")
    assert end(*a_talk(thrice), early) == f"{thrice} *"


def test_a_date_beyond_every_calendar_is_the_last_one() -> None:
    game = played(START, [said(ALICE, "e4", 2**53 - 1 - AT)])
    assert sans(game) == "e4"
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


def shuffled(events: Iterable[Said], seed: int) -> list[Said]:
    bag = [*events]
    return random.Random(seed).sample(bag, len(bag))


def reopened(author: str, head: Said, history: str, moves: str, **fields: object) -> Said:
    """What a page writes that was opened again after this event: the moves since, and the position
    after all of them.
    """
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    fen = board.fen(en_passant="fen")
    return said(author, history, 60 + len(history), head=head.id, fen=fen, **fields)


@pytest.mark.parametrize("history", ["Nc6", "Nc6 Nc6", "a3 h6 Nc6"])
def test_a_page_that_was_opened_again_goes_on_with_the_event_that_it_answers(history: str) -> None:
    talk = a_talk("e4 e5 Nf3")
    answer = reopened(BOB, talk[-1], history, "e4 e5 Nf3 Nc6")
    after = reopened(ALICE, answer, "Bc4", "e4 e5 Nf3 Nc6 Bc4")

    assert line(after, *talk, answer) == "e4 e5 Nf3 Nc6 Bc4"


def test_an_event_that_is_answered_may_have_its_last_move_twice() -> None:
    opened = reopened(ALICE, START_SAID, "e4 e4", "e4")
    answer = reopened(BOB, opened, "e5", "e4 e5")

    assert line(opened, answer) == "e4 e5"


def test_a_page_that_was_opened_again_can_resign() -> None:
    talk = a_talk("e4 e5 Nf3")
    gone = {"result": "1-0", "termination": "resignation"}
    given_up = reopened(BOB, talk[-1], "", "e4 e5 Nf3", **gone)

    assert end(*talk, given_up) == "e4 e5 Nf3 1-0 resignation"


@pytest.mark.parametrize("position", ["e4 e5 Nf3 Nf6", "e4 e5 d4 Nc6", ""])
def test_a_short_history_that_does_not_lead_to_its_position_is_none(position: str) -> None:
    talk = a_talk("e4 e5 Nf3")

    assert line(*talk, reopened(BOB, talk[-1], "Nc6", position)) == "e4 e5 Nf3"


@pytest.mark.parametrize("number", ["9" * 9000, "9" * 100, "-1", "x", "²"])
def test_a_position_with_strange_counters_makes_no_history_short(number: str) -> None:
    talk = a_talk("e4 e5 Nf3")
    fen = f"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 {number}"
    flaw = "fen is a text" if len(fen) > MAX_FEN_CHARS else None

    assert line(*talk, said(BOB, "Nc6", 9, head=talk[-1].id, fen=fen, flaw=flaw)) in (
        "e4 e5 Nf3",
        "e4 e5 Nf3 Nc6",
    )


def test_a_short_history_plays_no_move_of_the_opponent() -> None:
    talk = a_talk("e4 e5")
    forged = said(BOB, "e4 e5 Qh5", 9)

    assert line(*talk, forged, reopened(BOB, forged, "Nc6", "e4 e5 Qh5 Nc6")) == "e4 e5"


@given(_bags, st.lists(_strange, max_size=3), st.integers(), st.sampled_from([START, OPEN]))
def test_neither_order_nor_repetition_matters(
    bag: list[Said], strange: list[Said], seed: int, start: Start
) -> None:
    events = [*bag, *strange]
    assert played(start, shuffled([*events, *events[:4]], seed)) == played(start, events)


@given(_bags, st.lists(_strange, max_size=8))
def test_a_stranger_changes_nothing(bag: list[Said], strange: list[Said]) -> None:
    assert played(START, [*strange, *bag]) == played(START, bag)


@given(st.lists(_events | _strange, max_size=14), st.sampled_from([START, OPEN]))
def test_every_move_is_legal_and_signed_by_its_player(bag: list[Said], start: Start) -> None:
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
