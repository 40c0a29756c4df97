"""What a seed makes of a run: who plays, over which relays, and which faults may strike."""

import random
from dataclasses import dataclass

from tests.simulation.faults import draw_enabled
from tests.simulation.relays import Habits

TIMES = (None, None, "15+1", "60+1", "180+2", "0+5", "1d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``natives`` is how many play; ``at_gateway`` and ``at_one_relay`` are the numbers of those
    who play so. ``slips`` is how likely they are to have bad habits (0 to 1).
    ``challenges`` says whether natives challenge each other, to positions near the end. ``skew_ms``
    is how wrong the arbiter's clock may be, and ``seconds`` how long faults may strike.
    ``has_operator`` says whether the policy changes, and ``blocks`` how likely a player is to block
    another (0 to 1).
    """

    seed: int
    faults: frozenset[str]
    relays: tuple[tuple[str, Habits], ...]
    natives: int
    at_gateway: tuple[int, ...]
    at_one_relay: tuple[int, ...]
    challenges: bool
    slips: float
    games: int
    plies: int
    times: tuple[str | None, ...]
    skew_ms: int
    seconds: float
    thinks_seconds: float
    has_operator: bool
    blocks: float


def settings_of(seed: int) -> Settings:
    """The settings that this seed draws."""
    chance = random.Random(f"settings {seed}")
    faults = draw_enabled(chance)
    relays = tuple(
        (
            f"relay-{number}",
            Habits(
                latency=chance.choice((0.005, 0.05, 0.3)),
                most_stored=chance.choice((3, 20, 100)),
                keeps_ephemeral=chance.random() < 0.3,
                wants_auth="F05" in faults and chance.random() < 0.3,
            ),
        )
        for number in range(1, chance.choice((0, 1, 2, 3)) + 1)
    )
    natives = chance.choice((2, 4, 6, 8))
    return Settings(
        seed=seed,
        faults=faults,
        relays=relays,
        natives=natives,
        at_gateway=tuple(number for number in range(natives) if chance.random() < 0.4),
        at_one_relay=tuple(number for number in range(natives) if chance.random() < 0.2),
        challenges=chance.random() < 0.25,
        slips=chance.choice((0.0, 0.3, 1.0)),
        games=chance.choice((1, 2, 4)),
        plies=chance.choice((8, 20, 80, 160)),
        times=tuple(chance.choice(TIMES) for _ in range(2)),
        skew_ms=chance.choice((200, 2000, 20_000)),
        seconds=chance.choice((60.0, 120.0, 300.0)),
        thinks_seconds=chance.choice((0.5, 2.0, 5.0)),
        has_operator=chance.random() < 0.4,
        blocks=chance.choice((0.0, 0.0, 0.4)),
    )
