"""The frames of each address that this process heard in the present ten seconds."""

from collections import Counter
from enum import IntEnum
from threading import Lock

WINDOW_MS = 10_000


class Excess(IntEnum):
    """The consequence of too many frames."""

    NONE = 0
    REFUSED = 1
    HUNG_UP = 2


class AddressFrames:
    """Counts for `handler`; `learn` adds what all processes counted. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = 0
        self._heard = Counter[str]()
        self._excess: dict[str, Excess] = {}

    def count(self, address: str, now_ms: int) -> int:
        with self._lock:
            if (window := now_ms // WINDOW_MS) != self._window:
                self._window = window
                self._heard.clear()
                self._excess.clear()
            self._heard[address] += 1
            return self._heard[address]

    def excess(self, address: str) -> Excess:
        with self._lock:
            return self._excess.get(address, Excess.NONE)

    def learn(self, address: str, excess: Excess) -> None:
        with self._lock:
            self._excess[address] = excess
