"""What this process has read of topics, which holds until a subscription begins or ends anywhere.

Invariant: who files a subscription, or removes one, then writes a new mark, and only then answers.
So if the mark that is read after a commit is the one that was there before the topics were read, no
subscription to them was confirmed in between: a client whose mark comes later reads the game after
it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from arbiter.adapters.dynamodb.topic_mark import may_be_wanted
from arbiter.application.connections import Filed

_MOST = 10_000
"""Topics of some two thousand games."""

UNREAD = "unread"
"""No mark."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was read after ``mark`` was; None of a topic is one without subscriptions. ``kinds`` are
    the mark's.
    """

    mark: str | None = UNREAD
    kinds: Mapping[str, int] = field(default_factory=dict)
    filed: dict[str, Filed | None] = field(default_factory=dict)

    def may_want(self, kinds: Collection[int], now_ms: int) -> bool:
        """Whether a subscription to one of these kinds of events may be open."""
        return may_be_wanted(self.kinds, kinds, now_ms)

    def of(self, topics: Iterable[str]) -> Mapping[str, Filed | None]:
        """Those of these topics that are known."""
        return {topic: self.filed[topic] for topic in topics if topic in self.filed}


class KnownTopics:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.present = Known()

    def learn(self, marked: Known, read: Mapping[str, Filed | None]) -> None:
        """``read`` were read after ``marked`` was, or at the same time while the mark stayed."""
        with self._lock:
            is_new = self.present.mark != marked.mark
            if is_new or len(self.present.filed) + len(read) > _MOST:
                self.present = marked
            self.present.filed.update(read)
