"""The hostile input that is written down: a case to a line of JSON, in ``cases/``.

A row has its name, the answer at each entry point it comes to, and what is sent there:

* ``says`` something in the game under way, ``asks`` to play, or an event of any ``kind``: ``by``
  whom, with what ``tags`` and ``content``, ``at`` how many seconds from now. ``edit`` is written
  over it once it is signed.
* ``frame``, ``text``, ``json`` or ``hex``: not signed, and sent as it is.
* ``message`` or ``invites``: what a feed says, in an envelope of our bridge.
* ``ask``: a method and a path, with its ``query``, ``headers`` and ``body``.
* ``send``: several of these. ``{"times": 9, "of": it}`` is nine of it, in each of which ``#`` is
  its number.

``scenario`` is where it is sent, if not into the game of ``Scenario``; ``start`` is that game's
position.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

from arbiter.application.intake.due_timers import ClockDeps, forward_due_timers
from tests.hostile import scuttlebutt
from tests.hostile.case import Case, Said, a_wish, a_word, frame, signed, wrapped
from tests.hostile.names import KEYS, filled
from tests.hostile.scenario import ENTRY_POINTS, NOW_MS, Scenario
from tests.hostile.scenarios import SCENARIOS, from_position
from tests.nostr.hostile.case import CREATED_AT, bytes_of

Fields = dict[str, Any]

_FILES = Path(__file__).with_name("cases")
_JSON = {"Content-Type": "application/json"}

_FIELDS = {
    *("name", "scenario", "start", "send"),
    *("says", "asks", "kind", "by", "tags", "content", "at", "edit"),
    *("frame", "text", "json", "hex"),
    *("message", "invites", "author", "with", "replace"),
    *("ask", "query", "headers", "body"),
}


def rows() -> Iterator[Case]:
    for file in sorted(_FILES.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from _cases(filled(json.loads(line)))


def _cases(row: Fields) -> Iterator[Case]:
    entry_points = set(row) - _FIELDS
    assert set() < entry_points <= set(_SENDERS), row
    scenario = (
        from_position(row["start"]) if "start" in row else SCENARIOS[row.get("scenario", "a game")]
    )
    for entry_point, send in _SENDERS.items():
        if entry_point in row:
            yield Case(row["name"], entry_point, row[entry_point], partial(send, row), scenario)


def _sent(entry_point: str, row: Fields, scenario: Scenario) -> str:
    return ENTRY_POINTS[entry_point](scenario, _pieces(entry_point, row, scenario))


def _pieces(entry_point: str, row: Fields, scenario: Scenario) -> Iterator[Said]:
    for piece in row.get("send", [row]):
        text = json.dumps(piece.get("of"))
        if "times" not in piece:
            yield _said(entry_point, piece, scenario)
        elif "#" not in text:
            yield from repeat(_said(entry_point, piece["of"], scenario), piece["times"])
        else:
            for number in range(piece["times"]):
                yield _said(entry_point, json.loads(text.replace("#", str(number))), scenario)


def _said(entry_point: str, piece: Fields, scenario: Scenario) -> Said:
    if "frame" in piece:
        return frame(*piece["frame"])
    if "json" in piece:
        return json.dumps(piece["json"])
    if "text" in piece:
        return str(piece["text"])
    if "hex" in piece:
        return bytes.fromhex(piece["hex"])
    return wrapped(entry_point, _event(piece), scenario)


def _event(piece: Fields) -> bytes:
    by = KEYS[piece.get("by", "player")]
    tags = [tuple(tag) for tag in piece.get("tags", ())]
    at = NOW_MS // 1000 + piece["at"] if "at" in piece else CREATED_AT
    if "says" in piece:
        event = a_word(by, piece["says"], *tags, at=at)
    elif "asks" in piece:
        event = a_wish(by, piece["asks"], *tags, at=at)
    else:
        event = bytes_of(signed(by, piece["kind"], piece.get("content", ""), *tags, at=at))
    return bytes_of({**json.loads(event), **piece["edit"]}) if "edit" in piece else event


def _in_an_envelope(row: Fields, scenario: Scenario) -> str:
    return scuttlebutt.brought(scenario, scuttlebutt.text_of(row), KEYS[row.get("by", "bridge")])


def _to_the_clocks(row: Fields, scenario: Scenario) -> str:
    """The records passed on by the queue of clocks, where a timer has run out: none."""
    world, queue = scenario.world, scenario.gateway.queue
    deps = ClockDeps(clock=world.clock, timers=world.timers, moves=queue)
    (status,) = forward_due_timers(deps, [str(_said("clock", row, scenario))])
    assert not queue.waiting
    return status


def _asked(row: Fields, scenario: Scenario) -> str:
    method, path = row["ask"]
    more = {name: row[name] for name in ("query", "headers", "body") if name in row}
    if "json" in row or "hex" in row:
        more["body"] = _said("HTTP", row, scenario)
    if "body" in more:
        more.setdefault("headers", _JSON)
    return scenario.asked(method, path, **more)


_SENDERS: dict[str, Callable[[Fields, Scenario], str]] = {
    **{entry_point: partial(_sent, entry_point) for entry_point in ENTRY_POINTS},
    "envelope": _in_an_envelope,
    "clock": _to_the_clocks,
    "HTTP": _asked,
}
