"""A month of an idle arbiter at list prices, by part, from the template: `python -m bench.idle`."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from arbiter.adapters.prices import DYNAMODB_WRITE_UNIT, LAMBDA_ARM_GB_SECOND, SQS_FIFO_REQUEST
from arbiter.core.outages import IDLE_REPORT_MS
from local.settings import ROOT
from local.template import Template

MONTH_SECONDS = 730 * 3600
SQS_STANDARD_REQUEST = 0.40 / 1_000_000
ALARM, KMS_KEY = 0.10, 1.00

POLL_SECONDS = 20
"""A long poll of a queue that is empty."""
POLLERS, POLLERS_AT_LEAST = 5, 2
"""Of a mapping; the fewer of a standard queue's without a maximum of concurrency."""

STARTS_SECONDS, LISTENS_SECONDS = {0: 780, 1: 780, 2: 420}, 860
"""A listener starts, where there are so many, and it listens."""

FREE_GB_SECONDS, FREE_REQUESTS, FREE_ALARMS = 400_000, 1_000_000, 10
"""Each month, for good. Metrics are counted for hours with data alone."""


def parameters_of(profile: str, **more: str) -> dict[str, Any]:
    """The parameters of a stack of this profile, with relays and alarms unless ``more`` differs."""
    sections = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    pairs = sections[profile]["deploy"]["parameters"].get("parameter_overrides", [])
    given = dict(pair.split("=", 1) for pair in pairs)
    said = {"Relays": "wss://relay.example", "AlarmEmail": "me@example.org"}
    return {**Template.read(ROOT / "template.yaml").defaults(), **said, **given, **more}


def bill(parameters: Mapping[str, Any], *, net: bool = False) -> dict[str, float]:
    """Dollars a month, by part; ``net`` of what AWS gives every account for nothing."""
    template = Template.read(ROOT / "template.yaml")
    listeners = int(parameters["Listeners"]) * bool(parameters["Relays"])
    starts = bool(listeners) * MONTH_SECONDS / STARTS_SECONDS[listeners]
    listened_seconds = starts * LISTENS_SECONDS
    _, of_two, of_one = template.properties("RelayListenerFunction")["MemorySize"]["If"]
    gb_seconds = listened_seconds * (of_two if listeners == 2 else of_one) / 1024  # noqa: PLR2004
    mapped = [*_mapped(template)]
    fifo = _polls(sum(mapped) * POLLERS)
    standard = _polls((len(mapped) - sum(mapped)) * POLLERS_AT_LEAST)
    conditions = {"HasAlarmEmail", "WatchesSums"} | ({"WatchesListeners"} if listeners else set())
    watched = bool(parameters["AlarmEmail"])
    alarms = watched * sum(
        _metrics_of(template.properties(name))
        for name in template.named("AWS::CloudWatch::Alarm")
        if template.content["Resources"][name]["Condition"] in conditions
    )
    if net:
        gb_seconds = max(0.0, gb_seconds - FREE_GB_SECONDS)
        free = max(0.0, FREE_REQUESTS - fifo)
        fifo, standard = max(0.0, fifo - FREE_REQUESTS), max(0.0, standard - free)
        alarms = max(0, alarms - FREE_ALARMS)
    return {
        "listener": gb_seconds * LAMBDA_ARM_GB_SECOND,
        "queues": fifo * SQS_FIFO_REQUEST + standard * SQS_STANDARD_REQUEST,
        "alarms": alarms * ALARM,
        "KMS key": KMS_KEY * (parameters["KeyEncryption"] == "customer"),
        "table": listeners * MONTH_SECONDS * 1000 / IDLE_REPORT_MS * DYNAMODB_WRITE_UNIT,
    }


def _metrics_of(alarm: Mapping[str, Any]) -> int:
    """The metrics of an alarm, each of which is charged, without a bridge's."""
    return sum("MetricStat" in it for it in alarm["Metrics"]) if "Metrics" in alarm else 1


def _mapped(template: Template) -> Iterator[bool]:
    """Of each queue that is polled in every stack, whether it is FIFO."""
    for name in template.named("AWS::Serverless::Function"):
        if "Condition" not in template.content["Resources"][name]:
            for source in template.properties(name).get("Events", {}).values():
                if source["Type"] == "SQS":
                    queue = source["Properties"]["Queue"]["GetAtt"].removesuffix(".Arn")
                    yield "FifoQueue" in template.properties(queue)


def _polls(pollers: int) -> float:
    return pollers * MONTH_SECONDS / POLL_SECONDS


STACKS = {
    "small": parameters_of("small"),
    "no alarms": parameters_of("small", AlarmEmail=""),
    "default": parameters_of("default"),
    "large": parameters_of("large"),
    "gateway alone": parameters_of("small", Relays=""),
}


def table() -> str:
    bills = [bill(given) for given in STACKS.values()]
    rows = {part: [one[part] for one in bills] for part in bills[0]}
    rows["**together**"] = [sum(one.values()) for one in bills]
    nets = [sum(bill(given, net=True).values()) for given in STACKS.values()]
    rows["net of what AWS gives every account"] = nets
    lines = [("a month, idle", *STACKS), ("---",) * (len(STACKS) + 1)]
    lines += [(part, *(f"${dollars:.2f}" for dollars in row)) for part, row in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    print(table())
