"""A transcript that anybody hands in, checked against the chain of the game before it is kept.

Invariant: what is cheap is asked first, so that a wrong file costs little: its game, then the chain
of its ids and states, then whether each event is the one of its line, and signatures last.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from arbiter.core.chain import first_link, next_link
from arbiter.core.game import Game
from arbiter.nostr.event import NostrEvent, ParseError, event_from_json, event_to_json, verify
from arbiter.nostr.event import is_hex_32_bytes as is_id
from arbiter.proof.transcript import Transcript, header, line_json, packed, texts, unpack

MAX_HANDED_IN_BYTES = 1024 * 1024
"""Of a file as it is sent."""

MAX_LINES = 550
"""Behind the first. The last signature may be the one that is wrong, so all are checked: 50 µs
each. The longest game of a tournament has 538 half-moves.
"""

MAX_REQUESTS = 2
"""Lines before the first state."""

_FIRST = ("0 ", "1 ")
"""Beginnings of what a first state shows: its ply."""

_FIELDS = {"id", "shown", "event"}

_USUAL_BYTES = 4096
"""A longer line is looked at wholly before the next: its JSON may be a hundred thousand lists."""


class Wrong(Exception):
    """A transcript that is not this game's; the text names what is wrong."""


def completed(game: Game, arbiter: str, kept: bytes | None, octets: bytes) -> bytes | None:
    """The file to keep of a game that is over: the lines and events of ``kept`` and ``octets``;
    None if they bring nothing. Raises Wrong.
    """
    try:
        first, values = _of_game(game, arbiter, octets)
    except ValueError as flaw:
        raise Wrong(f"The file is wrong: {flaw}.") from None
    before = unpack(kept) if kept else None
    lines = before.lines if isinstance(before, Transcript) else ()
    is_whole = isinstance(before, Transcript) and bool(before.chain)
    events = {it.id: it.event for it in lines if it.event}
    had = len(events)
    for number, value in enumerate(values, 2):
        if (event := _event(number, value)) and event != events.get(event.id):
            if isinstance(found := verify(event), ParseError):
                raise Wrong(f"Line {number}: {found.text}.")
            events[event.id] = event
    told = [(it["id"], it.get("shown", "")) for it in values]
    if len(lines) > len(told) and is_whole:
        first, told = "", [(it.id, it.shown) for it in lines]
    if len(events) == had and len(lines) == len(told) and is_whole:
        return None
    jsons = {id_: orjson.dumps(event_to_json(it)).decode() for id_, it in events.items()}
    return packed(game, arbiter, (line_json(*it, jsons.get(it[0])) for it in told), first)


def _of_game(game: Game, arbiter: str, octets: bytes) -> tuple[str, Sequence[Any]]:
    """The chain's first link, if it is without its requests, and the lines behind the first, whose
    ids and states lead to the game's chain. Raises Wrong, and ValueError for the file's form.
    """
    first, values = "", list[Any]()
    most = min(game.state_version + MAX_REQUESTS, MAX_LINES)
    for number, text in enumerate(texts(octets), 1):
        value = _object(number, text)
        if number == 1:
            for name, own in header(game, arbiter).items():
                if value.get(name) != own:
                    raise Wrong(f"The transcript is of another game: {name} differs.")
            first = str(value.get("first", ""))
            continue
        if len(values) == most:
            raise Wrong(f"Of this game at most {most + 1} lines are taken.")
        if not (is_id(value.get("id")) and isinstance(value.get("shown", ""), str)):
            raise Wrong(f"Line {number} has no id of 64 hexadecimal digits, or a wrong state.")
        if value.keys() - _FIELDS or (len(text) > _USUAL_BYTES and not _event(number, value)):
            raise Wrong(f"Line {number} has more than id, shown and event.")
        values.append(value)
    if _chain(game.id, first, values) != game.chain:
        raise Wrong(
            "The ids and states of the lines do not lead to the game's chain: one is altered, left "
            "out, or in another place."
        )
    return first, values


def _object(number: int, text: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except ValueError:
        raise Wrong(f"Line {number} is no JSON.") from None
    if not isinstance(value, dict):
        raise Wrong(f"Line {number} is no object.")
    return value


def _chain(game_id: str, first: str, values: Sequence[Any]) -> bytes:
    """The last link of these lines, if they begin with the game's requests or first state."""
    first_ones = values[: sum(not it.get("shown") for it in values)]
    requests = [it["id"] for it in first_ones]
    if requests != sorted(requests) or any(it.get("shown") for it in first_ones):
        return b""
    chain = first_link(game_id, requests)
    if first:
        # Any link of the game could be called its first.
        if not is_id(first) or requests or not values or values[0]["shown"][:2] not in _FIRST:
            return b""
        chain = bytes.fromhex(first)
    for value in values[len(requests) :]:
        chain = next_link(chain, bytes.fromhex(value["id"]), value["shown"])
    return chain


def _event(number: int, value: Any) -> NostrEvent | None:  # noqa: ANN401 - JSON
    """The event of a line, or None where it is missing. Raises Wrong."""
    if value.get("event") is None:
        return None
    event = event_from_json(value["event"])
    if isinstance(event, ParseError):
        raise Wrong(f"Line {number}: {event.text}.")
    if event.id != value["id"]:
        raise Wrong(f"Line {number} has another event than the one of its id.")
    return event
