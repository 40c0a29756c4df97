"""Players of Scuttlebutt, each with their own peer, who play with ssb-chess."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clients.probes.http_client import HttpConnection
from tests.bridge.peers import CAPS, PlayingPeer, playing_peer
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.ssb_chess_program import SsbChess, Told

_PIECES = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}
SETTINGS = {"SSB": "1", "SSB_CAPS": CAPS}


def own_feed(run: ArbiterRun) -> Told:
    """The arbiter's feed: its id, and the address of its peer."""
    told = json.loads((run.run_dir / "endpoints.json").read_text(encoding="utf-8"))
    return dict(told["scuttlebutt"])


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
        """Accept an invitation that has come."""
        self.peer.await_key(game)
        self.game = game
        self.peer.publish(self.program.writes("accept", self.id, self.thread(), game=game))

    def move(self, uci: str) -> Told:
        """Move as the program does; what it wrote."""
        # As its windows name the piece; a letter would become a queen.
        promotion = {"promotion": _PIECES[uci[4:]]} if uci[4:] else {}
        content = self.program.writes(
            "move",
            self.id,
            self.thread(),
            game=self.game,
            orig=uci[:2],
            dest=uci[2:4],
            **promotion,
        )
        self.peer.publish(content)
        return content

    def resign(self) -> None:
        """Resign as the program does."""
        self.peer.publish(self.program.writes("resign", self.id, self.thread(), game=self.game))

    def say(self, text: str, *, privately: bool = True) -> None:
        """Write into the chat of the game."""
        content = {"type": "chess_chat", "root": self.game, "msg": text}
        self.peer.publish(content, to=[self.arbiter] if privately else [])

    def thread(self) -> list[Told]:
        """The game's messages so far."""
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
        """The game as the program shows it."""
        return self.program.situation(self.id, self.thread(), self.game)

    def pgn(self) -> str:
        """The game as the program exports it."""
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
