"""What a game holds until its turn comes (Scuttlebutt alone) is what its author wrote."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Stored
from tests.simulation.checker.logs import id_of, move_of, stand_in
from tests.simulation.checker.verdict import Law, Violation

Said = Mapping[str, Any]

OTHER = {"w": "b", "b": "w"}
_ENDS = {"mate": "CHECKMATE", "draw": "DRAW"}


def what_is_held_was_said(evidence: Evidence) -> Iterator[Violation]:
    """Each entry has its author's colour, his move, and all that he claims of it."""
    contents = {id_of(key): key for key in evidence.logs.contents}
    for one in evidence.changes:
        before, after = one.items[f"g#{one.after.id}"]
        if after is None or "hd" not in after or (before or {}).get("hd") == after["hd"]:
            continue
        for held in json.loads(after["hd"]["S"]):
            key = contents.get(held["id"])
            sentence = "nobody wrote it" if key is None else _differs(evidence, one, held, key)
            if sentence:
                sentence = f"version {one.after.version} holds it, and {sentence}"
                yield Violation(Law.NOTHING_LOST, (one.after.id, held["id"]), sentence)


def _differs(evidence: Evidence, one: Version, held: Said, key: str) -> str | None:
    due = _due(evidence, one.after, key)
    kept = {name: held.get(name) for name in due}
    wrong = [name for name in due if kept[name] != due[name]]
    return f"its {wrong[0]} is {kept[wrong[0]]!r}, due is {due[wrong[0]]!r}" if wrong else None


def _due(evidence: Evidence, game: Stored, key: str) -> dict[str, object]:
    """What must be kept of a message, as `adapters/dynamodb/game_items.py` says that it is."""
    content, author = evidence.logs.contents[key], evidence.logs.authors[key]
    color = game.color_of(stand_in(evidence.history.servers[-1], author)) or ""
    status = content.get("status")
    if content.get("orig") is None or status == "resigned":
        return {"by": color, "is": "resign" if status == "resigned" else "draw"}
    winner = content.get("winner") if "status" in content else None
    won = color if winner == author else OTHER[color]
    return {
        "by": color,
        "is": move_of(content),
        "ply": content["ply"],
        "ends": _ENDS.get(str(status)),
        "fen": content.get("fen"),
        "san": content.get("pgnMove"),
        "winner": None if winner is None else won == "w",
    }
