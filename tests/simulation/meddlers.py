"""Strangers who read what passes over the relays, and meddle.

They own a key that plays nowhere, and perhaps a relay. They can copy, alter, keep and repeat
whatever they saw, and they cannot sign for anybody else.
"""

import json
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.history import Actor, Belief
from tests.simulation.keyring import Hand
from tests.simulation.lines import Line
from tests.simulation.relays import Event

if TYPE_CHECKING:
    from tests.simulation.world import World

REQUEST, STATE, MOVE = 20300, 20302, 20303

FORGERIES = ("H01", "H04", "H08", "H13")


class Meddler:
    """One stranger, listening on every relay."""

    def __init__(self, world: "World", name: str) -> None:
        self.name = name
        self.hand = Hand(world, name)
        self.is_away = False
        self._world = world
        self._seen: set[str] = set()
        self._lines = [Line(world, name, way, self._hear, self._opened) for way in world.relays]

    def actor(self) -> Actor:
        """Nobody is owed anything here."""
        return Actor(name=self.name, pubkeys=(self.hand.pubkey,), dialect="dilger", is_honest=False)

    def beliefs(self) -> tuple[Belief, ...]:
        """Nothing that matters."""
        return ()

    def is_content(self) -> bool:
        """Always: he waits for nothing."""
        return True

    def start(self) -> None:
        """Listen, and bribe a relay."""
        for line in self._lines:
            line.dial()
        if self._world.chance.random() < 0.5:
            relay = self._world.chance.choice([*self._world.relays.values()])
            relay.forger = self._forged_in_passing

    def finish(self) -> None:
        """Say nothing more."""
        self.is_away = True
        for relay in self._world.relays.values():
            relay.forger = None

    def go_away(self) -> None:
        """He stays: only players go."""

    def come_back(self) -> None:
        """He was there all the time."""

    # ------------------------------------------------------------------------- hearing

    def _opened(self, line: Line) -> None:
        line.say("REQ", "all", {"kinds": [REQUEST, STATE, MOVE]})

    def _hear(self, way: str, message: list[Any]) -> None:
        del way
        if self.is_away or message[0] != "EVENT" or message[2]["id"] in self._seen:
            return
        event: Event = message[2]
        self._seen.add(event["id"])
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
        """A move, or a word, in a game of others."""
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
        """What somebody said a while ago, as it was."""
        if not self.is_away:
            self.say(json.dumps(event))
            self._world.faults.note("F13", self.name)

    def _forge(self, event: Event) -> None:
        kind = self._world.chance.choice(FORGERIES)
        if self._world.faults.allows(kind):
            self.forge(kind, event)

    def forge(self, kind: str, event: Event) -> None:
        """Say somebody's event, altered in one of the ``FORGERIES``."""
        altered = {
            "H01": with_another_signature(event),
            "H04": {**event, "content": "resign"},
            "H08": {**event, "pubkey": event["pubkey"].upper()},
            "H13": {**event, "pubkey": self._world.server.pubkey},
        }
        self.say(json.dumps(altered[kind]))
        self._world.faults.note(kind, self.name)

    def _forged_in_passing(self, event: Event) -> Event | None:
        """What the bribed relay passes on before the genuine event."""
        is_theirs = event["kind"] in {REQUEST, MOVE} and self._world.faults.allows("H01")
        if not is_theirs or self._world.chance.random() > 0.15:
            return None
        self._world.faults.note("F16", self.name)
        return with_another_signature(event)

    def say(self, text: str) -> None:
        """Say an event, given as JSON, on every relay."""
        for line in self._lines:
            line.say_event(text)


def with_another_signature(event: Event) -> Event:
    """A copy that nobody signed: the halves of the signature exchanged."""
    return {**event, "sig": event["sig"][64:] + event["sig"][:64]}
