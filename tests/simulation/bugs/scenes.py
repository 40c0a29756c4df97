"""Scenes: a seed's world made narrower, so that what a bug needs comes about more often in it.

The law: a scene leaves faults out, or lets them strike oftener, and may seat more players; it has
no kind of fault and no habit that plain seeds do not have. Good code is clean in the
seeds by which bugs are found.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.simulation.settings import Settings

Scene = Callable[[Settings], Settings]


def with_only(*faults: str, **changes: Any) -> Scene:
    """These faults and no other, and these settings in place of the seed's own."""
    return lambda settings: replace(settings, faults=frozenset(faults), **changes)


def tricks(*kinds: str, faults: tuple[str, ...] = (), **changes: Any) -> Scene:
    """A cheat who tries these, four players without habits, and these faults."""
    plain = {"natives": 4, "sockets": 0, "at_gateway": (), "carelessness": 0.0, "nagging": 0.0}
    return with_only(*faults, **{**plain, **changes, "tricks": frozenset(kinds)})


PREMOVES = with_only(
    "F19", "F49", "F28", carelessness=1.0, natives=2, at_gateway=(), plies=40, time=None
)
"""Moves out of turn, said again when the queue has forgotten them."""

REFUSALS = with_only("F19", "H50", "H53", carelessness=1.0)
"""Much that is refused, and nothing that keeps an answer back."""

TWO_WORKERS = with_only("F29", "slow", oftener=3.0, natives=4, games=2, time="180+2")
"""A record at two workers, one of them slow, in games with clocks."""

TWO_ANSWERS = with_only("F29", "slow", oftener=6.0, natives=4, games=2, plies=4, thinks_seconds=0.5)
"""A request at two workers, and games so short that another may follow."""

SILENCE = with_only("silence", carelessness=1.0, natives=2, sockets=0, time="60+1", plies=40)
"""Players who leave in the middle of a game, and nothing else."""

SILENCE_WITHOUT_QUEUE = with_only(
    "silence", "F30", oftener=15.0, carelessness=1.0, natives=4, sockets=0, time="60+1", plies=40
)
"""The same, and a queue that is away nearly every second time."""

IMPATIENCE = with_only(
    "silence", "impatient", carelessness=1.0, natives=4, sockets=0, time="60+1", plies=40
)
"""Players who leave in the middle of a game, and opponents who do not wait."""

DYING_WORKERS = with_only(
    *("crash", "F30"),
    oftener=20.0,
    natives=8,
    sockets=0,
    at_gateway=(),
    challenges=False,
    plies=40,
    thinks_seconds=6.0,
    time="60+1",
    games=2,
    seconds=300.0,
)
"""Games with clocks in which both sides run short of time, and workers that die at any call or do
not reach a queue when they have written.
"""

LOSSES = with_only(
    "F11",
    "F12",
    "F32",
    oftener=8.0,
    natives=4,
    sockets=0,
    meddlers=0,
    at_gateway=(),
    at_one_relay=(0, 1, 2, 3),
)
"""Relays that drop an event for one subscriber or close subscriptions, and listeners that die."""

OUTAGES = with_only(
    "F36", carelessness=0.0, natives=2, sockets=0, at_gateway=(), time="180+2", plies=40, games=2
)
"""Games with clocks, and relays that are all away at times."""

MANY_OUTAGES = with_only(
    "F36",
    carelessness=0.0,
    natives=4,
    sockets=0,
    at_gateway=(),
    time="180+2",
    plies=40,
    games=2,
    oftener=6.0,
)
"""The same, with more games, and relays that are away six times as often."""

DEAF_RELAYS = with_only(
    *("F06", "F08"),
    oftener=12.0,
    natives=4,
    sockets=0,
    at_gateway=(),
    plies=4,
    games=2,
    meddlers=0,
)
"""Short games, and relays that refuse most of what they are offered."""

FAILING = with_only(
    *("F26", "F36", "F39", "F45"),
    oftener=4.0,
    natives=8,
    plies=40,
    thinks_seconds=0.5,
    time=None,
)
"""Batches of several records, of which one fails."""

UNREACHABLE_QUEUE = with_only("F30", "F31", oftener=10.0, seconds=300.0)
"""A queue that is away every third time, and nothing else."""

FLOODS = with_only(
    "F26", oftener=10.0, natives=4, sockets=0, meddlers=0, at_gateway=(), plies=40, flooders=3
)
"""Strangers who fill every other game with words, and a table that fails at every tenth call."""

LATE = with_only(latecomers=True, time=None)
"""Requests that were kept back on their way."""

GREED = with_only(greed=1.0, natives=4, plies=40, challenges=False)
"""Players who ask for a game while they play one."""

STRAYS = with_only("H15", carelessness=1.0, strays=True)
"""Relays that send what they were not asked for, some of it signed for another arbiter."""

_FEEDS: dict[str, Any] = {
    "feeds": 2,
    "refereed": 2,
    "rogues": 0,
    "natives": 2,
    "browsers": 0,
    "meddlers": 0,
    "time": None,
    "challenges": False,
    "plies": 20,
}

FEEDS_WITHOUT_QUEUE = with_only("F30", "F31", oftener=10.0, **_FEEDS)
"""Players of Scuttlebutt, and a queue that is away every third time."""

FEEDS_DYING = with_only("crash", "bridge gone", "peer gone", "F30", oftener=5.0, **_FEEDS)
"""Players of Scuttlebutt, and a bridge that dies at whatever it is."""

FEEDS_IN_HASTE = with_only(
    "too early", "late log", oftener=6.0, **{**_FEEDS, "rogues": 2, "refereed": 0}
)
"""Players of Scuttlebutt who move before it is their turn, and say that they or the other won."""
