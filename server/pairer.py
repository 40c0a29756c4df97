"""The process that pairs: the tournament is on its standard input, the answer on its output.

It ends by itself a while after it would have been killed, should the process that asked be gone.
"""

import contextlib
import os
import pickle
import signal
import sys

from arbiter.adapters.pairing.engine import Engine

_NICER = 10
"""Where cores are few, moves come first."""

_MAX_SECONDS = 300


def main() -> None:
    """Answer once. A signal is for the process that asks."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICER)
    signal.alarm(_MAX_SECONDS)
    answers = os.dup(1)
    os.dup2(2, 1)  # what is printed is no answer
    # The process that asks may die meanwhile: it asks again when it is back.
    with contextlib.suppress(BrokenPipeError, EOFError, pickle.UnpicklingError):
        tournament = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
        answer = pickle.dumps(Engine().pair(tournament))
        with os.fdopen(answers, "wb") as file:
            file.write(answer)


if __name__ == "__main__":
    main()
