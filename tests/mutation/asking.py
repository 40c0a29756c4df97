"""Asking tests about a mutant, in a child process that is forked for each.

The tests are collected once, by pytest itself; a child runs some of them and its exit code is the
answer. Which ones: those that came to a changed line when nothing was changed, cheapest first.
"""

import os
import pickle
import resource
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.mutation.mutants import Mutant, Program
from tests.mutation.planting import import_anew, swap

SURVIVED, KILLED, BROKEN = 0, 1, 2
PATIENCE = 10
"""How many times its usual CPU time a mutant may take, and ten seconds more."""


class Fate(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    TIMED_OUT = "timed out"
    UNREACHED = "unreached"


@dataclass(frozen=True)
class Reach:
    """What each test came to when nothing was changed. Seconds are CPU's."""

    seconds: dict[str, float]
    tests: dict[str, dict[int, list[str]]]
    failed: list[str]
    sources: dict[str, bytes]

    def of(self, path: Path, lines: range) -> list[str]:
        """The tests that came to one of these lines: those of the same folder first, and the
        cheapest first.
        """
        near = f"tests/{path.parent.name}/"
        by_line = self.tests.get(str(path), {})
        found = {test for line in lines for test in by_line.get(line, ()) if test}
        return sorted(found, key=lambda it: (not it.startswith(near), self.seconds[it], it))


def in_child(work: Callable[[], int], cpu_seconds: float) -> int:
    """The exit code of a child that does this; negative, as in ``waitpid``, if it was stopped."""
    child = os.fork()
    if child == 0:
        code = BROKEN
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_seconds) + 1, int(cpu_seconds) + 3))
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            code = work()
        finally:
            os._exit(code)
    # A child that waits for ever takes no CPU: it is given the same on the wall's clock, and more.
    ends = time.monotonic() + 20 * cpu_seconds
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


class Steady:
    """Hypothesis takes the same examples each time, and looks for no smaller ones."""

    def pytest_collection(self) -> None:
        """After tests/conftest.py has said how it is done otherwise, before a test is read."""
        from hypothesis import Phase, settings  # noqa: PLC0415 - pytest must see it first

        phases = (Phase.explicit, Phase.generate)
        steady = settings(deadline=None, derandomize=True, database=None, phases=phases)
        settings.register_profile("mutants", steady)
        settings.load_profile("mutants")


def run(arguments: Sequence[str], *plugins: object) -> int:
    """The exit code of pytest, which leaves nothing on the disk and minds no fork."""
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"]
    calm = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*quiet, *calm, *arguments], list(plugins)))


def measure(items: Sequence[pytest.Item], sources: Sequence[Path], kept: Path) -> Reach:
    """Run all of them once, in a child so that this process stays as it was; but those that are
    known from what is kept there, unless it is of other sources.
    """
    texts = {str(it): it.read_bytes() for it in sources}
    known = _known(kept, texts)
    owed = [it for it in items if it.nodeid not in known.seconds]
    if owed and in_child(lambda: _measure(owed, known, kept), 3600) != 0:
        raise SystemExit("the tests could not be run without a change")
    return _known(kept, texts)


def _known(kept: Path, texts: dict[str, bytes]) -> Reach:
    if kept.exists():
        known: Reach = pickle.loads(kept.read_bytes())  # noqa: S301 - our child wrote it
        if known.sources.items() >= texts.items():
            return known
    return Reach({}, {it: {} for it in texts}, [], texts)


def _measure(items: Sequence[pytest.Item], known: Reach, kept: Path) -> int:
    sources = [*known.sources]
    seen = coverage.Coverage(data_file=None, config_file=False, include=sources)
    seen.start()
    for at, item in enumerate(items):
        seen.switch_context(item.nodeid)
        began = time.process_time()
        if _fails(item, items[at + 1] if at + 1 < len(items) else None):
            known.failed.append(item.nodeid)
        known.seconds[item.nodeid] = time.process_time() - began
    seen.stop()
    for source in sources:
        for line, tests in seen.get_data().contexts_by_lineno(source).items():
            known.tests[source].setdefault(line, []).extend(tests)
    kept.write_bytes(pickle.dumps(known))
    return 0


def ask(program: Program, mutant: Mutant, items: Sequence[pytest.Item], seconds: float) -> Fate:
    """What these tests make of a mutant inside a function."""

    def work() -> int:
        if not swap(program, mutant):
            return KILLED if _fresh(program, mutant, items) else SURVIVED
        pairs = zip(items, [*items[1:], None], strict=True)
        return KILLED if any(_fails(item, after) for item, after in pairs) else SURVIVED

    return _fate(in_child(work, 10 + PATIENCE * seconds))


def ask_anew(
    program: Program, mutant: Mutant | None, items: Sequence[pytest.Item], seconds: float
) -> Fate:
    """What these tests make of a mutant that everything is imported with; without one, whether
    they can be asked so at all.
    """

    def work() -> int:
        return KILLED if _fresh(program, mutant, items) else SURVIVED

    return _fate(in_child(work, 60 + PATIENCE * seconds))


def _fate(code: int) -> Fate:
    if code == BROKEN:
        raise SystemExit("a child broke before it could ask")
    if code < 0:
        return Fate.TIMED_OUT
    return Fate.SURVIVED if code == SURVIVED else Fate.KILLED


def _fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=following)
    return any(it.failed for it in reports)


def _fresh(program: Program, mutant: Mutant | None, items: Sequence[pytest.Item]) -> bool:
    """Whether one of their files fails; file by file, for most mutants fail in the first."""
    import_anew(program, mutant, module_name(program.path))
    for file in dict.fromkeys(it.nodeid.split("::")[0] for it in items):
        code = run(["-x", file], Steady())
        if code == pytest.ExitCode.INTERNAL_ERROR:
            os._exit(BROKEN)
        if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            return True
    return False


def module_name(path: Path) -> str:
    """What a file of the layer is imported as."""
    parts = path.with_suffix("").parts
    return ".".join(parts[len(parts) - 1 - parts[::-1].index("arbiter") :])
