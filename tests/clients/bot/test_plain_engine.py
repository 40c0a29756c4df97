"""Our own engine: legal, deterministic, and stronger with each level."""

import random
import signal
import subprocess
import sys

import chess
import pytest

from clients.bot.engine.evaluation import evaluate
from clients.bot.engine.levels import LEVELS, choose
from clients.bot.engine.search import search
from clients.bot.engine.uci import Uci, read_go

MATES_IN_ONE = (
    "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1",
    "k7/8/1K6/8/8/8/8/7Q w - - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
    "7k/P5pp/8/8/8/8/6PP/7K w - - 0 1",
)
MATES_IN_TWO = (
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "7k/8/8/8/8/8/R7/1R5K w - - 0 1",
    "r1b2k1r/ppp1bppp/8/1B1Q4/5q2/2P5/PPP2PPP/R3R1K1 w - - 1 0",
)


def random_board(chance: random.Random, chess960: bool) -> chess.Board:  # noqa: FBT001
    board = chess.Board.from_chess960_pos(chance.randrange(960)) if chess960 else chess.Board()
    for _ in range(chance.randrange(120)):
        moves = list(board.legal_moves)
        if not moves:
            board.pop()
            break
        board.push(chance.choice(moves))
    return board if any(board.legal_moves) else chess.Board()


@pytest.mark.parametrize("level", LEVELS)
def test_no_move_is_ever_illegal(level: int) -> None:
    chance = random.Random(level)
    for number in range(6):
        board = random_board(chance, chess960=number % 2 == 0)
        before = board.fen()
        found = choose(board, level, f"{number}", seconds=0.05)

        assert found.move in board.legal_moves, before
        assert board.fen() == before


@pytest.mark.parametrize("fen", MATES_IN_ONE)
@pytest.mark.parametrize("level", [6, 7, 8])
def test_mate_in_one_is_played(fen: str, level: int) -> None:
    board = chess.Board(fen)
    board.push(choose(board, level, "1", seconds=5).move)

    assert board.is_checkmate()


@pytest.mark.parametrize("fen", MATES_IN_TWO)
def test_mate_in_two_is_found(fen: str) -> None:
    found = search(chess.Board(fen), depth=4)

    assert found.mate_in == 2


def test_the_same_seed_plays_the_same_game_and_another_seed_another() -> None:
    def game(seed: int) -> list[str]:
        board = chess.Board()
        for _ in range(8):
            board.push(choose(board, 3, f"{seed} {board.fen()}").move)
        return [move.uci() for move in board.move_stack]

    assert game(1) == game(1)
    assert game(1) != game(2)


@pytest.mark.slow
def test_three_levels_more_win_a_match() -> None:
    strong, weak, points = 4, 1, 0.0
    for number in range(2):
        board = chess.Board()
        levels = (strong, weak) if number % 2 == 0 else (weak, strong)
        while board.outcome(claim_draw=True) is None and board.ply() < 160:
            board.push(choose(board, levels[not board.turn], f"{number} {board.fen()}").move)
        outcome = board.outcome(claim_draw=True)
        if outcome is None or outcome.winner is None:
            points += 0.5
        else:
            points += (levels[not outcome.winner]) == strong

    assert points > 1


def test_a_position_is_worth_as_much_to_either_colour() -> None:
    chance = random.Random(5)
    for _ in range(20):
        board = random_board(chance, chess960=False)
        assert evaluate(board) == evaluate(board.mirror())


def test_a_repetition_is_a_draw_to_the_search() -> None:
    board = chess.Board("7k/8/8/8/8/8/8/1Q5K w - - 0 1")
    for move in ("b1c1", "h8g8", "c1b1", "g8h8"):
        board.push_uci(move)
    repeats, avoids = (
        search(board, root_moves=[chess.Move.from_uci(move)], depth=2).score
        for move in ("b1c1", "b1d1")
    )

    assert repeats == 0
    assert avoids > 500


def test_time_that_is_up_still_brings_a_move() -> None:
    board = chess.Board()

    assert search(board, 0.0).move in board.legal_moves
    assert search(board, is_stopped=lambda: True).move in board.legal_moves


def test_uci_speaks_as_other_programs_expect() -> None:
    lines: list[str] = []
    uci = Uci(lines.append)
    for command in (
        "uci", "isready", "setoption name Level value 6", "setoption name Seed value 4",
        "position startpos moves e2e4 e7e5", "go depth 2",
    ):  # fmt: skip
        assert uci.take(command)
    uci.stop()

    assert "uciok" in lines
    assert "readyok" in lines
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    assert chess.Move.from_uci(lines[-1].removeprefix("bestmove ")) in board.legal_moves
    assert not uci.take("quit")


@pytest.mark.parametrize(
    "line",
    ["", " ", "position", "position fen", "position fen x moves y", "position startpos moves e2e5",
     "setoption", "setoption name Level value 99", "setoption name Level value ²",
     "go wtime -5 btime x", "go depth", "debug on", "\x00", "ponderhit", "stop"],
)  # fmt: skip
def test_a_line_that_cannot_be_read_changes_nothing(line: str) -> None:
    lines: list[str] = []
    uci = Uci(lines.append)
    assert uci.take(line)
    uci.stop()
    lines.clear()
    uci.take("go depth 1")
    uci.stop()

    assert lines[-1].startswith("bestmove ")


def test_a_position_without_a_move_has_no_best_one() -> None:
    lines: list[str] = []
    uci = Uci(lines.append)
    uci.take("position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1")
    uci.take("go depth 3")

    assert lines == ["bestmove 0000"]


def test_a_search_without_end_is_stopped() -> None:
    lines: list[str] = []
    uci = Uci(lines.append)
    uci.take("go infinite")
    assert not any(line.startswith("bestmove") for line in lines)
    uci.take("stop")

    assert lines[-1].startswith("bestmove ")


def test_a_clock_is_never_spent_on_one_move() -> None:
    for left in (0, 1, 50, 1_000, 60_000):
        aim, most = read_go(f"wtime {left} btime 1 winc 0 binc 0".split()).seconds(chess.WHITE)
        assert aim is not None
        assert most is not None
        assert aim <= most <= max(0.001, left / 4_000)


def test_ctrl_c_ends_the_program_without_a_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "clients.bot.engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write("uci\n")
        engine.stdin.flush()
        while engine.stdout.readline() != "uciok\n":
            pass
        engine.send_signal(signal.SIGINT)
        _, errors = engine.communicate(timeout=60)

    assert (engine.returncode, errors) == (0, "")
