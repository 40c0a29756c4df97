"""Moves of kind 30 whose history does not tell the game, since a page was opened again: what they
answer and their position do.
"""

from typing import Any

import chess
import pytest

from arbiter.nostr.event import VerifiedEvent
from tests.application.jester_player import JesterPlayer
from tests.application.native_player import NativePlayer
from tests.application.test_jester_games import against_bob, play, refereed
from tests.builders import EVE

GAMES = "e2e4 e7e5 g1f3 b8c6"
NOT_A_HISTORY = "Arbiter: the moves of history do not follow from each other."


def played() -> tuple[JesterPlayer, NativePlayer]:
    """Alice in kind 30 has White against Bob, and it is her third move."""
    alice, bob = against_bob("nostr.blue")
    for ply, uci in enumerate(GAMES.split()):
        (alice, bob)[ply % 2].move(uci)
    alice.board()
    return alice, bob


@pytest.mark.parametrize(
    "history", [["Bb5", "Bb5"], ["Bb5"], ["Nf6", "Bb5"], ["Nf6", "Bb5", "Bb5"]]
)
def test_a_move_answers_our_last_one_whatever_its_history_forgot(history: list[str]) -> None:
    alice, bob = played()

    alice.world.hear(alice.move_event("f1b5", history=history))

    assert alice.game.uci_moves() == [*GAMES.split(), "f1b5"]
    assert alice.notes() == []
    bob.move("a7a6")
    assert alice.game.ply == 6


def test_the_next_answer_names_that_move() -> None:
    alice, bob = played()
    moved = alice.move_event("f1b5", history=["Bb5", "Bb5"])
    alice.world.hear(moved)
    bob.move("a7a6")

    assert ("e", moved.id) in alice.read()[-1].tags


def test_a_start_or_a_move_may_be_what_is_answered_in_a_refereed_game() -> None:
    alice, bob = refereed("nostr.blue", "nostr.blue")
    play((alice, bob), "e2e4")

    bob.world.hear(answer := bob.move_event("e7e5", history=["e5", "e5"]))
    for player in (alice, bob):
        player.history, player.head = ["e4", "e5"], answer.id
    alice.world.hear(alice.move_event("g1f3", history=["Nf3", "Nf3"]))

    assert alice.game.uci_moves() == ["e2e4", "e7e5", "g1f3"]
    assert alice.notes() == []


@pytest.mark.parametrize("names_offer", [True, False])
def test_an_offer_in_the_position_or_its_move_may_be_what_is_answered(*, names_offer: bool) -> None:
    alice, bob = refereed("nostr.blue", "nostr.blue")
    play((alice, bob), "e2e4")
    offer = alice.said(alice.board(), move="e4", history=["e4", "e4"], draw_offered=True)
    alice.world.hear(offer)
    assert alice.game.offer is not None
    bob.head = offer.id if names_offer else bob.head

    bob.world.hear(bob.move_event("e7e5", history=["e5", "e5"]))

    assert alice.game.uci_moves() == ["e2e4", "e7e5"]


@pytest.mark.parametrize("fields", [{"draw_offered": True}, {"termination": "draw_agreement"}])
def test_a_draw_is_offered_with_such_a_move_and_after_it(fields: dict[str, Any]) -> None:
    for is_after in (False, True):
        alice, _ = played()
        moved = alice.move_event("f1b5", history=["Bb5", "Bb5"], **({} if is_after else fields))
        alice.world.hear(moved)
        if is_after:
            assert alice.game.offer is None
            board = alice.game.board().copy()
            alice.head = moved.id
            word = {"move": "Bb5", "history": ["Bb5", "Bb5"], **fields}
            alice.world.hear(alice.said(board, **word))

        assert alice.game.ply == 5
        assert alice.game.offer is not None
        assert alice.notes() == []


def test_a_resignation_counts_after_such_a_history() -> None:
    alice, _ = played()
    ended = {"result": "0-1", "termination": "resignation", "history": ["Bb5", "Bb5"]}
    alice.world.hear(alice.said(alice.board(), **ended))

    assert alice.game.result == "0-1"


def answering(alice: JesterPlayer, head: str) -> VerifiedEvent:
    alice.head = head
    return alice.move_event("f1b5", history=["Bb5", "Bb5"])


@pytest.mark.parametrize("head", ["start", "own", "earlier", "none", "another"])
def test_a_move_that_answers_another_event_is_judged_by_its_history(head: str) -> None:
    alice, _ = played()
    heads = {
        "start": alice.start,
        "own": alice.read()[-1].tags[1][1],
        "earlier": alice.read()[0].id,
        "none": "",
        "another": "f" * 64,
    }
    alice.world.hear(answering(alice, heads[head]))

    assert alice.game.ply == 4
    assert alice.notes() == [NOT_A_HISTORY]


@pytest.mark.parametrize(
    "fen",
    [
        None,
        "",
        " ",
        "8/8",
        7,
        chess.STARTING_FEN,
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 3 3",
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQ - 3 3",
        "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq e3 3 3",
        "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    ],
)
def test_a_move_to_another_position_is_judged_by_its_history(fen: object) -> None:
    alice, _ = played()
    alice.world.hear(alice.move_event("f1b5", history=["Bb5", "Bb5"], fen=fen))

    assert alice.game.ply == 4
    assert len(alice.notes()) == 1


@pytest.mark.parametrize(
    "history",
    [
        ["--"],
        ["Ke6", "Ke6"],
        ["Bb5", "Bc4"],
        ["Bb5", 7],
        ["Bb5"] * 601,
        # As long as the game: it tells other moves, which is no forgetting.
        ["d4", "d5", "c4", "c5", "Bb5"],
        ["d4", "d5", "c4", "c5", "Bb5", "Bb5"],
    ],
)
def test_a_history_of_another_game_is_named(history: list[Any]) -> None:
    alice, _ = played()
    alice.world.hear(alice.move_event("f1b5", history=history))

    assert alice.game.uci_moves() == GAMES.split()
    assert len(alice.notes()) == 1


def test_it_moves_for_no_other_player() -> None:
    alice, bob = refereed("nostr.blue", "nostr.blue")
    play((alice, bob), GAMES)
    eve = JesterPlayer(alice.world, EVE)
    eve.start, eve.head, eve.history = alice.start, alice.head, alice.history
    for player in (eve, bob):
        player.world.hear(player.move_event("f1b5", history=["Bb5", "Bb5"]))

    assert alice.game.uci_moves() == GAMES.split()


def test_a_claim_of_time_is_no_move() -> None:
    alice, _ = played()
    alice.world.hear(alice.move_event("f1b5", history=["Bb5"], result="1-0", termination="timeout"))

    assert alice.game.ply == 4
