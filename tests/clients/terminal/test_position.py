"""Where the game stands, from servers that say much and from servers that say little."""

from dataclasses import replace

import chess
import pytest

from clients.terminal.position import Line, follow, read_fen
from clients.terminal.wire import StateClaim
from tests.clients.terminal.scene import state

PLIES = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")


def after(plies: int, *, bare: bool = False, at: int = 0) -> StateClaim:
    return state(" ".join(PLIES[:plies]), bare=bare, at=at)


def uncounted(plies: int, *, at: int = 0) -> StateClaim:
    """As servers write it whose library counts no moves."""
    claim = after(plies, bare=True, at=at)
    return replace(claim, fen=" ".join([*claim.fen.split()[:4], "0", "1"]))


def line(claim: StateClaim) -> Line:
    followed = follow(None, claim)
    assert followed is not None
    return followed


def test_listed_moves_are_replayed_and_reach_back_to_the_start() -> None:
    known = line(after(6))
    assert known.complete
    assert known.ply == 6
    assert known.board().fen() == after(6).fen


def test_moves_that_do_not_lead_to_the_position_beside_them_are_not_believed() -> None:
    claim = replace(after(4), moves=("d2d4", "d7d5", "c2c4", "c7c5"))
    known = line(claim)
    assert known.moves == ()
    assert known.board().fen() == claim.fen


@pytest.mark.parametrize("moves", [("0000",), ("e2e2",), ("e2e5",), ("e7e8q",)])
def test_moves_that_are_none_are_not_believed(moves: tuple[str, ...]) -> None:
    assert line(replace(after(1), moves=moves, ply=None)).moves == ()


@pytest.mark.parametrize("bare", [True, False])
def test_a_line_never_goes_backwards(*, bare: bool) -> None:
    known = line(after(4))
    for plies in range(4):
        assert follow(known, after(plies, bare=bare)) is None


@pytest.mark.parametrize("steps", [1, 2])
def test_bare_positions_give_the_moves_between_them(steps: int) -> None:
    known = line(after(0, bare=True))
    for plies in range(steps, 7, steps):
        followed = follow(known, after(plies, bare=True))
        assert followed is not None
        known = followed
    assert known.complete
    assert known.moves == after(6).moves


def test_a_jump_too_far_to_find_begins_a_new_line() -> None:
    followed = follow(line(after(0, bare=True)), after(5, bare=True))
    assert followed is not None
    assert (followed.ply, followed.moves, followed.complete) == (5, (), False)


def test_a_bare_line_becomes_whole_when_a_server_lists_its_moves() -> None:
    followed = follow(line(after(3, bare=True)), after(4))
    assert followed is not None
    assert followed.complete


def test_positions_without_counters_are_followed_by_what_can_be_reached() -> None:
    known = line(uncounted(0))
    for plies in (1, 2, 4, 5):
        followed = follow(known, uncounted(plies, at=plies))
        assert followed is not None
        assert followed.ply == plies
        known = followed


@pytest.mark.parametrize("older", [1, 2, 3])
def test_an_older_position_without_counters_is_stale_even_within_the_second(older: int) -> None:
    known = line(uncounted(0))
    for plies in range(1, 6):
        followed = follow(known, uncounted(plies))
        assert followed is not None
        known = followed
    assert known.ply == 5
    assert follow(known, uncounted(older)) is None


def test_positions_without_counters_fall_back_on_their_dates() -> None:
    known = line(uncounted(0, at=100))
    assert follow(known, uncounted(5, at=100)) is None
    followed = follow(known, uncounted(5, at=101))
    assert followed is not None
    assert followed.board().turn == chess.BLACK
    assert follow(followed, uncounted(1, at=100)) is None


def test_a_different_position_at_the_same_ply_is_not_followed() -> None:
    assert follow(line(after(2, bare=True)), state("d4 d5", bare=True)) is None


def test_a_ply_that_contradicts_whose_turn_it_is_counts_for_nothing() -> None:
    assert line(replace(after(2, bare=True), ply=7)).ply == 2


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


def numbered(moves: str, version: int) -> StateClaim:
    return replace(state(moves), version=version)


def test_a_numbered_state_is_followed_by_its_number_and_not_by_its_plies() -> None:
    known = follow(None, numbered("e4 e5 Nf3", 4))
    assert known is not None
    back = follow(known, numbered("e4 e5", 6))
    assert back is not None
    assert (back.ply, back.version) == (2, 6)
    assert follow(back, numbered("e4 e5 Nf3", 5)) is None
    assert follow(back, state("e4 e5 Nf3")) is None


def test_a_numbered_state_without_its_moves_can_go_back_too() -> None:
    known = follow(None, numbered("e4 e5 Nf3", 4))
    back = follow(known, replace(numbered("e4 e5", 6), moves=None))
    assert back is not None
    assert (back.ply, back.complete) == (2, False)


CHESS960 = "bnrqkrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRQKRNB w KQkq - 0 1"


def a_chess960_claim(*moves: str) -> StateClaim:
    board = chess.Board(CHESS960, chess960=True)
    for uci in moves:
        board.push_uci(uci)
    return replace(
        state(fen=board.fen()),
        ply=len(moves),
        moves=tuple(moves),
        start=CHESS960,
        chess960=True,
        version=len(moves),
    )


def test_in_chess960_the_king_takes_his_own_rook() -> None:
    moves = ("g1f3", "g8f6", "g2g3", "g7g6", "e1f1")
    line = follow(None, a_chess960_claim(*moves))
    assert line is not None
    assert line.complete
    board = line.board()
    assert board.san(board.pop()) == "O-O"


def test_a_given_position_counts_its_plies_from_where_it_begins() -> None:
    start = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30"
    board = chess.Board(start)
    board.push_uci("e8d7")
    claim = replace(state(fen=board.fen()), ply=1, moves=("e8d7",), start=start, version=2)
    line = follow(None, claim)
    assert line is not None
    assert (line.ply, line.complete, line.first_ply) == (1, True, 59)


def test_moves_that_do_not_fit_the_given_position_are_not_believed() -> None:
    claim = replace(a_chess960_claim("g1f3"), start="not a position")
    line = follow(None, claim)
    assert line is not None
    assert not line.complete
