"""The engine's process: started, asked, stopped, killed and started again."""

import asyncio
import contextlib
import random
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess
import chess.engine
import chess.polyglot

from clients.bot.config import Config
from clients.bot.engine.levels import LEVELS
from clients.bot.engine.search import search
from clients.bot.model import EngineFailed, EngineMoved, Think
from clients.bot.strength import Range, at_level

START_SECONDS = 20
END_SECONDS = 2
FALLBACK_SECONDS = 0.3
AWAKE_SECONDS = 5.0
MATE_SCORE = 100_000
CENTIPAWNS = 20_000
GAMES_FOLDER = "/usr/games"


def command_of(name: str) -> list[str]:
    """The engine's command line; `plain` is our own."""
    if name == "plain":
        return [sys.executable, "-m", "clients.bot.engine"]
    words = shlex.split(name)
    program = shutil.which(words[0]) or shutil.which(words[0], path=GAMES_FOLDER)
    if program is None:
        raise FileNotFoundError(f"there is no program {words[0]}")
    return [program, *words[1:]]


class EngineHost:
    """One engine that thinks for one player."""

    def __init__(
        self,
        config: Config,
        level: int | None,
        tell: Callable[[EngineMoved | EngineFailed], None],
        say: Callable[[str], None],
        *,
        rest_seconds: float | None = None,
    ) -> None:
        """Starts nothing yet. With `rest_seconds` an unasked process ends until it is asked."""
        self.config = config
        self._level = level
        self._tell = tell
        self._say = say
        self._running: tuple[asyncio.SubprocessTransport, chess.engine.UciProtocol] | None = None
        self._starting: asyncio.Task[chess.engine.UciProtocol] | None = None
        self._task: asyncio.Task[None] | None = None
        self._random = random.Random()  # noqa: S311
        self._rest_seconds = rest_seconds
        self._resting: asyncio.TimerHandle | None = None
        self._is_at_rest = True
        self._ending: set[asyncio.Future[int]] = set()

    @property
    def pid(self) -> int | None:
        """The process, if one runs."""
        return self._running[0].get_pid() if self._running else None

    @property
    def is_ready(self) -> bool:
        """Whether the engine runs and waits."""
        return self._running is not None and self._running[0].get_returncode() is None

    async def start(self) -> chess.engine.UciProtocol:
        """The engine, running. Raises OSError, chess.engine.EngineError or TimeoutError."""
        if self._running is not None and self.is_ready:
            return self._running[1]
        self._is_at_rest = False
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
        # A caller that waits may be told to stop; the engine starts all the same.
        return await asyncio.shield(self._starting)

    async def _start(self) -> chess.engine.UciProtocol:
        self._end_process()
        folder = self.config.engine.working_dir or None
        transport, engine = await asyncio.wait_for(
            chess.engine.popen_uci(command_of(self.config.engine.name), cwd=folder), START_SECONDS
        )
        try:
            await asyncio.wait_for(self._configure(engine), START_SECONDS)
        except (chess.engine.EngineError, TimeoutError):
            self._end(transport, engine)
            raise
        self._running = transport, engine
        return engine

    async def _configure(self, engine: chess.engine.UciProtocol) -> None:
        settings = self.config.engine
        if self._level is not None:
            declared = {
                name: Range(int(option.min or 0), int(option.max or 0))
                for name, option in engine.options.items()
            }
            settings = at_level(settings, self._level, declared)
            self.config = replace(self.config, engine=settings)
        for name, value in settings.uci_options.items():
            try:
                await engine.configure({name: value})
            except chess.engine.EngineError as error:
                self._say(f"engine option {name}: {error}")

    def think(self, effect: Think) -> None:
        """Answers by `tell`, some time later."""
        self.stop()
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        self._task = asyncio.get_running_loop().create_task(self._think(effect))

    def stop(self) -> None:
        """Forgets the question."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _rest(self) -> None:
        self._resting = None
        if self._task is None or self._task.done():
            self._is_at_rest = True
            self._end_process()

    def _end_process(self) -> None:
        if self._running is not None:
            self._end(*self._running)
            self._running = None

    def _end(
        self, transport: asyncio.SubprocessTransport, engine: chess.engine.UciProtocol
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            transport.kill()
        transport.close()
        self._ending.add(engine.returncode)
        engine.returncode.add_done_callback(self._ending.discard)

    def restart(self) -> None:
        """Ends the process and starts another, which takes its time."""
        self.stop()
        self._end_process()
        self._start_aside()

    def _start_aside(self) -> None:
        if not self.is_ready and (self._starting is None or self._starting.done()):
            self._is_at_rest = False
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._on_started)

    def _on_started(self, starting: "asyncio.Task[chess.engine.UciProtocol]") -> None:
        if not starting.cancelled() and (error := starting.exception()) is not None:
            self._say(f"the engine does not start: {error}")

    async def close(self) -> None:
        """Ends everything."""
        self.stop()
        if self._resting is not None:
            self._resting.cancel()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        self._end_process()
        if self._ending:
            await asyncio.wait(self._ending, timeout=END_SECONDS)

    async def _think(self, effect: Think) -> None:
        state = effect.state
        board = state.board()
        try:
            move, score = await self._choose(effect, board)
        except (chess.engine.EngineError, OSError, TimeoutError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            self._tell(EngineFailed(state.game, state.position, why))
        else:
            self._tell(EngineMoved(state.game, state.position, move, score))
        finally:
            if self._rest_seconds is not None:
                loop = asyncio.get_running_loop()
                self._resting = loop.call_later(self._rest_seconds, self._rest)

    async def _choose(self, effect: Think, board: chess.Board) -> tuple[str, int | None]:
        booked = self._from_book(board)
        if booked is not None:
            return board.uci(booked), None
        root_moves = [move for move in board.legal_moves if board.uci(move) not in effect.excluded]
        limits = effect.limits
        has_clock = limits.white_ms is not None
        if effect.by_fallback or (has_clock and not await self._starts_in_time(limits.hurry_ms)):
            self._say("the engine is not ready: our own makes this move")
            self._start_aside()
            seconds = min(FALLBACK_SECONDS, limits.hurry_ms / 10_000)
            rule = LEVELS[self._level or max(LEVELS)]
            found = await asyncio.to_thread(
                partial(search, depth=rule.depth, nodes=rule.nodes), board, seconds, root_moves
            )
            return board.uci(found.move), found.score
        engine = await self.start()
        hurry = asyncio.get_running_loop().call_later(
            limits.hurry_ms / 1000, engine.send_line, "stop"
        )
        try:
            return await self._ask(engine, effect, board, root_moves)
        finally:
            hurry.cancel()

    async def _starts_in_time(self, hurry_ms: int) -> bool:
        """Whether the engine runs, or does soon after a rest; one that died is not waited for."""
        if self._is_at_rest:
            with contextlib.suppress(TimeoutError, OSError, chess.engine.EngineError):
                async with asyncio.timeout(min(AWAKE_SECONDS, hurry_ms / 4_000)):
                    await self.start()
        return self.is_ready

    async def _ask(
        self,
        engine: chess.engine.UciProtocol,
        effect: Think,
        board: chess.Board,
        root_moves: list[chess.Move],
    ) -> tuple[str, int | None]:
        limits = effect.limits
        result = await engine.play(
            board,
            chess.engine.Limit(
                time=_seconds(limits.time_ms),
                white_clock=_seconds(limits.white_ms),
                black_clock=_seconds(limits.black_ms),
                white_inc=None if limits.white_ms is None else limits.increment_ms / 1000,
                black_inc=None if limits.black_ms is None else limits.increment_ms / 1000,
                nodes=limits.nodes,
                depth=limits.depth,
            ),
            game=effect.state.game,
            info=chess.engine.INFO_SCORE,
            root_moves=root_moves if effect.excluded else None,
        )
        if result.move is None:
            raise chess.engine.EngineError("no move")
        score = result.info.get("score")
        if score is None:
            return board.uci(result.move), None
        centipawns = score.pov(board.turn).score(mate_score=MATE_SCORE)
        return board.uci(result.move), max(-CENTIPAWNS, min(CENTIPAWNS, centipawns))

    def _from_book(self, board: chess.Board) -> chess.Move | None:
        rule = self.config.engine.polyglot
        if not rule.enabled or board.ply() >= rule.max_depth or board.chess960:
            return None
        for path in rule.book:
            try:
                with chess.polyglot.open_reader(Path(path).expanduser()) as reader:
                    move = self._entry(reader, board)
            except OSError as error:
                self._say(f"book {path}: {error}")
                continue
            if move is not None:
                return move
        return None

    def _entry(
        self, reader: chess.polyglot.MemoryMappedReader, board: chess.Board
    ) -> chess.Move | None:
        rule = self.config.engine.polyglot
        entries = list(reader.find_all(board, minimum_weight=rule.min_weight))
        if not entries:
            return None
        if rule.selection == "best_move":
            return max(entries, key=lambda entry: entry.weight).move
        weights = [entry.weight for entry in entries] if "weighted" in rule.selection else []
        # Books hold moves of no weight, which `min_weight = 0` lets in.
        return self._random.choices(entries, weights if any(weights) else None)[0].move


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
