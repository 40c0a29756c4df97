"""The moves and the position, from servers that say much and from servers that say little."""

from dataclasses import replace

import chess
import pytest

from clients.terminal.position import Line, follow, read_fen
from clients.terminal.wire import StateClaim
from tests.clients.terminal.scene import state

PLIES = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")
CHESS960 = "bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1"


def after(plies: int, *, bare: bool = False, at: int = 0, version: int | None = None) -> StateClaim:
    claim = state(" ".join(PLIES[:plies]), bare=bare, at=at)
    return replace(claim, version=version)


def uncounted(plies: int, *, at: int = 0) -> StateClaim:
    """As servers write it whose library counts no moves."""
    claim = after(plies, bare=True, at=at)
    return replace(claim, fen=" ".join([*claim.fen.split()[:4], "0", "1"]))


def from_start(start: str, *moves: str, chess960: bool = False) -> StateClaim:
    board = chess.Board(start, chess960=chess960)
    for uci in moves:
        board.push_uci(uci)
    claim = replace(state(fen=board.fen()), ply=len(moves), moves=moves, start=start)
    return replace(claim, chess960=chess960, version=len(moves))


def followed(known: Line | None, claim: StateClaim) -> Line:
    line = follow(known, claim)
    assert line is not None
    return line


def line(*claims: StateClaim) -> Line:
    known = None
    for claim in claims:
        known = followed(known, claim)
    assert known is not None
    return known


@pytest.mark.parametrize(
    "claim",
    [
        *(
            replace(after(1), moves=moves, ply=None)
            for moves in (("0000",), ("e2e2",), ("e2e5",), ("e7e8q",))
        ),
        replace(after(4), moves=("d2d4", "d7d5", "c2c4", "c7c5")),
        replace(from_start(CHESS960, "g1f3", chess960=True), start="not a position"),
    ],
)
def test_listed_moves_that_do_not_lead_to_the_position_are_not_believed(claim: StateClaim) -> None:
    known = line(claim)
    assert (known.moves, known.complete) == ((), False)
    assert known.board().fen() == claim.fen


@pytest.mark.parametrize("bare", [True, False])
def test_a_line_never_goes_backwards(*, bare: bool) -> None:
    known = line(after(4))
    for plies in range(4):
        assert follow(known, after(plies, bare=bare)) is None
    assert follow(line(after(2, bare=True)), state("d4 d5", bare=True)) is None


@pytest.mark.parametrize("step", [1, 2])
def test_bare_positions_give_the_moves_between_them(step: int) -> None:
    known = line(*(after(plies, bare=True) for plies in range(0, 7, step)))
    assert (known.complete, known.moves) == (True, after(6).moves)


def test_a_jump_too_far_to_find_begins_a_new_line() -> None:
    known = line(after(0, bare=True), after(5, bare=True))
    assert (known.ply, known.moves, known.complete) == (5, (), False)


def test_positions_without_counters_fall_back_on_their_dates() -> None:
    known = line(uncounted(0, at=100))
    assert follow(known, uncounted(5, at=100)) is None
    later = followed(known, uncounted(5, at=101))
    assert later.board().turn == chess.BLACK
    assert follow(later, uncounted(1, at=100)) is None


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 99999",
        "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
    ],
)
def test_what_is_no_position_is_not_read(fen: str) -> None:
    assert read_fen(fen) is None


@pytest.mark.parametrize("listed", [True, False])
def test_a_numbered_state_is_followed_by_its_number_and_not_by_its_plies(*, listed: bool) -> None:
    claim = after(2, version=6)
    known = line(after(3, version=4), claim if listed else replace(claim, moves=None))
    assert (known.ply, known.version, known.complete) == (2, 6, listed)
    assert follow(known, after(3, version=5)) is None
    assert follow(known, after(3)) is None
