"""Bugs that keep the simulator honest: each wraps a function by its name, and must be found."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from arbiter.application.ports import Committed
from tests.simulation.patches import PACKAGES
from tests.simulation.run import outcome_of, run_seed

MOST_SEEDS = 30
"""A bug that so many seeds do not find is not found."""

Wrap = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Bug:
    """A function, such as ``core.game:Game.remembers``, and what it becomes."""

    place: str
    wrap: Wrap


def _always(value: object) -> Wrap:
    return lambda _: lambda *_, **__: value


def _sometimes(value: object, likelihood: float) -> Wrap:
    """As it was, but for some calls: these return this at once."""

    def wrap(real: Any) -> Any:
        chance = Random(1)
        return lambda *args, **named: (
            value if chance.random() < likelihood else real(*args, **named)
        )

    return wrap


def _at_once(_: Any) -> Any:
    def send(sockets: Any, connection_id: str, text: str) -> bool:
        session = sockets._sessions.get(connection_id)
        if session is not None:
            session.write(text)
        return session is not None

    return send


def _all_taken(real: Any) -> Any:
    async def publish(relays: Any, events: Any) -> set[str]:
        await real(relays, events)
        return {event.id for event in events}

    return publish


BUGS: dict[str, Bug] = {
    "OK is said before the disk has it": Bug("server.sockets:LocalSockets.send", _at_once),
    "a commit is not made": Bug(
        "arbiter.adapters.items.stored_games:StoredGames.commit", _sometimes(Committed(), 0.02)
    ),
    "no event is remembered": Bug("arbiter.core.game:Game.remembers", _always(False)),
    "no timer is set": Bug("arbiter.adapters.sqlite.timers:_set", _always(None)),
    "a timer that fired stays": Bug(
        "arbiter.adapters.sqlite.timers:SqliteTimers.done", _always(None)
    ),
    "a record stays in the inbox": Bug(
        "arbiter.adapters.sqlite.queues:SqliteInbox.finish", _always(None)
    ),
    "what is due to be published again is not": Bug(
        "arbiter.adapters.sqlite.queues:SqliteRepublishQueue.due", _always(())
    ),
    "subscriptions outlive their socket": Bug(
        "arbiter.adapters.memory.connections:MemoryConnections.remove", _always(None)
    ),
    "sockets are never forgotten": Bug("server.sockets:LocalSockets.remove", _always(None)),
    "what no relay took is not tried again": Bug(
        "server.processing:Processing._publish_later", _always(None)
    ),
    "a refusal counts as taken": Bug("server.relays:ToRelays.publish", _all_taken),
    "a job that failed is given up": Bug(
        "server.transaction_loop:TransactionLoop.try_again", _always(False)
    ),
    "a pairing is not written": Bug(
        "arbiter.adapters.sqlite.table:SqliteTable.write", _sometimes(value=True, likelihood=0.1)
    ),
    "a flag does not fall": Bug("arbiter.core.decide:is_flag_fallen", _always(False)),
    "a denied key is let in": Bug("arbiter.core.policy:Policy.why_not", _always(None)),
    "games begin while it is closed": Bug("arbiter.core.policy:Policy.why_closed", _always(None)),
    "two are paired of whom one blocks the other": Bug(
        "arbiter.application.lobby.blocks:is_apart_from", _always(False)
    ),
    "games of the denied go on": Bug(
        "arbiter.application.operator:end_games_body", _always('{"policy": {}}')
    ),
    "a rated game is rated again": Bug(
        "arbiter.adapters.items.stored_ratings:StoredRatings.rated", _always(None)
    ),
}


@contextmanager
def planted(bug: Bug) -> Iterator[None]:
    """The bug, wherever its function is known by name."""
    name, _, path = bug.place.partition(":")
    owner: Any = importlib.import_module(name)
    *classes, attribute = path.split(".")
    for part in classes:
        owner = getattr(owner, part)
    real = getattr(owner, attribute)
    wrong = bug.wrap(real)
    places = [(owner, attribute)]
    if not classes:
        places = [
            (module, known)
            for module in [*sys.modules.values()]
            if f"{getattr(module, '__name__', '')}.".startswith(PACKAGES)
            for known, value in [*vars(module).items()]
            if value is real
        ]
    for place, known in places:
        setattr(place, known, wrong)
    try:
        yield
    finally:
        for place, known in places:
            setattr(place, known, real)


def hunt(name: str, after: int = 0) -> str:
    """Which seed after this one finds the bug, and by which violation; empty if none does."""
    bug = BUGS[name]
    for seed in range(after + 1, after + 1 + MOST_SEEDS):
        with planted(bug):
            try:
                found = outcome_of(*run_seed(seed)).violations
            except Exception as failure:  # noqa: BLE001 - the bug ended the run
                return f"seed {seed}: {type(failure).__name__}: {failure}"
        if found:
            return f"seed {seed}: {str(found[0])[:160]}"
    return ""
