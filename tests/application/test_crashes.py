"""Short games on every wire, broken off at every single call of a port and taken up by the queue
again: nothing is lost and nothing is done twice.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from arbiter.core.game import Game
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from tests.application.script import Conversation
from tests.application.world import World
from tests.builders import SERVER
from tests.fakes.faults import Crash

SCRIPTS = {
    "native": """
        hold a: alice seek; hold b: bob seek
        ---
        send a; send b
        white f2f3; black e7e5; white e1e3; white g2g4; black d8h4
    """,
    "native, lines of both": """
        alice challenge bob time=3d color=white; bob accept c1
        ---
        alice lines e2e4 e7e5 g1f3; bob lines e2e4 e7e5 g1f3 b8c6; alice e2e4; bob lines
        alice resign
    """,
    "sockets": """
        hold a: ~alice connect; hold b: ~bob connect
        ---
        send a; send b
        ~white f2f3; ~black e7e5; ~white e1e3; ~white g2g4; ~white offer; ~black d8h4
    """,
    "ssb, mate": """
        ---
        @sue invite white; bob seek; @sue f2f5; @sue f2f3 pgnMove=f4; bob e7e5; @sue g2g4
        bob d8h4
    """,
    "ssb, draw and rematch": """
        ---
        bob seek; @sue invite black; bob e2e4; @sue e7e5; bob draw; @sue draw; bob rematch
        @sue accept; @sue d2d4; bob d7d5
    """,
    "ssb, an answer heard before the move": """
        ---
        @sue invite black; bob seek; @sue e2e4 orig=e7 dest=e5 ply=2 pgnMove=e5 fen=
        bob e2e4; bob resign; @sue invite white again; bob rematch
    """,
    "ssb on both sides": """
        ---
        @sue invite white; @tom invite black; @sue e2e4; @tom e7e5; @sue resigned
    """,
}


class Faults:
    """Counts the calls of all ports and breaks those of these numbers off, each once."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = {*numbers}
        self.calls = 0

    def __call__(self, point: str) -> None:
        self.calls += 1
        if self.calls in self.numbers:
            raise Crash(point)


class Fragile:
    """Signer and publisher that may break off before and after the thing is done."""

    pubkey = SERVER.pubkey

    def __init__(self, world: World, hook: Faults) -> None:
        self.world, self.hook = world, hook

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        self.hook("sign")
        return SERVER.sign(template)

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> Any:
        self.hook("publish")
        report = self.world.publisher.publish(events, deadline_seconds)
        self.hook("published")
        return report


Heard = list[tuple[str, set[str]]]


def played(name: str, *faults: int) -> tuple[Conversation, Heard, int]:
    """The conversation with these calls broken off, what came back for each line, and the calls."""
    talk, heard, hook = Conversation(in_order=False), Heard(), Faults(*faults)
    before, _, after = SCRIPTS[name].partition("---")
    talk.line(before.strip()) if before.strip() else None
    talk.hook(hook)
    fragile = Fragile(talk.world, hook)
    talk.world.deps = replace(talk.world.deps, signer=fragile, publisher=fragile)
    talk.deliveries = 5
    for line in after.replace("\n", ";").split(";"):
        if line.strip():
            words, _ = talk.step(line.strip(), line.strip().removeprefix("send "))
            assert "failed" not in words, "among the dead letters"
            heard.append((line.strip(), {word.removeprefix("same ") for word in words}))
    return talk, heard, hook.calls


@cache
def whole(name: str) -> tuple[Conversation, Heard, int]:
    return played(name)


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name in SCRIPTS for number in range(1, whole(name)[2] + 1)],
)
def test_a_call_that_breaks_off_loses_nothing_and_does_nothing_twice(
    name: str, number: int
) -> None:
    """Alone, and every fifth together with the call after it."""
    undisturbed, expected, _ = whole(name)
    for faults in ((number,), (number, number + 1))[: 1 if number % 5 else 2]:
        talk, heard, _ = played(name, *faults)

        for (line, once), (_, words) in zip(heard, expected, strict=True):
            assert comparable(words) <= comparable(once), line
        games = talk.world.games.by_id
        assert [*map(end, games.values())] == [*map(end, undisturbed.world.games.by_id.values())]
        assert Counter(map(envelope, talk.world.outbox.said)) == Counter(
            map(envelope, undisturbed.world.outbox.said)
        )
        told = talk.world.publisher.taken_events
        for game in games.values():
            shown = {event.content for event in told if ("d", game.id) in event.tags}
            # What one event made of several is told again as what it came to.
            assert "heard before" in name or "lines" in name or positions(game) <= shown
            assert len(game.applied_ids) == len(set(game.applied_ids))
            notes = {e.id for e in told if e.kind == 64 and ("d", game.id) in e.tags}
            assert len(notes) == (game.outcome is not None)


def comparable(words: set[str]) -> set[str]:
    """Without why something was refused over a socket, which is another reason when it comes again;
    on relays the state is sent again in its place.
    """
    return {word.partition(" no:")[0] for word in words if "!" not in word}


def end(game: Game) -> tuple[object, ...]:
    return (game.moves, game.result, game.white_strikes, game.black_strikes)


def envelope(said: Any) -> tuple[object, ...]:
    content = said.content
    return (
        *(said.root, said.recps, content["type"]),
        *(content.get(name) for name in ("ply", "status", "msg")),
    )


def positions(game: Game) -> set[str]:
    """The FEN after every ply, none left out."""
    return {replace(game, moves=game.moves[:ply]).board().fen() for ply in range(game.ply + 1)}
