"""Each dialect's reading and writing, case by case, against its golden file.

The events that are read are in that file. A module ``<dialect>_cases.py`` beside this one has
``ENCODED``, a note, the replies and their context.
"""

from dataclasses import asdict
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from arbiter.application.reply.send import frame_text
from arbiter.dialects.base import Decoded
from arbiter.dialects.outgoing import Outgoing, SocketEvent, SocketMessage
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate, event_to_json
from tests.builders import NOW_MS, SERVER
from tests.dialects.golden import check, event_written, events

NAMES = sorted(
    path.stem.removesuffix("_cases") for path in Path(__file__).parent.glob("*_cases.py")
)


def test_each_dialect_that_reads_events_of_a_game_has_cases() -> None:
    assert {*DIALECTS} - {"hot_seat", "chat"} == {*NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_and_written_is_in_the_golden_file(name: str) -> None:
    dialect = DIALECTS[name]
    cases = import_module(f"tests.dialects.{name}_cases")
    seen: dict[str, Any] = {}
    for case, (note, event) in events(name).items():
        found = decoded_json(dialect.decode(event, NOW_MS, SERVER.pubkey))
        seen[f"decode {case}"] = {"note": note, "event": event_written(event), "decoded": found}
    for case, (note, replies, context) in cases.ENCODED.items():
        verdicts = dialect.socket.acknowledge(replies, context) if dialect.socket else ()
        told = [one for reply in replies for one in dialect.encode(reply, context)]
        seen[f"encode {case}"] = {
            "note": note,
            "answers": event_to_json(context.event) if context.event else None,
            "replies": [type(reply).__name__ for reply in replies],
            "encoded": [outgoing_json(one) for one in (*verdicts, *told)],
        }

    check(name, seen)


def decoded_json(decoded: Decoded) -> dict[str, Any]:
    """Fields by name, enums by theirs, and a command under that of its type."""
    fields = _named(asdict(decoded))
    if "command" in fields:
        command = getattr(decoded, "command")  # noqa: B009 - only some of them have one
        fields["command"] = {type(command).__name__: fields["command"]}
    return {type(decoded).__name__: fields}


def outgoing_json(one: Outgoing) -> dict[str, Any]:
    """A frame as it is sent; anything else by its fields, and what is not signed yet, unsigned."""
    match one:
        case SocketMessage(to, SocketEvent(label, EventTemplate() as event)):
            return {"to": to, "text": frame_text(SocketEvent(label, SERVER.sign(event)))}
        case SocketMessage(to, content):
            return {"to": to, "text": frame_text(content)}
        case _:
            return asdict(one)


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        # No codec knows where an event came in, or who is there, and most players have no name.
        return {
            name: _named(part)
            for name, part in value.items()
            if name not in {"at_gateway", "left_ms"} and (name, part) != ("name", "")
        }
    return value.name if isinstance(value, Enum) and not isinstance(value, str) else value
