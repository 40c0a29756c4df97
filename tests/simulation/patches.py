"""The arbiter's own modules in the simulation: where they ask for the time, a thread, chance, a
relay or the disk, they are given ours, and in the end their own back. Nothing that decides
anything is replaced.
"""

import asyncio
import hashlib
import importlib
import inspect
import logging
import os
import queue
import random
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

from arbiter.adapters.relays import connection
from arbiter.adapters.sqlite import files, queues
from arbiter.nostr.event import has_signed
from arbiter.nostr.keys import SecretKey
from server import health, relay_link, timekeeper
from tests.simulation import links
from tests.simulation.disk import SimConnection
from tests.simulation.virtual_time import future_of, virtual_modules

if TYPE_CHECKING:
    from tests.simulation.world import World

processing: Any = importlib.import_module("server.processing")

PACKAGES = ("arbiter.", "server.")


class _Errors(logging.Handler):
    """Every line that reports a failure."""

    def __init__(self, world: "World") -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        failure = record.exc_info[1] if record.exc_info else None
        self._world.logged(record.getMessage(), failure)


@contextmanager
def patched_modules(world: "World") -> Iterator[None]:
    """The arbiter within this world."""
    kept: list[tuple[Any, str, Any]] = []
    for place, name, value in _replacements(world):
        kept.append((place, name, getattr(place, name)))
        setattr(place, name, value)
    root, errors = logging.getLogger(), _Errors(world)
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = [errors]
    logging.disable(logging.WARNING)
    asyncio.set_event_loop(world.scheduler.loop)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        root.handlers[:] = handlers
        root.setLevel(level)
        for place, name, value in reversed(kept):
            setattr(place, name, value)
        asyncio.set_event_loop(None)


def _replacements(world: "World") -> Iterator[tuple[Any, str, Any]]:
    real = _stand_ins(world)
    for module in [*sys.modules.values()]:
        name = getattr(module, "__name__", "")
        if not name.startswith(PACKAGES):
            continue
        for attribute, value in [*vars(module).items()]:
            if id(value) in real:
                yield module, attribute, real[id(value)]
            elif inspect.isclass(value) and value.__module__ == name:
                for function in vars(value).values():
                    yield from _defaults(function, real)
            else:
                yield from _defaults(value, real)
    disk = SimpleNamespace(**vars(sqlite3))
    disk.connect = partial(sqlite3.connect, factory=partial(SimConnection, world))
    yield files, "sqlite3", disk
    yield timekeeper, "LOOK_SECONDS", timekeeper.LOOK_SECONDS
    yield queues.SqliteInbox, "accept", _noting(world, queues.SqliteInbox.accept)
    yield SecretKey, "sign_bytes", lambda key, digest: _signature(key.pubkey, digest)
    yield health, "ThreadPoolExecutor", _InTurn
    yield health, "trouble_with", lambda _: None
    yield relay_link, "_Connect", partial(links.connect_task, world)


def _defaults(function: Any, real: dict[int, Any]) -> Iterator[tuple[Any, str, Any]]:
    """Those default values of a function that were bound when it was defined."""
    if not isinstance(function, FunctionType):
        return
    if any(id(value) in real for value in function.__defaults__ or ()):
        ours = tuple(real.get(id(value), value) for value in function.__defaults__ or ())
        yield function, "__defaults__", ours
    if any(id(value) in real for value in (function.__kwdefaults__ or {}).values()):
        named = (function.__kwdefaults__ or {}).items()
        yield function, "__kwdefaults__", {key: real.get(id(it), it) for key, it in named}


def _stand_ins(world: "World") -> dict[int, Any]:
    """Ours, by the id of the real one."""
    modules = virtual_modules(world.scheduler, world.read_clock)
    chance = world.chance
    ours = [
        (threading, modules["threading"]),
        (threading.Lock, modules["threading"].Lock),
        (threading.Event, modules["threading"].Event),
        (threading.Thread, modules["threading"].Thread),
        (time, modules["time"]),
        (time.time, modules["time"].time),
        (time.monotonic, modules["time"].monotonic),
        (time.sleep, world.scheduler.sleep),
        (queue, modules["queue"]),
        (random, SimpleNamespace(random=chance.random)),
        (random.random, chance.random),
        (os.urandom, chance.randbytes),
        (secrets, _secrets(chance)),
        (futures.Future, future_of(world.scheduler)),
        (connection.connect, partial(links.connect_thread, world)),
        (processing.handle_record, _poisoned(world)),
        (has_signed, lambda pubkey, sig, digest: sig == _signature(pubkey, digest).hex()),
    ]
    world.keeps_alive = ours
    return {id(real): virtual for real, virtual in ours}


def _signature(pubkey: str, digest: bytes) -> bytes:
    """In place of BIP-340's, which took a twelfth of the time: other bytes for each key and event.
    In this world only the owner of a key makes them.
    """
    return hashlib.sha512(bytes.fromhex(pubkey) + digest).digest()


def _secrets(chance: random.Random) -> SimpleNamespace:
    return SimpleNamespace(
        token_hex=lambda count: chance.randbytes(count).hex(),
        token_bytes=chance.randbytes,
        token_urlsafe=lambda count: chance.randbytes(count).hex(),
    )


class _InTurn:
    """An executor that does everything at once, in the thread that asks."""

    def __init__(self, _: int) -> None:
        """Have as many threads as you like."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to wait for."""

    map = staticmethod(map)


class Poison(Exception):
    """An unforeseen failure."""


def _poisoned(world: "World") -> Any:
    real = processing.handle_record

    def handle_record(deps: Any, record: Any) -> Any:
        if not world.disk.is_full and world.faults.strikes("F24", record.group):
            return processing.Processed(record, failure=Poison())
        return real(deps, record)

    return handle_record


def _noting(world: "World", accept: Any) -> Any:
    def noted(inbox: Any, batch: Any) -> None:
        for entry in batch:
            world.took(entry.body)
        accept(inbox, batch)

    return noted
