"""Strangers who read what passes, repeat, forge, write into games of others, or ask and leave."""

import json
from typing import TYPE_CHECKING

import chess

from tests.simulation.client_connections import GATEWAY
from tests.simulation.clients import Hand, Stranger
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
        self.stranger.begins = self._bribe
        self.stranger.ends = self._forgo
        self.hand = self.stranger.hands[0]
        self.name, self.say = name, self.stranger.say

    def _bribe(self) -> None:
        if self._world.chance.random() < 0.5:
            relay = self._world.chance.choice([*self._world.relays.values()])
            relay.forger = self._forged_in_passing

    def _forgo(self) -> None:
        for relay in self._world.relays.values():
            relay.forger = None

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
            self.say(json.dumps(event))
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
            self.say(json.dumps(altered[kind]))
            self._world.faults.note(kind, self.name)

    def _forged_in_passing(self, event: Event) -> Event | None:
        is_theirs = event["kind"] in {REQUEST, MOVE} and self._world.faults.allows("H01")
        if not is_theirs or self._world.chance.random() > 0.15:
            return None
        self._world.faults.note("F16", self.name)
        return with_another_signature(event)


def with_another_signature(event: Event) -> Event:
    """A copy with a false signature: the halves of the signature exchanged."""
    return {**event, "sig": event["sig"][64:] + event["sig"][:64]}


APART_SECONDS = 32 * 60.0
"""A request waits for thirty minutes (PROTOCOL.md)."""

OLDEST_SECONDS, FRESHEST_SECONDS = 280, 150
"""A request is good for two minutes (PROTOCOL.md), and older ones no listener asks for."""
WITHIN_SECONDS = 10.0


def passers_by(world: "World") -> Stranger:
    stranger = Stranger(world, "passers-by", 2, world.relays)
    left = [*stranger.hands]

    def ask() -> None:
        stranger.say(left.pop().sign(REQUEST, "", (*_server(world), ("time", "300+3"))))

    def begin() -> None:
        world.scheduler.after(1.0, ask)
        world.scheduler.after(APART_SECONDS, ask)

    stranger.begins = begin
    stranger.is_done = lambda: not left
    return stranger


def latecomers(world: "World") -> Stranger:
    stranger = Stranger(world, "latecomers", 2, (*world.relays, GATEWAY))

    def come(hand: Hand) -> None:
        if stranger.is_away:
            return
        age = world.chance.randint(FRESHEST_SECONDS, OLDEST_SECONDS)
        tags = (*_server(world), ("time", "240+2"))
        stranger.say(hand.sign(REQUEST, "", tags, world.now_ms() // 1000 - age))
        world.faults.note("late request", stranger.name)

    def begin() -> None:
        for hand in stranger.hands:
            seconds = 1.0 + world.chance.random() * WITHIN_SECONDS
            world.scheduler.after(seconds, lambda hand=hand: come(hand))  # type: ignore[misc]

    stranger.begins = begin
    return stranger


def _server(world: "World") -> tuple[tuple[str, str], ...]:
    return (("p", world.server.pubkey),)
