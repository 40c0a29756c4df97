"""``if Nf3 d6``: lines as they are typed, sealed by the shell, and told by the arbiter."""

from dataclasses import replace

import pytest

from clients.player.chat import ChatCipher
from clients.player.messages import LinesTold, Rejected
from clients.player.terms import TimeControl
from clients.terminal.session import Input, Sealed
from tests.builders import ALICE, SERVER
from tests.clients.player.test_inbox import an_event, opened
from tests.clients.terminal.alice import Alice, Step, enter, playing, state
from tests.clients.terminal.scene import GAME


def told(text: str, ply: int = 1, answers: str = "lines") -> Step:
    def heard(alice: Alice) -> tuple[Input, ...]:
        return (LinesTold(GAME, ply, text, alice.sent.get(answers)),)

    return heard


def a_game_with(text: str = "") -> Alice:
    """After 1. e4, which Alice made, with these lines of hers."""
    alice = playing("e4")
    assert alice(enter("lines")) == "lines | sent lines"
    alice(told(text))
    return alice


def test_a_line_is_added_to_those_that_the_arbiter_has() -> None:
    alice = playing("e4")
    assert alice(enter("if e5 Nf3 Nc6 Bb5")) == "lines | sent lines"
    added = alice(told("c7c5 g1f3\n"))
    assert added == "seal c7c5 g1f3, e7e5 g1f3 b8c6 f1b5"
    assert alice(Sealed(GAME, "lines:x")) == "lines:x | sent lines:x"
    assert "your lines" in alice.says
    shown = alice(told("c7c5 g1f3\ne7e5 g1f3 b8c6 f1b5", answers="lines:x"))
    assert shown == "(lines)"
    assert "1...e5 2. Nf3 Nc6 3. Bb5" in alice.says


@pytest.mark.parametrize(
    ("line", "sealed"),
    [
        ("if d5 exd5", "c7c5 g1f3, d7d5 e4d5"),
        ("if c5 Nc3", "c7c5 b1c3"),
        ("if c5 Nf3 d6 d4", "c7c5 g1f3 d7d6 d2d4"),
        ("IF c7c5, g1f3", "c7c5 g1f3"),
        ("lines clear", "none"),
    ],
)
def test_another_answer_to_the_same_move_takes_its_place(line: str, sealed: str) -> None:
    assert a_game_with("c7c5 g1f3")(enter(line)) == f"seal {sealed}"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("if", "no-line"),
        ("if e5", "no-line"),
        ("if e5 Nf3 Nc6", "no-line"),
        ("if e5 Ke8", "illegal-move"),
        ("if what e5", "unknown-command"),
        ("lines drop", "unknown-command"),
    ],
)
def test_what_is_no_line_is_refused_here(line: str, code: str) -> None:
    assert a_game_with()(enter(line)) == f"!{code}"


def test_lines_follow_the_game() -> None:
    alice = a_game_with("e7e5 g1f3 b8c6 f1b5\nc7c5 g1f3")
    alice(state("e4 e5"), state("e4 e5 Nf3"))
    assert alice(enter("if d6 d4")) == "seal b8c6 f1b5, d7d6 d2d4"
    alice(state("e4", version=5))
    assert alice(enter("if c5 c3")) == "lines | sent lines", "after a takeback they are gone"


def test_lines_that_are_typed_in_one_breath_are_all_set() -> None:
    alice = playing("e4")
    assert alice(enter("if e5 Nf3")) == "lines | sent lines"
    assert alice(enter("if c5 Nc3")) == "-", "the arbiter is asked once"
    assert alice(told("")) == "seal e7e5 g1f3, c7c5 b1c3"
    assert alice(enter("if d5 exd5")) == "seal e7e5 g1f3, c7c5 b1c3, d7d5 e4d5"
    assert alice(enter("lines clear")) == "seal none"
    assert alice(enter("if d6 d4")) == "seal d7d6 d2d4"


def test_an_answer_to_lines_before_the_last_changes_nothing() -> None:
    alice = a_game_with()
    alice(enter("if e5 Nf3"), Sealed(GAME, "lines:x"))
    alice(enter("if c5 Nc3"), Sealed(GAME, "lines:y"))
    assert alice(told("e7e5 g1f3", answers="lines:x")) == "-"
    assert alice(enter("if d5 exd5")) == "seal e7e5 g1f3, c7c5 b1c3, d7d5 e4d5"


def test_a_line_goes_on_from_the_move_that_came_before_the_arbiters_lines() -> None:
    alice = playing("e4")
    alice(enter("if e5 Nf3 Nc6 Bb5"), state("e4 e5"))
    assert alice(told("")) == "seal g1f3 b8c6 f1b5"
    other = playing("e4")
    other(enter("if e5 Nf3"), state("e4 c5"))
    assert other(told("")) == "!no-line", "the game went another way"
    assert other(enter("lines")) == "lines | sent lines"
    assert other(told("")) == "(lines)"


def test_a_line_whose_question_is_refused_is_not_added_later() -> None:
    alice = playing("e4")
    alice(enter("if e5 Nf3"))
    alice(Rejected("rate-limited", "too many", alice.sent["lines"], GAME))
    alice(enter("lines"))
    assert alice(told("c7c5 g1f3")) == "(lines)"


def test_after_a_refusal_the_arbiter_is_asked_for_the_lines_anew() -> None:
    alice = a_game_with("c7c5 g1f3")
    alice(enter("if e5 Nf3"), Sealed(GAME, "lines:x"))
    alice(Rejected("stale", "sign anew", alice.sent["lines:x"], GAME), state("e4"))
    assert alice(enter("if e5 Nf3")) == "lines | sent lines"


def test_in_ones_own_turn_a_line_begins_with_ones_own_move() -> None:
    alice = playing("e4 e5")
    alice(enter("lines"))
    alice(told("", 2))
    assert alice(enter("if Nf3 Nc6")) == "!no-line"
    assert alice(enter("if Nf3 Nc6 Bb5")) == "seal g1f3 b8c6 f1b5"


def test_none_in_a_live_game_and_a_refusal_is_shown() -> None:
    live = playing("e4", time=TimeControl(180, 2), clock=(180_000, 180_000))
    assert live(enter("if e5 Nf3")) == "!not-offered-here"
    alice = a_game_with()
    alice(Sealed(GAME, "lines:x"))
    refusal = Rejected("illegal-move", "line 1, ply 2 is not legal", alice.sent["lines:x"], GAME)
    assert alice(refusal) == "arbiter !illegal-move line 1, ply 2 is not legal"


def test_what_the_arbiter_seals_is_read_and_anything_else_left() -> None:
    tags = (("p", ALICE.pubkey), ("d", GAME), ("ply", "3"), ("e", "b" * 64))
    sealed = ChatCipher(SERVER).encrypt("e7e5 g1f3\n", ALICE.pubkey)
    read = opened(an_event(20301, f"lines:{sealed}", *tags))
    assert read == LinesTold(GAME, 3, "e7e5 g1f3\n", "b" * 64)
    assert isinstance(read, LinesTold)
    assert read.lines == (("e7e5", "g1f3"),)
    assert replace(read, text="e7e5 rm -rf\n\x1b[2J").lines == ()
    for content in ("lines:e7e5 g1f3", "lines:", "lines"):
        assert opened(an_event(20301, content, *tags)) is None
    assert opened(an_event(20301, f"lines:{sealed}", tags[0])) is None
