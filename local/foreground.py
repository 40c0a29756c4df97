"""A run in the foreground. Invariant: everything is checked, and reported in one line, before
anything starts; what was started is stopped again.
"""

import contextlib
import fcntl
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from bridge.settings import UnusableSetting
from local.console import complain, say
from local.ports import Ports, taken
from local.processes import PartFailed, StopAsked, Supervisor, have_ended, processes_path
from local.settings import Settings, Tools, require_tools, settings_from
from local.signals import stop_when_asked
from server.endpoints import remove_endpoints
from server.key import KeyRefused, load_key

# The longest a part of ours may take to stop (the cloud saves its state), and a little.
_GRACE_SECONDS = 25.0
_FAILED = 1
_PORT_TAKEN = 2
_UNUSABLE = 3
_KEPT = ("lock", "children.lock", "server.key")

Run = Callable[[Settings, SecretKey, threading.Event], int]


def enter(
    needed: Callable[[Tools], tuple[Path, ...]],
    run: Run,
    environment: Mapping[str, str] = os.environ,
    folder: str = "",
    ports: Callable[[Ports], tuple[int, ...]] = lambda ports: (ports.aws, ports.arbiter),
) -> int:
    """Check settings, lock the folder, find the key, run; the exit code: 0 stopped on request, 1 a
    part failed, 2 a port is taken, 3 something is unusable. ``needed`` are programs that must
    exist, ``ports`` those that must be free, ``folder`` one in that of the settings.
    """
    try:
        settings = settings_from(environment)
        settings = replace(settings, run_dir=settings.run_dir / folder)
        relay = (settings.tools.relay,) if settings.starts_relay else ()
        bridge = (settings.tools.node,) if settings.ssb else ()
        require_tools((*needed(settings.tools), *relay, *bridge))
        with lock_folder(settings.run_dir):
            return _run(settings, run, ports(settings.ports))
    except (UnusableSetting, FolderRefused, KeyRefused) as refusal:
        complain(str(refusal))
        return _UNUSABLE


def _run(settings: Settings, run: Run, ports: tuple[int, ...]) -> int:
    relay = (settings.ports.relay,) if settings.starts_relay else ()
    bridge = (settings.ports.ssb,) if settings.ssb else ()
    busy = taken((*relay, *ports, *bridge))
    if busy:
        complain(
            f"Port {busy[0]} is taken by another program. Stop that one, or choose other ports: "
            f"PORT_BASE={7200 if settings.ports.relay < 7200 else 7100}"  # noqa: PLR2004
        )
        return _PORT_TAKEN
    server_key = load_key(settings.run_dir / "server.key")
    if server_key.is_new:
        say(f"Made the arbiter's secret key: {shown(settings.run_dir)}/server.key (keep it)")
    say(f"Starting the arbiter {encode_npub(server_key.key.pubkey)} in {shown(settings.run_dir)}")
    stop = threading.Event()
    stop_when_asked(stop)
    return run(settings, server_key.key, stop)


def hold(
    supervisor: Supervisor, settings: Settings, start: Callable[[], None], farewell: str
) -> int:
    """Start, watch until a stop is asked for, stop everything; the process's exit code."""
    try:
        start()
        supervisor.watch()
    except StopAsked:
        pass
    except PartFailed as failure:
        complain(str(failure))
        return _FAILED
    except (BotoCoreError, ClientError, OSError) as failure:
        complain(f"The run cannot be set up: {failure}")
        return _FAILED
    finally:
        remove_endpoints(settings.run_dir)
        say("Stopping …")
        supervisor.stop_all()
    say(farewell)
    return 0


def empty(run_dir: Path) -> None:
    """Remove what the last run left in this folder, except the lock that is held and the key."""
    for path in run_dir.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in _KEPT:
            path.unlink()


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def play_command(run_dir: Path) -> str:
    folder = shown(run_dir)
    return "make play" if folder == ".run" else f"make play RUN_DIR={folder}"


class FolderRefused(Exception):
    """The folder cannot be used, or another run uses it: one line for the user."""


@contextlib.contextmanager
def lock_folder(run_dir: Path) -> Iterator[None]:
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        lock = (run_dir / "lock").open("w", encoding="ascii")
    except OSError as error:
        raise FolderRefused(
            f"Cannot use RUN_DIR={run_dir}: {error.strerror}. Choose another RUN_DIR."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderRefused(
                f"Another run uses {run_dir}. Stop it first, or choose another RUN_DIR."
            ) from None
        remove_endpoints(run_dir)
        if not have_ended(run_dir, _GRACE_SECONDS):
            raise FolderRefused(
                f"Programs of the last run in {run_dir} still run: {processes_path(run_dir)} "
                "names them. Stop them first."
            )
        yield
