"""ssb-chess 4.0.2 (npm) as a process: how it shows a game, and what it writes. It believes every
log, so it does not judge moves.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.arbiter_run import ROOT
from tests.e2e.node_client import installed_node_program

_PROGRAM = Path(__file__).parent / "ssb_chess" / "program.js"
_INSTALLED = ROOT / ".venv" / "tools" / "ssb-chess"

Told = dict[str, Any]


class SsbChess:
    """The running program. ``messages`` are as a `PlayingPeer` tells them."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def situation(self, me: str, messages: Sequence[Mapping[str, Any]], game: str) -> Told:
        """The game as its windows show it."""
        return dict(self._ask("situation", me, messages, game=game, key="situation"))

    def pgn(self, me: str, messages: Sequence[Mapping[str, Any]], game: str) -> str:
        """The game as it exports it."""
        return str(self._ask("pgn", me, messages, game=game, key="pgn"))

    def writes(
        self, ask: str, me: str, messages: Sequence[Mapping[str, Any]], **more: object
    ) -> Told:
        """The content it publishes when its player moves, resigns, accepts or invites."""
        return dict(self._ask(ask, me, messages, key="content", **more))

    def _ask(
        self, ask: str, me: str, messages: Sequence[Mapping[str, Any]], *, key: str, **more: object
    ) -> Any:
        asked = {"ask": ask, "me": me, "messages": [_as_stored(it) for it in messages], **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        assert key in told, told
        return told[key]


@contextmanager
def ssb_chess() -> Iterator[SsbChess]:
    """The program for as long as the block takes; skips where there is no Node."""
    program = installed_node_program(_PROGRAM, _INSTALLED)
    process = subprocess.Popen(
        ("node", program.name),
        cwd=program.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield SsbChess(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _as_stored(message: Mapping[str, Any]) -> Told:
    value = {name: message[name] for name in ("author", "sequence", "timestamp", "content")}
    return {"key": message["key"], "value": value}
