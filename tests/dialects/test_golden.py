"""Each dialect's reading, case by case, against its golden file, which has the events as well; and
what is said of tournaments.
"""

from dataclasses import asdict
from enum import Enum
from typing import Any

import pytest

from arbiter.dialects.base import Decoded
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import event_to_json
from tests.builders import NOW_MS, SERVER
from tests.dialects.golden import check, event_written, events
from tests.dialects.tournaments_cases import ENCODED

NAMES = sorted({*DIALECTS} - {"hot_seat", "chat"})
"""The dialects that read events of a game."""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_and_said_of_tournaments_is_in_the_golden_file(name: str) -> None:
    dialect = DIALECTS[name]
    seen: dict[str, Any] = {}
    for case, (note, event) in events(name).items():
        found = decoded_json(dialect.decode(event, NOW_MS, SERVER.pubkey))
        seen[f"decode {case}"] = {"note": note, "event": event_written(event), "decoded": found}
    for case, (note, replies, context) in ENCODED.items() if name == "tournaments" else ():
        seen[f"encode {case}"] = {
            "note": note,
            "answers": event_to_json(context.event) if context.event else None,
            "replies": [type(reply).__name__ for reply in replies],
            "encoded": [asdict(one) for it in replies for one in dialect.encode(it, context)],
        }

    check(name, seen)


def decoded_json(decoded: Decoded) -> dict[str, Any]:
    """Fields by name, enums by theirs, and a command under that of its type."""
    fields = _named(asdict(decoded))
    if "command" in fields:
        command = getattr(decoded, "command")  # noqa: B009 - only some of them have one
        fields["command"] = {type(command).__name__: fields["command"]}
    return {type(decoded).__name__: fields}


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        # No codec knows where an event came in, or who is there, and most players have no name.
        return {
            name: _named(part)
            for name, part in value.items()
            if name not in {"at_gateway", "left_ms"} and (name, part) != ("name", "")
        }
    return value.name if isinstance(value, Enum) and not isinstance(value, str) else value
