"""For how long the clock of the side to move stood still: while no relay was heard."""

from arbiter.application.answer import Bench
from arbiter.core.model import Game
from arbiter.core.outages import SILENCE_MS


def stood_still_ms(bench: Bench, game: Game, until_ms: int) -> int:
    """Of the time since this clock began to run until then. A read, and only where the side to move
    took longer than the shortest outage.
    """
    clocks = game.clocks
    if bench.outages is None or clocks is None or game.outcome is not None:
        return 0
    if until_ms - clocks.since_ms <= SILENCE_MS:
        return 0
    hearing = bench.outages.hearing()
    if hearing is None:
        return 0
    return hearing.stood_still_ms(clocks.since_ms, until_ms, bench.clock.now_ms())
