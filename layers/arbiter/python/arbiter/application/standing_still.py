"""For how long the clock of the side to move stood still, or would have: no relay was heard."""

from arbiter.application.answer import ArbiterDeps
from arbiter.application.ports import Outages
from arbiter.core.clocks import SILENCE_MS, RelayUptime
from arbiter.core.game import Game
from arbiter.core.rules import SILENT_MS


def paused_ms(bench: ArbiterDeps, game: Game, until_ms: int) -> int:
    """Of the time since the side to move began to think until then. A read, and only where they
    took longer than the shortest outage; without a clock, longer than one who is silent.
    """
    if game.outcome is not None:
        return 0
    if game.clocks is not None:
        hearing, since_ms = uptime_during(bench.outages, game, until_ms), game.clocks.since_ms
    else:
        since_ms = game.position_since_ms
        is_long = bench.outages is not None and until_ms - since_ms > SILENT_MS
        hearing = bench.outages.uptime() if bench.outages and is_long else None
    return 0 if hearing is None else hearing.paused_ms(since_ms, until_ms, bench.clock.now_ms())


def uptime_during(outages: Outages | None, game: Game, until_ms: int) -> RelayUptime | None:
    """What is known of outages; None, without a read, where none can have stopped this clock."""
    if outages is None or game.clocks is None or until_ms - game.clocks.since_ms <= SILENCE_MS:
        return None
    return outages.uptime()
