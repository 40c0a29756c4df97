"""Whatever of the arbiter could wait, or read a clock, is on the simulation's stage."""

import concurrent.futures
import importlib
import pkgutil
import queue
import random
import secrets
import threading
import time

import arbiter
from tests.simulation.settings import settings_of
from tests.simulation.stage import replacements, staged
from tests.simulation.world import World

WAITS = (
    threading,
    time,
    queue,
    random,
    secrets,
    concurrent.futures.ThreadPoolExecutor,
    concurrent.futures.wait,
    threading.Lock,
    threading.Event,
)

NEEDS_NONE = {
    (
        "arbiter.adapters.dynamodb.archive",
        "time",
    ): "its pause is an argument, and no list is asked for",
    ("arbiter.adapters.aws_clients", "Lock"): "the simulated cloud has its own clients",
    ("arbiter.adapters.timers", "time"): "the world has its own clock",
    ("arbiter.adapters.dynamodb.connections", "time"): "its pause is an argument",
    ("arbiter.adapters.memory.connections", "Lock"): "the simulation has DynamoDB's",
    ("arbiter.adapters.memory.counters", "Lock"): "the simulation has DynamoDB's",
    ("arbiter.adapters.sqlite.items", "Lock"): "the simulation has no file",
    ("arbiter.adapters.sqlite.store", "threading"): "the simulation has no file",
    ("arbiter.adapters.sqlite.store", "time"): "the simulation has no file",
    ("arbiter.adapters.relays.connection", "time"): "sockets are not simulated",
    ("arbiter.adapters.relays.listener", "random"): "its chance is an argument",
    ("arbiter.adapters.relays.publisher", "random"): "its chance is an argument",
    ("arbiter.adapters.relays.counters", "threading"): "nobody waits while he counts",
    ("arbiter.adapters.relays.deadline_socket", "time"): "sockets are not simulated",
    ("arbiter.adapters.dynamodb.game_cache", "Lock"): "nobody waits while he holds it",
    ("arbiter.adapters.health", "Lock"): "nobody asks for the health",
    ("arbiter.adapters.health", "ThreadPoolExecutor"): "nobody asks for the health",
    ("arbiter.web.app", "Lock"): "its one lock is made at import, and replaced itself",
}


def test_nothing_that_waits_or_draws_is_left_as_it_is() -> None:
    world = World(settings_of(1))
    replaced = {(module.__name__, name) for module, name, _ in replacements(world)}
    left = []
    for found in pkgutil.walk_packages(arbiter.__path__, "arbiter."):
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if any(value is one for one in WAITS) and (found.name, name) not in replaced:
                left.append((found.name, name))
    assert {one for one in left if one not in NEEDS_NONE} == set()


def test_the_stage_is_cleared_afterwards() -> None:
    world = World(settings_of(1))
    places = [(module, name) for module, name, _ in replacements(world)]
    before = [getattr(module, name) for module, name in places]
    with staged(world):
        during = [getattr(module, name) for module, name in places]
    assert [getattr(module, name) for module, name in places] == before
    assert [(one, other) for one, other in zip(before, during, strict=True) if one is other] == []
