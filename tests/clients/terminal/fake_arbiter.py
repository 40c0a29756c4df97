"""A small arbiter of protocol version 2 behind the fake relay, with no code of the arbiter's: it
pairs the first two who ask, and referees their game. ``extensions`` adds our tags.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import chess

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message

GAME = "00112233445566778899aabbccddeeff"


class FakeArbiter:
    """Hang `on_event` into a FakeRelay as what answers EVENT."""

    def __init__(self, key: SecretKey, *, extensions: bool = True) -> None:
        self.key = key
        self.relay: FakeRelay | None = None
        self.players: list[str] = []
        self.board = chess.Board()
        self.result: str | None = None
        self.version = 1
        self.offer: str | None = None
        self.received: list[dict[str, Any]] = []
        self._extensions = extensions
        self._lock = threading.Lock()

    def on_event(self, client: Client, message: Message) -> None:
        """OK, and then what the arbiter has to say about it."""
        event = message[1]
        client.send("OK", event["id"], True, "")
        with self._lock:
            self.received.append(event)
            if event["kind"] == 20300:
                self._asked(event["pubkey"])
            elif event["kind"] == 20303:
                self._moved(event)
            elif self.relay is not None:
                # What players and spectators say to each other passes an arbiter by.
                self.relay.broadcast(event)

    def say(self, kind: int, tags: Sequence[tuple[str, ...]], content: str) -> None:
        """Sign and broadcast."""
        template = EventTemplate(
            kind=kind, tags=tuple(tags), content=content, created_at=int(time.time())
        )
        assert self.relay is not None
        event = event_to_json(self.key.sign(template))
        if kind == 64:
            self.relay.remembered.append(event)
        self.relay.broadcast(event)

    def _asked(self, player: str) -> None:
        if player not in self.players:
            self.players.append(player)
        if len(self.players) < 2 or self.result is not None:
            self.say(20301, [("p", player)], "queued")
            return
        white, black = self.players
        self.say(20301, [("p", white)], f"started:{GAME}:{black}:w")
        self.say(20301, [("p", black)], f"started:{GAME}:{white}:b")
        self._show()

    def _moved(self, event: dict[str, Any]) -> None:
        white, black = self.players
        mover = white if self.board.turn else black
        if self._extensions and event["content"] in ("state", "draw"):
            self._spoken(event)
            return
        if event["content"] == "quit":
            self.version += 1
            self.result = "0-1" if event["pubkey"] == white else "1-0"
            self._show("resignation")
            return
        try:
            assert event["pubkey"] == mover
            self.board.push_uci(event["content"].lower())
            self.version += 1
            self.offer = None
        except (AssertionError, ValueError):
            about = [("e", event["id"]), ("d", GAME), ("p", white), ("p", black)]
            self.say(20304, about, "illegal-move: no")
            return
        outcome = self.board.outcome()
        self.result = outcome.result() if outcome else None
        self._show("checkmate")

    def _spoken(self, event: dict[str, Any]) -> None:
        """The two words of ours that this arbiter knows: ``state``, and ``draw``."""
        if event["content"] == "draw":
            self.version += 1
            by = "w" if event["pubkey"] == self.players[0] else "b"
            if self.offer not in (None, by):
                self.result = "1/2-1/2"
                self._show("agreement")
                return
            self.offer = by
        self._show()

    def _show(self, termination: str = "") -> None:
        tags: list[tuple[str, ...]] = [("d", GAME), *(("p", key) for key in self.players)]
        if self._extensions:
            tags += [("version", str(self.version)), ("ply", str(self.board.ply()))]
            tags += [("time", "180+2"), ("clock", "175300", "180000")]
            if self.offer and not self.result:
                tags.append(("offer", "draw", self.offer))
            if self.board.move_stack:
                tags.append(("moves", *(move.uci() for move in self.board.move_stack)))
            if self.result:
                tags += [("result", self.result), ("termination", termination)]
        self.say(20302, tags, self.board.fen())
        if self.result:
            people = [("p", key) for key in self.players]
            self.say(64, [("d", GAME), *people, ("result", self.result)], f"* {self.result}\n")


@contextmanager
def an_arbiter(*, extensions: bool = True) -> Iterator[tuple[FakeArbiter, FakeRelay]]:
    arbiter = FakeArbiter(SERVER, extensions=extensions)
    with FakeRelay(on_event=arbiter.on_event) as relay:
        arbiter.relay = relay
        yield arbiter, relay
