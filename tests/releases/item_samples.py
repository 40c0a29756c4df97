"""Games as an older release wrote them: the games, and a program that has its tree pack them.

    python -m tests.releases.item_samples COMMIT…

writes tests/golden/items.json anew from the history: what each of these commits makes of the same
games, as far as it has words for them. What a release does not know of is left out of its games,
and named by its absence from ``fields``.
"""

import base64
import dataclasses
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import chess

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "items.json"
_AT_MS = 1_763_700_000_000
_ALICE, _BOB, _MAIL = "a1" * 32, "b2" * 32, "c3" * 32
_MOVES = "e2e4 c7c5 e4e5 d7d5 e5d6 d8d6 g1f3 d6d3"
_PROMOTION = "a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8q"


def games() -> dict[str, Mapping[str, Any]]:
    """The fields of each game by its name, in the values of whichever release this runs under; a
    field for which it has no value is absent.
    """
    model = importlib.import_module("arbiter.core.model")
    seats = {
        "white": model.Seat(_ALICE, "dilger"),
        "black": model.Seat(_BOB, "nip100", _MAIL),
    }
    base = {
        "id": "0123456789abcdef" * 2,
        **seats,
        "created_at_ms": _AT_MS,
        "changed_at_ms": _AT_MS + 60_123,
        "applied": (b"applied1", b"applied2"),
        "white_answered": (b"answerdw",),
        "black_answered": (b"answerdb", b"answerd2"),
        "version": 12,
    }
    ended = model.Outcome(model.Termination.RESIGNATION, chess.WHITE)
    return {
        "just begun": {**base, "version": 1, "applied": (), "white_answered": ()},
        "under way": {
            **base,
            "moves": _moves(_MOVES),
            "white_strikes": 2,
            "black_strikes": 1,
        },
        "over": {**base, "moves": _moves(_PROMOTION), "outcome": ended, "ended_at_ms": _AT_MS + 70},
        "given position": {**base, "start_fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"},
        "with terms": {**base, "moves": _moves(_MOVES), **_terms(model)},
        "hot seat": {**base, "moves": _moves("e2e4 e7e5"), "moved_at_ms": (_AT_MS + 5, _AT_MS + 9)},
        "with what waits": {**base, **_held()},
    }


def known_to(release: type) -> frozenset[str]:
    """The fields that a release's games have."""
    return frozenset(field.name for field in dataclasses.fields(release))


def _terms(model: Any) -> dict[str, Any]:
    """Clocks and offers, where they are known."""
    try:
        timing = importlib.import_module("arbiter.core.timing")
        blitz = timing.TimeControl(base_ms=180_000, increment_ms=2000)
        return {
            "rated": True,
            "variant": model.Variant.STANDARD,
            "clocks": timing.Clocks(blitz, 175_301, 98_767, _AT_MS + 60_123),
            "edition": 9,
            "offer": model.Offer(model.OfferKind.DRAW, chess.WHITE),
            "former": (model.Edition(8, _AT_MS + 60_000),),
            "white_offered_at": 8,
            "black_offered_at": 3,
            "next_game_id": "fedcba9876543210" * 2,
            "timer_at_ms": _AT_MS + 300_000,
        }
    except (ImportError, AttributeError, TypeError):
        return {}


def _held() -> dict[str, Any]:
    try:
        commands = importlib.import_module("arbiter.core.commands")
        held = importlib.import_module("arbiter.core.held")
        claims = importlib.import_module("arbiter.core.claims").Claims("a FEN", "e5", chess.BLACK)
        move = commands.PlayMove(
            player=_BOB,
            uci="e7e5",
            made_at_ms=_AT_MS,
            received_at_ms=_AT_MS,
            ply=4,
            claims=claims,
        )
        return {"held": (held.Held(b"c" * 32, move),)}
    except (ImportError, AttributeError, TypeError):
        return {}


def _moves(text: str) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, text.split()))


def as_json(item: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """An item as text: its bytes in base64."""
    return {
        name: {
            kind: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for kind, value in typed.items()
        }
        for name, typed in item.items()
    }


def from_json(item: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Any]]:
    """What ``as_json`` made text of."""
    return {
        name: {k: base64.b64decode(v) if k == "B" else v for k, v in typed.items()}
        for name, typed in item.items()
    }


def packed() -> dict[str, Any]:
    """Each game as the release that this runs under packs it."""
    records = importlib.import_module("arbiter.adapters.records")
    game = importlib.import_module("arbiter.core.model").Game
    known = known_to(game)
    found = {}
    for name, fields in games().items():
        given = {field: value for field, value in fields.items() if field in known}
        item = as_json(records.item_of_game(game(**given)))
        found[name] = {"fields": sorted(given), "item": item}
    return found


def main() -> int:
    """Write the file anew; without commits, print what this very tree packs."""
    commits = sys.argv[1:]
    if not commits:
        json.dump(packed(), sys.stdout)
        return 0
    written = {commit: _packed_by(commit) for commit in commits}
    GOLDEN.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


def _packed_by(commit: str) -> Any:
    layer = "layers/arbiter/python"
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ("git", "archive", "--format=tar", commit, layer),
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        subprocess.run(("tar", "-x", "-C", folder), input=archive, check=True)
        done = subprocess.run(
            (sys.executable, str(Path(__file__).resolve())),
            env={"PYTHONPATH": f"{folder}/{layer}"},
            check=True,
            capture_output=True,
            text=True,
        )
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
