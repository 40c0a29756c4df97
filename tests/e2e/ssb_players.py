"""Players of Scuttlebutt, each with their own peer, and the program that they play with: ssb-chess
4.0.2 (npm), which believes every log and so does not judge moves.
"""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clients.probes.http_client import HttpConnection
from tests.bridge.peers import CAPS, PlayingPeer, playing_peer
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ROOT, ArbiterRun
from tests.e2e.node_client import installed_node_program

_PROGRAM = Path(__file__).parent / "ssb_chess" / "program.js"
_INSTALLED = ROOT / ".venv" / "tools" / "ssb-chess"

Told = dict[str, Any]

_PIECES = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}
SETTINGS = {"SSB": "1", "SSB_CAPS": CAPS}


class SsbChess:
    """The running program. ``messages`` are as a `PlayingPeer` tells them."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def situation(self, me: str, messages: Sequence[Mapping[str, Any]], game: str) -> Told:
        return dict(self._ask("situation", me, messages, game=game, key="situation"))

    def pgn(self, me: str, messages: Sequence[Mapping[str, Any]], game: str) -> str:
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


def own_feed(run: ArbiterRun) -> Told:
    """The arbiter's feed: its id, and the address of its peer."""
    told: Told = json.loads((run.run_dir / "scuttlebutt/peer.json").read_text(encoding="utf-8"))
    return told


class SsbPlayer:
    """One player: what their program writes goes into their log, and the program shows the rest."""

    def __init__(self, peer: PlayingPeer, program: SsbChess, arbiter: str) -> None:
        self.peer = peer
        self.id = peer.id
        self.arbiter = arbiter
        self.program = program
        self.game = ""

    def invite(self, *, white: bool, whom: str = "", rematch: str = "", text: str = "") -> str:
        """Invite the arbiter, or ``whom``; the key of the invitation."""
        more = {"game": rematch} if rematch else {}
        content = self.program.writes(
            "invite", self.id, [], whom=whom or self.arbiter, white=white, **more
        )
        self.game = self.peer.publish({**content, **({"text": text} if text else {})})
        return self.game

    def accept(self, game: str) -> None:
        self.peer.await_key(game)
        self.game = game
        self.peer.publish(self.program.writes("accept", self.id, self.thread(), game=game))

    def move(self, uci: str) -> Told:
        # As its windows name the piece; a letter would become a queen.
        promotion = {"promotion": _PIECES[uci[4:]]} if uci[4:] else {}
        content = self.program.writes(
            "move", self.id, self.thread(), game=self.game, orig=uci[:2], dest=uci[2:4], **promotion
        )
        self.peer.publish(content)
        return content

    def resign(self) -> None:
        self.peer.publish(self.program.writes("resign", self.id, self.thread(), game=self.game))

    def say(self, text: str, *, privately: bool = True) -> None:
        content = {"type": "chess_chat", "root": self.game, "msg": text}
        self.peer.publish(content, to=[self.arbiter] if privately else [])

    def thread(self) -> list[Told]:
        return self.peer.messages(self.game)

    def await_ply(self, ply: int) -> Told:
        """Wait until the program shows so many half-moves; its view of the game."""
        self.peer.await_message(
            lambda it: it["content"].get("root") == self.game and it["content"].get("ply") == ply
        )
        return self.situation()

    def await_said(self, **wanted: object) -> Told:
        """Wait for a message in this game with these values in its content."""
        return self.peer.await_message(
            lambda it: (
                it["content"].get("root") == self.game
                and all(it["content"].get(name) == value for name, value in wanted.items())
            )
        )

    def await_verdict(self, reason: str) -> Told:
        """Wait for the arbiter's verdict; the message."""
        return self.peer.await_message(
            lambda it: (
                it["author"] == self.arbiter
                and it["content"].get("root") == self.game
                and (it["content"].get("verdict") or {}).get("reason") == reason
            )
        )

    def situation(self) -> Told:
        return self.program.situation(self.id, self.thread(), self.game)

    def pgn(self) -> str:
        return self.program.pgn(self.id, self.thread(), self.game)


@contextmanager
def ssb_player(folder: Path, run: ArbiterRun, program: SsbChess) -> Iterator[SsbPlayer]:
    """A player whose peer dials the arbiter's and follows it."""
    feed = own_feed(run)
    with playing_peer(folder, peers=[feed["address"]]) as peer:
        player = SsbPlayer(peer, program, feed["id"])
        peer.follow(feed["id"])
        yield player


def native_player(run: ArbiterRun) -> Program:
    """The terminal client, as a script runs it, with a key of its own."""
    endpoints, secret = run.endpoints, os.urandom(32).hex()
    return Program(secret=secret, server=endpoints.server, relays=[*endpoints.relays])


def archived(run: ArbiterRun, game_id: str) -> Any:
    """The game as the arbiter's HTTP API shows it."""
    connection = HttpConnection(run.endpoints.http)
    answer = connection.request("GET", f"/games/{game_id}")
    connection.close()
    assert answer.status == 200, answer
    return answer.json()


def refereed_id(root: str) -> str:
    """The id of a game that two feeds play under this invitation (docs/dialects/ssb.md)."""
    return hashlib.sha256(f"ssb{root}".encode()).digest()[:16].hex()
