"""The engine's process: what garbage, a crash and a hang come to."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import chess
import chess.polyglot
import pytest

from clients.bot.config import Config, Engine, Polyglot
from clients.bot.engine_host import EngineHost, command_of
from clients.bot.model import EngineFailed, EngineMoved, Think
from clients.bot.timing import Limits
from tests.clients.bot.scene import state

# Introduces itself, then answers `go` by LINE; remembers in a file what it was told.
ENGINE = """
import os, sys, time
told = open(sys.argv[1], "a")
for line in sys.stdin:
    told.write(line)
    told.flush()
    word = line.split()[0]
    if word == "uci":
        print("id name test\\noption name Skill Level type spin default 20 min 0 max 20\\nuciok")
    elif word == "isready":
        print("readyok")
    elif word == "quit":
        break
    elif word == ON:
        LINE
    sys.stdout.flush()
"""
Answer = EngineMoved | EngineFailed


def config_of(tmp_path: Path, answer: str, on: str = "go") -> Config:
    program = tmp_path / "engine.py"
    program.write_text(ENGINE.replace("LINE", answer).replace("ON", repr(on)))
    return Config(Engine(name=f"{sys.executable} {program} {tmp_path / 'told'}"))


def play(
    config: Config,
    *thoughts: Think,
    level: int | None = None,
    between: Callable[[EngineHost], Awaitable[None]] | None = None,
) -> list[Answer]:
    """The answers of one engine to each thought in turn."""

    async def run() -> list[Answer]:
        answers: asyncio.Queue[Answer] = asyncio.Queue()
        said: list[str] = []
        host = EngineHost(config, level, answers.put_nowait, said.append)
        try:
            await host.start()
            given = []
            for thought in thoughts:
                host.think(thought)
                if between is not None:
                    await between(host)
                given.append(await asyncio.wait_for(answers.get(), 30))
            return given
        finally:
            await host.close()

    return asyncio.run(run())


def a_thought(*, clock_ms: int | None = None, hurry_ms: int = 10_000) -> Think:
    return Think(state(), Limits(white_ms=clock_ms, black_ms=clock_ms, hurry_ms=hurry_ms))


def test_the_engine_is_told_its_limits_and_its_move_is_told() -> None:
    config = Config(Engine(name="plain"))
    (answer,) = play(config, replace(a_thought(), limits=Limits(depth=1)))

    assert isinstance(answer, EngineMoved)
    assert chess.Move.from_uci(answer.move) in chess.Board().legal_moves
    assert answer.score is not None


def test_options_and_the_level_are_set(tmp_path: Path) -> None:
    config = config_of(tmp_path, "print('bestmove e2e4')")
    play(config, a_thought(), level=1)
    told = (tmp_path / "told").read_text()

    assert "setoption name Skill Level value 0" in told


@pytest.mark.parametrize("answer", ["print('bestmove e2e5')", "print('bestmove (none)')",
                                    "print('bestmove')", "os._exit(3)"])  # fmt: skip
def test_garbage_and_a_crash_are_failures(tmp_path: Path, answer: str) -> None:
    (given,) = play(config_of(tmp_path, answer), a_thought())

    assert isinstance(given, EngineFailed)


def test_a_crashed_engine_costs_no_move_under_a_clock(tmp_path: Path) -> None:
    crash = config_of(tmp_path, "os._exit(3)")
    first, second = play(crash, a_thought(), a_thought(clock_ms=60_000))

    assert isinstance(first, EngineFailed)
    assert isinstance(second, EngineMoved)


def test_a_slow_engine_is_told_to_stop(tmp_path: Path) -> None:
    config = config_of(tmp_path, "print('bestmove e2e4')", on="stop")
    (given,) = play(config, a_thought(clock_ms=60_000, hurry_ms=50))

    assert isinstance(given, EngineMoved)
    assert given.move == "e2e4"


def test_a_hung_engine_is_killed_and_our_own_moves(tmp_path: Path) -> None:
    config = config_of(tmp_path, "time.sleep(60)")

    async def run() -> tuple[int | None, Answer]:
        answers: asyncio.Queue[Answer] = asyncio.Queue()
        host = EngineHost(config, None, answers.put_nowait, lambda _: None)
        try:
            await host.start()
            first = host.pid
            host.think(a_thought(clock_ms=60_000))
            await asyncio.sleep(0)
            host.restart()
            host.think(a_thought(clock_ms=60_000))
            answer = await asyncio.wait_for(answers.get(), 30)
            await host.start()
            assert host.pid != first
            return first, answer
        finally:
            await host.close()

    pid, answer = asyncio.run(run())
    assert isinstance(answer, EngineMoved)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("weight", [7, 0])
def test_a_move_of_the_book_needs_no_engine(tmp_path: Path, weight: int) -> None:
    key = chess.polyglot.zobrist_hash(chess.Board())
    move = chess.A2 << 6 | chess.A3  # a2a3: from a2 to a3
    entry = b"".join(
        number.to_bytes(size, "big") for number, size in ((key, 8), (move, 2), (weight, 2), (0, 4))
    )
    (tmp_path / "book.bin").write_bytes(entry)
    silent = config_of(tmp_path, "pass").engine
    for selection in ("weighted_random", "uniform_random", "best_move"):
        book = Polyglot(True, (str(tmp_path / "book.bin"),), weight, selection)
        (given,) = play(Config(replace(silent, polyglot=book)), a_thought())
        assert given == EngineMoved(state().game, state().position, "a2a3", None)


@pytest.mark.parametrize("content", [None, b"", b"x", b"x" * 20, bytes(32), b"\x1f\x8b" * 8])
def test_a_book_that_is_no_book_is_passed_over(tmp_path: Path, content: bytes | None) -> None:
    engine = config_of(tmp_path, "print('bestmove e2e4')").engine
    if content is not None:
        (tmp_path / "book.bin").write_bytes(content)
    book = Polyglot(True, (str(tmp_path / "book.bin"), str(tmp_path)))
    (given,) = play(Config(replace(engine, polyglot=book)), a_thought())

    assert isinstance(given, EngineMoved)
    assert given.move == "e2e4"


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-engine"):
        command_of("no-such-engine --fast")
