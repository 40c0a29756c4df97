"""The process that reads: answers each question of `Reading` on standard input, on its output. A
message is its length in four bytes and a pickle; the first has settings and key.
"""

import contextlib
import os
import pickle
import signal
import sys
import time
from typing import Any, BinaryIO

from arbiter.adapters.sqlite.store import Store
from arbiter.nostr.keys import SecretKey
from server.log import write_batched_lines
from server.questions import LENGTH, packed
from server.shared import make_answer

_NICER = 5
"""Where cores are few, moves come first."""


def answer_all(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer with the seconds of processor time, the answer, and the name of a failure if any."""
    settings, secret = _read(asked)
    write_batched_lines(settings.log_level)
    key, store = SecretKey.from_hex(secret), Store.open_to_read(settings.database)
    answer = make_answer(settings, key, store)
    answers.write(packed("ready"))
    while True:
        answers.flush()
        question = _read(asked)
        began = time.process_time()
        found: Any = None
        failure = ""
        try:
            found = answer(question)
        except Exception as fault:  # noqa: BLE001 - of one question
            failure = f"{type(fault).__name__}: {fault}"
        answers.write(packed((time.process_time() - began, found, failure)))


def _read(stream: BinaryIO) -> Any:  # noqa: ANN401 - what was packed
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        raise EOFError
    return pickle.loads(stream.read(LENGTH.unpack(length)[0]))  # noqa: S301 - of our own process


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICER)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    with contextlib.suppress(EOFError, BrokenPipeError):
        answer_all(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
