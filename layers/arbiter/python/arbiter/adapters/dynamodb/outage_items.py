"""Relay outages as one item, in the same table as games. Pure. ``at`` is when a relay was last
connected (unix milliseconds), ``o`` the outages: from, until, from, until.
"""

from arbiter.adapters.dynamodb.items import Item
from arbiter.core.clocks import Outage, RelayUptime

KEY: Item = {"pk": {"S": "heard"}}


def uptime_of_item(item: Item) -> RelayUptime:
    """The uptime in the item."""
    numbers = [int(number["N"]) for number in item.get("o", {"L": []})["L"]]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return RelayUptime(int(item["at"]["N"]), tuple(Outage(*pair) for pair in pairs))


def item_of_uptime(uptime: RelayUptime) -> Item:
    """The inverse of ``uptime_of_item``; ``o`` is absent until there was an outage."""
    item: Item = {**KEY, "at": {"N": str(uptime.noted_at_ms)}}
    if uptime.outages:
        numbers = [number for it in uptime.outages for number in (it.from_ms, it.until_ms)]
        item["o"] = {"L": [{"N": str(number)} for number in numbers]}
    return item
