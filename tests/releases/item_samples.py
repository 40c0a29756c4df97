"""Games, and what each release wrote of them: tests/golden/items.jsonl.

    python -m tests.releases.item_samples v0.2.0

adds what this tree writes, under that name. A field of which a release did not know is absent from
its ``fields``.
"""

import base64
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess

from arbiter.adapters.items.games import item_of_game
from arbiter.core.clocks import Clocks, TimeControl
from arbiter.core.commands import MoveClaims, OfferKind, PendingCommand, PlayMove
from arbiter.core.game import Game, Offer, Outcome, Seat, StateVersion, Termination, Variant

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "items.jsonl"
_AT_MS = 1_763_700_000_000
_ALICE, _BOB, _MAIL = "a1" * 32, "b2" * 32, "c3" * 32
_MOVES = "e2e4 c7c5 e4e5 d7d5 e5d6 d8d6 g1f3 d6d3"
_PROMOTION = "a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8q"


def _moves(text: str) -> tuple[chess.Move, ...]:
    return tuple(map(chess.Move.from_uci, text.split()))


_BASE: Mapping[str, Any] = {
    "id": "0123456789abcdef" * 2,
    "white": Seat(_ALICE, "native"),
    "black": Seat(_BOB, "nip100", _MAIL),
    "created_at_ms": _AT_MS,
    "changed_at_ms": _AT_MS + 60_123,
    "applied_ids": (b"applied1", b"applied2"),
    "white_refused_ids": (b"answerdw",),
    "black_refused_ids": (b"answerdb", b"answerd2"),
    "item_version": 12,
}
GAMES: Mapping[str, Mapping[str, Any]] = {
    "just begun": {**_BASE, "item_version": 1, "applied_ids": (), "white_refused_ids": ()},
    "under way": {**_BASE, "moves": _moves(_MOVES), "white_strikes": 2, "black_strikes": 1},
    "over": {
        **_BASE,
        "moves": _moves(_PROMOTION),
        "outcome": Outcome(Termination.RESIGNATION, chess.WHITE),
        "ended_at_ms": _AT_MS + 70,
    },
    "given position": {**_BASE, "start_fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1"},
    "with terms": {
        **_BASE,
        "moves": _moves(_MOVES),
        "rated": True,
        "variant": Variant.STANDARD,
        "clocks": Clocks(TimeControl(180_000, 2000), 175_301, 98_767, _AT_MS + 60_123),
        "state_version": 9,
        "offer": Offer(OfferKind.DRAW, chess.WHITE),
        "earlier_versions": (StateVersion(8, _AT_MS + 60_000),),
        "white_offered_at": 8,
        "black_offered_at": 3,
        "next_game_id": "fedcba9876543210" * 2,
        "timer_at_ms": _AT_MS + 300_000,
    },
    "with names and times": {
        **_BASE,
        "moves": _moves(_MOVES),
        "white": replace(_BASE["white"], name="Zoë"),
        "clocks": Clocks(TimeControl(180_000, 2000), 175_301, 98_767, _AT_MS + 60_123),
        "spent_s": (0, 0, 11, *(3_000 for _ in _MOVES.split()[3:])),
    },
    "hot seat": {**_BASE, "moves": _moves("e2e4 e7e5"), "moved_at_ms": (_AT_MS + 5, _AT_MS + 9)},
    "with what waits": {
        **_BASE,
        "pending": (
            PendingCommand(
                b"c" * 32,
                PlayMove(
                    player=_BOB,
                    uci="e7e5",
                    made_at_ms=_AT_MS,
                    received_at_ms=_AT_MS,
                    ply=4,
                    claims=MoveClaims("a FEN", "e5", chess.BLACK),
                ),
            ),
        ),
    },
}
"""The fields of each game, by its name."""


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
    """The item whose text ``as_json`` made."""
    return {
        name: {k: base64.b64decode(v) if k == "B" else v for k, v in typed.items()}
        for name, typed in item.items()
    }


def samples() -> dict[tuple[str, str], dict[str, Any]]:
    """The samples of the file, by release and game."""
    lines = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return {(line["release"], line["name"]): line for line in lines}


def main() -> None:
    """Add what this tree writes, and no release wrote before."""
    (release,) = sys.argv[1:]
    known = [(one["name"], one["fields"], one["item"]) for one in samples().values()]
    with GOLDEN.open("a", encoding="utf-8") as file:
        for name, fields in sorted(GAMES.items()):
            item = as_json(item_of_game(Game(**fields)))
            if (name, sorted(fields), item) not in known:
                line = {"release": release, "name": name, "fields": sorted(fields), "item": item}
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
