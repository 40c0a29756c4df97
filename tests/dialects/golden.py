"""Golden files: what a dialect reads and writes, ``tests/golden/<dialect>.jsonl``, a case a line.

``GOLDEN=rewrite pytest tests/dialects`` writes them anew; the diff is for a person to review. What
is read is in the file alone: a new case is a line with ``case``, ``note`` and ``event``.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arbiter.dialects.jester.wire import START, private_reference
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, BRIDGE, EVE, NOW_MS, SERVER, an_event
from tests.envelopes import US, a_feed, a_message

FOLDER = Path(__file__).parent.parent / "golden"
REWRITE = "GOLDEN=rewrite pytest tests/dialects"

_LONG = re.compile(
    r"(?P<hex>(?<![0-9a-f])[0-9a-f]{8})[0-9a-f]{56}(?![0-9a-f])"
    r"|(?P<ssb>[@%][A-Za-z0-9+/]{8})[A-Za-z0-9+/]{35}=(?=\.(?:ed25519|sha256))"
)
"""Keys and ids of 32 bytes: in hex, or as Scuttlebutt writes them."""


AUTHORS = {"alice": ALICE, "bob": BOB, "eve": EVE, "bridge": BRIDGE, "server": SERVER}
NAMES = {f"{{{name}}}": key.pubkey for name, key in AUTHORS.items()} | {
    "{any start}": START,
    "{a start for us}": private_reference(SERVER.pubkey),
    "{us}": US,
    **{f"{{@{name}}}": a_feed(name) for name in ("sue", "tom", "mallory")},
    **{f"{{{name}}}": a_message(name) for name in ("root", "another root")},
}
"""The text of keys in an event that is read."""


def events(dialect: str) -> dict[str, tuple[str, VerifiedEvent]]:
    """The note and the event of each case of what is read."""
    lines = (FOLDER / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(unnamed(line)) for line in lines if line.startswith('{"case": "decode ')]
    return {
        one["case"].removeprefix("decode "): (one["note"], event_read(one["event"]))
        for one in cases
    }


def event_read(written: Mapping[str, Any]) -> VerifiedEvent:
    """The event that is written so, signed by its author."""
    content, tags = written["content"], tuple(map(tuple, written["tags"]))
    if isinstance(content, dict):
        content = json.dumps(content["json"], separators=(",", ":"), ensure_ascii=False)
    return an_event(AUTHORS[written["by"]], written["kind"], content, tags)


def event_written(event: VerifiedEvent) -> dict[str, Any]:
    """As in a golden file, with keys in full."""
    (author,) = (name for name, key in AUTHORS.items() if key.pubkey == event.pubkey)
    assert event.created_at == NOW_MS // 1000
    parsed = _parsed(event.content) if event.content[:1] in {"[", "{"} else None
    content = event.content if parsed is None else {"json": parsed}
    return {"by": author, "kind": event.kind, "tags": event.tags, "content": content}


def named(line: str) -> str:
    for name, key in NAMES.items():
        line = line.replace(key, name)
    return line


def unnamed(line: str) -> str:
    for name, key in NAMES.items():
        line = line.replace(name, key)
    return line


def check(dialect: str, seen: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Compare what was seen of each case with its line; raises AssertionError with a sentence for
    each case that differs. With GOLDEN=rewrite what was seen becomes the file.
    """
    path = folder / f"{dialect}.jsonl"
    now = {case: _line(case, value) for case, value in seen.items()}
    if os.environ.get("GOLDEN") == "rewrite":
        path.write_text("".join(f"{now[case]}\n" for case in sorted(now)), encoding="utf-8")
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    lines = {json.loads(line)["case"]: line for line in kept}
    found = [
        *(f"{case} has no line in {path.name}" for case in sorted(now.keys() - lines.keys())),
        *(f"{case} has a line and no case" for case in sorted(lines.keys() - now.keys())),
        *(
            "\n".join(
                (f"{case} has changed", *_changes(*map(json.loads, (lines[case], now[case]))))
            )
            for case in sorted(now.keys() & lines.keys())
            if now[case] != lines[case]
        ),
    ]
    assert not found, "\n".join((*found, f"If that is meant, run `{REWRITE}` and read the diff."))
    assert len(kept) == len(lines), f"{path.name} has a case twice: run `{REWRITE}`"


def _changes(was: Any, now: Any, at: str = "") -> Iterator[str]:
    """Where two JSON values differ, a line for each of the smallest values that do."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name in {**was, **now}:
            yield from _changes(was.get(name), now.get(name), f"{at}.{name}")
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, pair in enumerate(zip(was, now, strict=True)):
            yield from _changes(*pair, f"{at}[{number}]")
    elif was != now:
        yield f"  {at}\n    was {json.dumps(was)}\n    is  {json.dumps(now)}"


def _line(case: str, value: Mapping[str, Any]) -> str:
    plain = {
        name: part if name == "event" else readable(part)
        for name, part in json.loads(json.dumps(value)).items()
    }
    line = named(json.dumps({"case": case, **plain}, ensure_ascii=False))
    return "".join(it if it.isprintable() else f"\\u{ord(it):04x}" for it in line)


def readable(value: Any) -> Any:
    """A JSON value without what makes a diff unreadable: an event without its signature, and
    without author and id if it is the arbiter's; keys and ids by their first 8 digits; and JSON
    that is inside a text parsed, under the name ``json``.
    """
    match value:
        case {"sig": _, "pubkey": author}:
            dropped = {"sig", "id", "pubkey"} if author == SERVER.pubkey else {"sig"}
            return {name: readable(part) for name, part in value.items() if name not in dropped}
        case dict():
            return {name: readable(part) for name, part in value.items()}
        case list():
            return [readable(part) for part in value]
        case str() if value[:1] in {"[", "{"} and (parsed := _parsed(value)) is not None:
            return {"json": readable(parsed)}
        case str():
            return _LONG.sub(r"\g<hex>\g<ssb>…", value)
        case _:
            return value


def _parsed(text: str) -> Any:
    """The JSON value that is written exactly so; None if there is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if json.dumps(value, separators=(",", ":"), ensure_ascii=False) == text else None
