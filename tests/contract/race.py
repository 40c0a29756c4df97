"""Things done at the same time."""

import threading
from collections.abc import Callable


def race(*racers: Callable[[], None]) -> None:
    """Let all of them go at once, and wait for the last."""
    gate = threading.Barrier(len(racers))
    failures: list[BaseException] = []

    def run(racer: Callable[[], None]) -> None:
        gate.wait(30)
        try:
            racer()
        except BaseException as failure:  # noqa: BLE001 - told to the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(racer,)) for racer in racers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
