"""A seed is the same run anywhere, a few seeds find nothing, and all that waits is simulated."""

import ast
import concurrent.futures
import importlib
import json
import os
import pkgutil
import queue
import random
import secrets
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import arbiter
from tests.simulation.__main__ import missing_from
from tests.simulation.native_player import NativePlayer, Plan
from tests.simulation.patched_modules import patched_modules, replacements
from tests.simulation.run import outcome_of_seed, run_seed
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.settings import settings_of
from tests.simulation.story import digest_of
from tests.simulation.world import World

ROOT = Path(__file__).resolve().parents[2]

DIGEST = """
import sys
from tests.simulation.run import run_seed
from tests.simulation.story import digest_of
print(digest_of(run_seed(int(sys.argv[1]))))
"""


def test_another_process_with_other_hashes_tells_the_same_story() -> None:
    path = f"{ROOT}:{ROOT}/layers/arbiter/python"
    elsewhere = subprocess.run(
        [sys.executable, "-c", DIGEST, "2"],
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert elsewhere.stdout.strip() == digest_of(run_seed(2))


def test_a_few_seeds_break_no_promise() -> None:
    outcomes = [outcome_of_seed(seed) for seed in range(1, 4)]
    assert [(one.seed, one.violations) for one in outcomes if one.violations] == []
    assert sum(one.moves for one in outcomes) > 50
    assert sum(one.fired.total() for one in outcomes) > 100


def test_a_fault_that_never_fired_is_missed() -> None:
    reached = Counter({"after sqs.send_message": 900, "after ssm.get_parameter": 9})
    missing = missing_from(Counter({"F01": 3}), reached)
    assert "F01" not in missing
    assert "F02" in missing
    assert "crash after sqs.send_message" in missing
    assert "crash after ssm.get_parameter" not in missing


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
    ("arbiter.adapters.signed_http", "random"): "the simulated cloud has its own clients",
    ("arbiter.adapters.signed_http", "time"): "the simulated cloud has its own clients",
    ("arbiter.adapters.timers", "time"): "the world has its own clock",
    ("arbiter.adapters.dynamodb.connections", "time"): "its pause is an argument",
    ("arbiter.adapters.memory.connections", "Lock"): "the simulation has DynamoDB's",
    ("arbiter.adapters.sqlite.items", "Lock"): "the simulation has DynamoDB's",
    ("arbiter.adapters.sqlite.store", "threading"): "the simulation has DynamoDB's",
    ("arbiter.adapters.sqlite.store", "time"): "the simulation has DynamoDB's",
    ("arbiter.adapters.relays.connection", "time"): "sockets are not simulated",
    (
        "arbiter.adapters.relays.followed_games",
        "threading",
    ): "no task waits while it holds its lock",
    ("arbiter.adapters.relays.listener", "random"): "its chance is an argument",
    ("arbiter.adapters.relays.publisher", "random"): "its chance is an argument",
    ("arbiter.adapters.relays.counters", "threading"): "no task waits while it counts",
    ("arbiter.adapters.items.game_cache", "Lock"): "no task waits while it holds it",
    ("arbiter.adapters.health", "Lock"): "the simulation never asks for the health",
    ("arbiter.adapters.health", "ThreadPoolExecutor"): "the simulation never asks for the health",
    ("arbiter.web.app", "Lock"): "the simulation has no HTTP",
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
    with patched_modules(world):
        during = [getattr(module, name) for module, name in places]
    assert [getattr(module, name) for module, name in places] == before
    assert [(one, other) for one, other in zip(before, during, strict=True) if one is other] == []


def test_a_player_whose_request_is_never_answered_asks_for_their_game_and_goes_on_asking() -> None:
    world = World(settings_of(1))
    player = NativePlayer(world, "native 1", [*world.relays], Plan(games=1, plies=4))
    player.start()
    world.scheduler.run(20.0)
    player.finish()
    world.scheduler.run(200.0)
    assert not player.is_content()
    assert [json.loads(one.text)["content"] for one in player.sender.asked.values()] == ["state"]


def test_a_killed_process_does_nothing_more_and_cannot_catch_its_end() -> None:
    scheduler, told = Scheduler(), list[str]()

    def run() -> None:
        try:
            scheduler.sleep(5.0)
            told.append("survived")
        except Exception:  # noqa: BLE001 - as the arbiter does for a whole batch
            told.append("caught its own end")
        finally:
            told.append("finally")

    process = Process("p")
    scheduler.spawn(process, run)
    scheduler.after(1.0, lambda: scheduler.kill(process))
    scheduler.run(9.0)
    assert told == ["finally"]
    assert scheduler.failures == []


def test_a_frozen_process_goes_on_when_it_is_thawed_however_late() -> None:
    scheduler, told = Scheduler(), list[float]()
    process = Process("p")

    def run() -> None:
        scheduler.sleep(1.0)
        told.append(scheduler.now)

    scheduler.spawn(process, run)
    scheduler.run(0.5)
    scheduler.freeze(process)
    scheduler.run(100.0)
    assert told == []
    scheduler.thaw(process)
    scheduler.run(101.0)
    assert told == [100.0]


def test_the_checker_imports_nothing_of_the_arbiter() -> None:
    here = ROOT / "tests/simulation"
    for path in (*(here / "checker").glob("*.py"), here / "history.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [it.name for it in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                is_own = name.startswith(("tests.simulation.checker", "tests.simulation.history"))
                foreign = {"arbiter", "functions", "local", "clients", "tests"}
                assert is_own or name.partition(".")[0] not in foreign, path
