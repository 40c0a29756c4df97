"""The process that pairs tournaments, from standard input to output. It ends with its input, or a
while after it would have been killed.
"""

import contextlib
import os
import pickle
import signal
import sys

from arbiter.adapters.pairing.engine import Engine
from server.pairings import LENGTH_BYTES

_NICER = 10
"""Where cores are few, moves come first."""

_MAX_SECONDS = 300


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICER)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    # The process that asks may die meanwhile: it asks again when it is back.
    with contextlib.suppress(BrokenPipeError, EOFError, pickle.UnpicklingError):
        while True:
            signal.alarm(_MAX_SECONDS)
            tournament = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
            answer = pickle.dumps(Engine().pair(tournament))
            answers.write(len(answer).to_bytes(LENGTH_BYTES) + answer)
            answers.flush()


if __name__ == "__main__":
    main()
