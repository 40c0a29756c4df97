"""The number of timers that a game with a clock sets: for each the clock function is invoked, and a
record of the moves queue processed. Counted over made-up games by the rule that sets them, beside
the fewest with which no flag falls late, if all moves were known before: a timer cannot be
cancelled, and while a player thinks one has to wait that comes by the end of their time.

    python -m bench.timers
"""

import random
import statistics
from dataclasses import replace

import chess

from arbiter.core.clocks import FIRST_MOVE_MS, LAG_MS, SETTLE_MS, Clocks, read_time, start_clocks
from arbiter.core.game import Game
from tests.builders import NOW_MS, a_game

CONTROLS = ("60+0", "180+2", "300+3", "600+0", "900+10", "1d")
GAMES = 400
_LENGTHS = (50, 64, 78, 90)
_OPENING_MOVES = 8
_FIRST_MOVES = 2
_MOVE = chess.Move.from_uci("e2e4")


def thinking_ms(chance: random.Random, clocks: Clocks, moves: int) -> list[float]:
    """The time that one side thinks at each move: a part of what it has, more after the opening."""
    control = clocks.control
    if control.move_ms:
        return [chance.uniform(0.05, 0.9) * control.move_ms for _ in range(moves)]
    weights = [
        chance.lognormvariate(0, 1) * (0.3 if number < _OPENING_MOVES else 1)
        for number in range(moves)
    ]
    budget_ms = chance.uniform(0.5, 0.97) * (control.base_ms + control.increment_ms * moves)
    return [budget_ms * weight / sum(weights) for weight in weights]


def timers_of(control: str, chance: random.Random) -> tuple[int, list[tuple[int, int]]]:
    """The timers of one game, of which the last finds it over; and of each thought when it ended,
    and by when a timer had to come.
    """
    time = read_time(control)
    if time is None:
        raise ValueError(control)
    plies = chance.choice(_LENGTHS)
    now_ms = NOW_MS
    clocks = start_clocks(time, now_ms)
    thinks = [thinking_ms(chance, clocks, plies // 2) for _ in range(2)]
    game = replace(a_game(), clocks=clocks, timer_at_ms=None).with_timer()
    pending, fired = [game.timer_at_ms or 0], 0
    thoughts: list[tuple[int, int]] = []
    for ply in range(plies):
        white = ply % 2 == 0
        most_ms = (
            FIRST_MOVE_MS if ply < _FIRST_MOVES and time.is_live else clocks.left_ms(white=white)
        )
        moved_ms = now_ms + round(min(thinks[ply % 2][ply // 2], most_ms - LAG_MS))
        moved_ms = max(moved_ms, now_ms)
        thoughts.append((moved_ms, clocks.deadline_ms(ply, white=white) + SETTLE_MS))
        while pending and min(pending) <= moved_ms:
            at_ms = min(pending)
            pending.remove(at_ms)
            fired += 1
            game = _wound(game, pending, at_ms)
        now_ms = moved_ms
        clocks = clocks.after_move(ply, now_ms, now_ms, white=white)
        game = replace(game, clocks=clocks, moves=(*game.moves, _MOVE))
        game = _wound(game, pending, now_ms)
    return fired + len(pending), thoughts


def fewest(thoughts: list[tuple[int, int]]) -> int:
    """The fewest timers of which one comes after the end of each thought and by its limit."""
    count, last_ms = 0, -1
    for moved_ms, limit_ms in sorted(thoughts, key=lambda it: it[1]):
        if last_ms <= moved_ms:
            count, last_ms = count + 1, limit_ms
    return count


def _wound(game: Game, pending: list[int], at_ms: int) -> Game:
    """The game with the timer that it has now, which is sent if it is another one."""
    after = game.with_timer(at_ms)
    if after.timer_at_ms != game.timer_at_ms:
        pending.append(after.timer_at_ms or 0)
    return after


def table() -> str:
    """The mean of each control, the highest of nine in ten, and the fewest, in Markdown."""
    lines = ["| clock | timers a game | nine in ten have at most | fewest |", "|---|---|---|---|"]
    for control in CONTROLS:
        chance = random.Random(control)  # noqa: S311 - games, no secrets
        games = [timers_of(control, chance) for _ in range(GAMES)]
        counts = sorted(count for count, _ in games)
        least = statistics.mean(fewest(thoughts) for _, thoughts in games)
        mean, most = statistics.mean(counts), counts[-GAMES // 10]
        lines.append(f"| {control} | {mean:.1f} | {most} | {least:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
