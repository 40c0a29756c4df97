"""The settings of a house player: its opponents and its terms."""

from collections.abc import Iterable

from clients.bot.config import UNLIMITED, Challenge, Config, Correspondence, Engine
from clients.bot.strength import LEVELS

MOVE_SECONDS = 5
PATIENCE_SECONDS = 600
ABORT_SECONDS = 120
AS_OFTEN_AS_ASKED = 1_000


def config_of(level: int, number: int = 1, block_list: Iterable[str] = ()) -> Config:
    """Casual games of any kind that does not take days, and no waiting in line."""
    which = f" ({number})" if number > 1 else ""
    return Config(
        name=f"House, level {level}{which}",
        about=f"A program that plays anybody, at level {level} of {max(LEVELS)}.",
        engine=Engine(name="plain"),
        correspondence=Correspondence(move_time=MOVE_SECONDS),
        challenge=Challenge(
            max_base=10_800,
            max_increment=180,
            time_controls=("bullet", "blitz", "rapid", "classical", UNLIMITED),
            modes=("casual",),
            block_list=tuple(block_list),
            queue=0,
            patience=PATIENCE_SECONDS,
        ),
        abort_time=ABORT_SECONDS,
        rematches=AS_OFTEN_AS_ASKED,
        max_takebacks_accepted=AS_OFTEN_AS_ASKED,
    )
