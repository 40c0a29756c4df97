"""The order in which strangers are served: one of each address in turn."""

from collections import OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """The works that wait, by whose they are. For one thread."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def waiting_of(self, whose: str) -> int:
        return len(self._waiting.get(whose, ()))

    def put(self, whose: str, item: T) -> None:
        self._waiting.setdefault(whose, deque()).append(item)
        self._count += 1

    def take(self) -> T:
        whose, items = self._waiting.popitem(last=False)
        item = items.popleft()
        if items:
            self._waiting[whose] = items
        self._count -= 1
        return item
