"""Counters and gauges in Prometheus' text format."""

from collections import Counter
from collections.abc import Callable, Mapping

from server.limits import NAMES

_Labels = tuple[tuple[str, str], ...]


FAULTS = ("GatewayFaults", "HttpApiFaults", "RecordFaults", "RecordsBuried")
"""Counted from zero, so that the first of them is a rise."""
_REFUSED = [("Refused", (("limit", name),)) for name in NAMES]


class Metrics:
    """Counters of this process, and functions that tell what is true now. For one thread."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, _Labels]] = Counter(
            dict.fromkeys([*((name, ()) for name in FAULTS), *_REFUSED], 0)
        )
        self._gauges: dict[str, Callable[[], float]] = {}
        self._counted: dict[tuple[str, str], Callable[[], Mapping[str, int]]] = {}

    def count(self, name: str, number: int = 1, **labels: str) -> None:
        self._counts[name, tuple(labels.items())] += number

    def gauge(self, name: str, value: Callable[[], float]) -> None:
        self._gauges[name] = value

    def counts_of(self, name: str, label: str, counts: Callable[[], Mapping[str, int]]) -> None:
        """Have this function asked for a counter at each look, by the values of one label."""
        self._counted[name, label] = counts

    def sum(self, name: str, **labels: str) -> int:
        """The sum of this counter over all labels but these, which it must have."""
        wanted = labels.items()
        return sum(
            number
            for (one, has), number in self._counts.items()
            if one == name and wanted <= dict(has).items()
        )

    def gauges(self) -> dict[str, float]:
        return {name: value() for name, value in self._gauges.items()}

    def text(self) -> str:
        lines: list[str] = []
        known = ""
        counts = self._counts | {
            (name, ((label, str(value)),)): number
            for (name, label), ask in self._counted.items()
            for value, number in ask().items()
        }
        for (name, labels), number in sorted(counts.items()):
            if name != known:
                lines.append(f"# TYPE arbiter_{name} counter")
                known = name
            named = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels)
            lines.append(
                f"arbiter_{name}{{{named}}} {number}" if named else f"arbiter_{name} {number}"
            )
        for name, value in sorted(self._gauges.items()):
            lines += [f"# TYPE arbiter_{name} gauge", f"arbiter_{name} {value():g}"]
        return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
