"""Figures of the day for the operator's page, counted by all processes in its budget's counters,
once a minute. Pure.
"""

from collections import Counter
from collections.abc import Mapping

FAULT: Mapping[str, int] = {"faults": 1}

_HOUR_MS = 3_600_000
_HOURS_NAMED = 72
"""Counters of two days are added up, and sockets that closed on one may be of the day before."""
_SOCKET_HOURS = 3
"""API Gateway closes a socket after two hours."""


def moves(number: int, now_ms: int) -> Mapping[str, int]:
    return {_name("moves", now_ms): number}


def opened(at_ms: int) -> Mapping[str, int]:
    return {_name("opened", at_ms): 1}


def closed(opened_at_ms: int) -> Mapping[str, int]:
    return {_name("closed", opened_at_ms): 1}


def shown(
    today: Mapping[str, int], yesterday: Mapping[str, int], now_ms: int
) -> Mapping[str, object]:
    """The figures of these counters, by name; none where a single process counts for itself."""
    if not any(name.startswith(("opened", "moves")) for name in (*today, *yesterday)):
        return {}
    counted = Counter(today)
    counted.update(yesterday)
    hours = [now_ms - hours_ago * _HOUR_MS for hours_ago in range(_SOCKET_HOURS)]
    sockets = sum(counted[_name("opened", at)] - counted[_name("closed", at)] for at in hours)
    return {
        "sockets, about": max(sockets, 0),
        "moves in this hour": counted[_name("moves", hours[0])],
        "moves in the hour before": counted[_name("moves", hours[1])],
        "faults today": today.get("faults", 0),
    }


def _name(what: str, at_ms: int) -> str:
    return f"{what}_{at_ms // _HOUR_MS % _HOURS_NAMED}"
