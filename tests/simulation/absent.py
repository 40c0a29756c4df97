"""Players who ask for a game and are gone when somebody comes, so that they must never meet."""

from typing import TYPE_CHECKING

from tests.simulation.keyring import Hand
from tests.simulation.lines import GATEWAY
from tests.simulation.native_voice import REQUEST
from tests.simulation.strangers import Stranger

if TYPE_CHECKING:
    from tests.simulation.world import World

APART_SECONDS = 32 * 60.0
"""A request waits for thirty minutes (PROTOCOL.md)."""

OLDEST_SECONDS, FRESHEST_SECONDS = 280, 150
"""A request is good for two minutes (PROTOCOL.md), and older ones no listener asks for."""
WITHIN_SECONDS = 10.0


def passers_by(world: "World") -> Stranger:
    """Two who ask for a game that no other player wants, more than half an hour apart."""
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
    """Two whose requests were kept back on the way, and come long after they were signed."""
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
