"""A run, told in order: one line for each thing that happened.

The same run tells the same story to the byte, so a digest of it says whether two runs are
one. Ids are shortened to eight digits, which is enough to find them again.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from tests.simulation import history as h
from tests.simulation.world import BEGINS_MS, World


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
        is_fault = "FAULT" in line and "FAULT F14" not in line
        if is_fault or any(id_ in line for id_ in shortened):
            yield line


def digest_of(world: World) -> str:
    whole = sha256()
    for happening in world.happenings:
        whole.update(repr(happening).encode())
    return whole.hexdigest()


def _line(happening: h.Happening, names: dict[str, str]) -> str:
    seconds = (happening.at_ms - BEGINS_MS) / 1000
    return f"{seconds:12.3f}  {_told(happening, names)}"


def _told(one: h.Happening, names: dict[str, str]) -> str:  # noqa: C901, PLR0912 - one case a kind
    match one:
        case h.Wrote():
            known = "" if one.is_known else ", and is never told"
            return f"{one.who} writes {'; '.join(map(_item, one.items))}{known}"
        case h.Fired():
            return f"FAULT {one.kind} {one.where}"
        case h.ClockRead():
            return f"{one.who} reads its clock: off by {one.read_ms - one.at_ms} ms"
        case h.Signed():
            return f"{one.who} signs {_event(one.event, names)}"
        case h.Sent():
            return f"{one.who} -> {one.way}: {_text(one.text, names, is_event=one.is_event)}"
        case h.Heard():
            status = f"dropped, {one.dropped}" if one.dropped else "passed on"
            return f"{one.by} receives from {one.way}: {_event(one.event, names)}: {status}"
        case h.Told():
            return f"{one.who} <- {one.way}: {_text(one.text, names, is_event=one.is_event)}"
        case h.Opened():
            return f"{one.who} opens {one.way}"
        case h.Brought():
            return f"{one.by} reads from {one.way}: {one.frame[:120]}"
        case h.PassedOver():
            told = "; ".join(_event(event, names) for event in one.events)
            return f"{one.way} leaves out for {one.by}: {told}"
        case h.Published():
            taken, said = "taken" if one.taken else "not taken", one.told or "nothing"
            return f"{one.who} => {one.way}: {_event(one.event, names)}: {taken}, told {said}"
        case h.Posted():
            return f"{one.who} => {one.way}: {one.frame[:120]}{'' if one.arrived else ' (lost)'}"
        case h.Removed():
            return f"record {one.record[:8]} is deleted: {_body(one.body)}"
        case h.Scheduled():
            return f"{one.by} -> Scheduler: {_body(one.body)}"
        case h.Queued():
            return f"{one.by} -> queue {one.queue}/{one.group[:8]}: {_body(one.body)}: {one.status}"
        case h.Delivered():
            to = f"{one.worker} (batch {one.batch}), the {one.count}. time"
            return f"queue {one.queue} -> {to}: record {one.record[:8]}: {_body(one.body)}"
        case h.Answered():
            about = f"event {one.event[:8]}, game {(one.game or '-')[:8]}"
            return f"{one.worker} logs of record {one.record[:8]}: {one.status}, {about}"
        case h.DeadLettered():
            return f"DEAD LETTER of {one.queue}: record {one.record[:8]}: {_body(one.body)}"


def _text(text: str, names: dict[str, str], *, is_event: bool) -> str:
    return _event(text, names) if is_event else text[:120]


def _event(text: str, names: dict[str, str]) -> str:
    try:
        event: dict[str, Any] = json.loads(text)
        tags = {tag[0]: tag[1] for tag in reversed(event["tags"]) if len(tag) > 1}
    except (ValueError, KeyError, TypeError, AttributeError):
        return text[:120]
    who = names.get(event["pubkey"], event["pubkey"][:8])
    more = [
        f"{name}={tags[name][:8]}"
        for name in ("d", "e", "version", "ply", "result", "termination", "offer")
        if name in tags
    ]
    return f"{event['kind']} {event['id'][:8]} of {who} {event['content'][:70]!r} {' '.join(more)}"


def _body(body: str) -> str:
    try:
        said = json.loads(body)
        event = said["event"]
    except (ValueError, KeyError, TypeError):
        return body[:120]
    return f"{event['kind']} {event['id'][:8]} {event['content'][:40]!r}"


def _item(change: tuple[str, h.Item | None, h.Item | None]) -> str:
    key, before, after = change
    if after is None:
        return f"{key[:12]} gone"
    versions = [item["v"]["N"] if item and "v" in item else "-" for item in (before, after)]
    return f"{key[:12]} {versions[0]} to {versions[1]}"
