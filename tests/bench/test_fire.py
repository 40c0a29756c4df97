"""`make fire` leaves nothing running."""

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import subprocess, time
from bench.fire import end_blocks_on_sigterm, killed
end_blocks_on_sigterm()
with killed(subprocess.Popen(["sleep", "300"])) as process:
    print(process.pid, flush=True)
    time.sleep(300)
"""


def test_what_was_started_ends_with_a_drill_that_is_terminated() -> None:
    command = [sys.executable, "-c", _SCRIPT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as drill:
        assert drill.stdout
        started = Path("/proc", drill.stdout.readline().strip())
        assert started.exists()
        drill.terminate()
        assert drill.wait(60) == 1
    assert not started.exists()
