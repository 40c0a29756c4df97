"""The engine as UCI: lines in, lines out."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

import chess

from clients.bot.engine.levels import LEVELS, choose
from clients.bot.engine.search import Found

NAME = "Arbiter plain"
SPREAD_OVER_MOVES = 30
MAX_SEED = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Go:
    """The arguments of `go`; times in milliseconds."""

    numbers: dict[str, int]
    moves: tuple[str, ...] = ()
    infinite: bool = False

    def seconds(self, turn: chess.Color) -> tuple[float | None, float | None]:
        """The time to aim at, and the most."""
        if "movetime" in self.numbers:
            return self.numbers["movetime"] / 1000, self.numbers["movetime"] / 1000
        left_ms = self.numbers.get("wtime" if turn else "btime")
        if left_ms is None or self.infinite:
            return None, None
        added_ms = self.numbers.get("winc" if turn else "binc", 0)
        spread = max(1, self.numbers.get("movestogo", SPREAD_OVER_MOVES))
        aim_ms = max(1.0, left_ms / spread + added_ms * 0.75)
        most_ms = max(1.0, min(3 * aim_ms, left_ms / 4))
        return min(aim_ms, most_ms) / 1000, most_ms / 1000


def read_go(words: list[str]) -> Go:
    """Read the arguments of `go`. Those that cannot be read are left out, as UCI wants it."""
    numbers: dict[str, int] = {}
    moves: list[str] = []
    listed = False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "searchmoves":
            listed = True
        elif following.lstrip("-").isdecimal():
            listed = False
            numbers[word] = max(0, int(following[:12]))
        elif listed and not word.isdecimal():
            moves.append(word)
    return Go(numbers, tuple(moves), infinite="infinite" in words or "ponder" in words)


class Uci:
    """One engine; `take` is given a line and says whether to go on."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """Begins with the first position."""
        self._write = write
        self._board = chess.Board()
        self._chess960 = False
        self._level = max(LEVELS)
        self._seed = 0
        self._stopped = threading.Event()
        self._thinking: threading.Thread | None = None

    def take(self, line: str) -> bool:
        """Carries a command out; False for `quit`."""
        command, *words = line.split() or [""]
        match command:
            case "uci":
                self._introduce()
            case "isready":
                self._write("readyok")
            case "setoption":
                self._set(line)
            case "position":
                self.stop()
                self._place(words)
            case "go":
                self.stop()
                self._go(read_go(words))
            case "stop" | "ponderhit":
                self.stop()
            case "quit":
                return False
            case _:
                pass
        return True

    def stop(self) -> None:
        """Waits until the best move is told."""
        if self._thinking is not None:
            self._stopped.set()
            self._thinking.join()
            self._thinking = None

    def _introduce(self) -> None:
        self._write(f"id name {NAME}")
        self._write("id author Arbiter")
        self._write("option name Level type spin default 8 min 1 max 8")
        self._write(f"option name Seed type spin default 0 min 0 max {MAX_SEED}")
        self._write("option name UCI_Chess960 type check default false")
        self._write("uciok")

    def _set(self, line: str) -> None:
        name, _, value = line.partition(" name ")[2].partition(" value ")
        value = value.strip()
        match name.strip().lower():
            case "level" if value.isdecimal() and int(value[:3]) in LEVELS:
                self._level = int(value)
            case "seed" if value.isdecimal():
                self._seed = int(value[:12])
            case "uci_chess960":
                self._chess960 = value == "true"
            case _:
                pass

    def _place(self, words: list[str]) -> None:
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        fen = chess.STARTING_FEN
        if words[:1] == ["fen"]:
            fen = " ".join(words[1 : words.index("moves")] if "moves" in words else words[1:])
        try:
            board = chess.Board(fen, chess960=self._chess960)
            for move in moves:
                board.push(board.parse_uci(move))
        except ValueError as error:
            self._write(f"info string {error}")
            return
        self._board = board

    def _go(self, go: Go) -> None:
        if not any(self._board.legal_moves):
            self._write("bestmove 0000")
            return
        self._stopped.clear()
        self._thinking = threading.Thread(target=self._think, args=(self._board.copy(), go))
        self._thinking.start()

    def _think(self, board: chess.Board, go: Go) -> None:
        seed = self._seed or secrets.randbelow(MAX_SEED)
        wanted = [move for move in board.legal_moves if board.uci(move) in go.moves]
        seconds, most_seconds = go.seconds(board.turn)
        found = choose(
            board,
            self._level,
            f"{seed} {board.fen()}",
            seconds,
            wanted,
            most_seconds=most_seconds,
            depth=go.numbers.get("depth"),
            nodes=go.numbers.get("nodes"),
            is_stopped=self._stopped.is_set,
            on_depth=self._tell,
        )
        if go.infinite:
            self._stopped.wait()
        self._write(f"bestmove {board.uci(found.move)}")

    def _tell(self, found: Found) -> None:
        mate = found.mate_in
        score = f"cp {found.score}" if mate is None else f"mate {mate}"
        self._write(
            f"info depth {found.depth} score {score} nodes {found.nodes} pv {found.move.uci()}"
        )
