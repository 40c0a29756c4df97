"""`python -m tests.releases`: an older release and this one serve the same games in turn.

Both are deployed to one stack of the emulated cloud and share its table and queues; in the middle
of games one takes the other's place, while records of both wait in queues.

Exit code 1 if a published move was lost or published twice differently, or if a release finds a
game that contradicts the rules; 75 if the history does not go back far enough.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import tarfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from local.console import complain, say
from local.environment import program_environment
from local.foreground import empty, enter
from local.processes import PartFailed, StopAsked, Supervisor
from local.settings import ROOT, Settings
from local.signals import stop_at_once
from tests.chaos.played import Played
from tests.releases.played import PHASES, Account, play_through
from tests.releases.side_by_side import SideBySide, code_of

_FAILED, _NOT_TRIED = 1, 75
_COMMITS_BACK = 100
_READ_TIMEOUT_SECONDS = 300.0


def main() -> int:
    """Choose the release, then run; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.releases", description=__doc__)
    parser.add_argument("--old", help="a commit (the last tag, or a hundred commits back)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the moves")
    options = parser.parse_args()
    tools = (sys.executable, "-m", "requirements.install", "ministack", "relay", "sam")
    subprocess.run(tools, cwd=ROOT, check=True)
    named = options.old or _git("describe", "--tags", "--abbrev=0", "HEAD^")
    commit = _git(
        *("rev-parse", "--verify", "--quiet", f"{named or f'HEAD~{_COMMITS_BACK}'}^{{commit}}")
    )
    if not commit:
        complain(f"Not tried: {named or f'{_COMMITS_BACK} commits back'} is not in the history.")
        return _FAILED if named else _NOT_TRIED
    return enter(
        lambda tools: (tools.ministack, tools.sam),
        lambda settings, key, stop: _run(settings, key, stop, commit, options.seed),
        folder="releases",
    )


def _run(settings: Settings, key: SecretKey, stop: threading.Event, commit: str, seed: int) -> int:
    empty(settings.run_dir)
    stop_at_once(stop)
    say(f"The old release is {commit[:12]}; --seed {seed}")
    old = _exported(commit, settings.run_dir / "old")
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    both = SideBySide(settings, key, supervisor, old)
    started = time.monotonic()
    try:
        both.everything()
        account = asyncio.run(
            play_through(
                both.endpoints,
                lambda phase: both.serve_by(phase.release),
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
    """Print what happened. Returns a sentence for each fault."""
    say("\n| phase | release | moves published |\n|---|---|---|")
    for phase in PHASES:
        say(f"| {phase.name} | {phase.release} | {account.moves[phase.name]} |")
    letters = both.dead_letters()
    moves = sum(one.acknowledged for _, one in account.played)
    say(f"\n{len(account.played)} games, {moves} moves published, {letters} dead letters")
    for name, tree in (("old", old), ("new", ROOT)):
        say(f"the {name} release: {_verified_by(tree, settings, both.stack.outputs['TableName'])}")
    return [
        *broken(account.played),
        *([f"{letters} records became dead letters"] if letters else ()),
    ]


def broken(played: Sequence[tuple[str, Played]]) -> list[str]:
    """A sentence for each game that was not kept as it was published."""
    found = []
    for name, one in played:
        by_ply = Counter(ply for ply, _ in one.told)
        two_ways = sum(count > 1 for count in by_ply.values())
        if one.lost or one.twice or two_ways:
            found.append(
                f"{name}: {one.lost} lost, {one.twice} twice, {two_ways} published in two ways"
            )
    return found


def _verified_by(tree: Path, settings: Settings, table: str) -> str:
    """The answer of this tree's own `deploy.verify_table`. Raises PartFailed for a bad game."""
    done = subprocess.run(
        (sys.executable, "-m", "deploy.verify_table", "--table", table),
        cwd=tree,
        env={**program_environment(settings), "PYTHONPATH": code_of(tree)},
        capture_output=True,
        text=True,
        timeout=_READ_TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode:
        raise PartFailed(f"{tree}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout.strip()


def _exported(commit: str, folder: Path) -> Path:
    """Write the files of a commit to this new folder, with a link to our installed tools."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    command = ("git", "archive", "--format=tar", f"--output={archive}", commit)
    subprocess.run(command, cwd=ROOT, check=True)
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    archive.unlink()
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def _git(*arguments: str) -> str:
    """The output of git; empty if it fails."""
    done = subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main())
