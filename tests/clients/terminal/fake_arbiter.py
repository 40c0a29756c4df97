"""A small arbiter behind the fake relay, with no code of the arbiter's: it pairs the first two who
ask, and shows each move that they make.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chess

from arbiter.nostr.event import EventTemplate, event_to_json
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message

GAME = "00112233445566778899aabbccddeeff"


class FakeArbiter:
    """Hang `on_event` into a FakeRelay as what answers EVENT."""

    def __init__(self) -> None:
        self.relay: FakeRelay | None = None
        self._players: list[str] = []
        self._board = chess.Board()
        self._lock = threading.Lock()

    def on_event(self, client: Client, message: Message) -> None:
        """OK, and then what the arbiter has to say about it."""
        event = message[1]
        client.send("OK", event["id"], True, "")
        with self._lock:
            if event["kind"] == 20300:
                self._asked(event)
            elif event["kind"] == 20303:
                if event["content"] != "state":
                    self._board.push_uci(event["content"])
                self._show()

    def _asked(self, event: dict[str, Any]) -> None:
        player: str = event["pubkey"]
        about: list[tuple[str, ...]] = [("p", player), ("e", event["id"])]
        if event["content"] == "state":
            if player in self._players and len(self._players) == 2:
                self._show()
            self._say(20301, [*about, ("end", "0")], "end")
            return
        if player not in self._players:
            self._players.append(player)
        if len(self._players) < 2:
            self._say(20301, about, "queued")
            return
        white, black = self._players
        self._say(20301, [("p", white)], f"started:{GAME}:{black}:w")
        self._say(20301, [("p", black)], f"started:{GAME}:{white}:b")
        self._show()

    def _show(self) -> None:
        moves = [move.uci() for move in self._board.move_stack]
        tags: list[tuple[str, ...]] = [("d", GAME), *(("p", key) for key in self._players)]
        tags += [("version", str(len(moves) + 1)), ("ply", str(len(moves)))]
        tags += [
            ("time", "180+2"),
            ("clock", "175300", "180000"),
            *[("moves", *moves)][: len(moves)],
        ]
        self._say(20302, tags, self._board.fen())

    def _say(self, kind: int, tags: list[tuple[str, ...]], content: str) -> None:
        assert self.relay is not None
        template = EventTemplate(kind, tuple(tags), content, int(time.time()))
        self.relay.broadcast(event_to_json(SERVER.sign(template)))


@contextmanager
def an_arbiter() -> Iterator[FakeRelay]:
    arbiter = FakeArbiter()
    with FakeRelay(on_event=arbiter.on_event) as relay:
        arbiter.relay = relay
        yield relay
