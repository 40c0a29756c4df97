"""`make mixed-releases`: an older release and this one serve the same games by turns: a table.

Both are deployed onto one stack of the laptop's cloud, one over the other, and share its table and
queues; the division between them changes in the middle of games, there and back. `OLD=ref` names
the older one, `SEED=n` plays the same moves again.

The exit code is 1 if anything that was told was lost, told in two ways or is read differently by
the two; 75 if the history that is here does not go back far enough to try.
"""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from arbiter.nostr.keys import SecretKey
from local.console import complain, say
from local.environment import aws_environment, bare_environment
from local.foreground import enter
from local.processes import PartFailed, StopAsked, Supervisor
from local.settings import ROOT, Settings
from local.signals import stop_at_once
from tests.releases.played import PHASES, Account, play_through
from tests.releases.side_by_side import SideBySide, code_of
from tests.releases.tree import (
    HistoryTooShort,
    NoSuchRelease,
    Release,
    exported,
    release_named,
)
from tests.releases.verdict import (
    HEADING,
    broken,
    disagreements,
    idle,
    row,
    served_from,
)

_FAILED, _NOT_TRIED = 1, 75
_KEPT = ("lock", "server.key")
_READ_TIMEOUT_SECONDS = 300.0


def main() -> int:
    """Choose the release, then run; the exit code."""
    try:
        release = release_named(os.environ.get("OLD", ""))
    except HistoryTooShort as why:
        complain(f"Not tried. {why}")
        return _NOT_TRIED
    except NoSuchRelease as refusal:
        complain(str(refusal))
        return _FAILED
    return enter(
        lambda tools: (tools.ministack, tools.sam),
        lambda settings, key, stop: _run(settings, key, stop, release),
    )


def _run(settings: Settings, key: SecretKey, stop: threading.Event, release: Release) -> int:
    _empty(settings.run_dir)
    stop_at_once(stop)
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    say(f"The old release is {release.commit[:12]} ({release.chosen}); SEED={seed}")
    old = exported(release, settings.run_dir / "old")
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    both = SideBySide(settings, key, supervisor, old)
    started = time.monotonic()
    try:
        both.everything()
        account = asyncio.run(
            play_through(
                both.endpoints,
                lambda phase: both.divide(phase.name, phase.new_of_ten),
                random.Random(seed),
            )
        )
        faults = _faults(settings, both, old, account)
    except StopAsked:
        complain("Stopped.")
        return _FAILED
    except (AssertionError, PartFailed, TimeoutError) as failure:
        complain(f"✗ {str(failure) or type(failure).__name__}; see {settings.run_dir}/logs")
        return _FAILED
    finally:
        supervisor.stop_all()
    for fault in faults:
        complain(f"✗ {fault}")
    say(f"{len(faults)} faults, in {time.monotonic() - started:.0f} s")
    return _FAILED if faults else 0


def _faults(settings: Settings, both: SideBySide, old: Path, account: Account) -> list[str]:
    """Print what happened; what is not as it should be, a sentence each."""
    with both.served.open(encoding="utf-8") as lines:
        served = served_from(lines)
    say(f"\n{HEADING}")
    for phase in PHASES:
        say(row(phase, served, account.moves[phase.name]))
    table = both.stack.outputs["TableName"]
    by_old, by_new = (_read_by(tree, settings, table) for tree in (old, ROOT))
    letters = both.dead_letters()
    saw = sum((one.sightings for _, one in account.played), Counter[str]())
    told = sum(one.acknowledged for _, one in account.played)
    differently = disagreements(by_old, by_new)
    also = ", ".join(f"{word} {count}" for word, count in sorted(saw.items()) if count)
    say(
        f"\n{len(account.played)} games, {told} moves told; {len(by_new)} items read by both, "
        f"{len(differently)} differently; {letters} dead letters\n"
        f"beside moves, players saw: {also or 'nothing'}"
    )
    failures = Counter(
        f"{'old' if release == '1' else 'new'}: {failure}"
        for (_, release), did in served.items()
        for failure in did.failures
    )
    for failure, count in failures.most_common():
        say(f"  {count} times {failure}")
    return [
        *broken(account.played),
        *differently,
        *idle(PHASES, served),
        *([f"{letters} records were put aside"] if letters else ()),
    ]


def _read_by(tree: Path, settings: Settings, table: str) -> dict[str, Any]:
    """Every game of the table, as this tree's code reads it. Raises PartFailed."""
    try:
        done = subprocess.run(
            (sys.executable, str(ROOT / "tests" / "releases" / "reading.py"), table),
            cwd=tree,
            env={
                **bare_environment(settings),
                **aws_environment(settings.aws_url),
                "PYTHONPATH": code_of(tree),
            },
            capture_output=True,
            text=True,
            timeout=_READ_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        raise PartFailed(f"{tree} has not read the table in {slow.timeout:.0f} s") from slow
    if done.returncode:
        raise PartFailed(f"{tree} cannot read the table: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _empty(folder: Path) -> None:
    """Remove what the last run left, but for the lock that is held, and the key."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in _KEPT:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
