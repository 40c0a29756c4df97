"""A game as lichess tells it: `gameFull`, `gameState`, `gameStart` and what names it elsewhere."""

from dataclasses import dataclass
from typing import Literal

import chess

from clients.lichess_api.bodies import (
    ColorName,
    Export,
    Game,
    GameFull,
    GameState,
    Player,
)
from clients.lichess_api.words import (
    CHESS960,
    STANDARD,
    STATUS_IDS,
    perf_of,
    speed_of,
    status_of,
    variant_of,
)
from clients.player.messages import State

FOREVER_MS = 2_147_483_647
"""lichess's clock of a game without one."""

WAY_MS = 1_000
"""Not charged of a move: of the deadline PROTOCOL.md says that it "includes that second"."""

FIRST_MOVE_MS = 30_000
FIRST_PLIES = 2
_WINNERS: dict[str | None, ColorName] = {"1-0": "white", "0-1": "black"}


@dataclass(frozen=True, slots=True)
class Table:
    """A game and what the arbiter's state does not tell: our id for it, the players as they are
    shown, and when we first saw it (unix milliseconds).
    """

    state: State
    id: str
    white: Player
    black: Player
    created_at: int
    source: Literal["friend", "lobby", "ai"] = "friend"
    rating_diff: int | None = None

    @property
    def full_id(self) -> str:
        return f"{self.id}0000"


def color_name(color: chess.Color) -> ColorName:
    return "white" if color else "black"


def clocks(state: State, now: int) -> tuple[int, int]:
    """The milliseconds that White and Black have at ``now``, by the arbiter's clock."""
    if state.clock is None:
        return FOREVER_MS, FOREVER_MS
    left = list(state.clock)
    mover = 0 if state.turn else 1
    if state.termination == "timeout":
        left[mover] = 0
    elif state.result is None and state.deadline is not None and not _awaits_first(state):
        left[mover] = max(0, min(left[mover], state.deadline - WAY_MS - now))
    return left[0], left[1]


def game_state(state: State, now: int) -> GameState:
    """The line about what is on the board now."""
    white_ms, black_ms = clocks(state, now)
    increment = state.time.increment * 1000 if state.time else 0
    line: GameState = {
        "type": "gameState",
        "moves": " ".join(state.moves),
        "wtime": white_ms,
        "btime": black_ms,
        "winc": increment,
        "binc": increment,
        "status": status_of(state.termination, state.result),
    }
    if state.result in _WINNERS:
        line["winner"] = _WINNERS[state.result]
    if state.result is not None:
        return line
    match state.offer:
        case None:
            pass
        case offer if offer.kind == "draw":
            line["wdraw" if offer.color else "bdraw"] = True
        case offer if offer.kind == "takeback":
            line["wtakeback" if offer.color else "btakeback"] = True
    if _awaits_first(state) and state.deadline is not None:
        left = min(max(0, state.deadline - WAY_MS - now), FIRST_MOVE_MS)
        line["expiration"] = {"idleMillis": FIRST_MOVE_MS - left, "millisToMove": FIRST_MOVE_MS}
    return line


def game_full(table: Table, now: int) -> GameFull:
    """The first line of a game's stream."""
    state, variant = table.state, variant_of(table.state.start, chess960=table.state.chess960)
    line: GameFull = {
        "type": "gameFull",
        "id": table.id,
        "rated": state.rated,
        "variant": variant,
        "speed": speed_of(state.time),
        "perf": {"name": perf_of(state.time, variant)},
        "createdAt": table.created_at,
        "white": table.white,
        "black": table.black,
        "initialFen": initial_fen(state),
        "state": game_state(state, now),
    }
    if state.time is not None and state.time.days:
        line["daysPerTurn"] = state.time.days
    elif state.time is not None:
        base, increment = state.time.base * 1000, state.time.increment * 1000
        line["clock"] = {"initial": base, "increment": increment}
    return line


def initial_fen(state: State) -> str:
    """`startpos` for the usual game alone: clients fail on it in Chess960."""
    if variant_of(state.start, chess960=state.chess960) is STANDARD:
        return "startpos"
    return state.start or chess.STARTING_FEN


def game(table: Table, me: str, now: int) -> Game:
    """The game for one of its players, in events and lists."""
    state, is_white = table.state, table.state.color_of(me)
    variant = variant_of(state.start, chess960=state.chess960)
    opponent = table.black if is_white else table.white
    status = status_of(state.termination, state.result)
    found: Game = {
        "id": table.id,
        "gameId": table.id,
        "fullId": table.full_id,
        "color": color_name(is_white),
        "fen": state.fen,
        "hasMoved": state.ply >= (1 if is_white else FIRST_PLIES),
        "isMyTurn": state.result is None and state.turn == is_white,
        "lastMove": state.moves[-1] if state.moves else "",
        "opponent": {
            "id": opponent["id"],
            "username": opponent["name"],
            "rating": opponent["rating"],
        },
        "perf": "chess960" if variant is CHESS960 else speed_of(state.time),
        "rated": state.rated,
        "source": table.source,
        "speed": speed_of(state.time),
        "status": {"id": STATUS_IDS[status], "name": status},
        "variant": variant,
        "compat": {"bot": True, "board": True},
    }
    if state.clock is not None:
        found["secondsLeft"] = clocks(state, now)[0 if is_white else 1] // 1000
    if state.result in _WINNERS:
        found["winner"] = _WINNERS[state.result]
    if table.rating_diff is not None:
        found["ratingDiff"] = table.rating_diff
    return found


def export(table: Table, pgn: str | None) -> Export:
    """The game for who exports it."""
    state = table.state
    variant = variant_of(state.start, chess960=state.chess960)
    found: Export = {
        "id": table.id,
        "rated": state.rated,
        "variant": variant["key"],
        "speed": speed_of(state.time),
        "perf": "chess960" if variant is CHESS960 else speed_of(state.time),
        "createdAt": table.created_at,
        "lastMoveAt": state.dated * 1000,
        "status": status_of(state.termination, state.result),
        "players": {"white": table.white, "black": table.black},
        "moves": " ".join(sans(state)),
    }
    if variant is not STANDARD:
        found["initialFen"] = initial_fen(state)
    if state.result in _WINNERS:
        found["winner"] = _WINNERS[state.result]
    if pgn is not None:
        found["pgn"] = pgn
    return found


def sans(state: State) -> list[str]:
    """The moves in algebraic notation."""
    board = state.base
    return [board.san_and_push(board.parse_uci(move)) for move in state.moves]


def _awaits_first(state: State) -> bool:
    """Whether the deadline is of a first move, which no clock shows."""
    return state.ply < FIRST_PLIES and not state.is_slow
