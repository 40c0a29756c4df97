"""How many frames of each socket this process heard in the present window of ten seconds."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from arbiter.adapters.dynamodb.connection_items import FRAME_WINDOW_MS

WRITTEN_TOGETHER = 5
"""A count is written at every fifth frame: a person at a board sends fewer in ten seconds, and a
write costs as much as five reads. So of the three hundred that a socket may send, each process
misses at most four that others heard.
"""


class FramesHeard:
    """Counts frames. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = 0
        self._heard = Counter[str]()

    @contextmanager
    def counting(self, connection_id: str, now_ms: int) -> Iterator[int]:
        """Count one frame of this socket; how many there were in the window, for the block, in
        which no other frame is counted.
        """
        window = now_ms // FRAME_WINDOW_MS
        with self._lock:
            if window != self._window:
                self._window = window
                self._heard.clear()
            self._heard[connection_id] += 1
            yield self._heard[connection_id]
