"""Relay outages as one item: ``at`` is when a relay was last connected (unix ms), ``o`` from,
until, …; ``u`` until when listeners report often, which earlier releases did for good.
"""

from arbiter.adapters.items.attributes import Item
from arbiter.core.outages import FOR_GOOD_MS, Outage, RelayUptime

KEY: Item = {"pk": {"S": "heard"}}


def uptime_of_item(item: Item) -> RelayUptime:
    numbers = [int(number["N"]) for number in item.get("o", {"L": []})["L"]]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    active_until_ms = int(item["u"]["N"]) if "u" in item else FOR_GOOD_MS
    return RelayUptime(
        int(item["at"]["N"]), tuple(Outage(*pair) for pair in pairs), active_until_ms
    )


def item_of_uptime(uptime: RelayUptime) -> Item:
    item: Item = {**KEY, "at": {"N": str(uptime.reported_at_ms)}}
    if uptime.active_until_ms != FOR_GOOD_MS:
        item["u"] = {"N": str(uptime.active_until_ms)}
    if uptime.outages:
        numbers = [number for it in uptime.outages for number in (it.from_ms, it.until_ms)]
        item["o"] = {"L": [{"N": str(number)} for number in numbers]}
    return item
