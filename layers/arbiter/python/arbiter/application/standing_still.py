"""For how long the clock of the side to move stood still: while no relay was heard."""

from arbiter.application.answer import Bench
from arbiter.application.ports import Outages
from arbiter.core.model import Game
from arbiter.core.outages import SILENCE_MS, Hearing


def stood_still_ms(bench: Bench, game: Game, until_ms: int) -> int:
    """Of the time since this clock began to run until then. A read, and only where the side to move
    took longer than the shortest outage.
    """
    if game.outcome is not None:
        return 0
    hearing = hearing_during(bench.outages, game, until_ms)
    if game.clocks is None or hearing is None:
        return 0
    return hearing.stood_still_ms(game.clocks.since_ms, until_ms, bench.clock.now_ms())


def hearing_during(outages: Outages | None, game: Game, until_ms: int) -> Hearing | None:
    """What is known of outages; None, without a read, where none can have stopped this clock."""
    if outages is None or game.clocks is None or until_ms - game.clocks.since_ms <= SILENCE_MS:
        return None
    return outages.hearing()
