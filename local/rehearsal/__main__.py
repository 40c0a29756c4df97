"""`make rehearse`: the life of a deployment on MiniStack, which refuses what roles do not grant.

Deployed, updated in the middle of a game, deployed wrongly and rolled back, played to mate,
deleted, by `sam`, in a folder of its own. The first failed check ends it with exit code 1.
"""

import asyncio
import os
import sys
import threading
import time
import traceback

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.keys import SecretKey
from local.console import complain, say
from local.foreground import empty, enter
from local.processes import PartFailed, StopAsked, Supervisor
from local.rehearsal import CheckFailed
from local.rehearsal.scenario import Rehearsal
from local.settings import ROOT, Settings
from local.signals import stop_at_once


def _rehearse(settings: Settings, key: SecretKey, stop: threading.Event) -> int:
    stop_at_once(stop)
    empty(settings.run_dir)
    supervisor = Supervisor(settings.run_dir, ROOT, stop)
    started = time.monotonic()
    try:
        asyncio.run(Rehearsal(settings, key, supervisor).everything())
    except StopAsked:
        complain("Stopped.")
        return 1
    except (CheckFailed, AssertionError, PartFailed, TimeoutError) as failure:
        complain(f"✗ {str(failure) or _place_of(failure)}; see {settings.run_dir}/logs")
        for hint in getattr(failure, "__notes__", ()):
            complain(f"  {hint}")
        return 1
    except (BotoCoreError, ClientError) as failure:
        complain(f"✗ The emulated cloud refused: {failure}")
        return 1
    finally:
        supervisor.stop_all()
    say(f"The rehearsal succeeded in {time.monotonic() - started:.0f} s.")
    return 0


def _place_of(failure: BaseException) -> str:
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{type(failure).__name__} in {frame.name}: {frame.line}"


if __name__ == "__main__":
    sys.exit(
        enter(
            lambda tools: (tools.ministack, tools.sam),
            _rehearse,
            {**os.environ, "RELAYS": "", "SSB": ""},
            "rehearsal",
        )
    )
