"""What this process has read of topics, which holds until a subscription begins or ends anywhere.

Invariant: who files a subscription, or removes one, then writes a new mark, and only then answers.
So if the mark that is read after a commit is the one that was there before the topics were read, no
subscription to them was confirmed in between: a client whose mark comes later reads the game after
it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from arbiter.application.connections import Filed

_MOST = 10_000
"""Topics of some two thousand games."""

UNREAD = "unread"
"""No mark."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was read after ``mark`` was; None of a topic is one without subscriptions."""

    mark: str | None = UNREAD
    filed: dict[str, Filed | None] = field(default_factory=dict)

    def of(self, topics: Iterable[str]) -> Mapping[str, Filed | None]:
        """Those of these topics that are known."""
        return {topic: self.filed[topic] for topic in topics if topic in self.filed}


class KnownTopics:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.present = Known()

    def learn(self, mark: str | None, read: Mapping[str, Filed | None]) -> None:
        """``read`` were read after this mark was, or at the same time while it stayed."""
        with self._lock:
            if self.present.mark != mark or len(self.present.filed) + len(read) > _MOST:
                self.present = Known(mark)
            self.present.filed.update(read)
