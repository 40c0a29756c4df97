"""One game of a chaos run, judged by what its players received and by the rules alone.

Invariant: what the arbiter says is compared, never believed. A player keeps every signed position;
the final game is read back, replayed by python-chess, and must contain each of them, and nothing
that the players did not send.
"""

import http.client
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

import chess

from clients.probes.endpoints import Endpoints
from clients.probes.http_client import HttpConnection

# A game of a round has no more time than this takes; it is given up long before.
_MAX_SCRIPT = 400
_READ_SECONDS = 30.0
_POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Played:
    """The moves sent, shown and kept. ``told`` are the positions shown to players, by ply."""

    script: Sequence[str]
    told: frozenset[tuple[int, str]]
    kept: Sequence[str]

    @property
    def acknowledged(self) -> int:
        """The number of moves that were shown as played."""
        return len({ply for ply, _ in self.told if ply})

    @property
    def lost(self) -> int:
        """The number of positions that were shown and that the kept game does not have."""
        fens = positions(self.kept)
        return sum(not (ply < len(fens) and fens[ply] == fen) for ply, fen in self.told)

    @property
    def twice(self) -> int:
        """The number of kept moves that were not sent at that ply: one applied twice is such a
        move.
        """
        wanted = self.script[: len(self.kept)]
        return sum(a != b for a, b in zip(self.kept, wanted, strict=False)) + max(
            0, len(self.kept) - len(wanted)
        )


def kept_moves(endpoints: Endpoints, game_id: str) -> tuple[str, ...]:
    """The game's moves (UCI) as the HTTP API shows them; asked for half a minute."""
    deadline = time.monotonic() + _READ_SECONDS
    while True:
        connection = HttpConnection(endpoints.http)
        try:
            answer = connection.request("GET", f"/games/{game_id}")
            if answer.status == HTTPStatus.OK:
                return tuple(str(move["uci"]) for move in answer.json()["moves"])
            seen: object = answer
        except (OSError, http.client.HTTPException) as error:
            seen = error
        finally:
            connection.close()
        assert time.monotonic() < deadline, f"nothing to read of {game_id}: {seen}"
        time.sleep(_POLL_SECONDS)


def positions(moves: Sequence[str]) -> list[str]:
    """The FEN before and after each of these moves (UCI); ValueError if one is illegal."""
    board = chess.Board()
    fens = [board.fen()]
    for uci in moves:
        board.push_uci(uci)
        fens.append(board.fen())
    return fens


def random_script(chance: random.Random) -> tuple[str, ...]:
    """Legal moves that end no game, so that players may go on for as long as they are asked to."""
    while True:
        board = chess.Board()
        while len(board.move_stack) < _MAX_SCRIPT and _go_on(board, chance):
            pass
        if len(board.move_stack) == _MAX_SCRIPT:
            return tuple(move.uci() for move in board.move_stack)


def _go_on(board: chess.Board, chance: random.Random) -> bool:
    """Make a move after which the game goes on, if there is one."""
    moves = list(board.legal_moves)
    chance.shuffle(moves)
    # Captures run a game dry, and nothing but captures and pawns puts off its end by counting.
    moves.sort(key=lambda move: board.is_capture(move) and board.halfmove_clock < 100)
    for move in moves:
        board.push(move)
        if not board.is_game_over() and not board.is_repetition(4):
            return True
        board.pop()
    return False
