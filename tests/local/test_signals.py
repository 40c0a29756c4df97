"""A stop that is asked for at the worst moment, in a process of its own."""

import signal
import subprocess
import sys

import pytest

from tests.template.source import ROOT

# A waiting thread holds the Event's lock at times; the signal arrives then.
_WAITING = """
import os, signal, sys, threading
from local.processes import StopAsked
from local.signals import stop_at_once, stop_when_asked

how, number = sys.argv[1:]
stop = threading.Event()
{"when asked": stop_when_asked, "at once": stop_at_once}[how](stop)
try:
    with stop._cond:
        os.kill(os.getpid(), int(number))
        print("went on")
except StopAsked:
    print("left")
    os.kill(os.getpid(), int(number))
if stop.wait(60):
    print("stopped")
"""


@pytest.mark.parametrize(
    ("number", "how", "then"),
    [(signal.SIGTERM, "when asked", "went on"), (signal.SIGINT, "at once", "left")],
)
def test_a_signal_during_a_wait_for_the_event_that_it_sets_stops_the_run(
    number: signal.Signals, how: str, then: str
) -> None:
    ended = subprocess.run(
        (sys.executable, "-c", _WAITING, how, str(int(number))),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )

    assert ended.stdout.split("\n") == [then, "stopped", ""]
