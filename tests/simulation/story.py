"""A run, told in order: one line for each thing that happened.

The same run tells the same story to the byte, so a digest of it says whether two runs are
one. Ids are shortened to eight digits, which is enough to find them again.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from hashlib import sha256
from typing import Any

from tests.simulation.history import Happening, Item
from tests.simulation.world import BEGINS_MS, World

_LONG_ID = re.compile("([0-9a-f]{8})[0-9a-f]{24,}")
MAX_SHOWN = 120
"""Characters of a text that is no event."""


def lines_of(world: World) -> Iterator[str]:
    memos = iter(world.memos)
    memo = next(memos, None)
    actors = [actor.actor() for actor in world.actors]
    names = {pubkey: actor.name for actor in actors for pubkey in actor.pubkeys}
    for number, happening in enumerate(world.happenings):
        while memo is not None and memo[0] <= number:
            yield f"{'':>12}  ({memo[1]})"
            memo = next(memos, None)
        yield _line(happening, names)
    while memo is not None:
        yield f"{'':>12}  ({memo[1]})"
        memo = next(memos, None)


def about(lines: Iterable[str], ids: Iterable[str]) -> Iterator[str]:
    shortened = [id_.partition("#")[2][:8] or id_[:8] for id_ in ids]
    for line in lines:
        is_fault = "  Fired " in line and " F14 " not in line
        if is_fault or any(id_ in line for id_ in shortened):
            yield line


def digest_of(world: World) -> str:
    whole = sha256()
    for happening in world.happenings:
        whole.update(repr(happening).encode())
    return whole.hexdigest()


def _line(happening: Happening, names: dict[str, str]) -> str:
    seconds = (happening.at_ms - BEGINS_MS) / 1000
    told = [_told(it.name, getattr(happening, it.name), names) for it in fields(happening)[1:]]
    return f"{seconds:12.3f}  {type(happening).__name__} {' '.join(told)}"


def _told(name: str, value: Any, names: dict[str, str]) -> str:
    match name, value:
        case "items", _:
            return "; ".join(map(_item, value))
        case "events", _:
            return "; ".join(_event(event, names) for event in value)
        case "event" | "text" | "body", str():
            return _event(value, names)
        case _, str():
            return _LONG_ID.sub(r"\1", value)[:MAX_SHOWN]
        case _:
            return f"{name}={value}"


def _event(text: str, names: dict[str, str]) -> str:
    try:
        said = json.loads(text)
        event: dict[str, Any] = said.get("event", said)
        tags = {tag[0]: tag[1] for tag in reversed(event["tags"]) if len(tag) > 1}
    except (ValueError, KeyError, TypeError, AttributeError):
        return text[:MAX_SHOWN]
    who = names.get(event["pubkey"], event["pubkey"][:8])
    more = [
        f"{name}={tags[name][:8]}"
        for name in ("d", "e", "version", "ply", "result", "termination", "offer")
        if name in tags
    ]
    return f"{event['kind']} {event['id'][:8]} of {who} {event['content'][:70]!r} {' '.join(more)}"


def _item(change: tuple[str, Item | None, Item | None]) -> str:
    key, before, after = change
    if after is None:
        return f"{key[:12]} gone"
    versions = [item["v"]["N"] if item and "v" in item else "-" for item in (before, after)]
    return f"{key[:12]} {versions[0]} to {versions[1]}"
