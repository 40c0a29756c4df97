"""The events that were taken here last, by id, for others may bring copies. Memory is bounded."""

from collections import OrderedDict

MAX_EVENTS = 20_000
"""Some 3 MB."""


class TakenEvents:
    """The ids (64 hex) of the latest events. Not thread-safe."""

    def __init__(self, most: int = MAX_EVENTS) -> None:
        self._most = most
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: str) -> bool:
        return event_id in self._ids

    def add(self, event_id: str) -> None:
        """Remember this one; the first of too many is forgotten."""
        self._ids[event_id] = None
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)
