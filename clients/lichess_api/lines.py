"""Games and challenges as lichess tells them."""

from dataclasses import dataclass

import chess

from clients.lichess_api import bodies, words
from clients.player.messages import State
from clients.player.terms import Terms

FOREVER_MS = 2_147_483_647
"""lichess's clock of a game without one."""

WAY_MS = 1_000
"""Not charged of a move: of the deadline PROTOCOL.md says that it "includes that second"."""

FIRST_MOVE_MS = 30_000
FIRST_PLIES = 2
_WINNERS: dict[str | None, bodies.ColorName] = {"1-0": "white", "0-1": "black"}


@dataclass(frozen=True, slots=True)
class Table:
    """A game with our id for it, its players as shown, and when it was first seen (unix ms)."""

    state: State
    id: str
    white: bodies.Player
    black: bodies.Player
    created_at: int
    source: bodies.Source = "friend"
    rating_diff: int | None = None


def color_name(color: chess.Color) -> bodies.ColorName:
    return "white" if color else "black"


def full_id(id_: str) -> str:
    """The id that names a player's side, too: none reads that of it."""
    return f"{id_}0000"


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


def game_state(state: State, now: int) -> bodies.GameState:
    """The line about what is on the board now."""
    white_ms, black_ms = clocks(state, now)
    increment = state.time.increment * 1000 if state.time else 0
    line: bodies.GameState = {
        "type": "gameState",
        "moves": " ".join(state.moves),
        "wtime": white_ms,
        "btime": black_ms,
        "winc": increment,
        "binc": increment,
        "status": words.status_of(state.termination, state.result),
    }
    if state.result in _WINNERS:
        line["winner"] = _WINNERS[state.result]
    if state.result is not None:
        return line
    if state.offer is not None and state.offer.kind == "draw":
        line["wdraw" if state.offer.color else "bdraw"] = True
    elif state.offer is not None and state.offer.kind == "takeback":
        line["wtakeback" if state.offer.color else "btakeback"] = True
    if _awaits_first(state) and state.deadline is not None:
        left = min(max(0, state.deadline - WAY_MS - now), FIRST_MOVE_MS)
        line["expiration"] = {"idleMillis": FIRST_MOVE_MS - left, "millisToMove": FIRST_MOVE_MS}
    return line


def game_full(table: Table, now: int) -> bodies.GameFull:
    """The first line of a game's stream."""
    state, kind = table.state, words.kind_of(table.state)
    line: bodies.GameFull = {
        "type": "gameFull",
        "id": table.id,
        "rated": state.rated,
        "variant": kind.variant,
        "speed": kind.speed,
        "perf": {"name": kind.perf.capitalize()},
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
    is_usual = words.kind_of(state).variant is words.STANDARD
    return "startpos" if is_usual else state.start or chess.STARTING_FEN


def status_name(state: State) -> bodies.StatusName:
    status = words.status_of(state.termination, state.result)
    return {"id": words.STATUS_IDS[status], "name": status}


def game(table: Table, me: str, now: int) -> bodies.Game:
    """The game for one of its players, in events and lists."""
    state, is_white, kind = table.state, table.state.color_of(me), words.kind_of(table.state)
    other = table.black if is_white else table.white
    found: bodies.Game = {
        "rated": state.rated,
        "variant": kind.variant,
        "speed": kind.speed,
        "id": table.id,
        "gameId": table.id,
        "fullId": full_id(table.id),
        "color": color_name(is_white),
        "fen": state.fen,
        "hasMoved": state.ply >= (1 if is_white else FIRST_PLIES),
        "isMyTurn": state.result is None and state.turn == is_white,
        "lastMove": state.moves[-1] if state.moves else "",
        "opponent": {"id": other["id"], "username": other["name"], "rating": other["rating"]},
        "perf": kind.perf,
        "source": table.source,
        "status": status_name(state),
        "compat": {"bot": True, "board": True},
    }
    if state.clock is not None:
        found["secondsLeft"] = clocks(state, now)[0 if is_white else 1] // 1000
    if state.result in _WINNERS:
        found["winner"] = _WINNERS[state.result]
    if table.rating_diff is not None:
        found["ratingDiff"] = table.rating_diff
    return found


def export(table: Table, pgn: str | None) -> bodies.Export:
    """The game for who exports it."""
    state, kind, board = table.state, words.kind_of(table.state), table.state.base
    found: bodies.Export = {
        "id": table.id,
        "rated": state.rated,
        "variant": kind.variant["key"],
        "speed": kind.speed,
        "perf": kind.perf,
        "createdAt": table.created_at,
        "lastMoveAt": state.dated * 1000,
        "status": words.status_of(state.termination, state.result),
        "players": {"white": table.white, "black": table.black},
        "moves": " ".join(board.san_and_push(board.parse_uci(move)) for move in state.moves),
    }
    if kind.variant is not words.STANDARD:
        found["initialFen"] = initial_fen(state)
    if state.result in _WINNERS:
        found["winner"] = _WINNERS[state.result]
    if pgn is not None:
        found["pgn"] = pgn
    return found


def challenge(
    id_: str, terms: Terms, challenger: bodies.Player, dest: bodies.Player, *, is_in: bool, url: str
) -> bodies.Challenge:
    """The challenge on these terms; a random colour is a placeholder, for clients want one."""
    kind, color = words.kind_of(terms), terms.color
    found: bodies.Challenge = {
        "rated": terms.rated,
        "variant": kind.variant,
        "speed": kind.speed,
        "id": id_,
        "url": f"{url}/{id_}",
        "status": "created",
        "perf": {"name": kind.perf.capitalize()},
        "color": "white" if color == "white" else "black" if color == "black" else "random",
        "finalColor": "black" if color == "black" else "white",
        "timeControl": words.time_control(terms.time),
        "challenger": challenger,
        "destUser": dest,
        "direction": "in" if is_in else "out",
    }
    if terms.start:
        found["initialFen"] = terms.start
    return found


def declined(found: bodies.Challenge, reason: str) -> bodies.Challenge:
    """The challenge once it was declined for the arbiter's ``reason``."""
    word = reason if reason in words.REASONS else "generic"
    return {
        **found, "status": "declined",
        "declineReason": words.REASONS[word], "declineReasonKey": word.lower(),
    }  # fmt: skip


def canceled(found: bodies.Challenge) -> bodies.Challenge:
    return {**found, "status": "canceled"}


def rematch_terms(state: State, offered_by: chess.Color) -> Terms:
    """The terms of the next game, "with colours swapped"."""
    return Terms(
        time=state.time,
        rated=state.rated,
        color=color_name(not offered_by),
        variant="chess960" if state.chess960 else "standard",
        start=None if state.chess960 else state.start,
    )


def _awaits_first(state: State) -> bool:
    """Whether the deadline is of a first move, which no clock shows."""
    return state.ply < FIRST_PLIES and not state.is_slow
