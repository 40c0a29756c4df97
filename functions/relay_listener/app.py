"""The listener: relays in, queues out. A scheduled Lambda, or a process of its own; several share
no state, and SQS or the game's event ids remove duplicates.
"""

import signal
from typing import Any, Protocol

from arbiter import config, wiring

_MARGIN_SECONDS = 20.0
"""Time for disconnecting and flushing before Lambda's time-out."""


class Context(Protocol):
    """The part of Lambda's context that is used here."""

    def get_remaining_time_in_millis(self) -> int: ...


def handler(invocation: dict[str, Any], context: Context) -> dict[str, int]:
    """Listen until the configured time is over or the time-out is near; returns the counts."""
    del invocation
    wiring.set_up_logs()
    listener = wiring.listener()
    left_seconds = context.get_remaining_time_in_millis() / 1000 - _MARGIN_SECONDS
    listener.run(min(config.listen_seconds(), left_seconds))
    return {str(name): count for name, count in listener.counters.items()}


def main() -> None:
    wiring.set_up_logs()
    listener = wiring.listener()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: listener.stop())
    listener.run()


if __name__ == "__main__":
    main()
