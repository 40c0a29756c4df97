"""Short ways to speak at a table, and to look at what is answered."""

from collections.abc import Sequence

from arbiter.application.queue_messages import Timer
from arbiter.application.routing import timer_entry
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from tests.application.world import Table, World

BLITZ = ("time", "180+2")
RATED = (BLITZ, ("mode", "rated"))
MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
"""Moves of the shortest game there is."""


def tag(event: VerifiedEvent, name: str) -> tuple[str, ...] | None:
    found = all_tags(event, name)
    return found[0][1:] if found else None


def states(events: Sequence[VerifiedEvent]) -> list[VerifiedEvent]:
    return [event for event in events if event.kind == 20302]


def play(table: Table, *moves: str) -> None:
    for uci in moves:
        table.world.clock.ms += 1000
        assert states(table.say(uci)), uci


def say(table: Table, text: str, key: SecretKey) -> VerifiedEvent:
    """Say this a second later; the one event that comes of it."""
    table.world.clock.ms += 1000
    (told, *_) = table.say(text, key=key)
    return told


def nudge(world: World, table: Table, at_ms: int | None = None, ply: int | None = None) -> str:
    """Let the timer of this game come at its time, or at another; its status."""
    game = world.game(table.game_id)
    at_ms = at_ms or game.timer_at_ms or world.clock.ms
    world.clock.ms = max(world.clock.ms, at_ms)
    entry = timer_entry(Timer(game.id, game.ply if ply is None else ply, at_ms), at_ms)
    assert world.deliver(world.record(entry.body)) == ()
    world.hand_on()
    return world.statuses()[-1]
