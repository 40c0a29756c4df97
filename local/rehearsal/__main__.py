"""`make rehearse`: the life of a deployment, from an empty account to an empty account.

Deployed, played on, updated in the middle of a game, deployed wrongly and rolled back, played to
mate, restored from its backup, given another key, deleted; by `sam` and with the repository's
template. MiniStack stands for AWS and refuses functions what their roles do not grant.

Invariant: the first failed check ends the rehearsal with exit code 1. Everything is in a folder of
its own, emptied at the start; another run is not touched.
"""

import dataclasses
import os
import shutil
import sys
import threading
import time
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.nip19 import encode_npub
from local.console import complain, say
from local.foreground import shown
from local.ports import taken
from local.processes import PartFailed, StopAsked, Supervisor
from local.rehearsal.expectations import Amiss
from local.rehearsal.scenario import Rehearsal
from local.run_lock import FolderTaken, FolderUnusable, claimed
from local.server_key import KeyRefused, load_server_key
from local.settings import ROOT, Settings, Unusable, missing_tool, settings_from
from local.signals import stop_at_once

_KEPT = "lock"


def main() -> int:
    """Rehearse; the exit code."""
    settings = settings_from({**os.environ, "RELAYS": ""})
    if isinstance(settings, Unusable):
        complain(settings.text)
        return 1
    missing = missing_tool((settings.tools.ministack, settings.tools.sam, settings.tools.relay))
    if missing is not None:
        complain(missing.text)
        return 1
    ports = settings.ports
    busy = taken((ports.relay, ports.aws, ports.front_door))
    if busy:
        complain(f"Port {busy[0]} is taken by another program. Choose other ports: PORT_BASE=7200")
        return 1
    folder = settings.run_dir / "rehearsal"
    try:
        with claimed(folder):
            _empty(folder)
            return _rehearse(dataclasses.replace(settings, run_dir=folder))
    except (FolderTaken, FolderUnusable) as refusal:
        complain(str(refusal))
        return 1


def _rehearse(settings: Settings) -> int:
    server_key = load_server_key(settings.run_dir)
    if isinstance(server_key, KeyRefused):
        complain(server_key.text)
        return 1
    stop = threading.Event()
    stop_at_once(stop)
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    started = time.monotonic()
    say(f"Rehearsing in {shown(settings.run_dir)}, as {encode_npub(server_key.key.pubkey)}")
    rehearsal = Rehearsal(settings, server_key.key, supervisor)
    try:
        rehearsal.everything()
    except StopAsked:
        complain("Stopped.")
        return 1
    except (Amiss, AssertionError, PartFailed, TimeoutError) as failure:
        complain(f"✗ {str(failure) or type(failure).__name__}")
        for hint in (*getattr(failure, "__notes__", ()), *rehearsal.hints()):
            complain(f"  {hint}")
        return 1
    except (BotoCoreError, ClientError) as failure:
        complain(f"✗ The emulated cloud refused: {failure}")
        return 1
    finally:
        supervisor.stop_all()
    say(f"All as it should be, in {time.monotonic() - started:.0f} s.")
    return 0


def _empty(folder: Path) -> None:
    """Remove what the last rehearsal left, but for the lock that is being held."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != _KEPT:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
