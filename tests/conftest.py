"""Settings every test shares, the order in which they come, and tests that are coroutines."""

import asyncio
import functools
import gc
import inspect
import logging
from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest
from hypothesis import settings

from arbiter.adapters.aws_clients import AwsClients
from arbiter.nostr.keys import SecretKey
from tests.worker_scheduling import LongestFirst, OneArbiter, rank

# No test fails for being slow: on a busy machine that says nothing of the code. More examples:
# PYTEST_ARGS="--hypothesis-profile thorough tests/core".
settings.register_profile(
    "arbiter", deadline=None, print_blob=True, max_examples=25, stateful_step_count=30
)
settings.register_profile("thorough", settings.get_profile("arbiter"), max_examples=1_000)
settings.load_profile("arbiter")

# To look for garbage while 10,000 tests are collected takes a sixth of that time.
gc.disable()

# Each cloud of moto is a session of its own, which reads the megabytes that describe the services:
# all read them once.
botocore.session.create_loader = functools.cache(botocore.session.create_loader)

# A signature is made of key and digest alone, and a tenth of all processor time went into those
# that a test before had made.
SecretKey.sign_bytes = functools.lru_cache(20_000)(  # type: ignore[method-assign]
    SecretKey.sign_bytes
)

_LIMIT_SECONDS = 180
"""Longer than any coroutine test takes, so that one that waits for ever fails."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}

    async def run() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS):
            await pyfuncitem.obj(**arguments)

    asyncio.run(run())
    return True


@pytest.fixture(autouse=True)
def _log_as_it_was() -> Iterator[None]:
    """A function's handler sets level and layout of all that its process logs, which here is many
    tests' process.
    """
    root = logging.getLogger()
    level, layouts = root.level, [(handler, handler.formatter) for handler in root.handlers]
    yield
    root.setLevel(level)
    for handler, layout in layouts:
        handler.setFormatter(layout)


@pytest.fixture
def by_botocore(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services are asked by botocore alone, where moto answers in this process."""
    monkeypatch.setattr(AwsClients, "_json", lambda self, name, *_, **__: self._client(name))


def pytest_collection_finish() -> None:
    """Look for garbage again, in what the tests make: without all that was imported and collected,
    and less often, they take a tenth less time.
    """
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what takes longest."""
    items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(
    config: pytest.Config, log: Any
) -> LongestFirst | OneArbiter | None:
    """Share the tests out as ``worker_scheduling.py`` says, where a file or a module is to go to a
    worker.
    """
    if config.getoption("dist") == "loadscope":
        return OneArbiter(config, log)
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return LongestFirst(config, log)
