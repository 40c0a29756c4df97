"""Strangers who read what passes, repeat, forge, and write into games of others."""

from typing import TYPE_CHECKING

import chess
import orjson

from tests.simulation.clients import Stranger
from tests.simulation.native_sender import MOVE, REQUEST, STATE
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World


class Meddler:
    """One of them, listening on every relay."""

    def __init__(self, world: "World", name: str) -> None:
        self._world = world
        reads = {"kinds": [REQUEST, STATE, MOVE]}
        self.stranger = Stranger(world, name, 1, world.relays, reads, self._hear)
        self.hand = self.stranger.hands[0]
        self.name, self.say = name, self.stranger.say

    def _hear(self, event: Event) -> None:
        chance, faults, after = self._world.chance, self._world.faults, self._world.scheduler.after
        if event["kind"] == STATE:
            if faults.allows("H02") and chance.random() < 0.15:
                self._play_along(event)
            return
        if event["kind"] == REQUEST and faults.allows("F13") and chance.random() < 0.3:
            after(130 + chance.random() * 100, lambda: self._repeat(event))
        if faults.allows("F13") and chance.random() < 0.1:
            after(chance.random() * 100, lambda: self._repeat(event))
        if chance.random() < 0.1:
            self._forge(event)

    def _play_along(self, state: Event) -> None:
        tags = {tag[0]: tag[1] for tag in state["tags"] if tag[0] in {"d", "result"}}
        moves = [move.uci() for move in chess.Board(state["content"]).legal_moves]
        if "result" in tags or not moves:
            return
        chance = self._world.chance
        word = chance.choice((chance.choice(moves), "resign", "draw", "quit", "abort", "state"))
        players = [("p", tag[1]) for tag in state["tags"] if tag[0] == "p"]
        server = ("p", self._world.server.pubkey)
        self.say(
            self.hand.sign(MOVE, word, (("d", tags["d"]), server, *players, ("e", state["id"])))
        )
        self._world.faults.note("H02", self.name)

    def _repeat(self, event: Event) -> None:
        if not self.stranger.is_away:
            self.say(orjson.dumps(event).decode())
            self._world.faults.note("F13", self.name)

    def _forge(self, event: Event) -> None:
        """Say another's event, altered."""
        altered = {
            "H01": with_another_signature(event),
            "H04": {**event, "content": "resign"},
            "H08": {**event, "pubkey": event["pubkey"].upper()},
            "H13": {**event, "pubkey": self._world.server.pubkey},
        }
        kind = self._world.chance.choice([*altered])
        if self._world.faults.allows(kind):
            self.say(orjson.dumps(altered[kind]).decode())
            self._world.faults.note(kind, self.name)


def with_another_signature(event: Event) -> Event:
    """A copy with a false signature: the halves of the signature exchanged."""
    return {**event, "sig": event["sig"][64:] + event["sig"][:64]}
