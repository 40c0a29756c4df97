"""What a seed makes of a run: who plays, over which relays, and which faults may strike."""

import random
from dataclasses import dataclass, replace

from tests.simulation.faults import (
    OF_THE_CLOCK,
    OF_THE_RELAYS,
    draw_enabled,
    draw_tricks,
)
from tests.simulation.relays import Habits

WITH_A_CHEAT = 0.25
"""The share of seeds with a cheat."""

LONG_OUTAGES = 0.05
"""The share of seeds with faults in which no relay is to be reached for hours."""

IMPATIENT = 0.2
"""The share of seeds with faults in which players leave in the middle of games with clocks, and
their opponents speak as soon as the time is up.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``natives`` and ``sockets`` are how many of each play; ``carelessness`` is how likely
    natives are to slip (0 to 1); ``meddlers`` are strangers who read all relays. ``passers``
    says whether two pass by who ask for the same game more than half an hour apart.
    ``at_gateway`` and ``at_one_relay`` are the numbers of the natives who play so, and
    ``challenges`` says whether they challenge each other, to positions near the end.
    ``skew_ms`` is how wrong a clock may be, and ``seconds`` how long faults may strike.
    ``latecomers`` says whether two requests come that were signed long before, ``greed`` how
    likely a native player is to ask for a game while they play one, and ``strays`` whether
    relays send the arbiter what it never asked for. ``oftener`` multiplies how likely each
    fault of ``ASKED`` is. ``tricks`` are what a cheat tries, if there is one: kinds of
    `faults.TRICKS`.
    """

    seed: int
    faults: frozenset[str]
    relays: tuple[tuple[str, Habits], ...]
    natives: int = 0
    sockets: int = 0
    at_gateway: tuple[int, ...] = ()
    at_one_relay: tuple[int, ...] = ()
    challenges: bool = False
    meddlers: int = 0
    carelessness: float = 0.0
    passers: bool = False
    games: int = 0
    plies: int = 0
    time: str | None = None
    skew_ms: int
    seconds: float
    thinks_seconds: float
    latecomers: bool = False
    greed: float = 0.0
    strays: bool = False
    oftener: float = 1.0
    tricks: frozenset[str] = frozenset()


def settings_of(seed: int) -> Settings:
    """What this seed draws."""
    # Each of a chance of its own: every other seed is the world that it was before.
    chance = random.Random(f"cheat {seed}")
    tricks = draw_tricks(chance) if chance.random() < WITH_A_CHEAT else frozenset[str]()
    settings = replace(_settings_of(seed), tricks=tricks)
    if "front-run" in tricks and chance.random() < 0.5:
        settings = replace(settings, challenges=True)
    if "late agreement" in tricks and chance.random() < 0.5:
        settings = replace(settings, plies=4)
    chance = random.Random(f"impatience {seed}")
    if settings.faults and chance.random() < IMPATIENT:
        settings = replace(
            settings,
            faults=settings.faults | frozenset(OF_THE_CLOCK) | {"silence"},
            carelessness=1.0,
            time=chance.choice(("60+1", "180+2")),
        )
    chance = random.Random(f"long outage {seed}")
    if settings.faults and chance.random() < LONG_OUTAGES:
        settings = replace(settings, faults=settings.faults | frozenset(OF_THE_RELAYS))
    return settings


def _settings_of(seed: int) -> Settings:
    chance = random.Random(f"settings {seed}")
    faults = draw_enabled(chance)
    relays = tuple(
        (
            f"relay-{number}",
            Habits(
                latency=chance.choice((0.005, 0.05, 0.3)),
                most_stored=chance.choice((3, 20, 500)),
                keeps_ephemeral=chance.random() < 0.5,
                wants_auth="F05" in faults and chance.random() < 0.3,
            ),
        )
        for number in range(1, chance.choice((2, 2, 3)) + 1)
    )
    return Settings(
        seed=seed,
        faults=faults,
        relays=relays,
        natives=chance.choice((2, 2, 2, 3, 4)),
        sockets=chance.choice((0, 0, 1, 2)),
        at_gateway=tuple(number for number in range(4) if chance.random() < 0.2),
        at_one_relay=tuple(number for number in range(4) if chance.random() < 0.2),
        challenges=chance.random() < 0.25,
        meddlers=chance.choice((0, 0, 1, 2)),
        carelessness=chance.choice((0.0, 0.3, 1.0)),
        passers=chance.random() < 0.1,
        games=chance.choice((1, 1, 2)),
        plies=chance.choice((4, 8, 12, 20, 40)),
        time=chance.choice((None, None, None, "60+1", "180+2", "1d")),
        skew_ms=chance.choice((200, 2000, 20_000)),
        seconds=chance.choice((60.0, 120.0, 300.0)),
        thinks_seconds=chance.choice((0.5, 3.0, 8.0)),
        latecomers=chance.random() < 0.1,
        greed=chance.choice((0.0, 0.0, 0.0, 0.5)),
        strays=chance.random() < 0.1,
    )
