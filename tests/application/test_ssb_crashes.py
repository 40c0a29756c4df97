"""A match between Scuttlebutt and relays, broken off at every single call of a port and taken up by
the queue again: what stands on our log in the end is what stands there without any fault, each
thing once and in its order.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from arbiter.dialects.base import SsbMessage
from arbiter.nostr.event import VerifiedEvent
from tests.application.ssb_player import SsbPlayer
from tests.application.test_crashes import Faults, Fragile
from tests.application.world import World
from tests.builders import BOB, SERVER, an_event
from tests.letters import US, a_message

Script = Callable[["Match"], None]


class Match:
    """Sue on Scuttlebutt, Bob on relays, and a queue that delivers again what was broken off."""

    def __init__(self, *faults: int) -> None:
        self.world, self.hook = World(), Faults(*faults)
        self.world.games.hook = self.world.lobby.hook = self.hook
        self.world.outbox.hook = self.hook
        fragile = Fragile(self.world, self.hook)
        self.world.deps = replace(self.world.deps, signer=fragile, publisher=fragile)
        self.sue = SsbPlayer(self.world, "sue")

    def deliver(self, event: VerifiedEvent) -> None:
        self.world.clock.ms += 1000
        body = self.world.body(event)
        for _ in range(5):
            if not self.world.deliver(self.world.record(body)):
                return
            self.world.clock.ms += 48_000  # the queue's visibility time-out
        pytest.fail("among the dead letters")

    def invites(self, color: str, **more: object) -> None:
        invited = {"type": "chess_invite", "inviting": US, "myColor": color, **more}
        letter = self.sue.letter(invited)
        self.sue.root = [*self.sue.invites][-1]
        self.deliver(letter)

    def sue_moves(self, uci: str, **more: object) -> None:
        self.deliver(self.sue.letter(self.sue.move_content(uci, **more)))

    def sue_ends(self, status: str) -> None:
        content = {"type": "chess_game_end", "root": self.sue.root, "status": status}
        self.deliver(self.sue.letter(content))

    def sue_accepts(self) -> None:
        """She accepts our invitation to a rematch."""
        (ours,) = (
            said for said in self.world.outbox.said if said.content["type"] == "chess_invite"
        )
        key = a_message("ours")
        self.sue.invites[key] = (key, US, dict(ours.content))
        self.sue.root = key
        self.deliver(self.sue.letter({"type": "chess_invite_accept", "root": key}))

    def bob_asks(self) -> None:
        at = self.world.clock.ms // 1000
        self.deliver(an_event(BOB, 20300, "", (("p", SERVER.pubkey),), at))

    def bob_says(self, text: str) -> None:
        game_id = self.world.lobby.players[BOB.pubkey].game_id or ""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        self.deliver(an_event(BOB, 20303, text, tags, self.world.clock.ms // 1000))

    def said(self) -> list[SsbMessage]:
        return self.world.outbox.said


def fools_mate(match: Match) -> None:
    """An illegal move and a wrong claim on the way; Bob mates."""
    match.invites("white")
    match.bob_asks()
    match.sue_moves("f2f5")
    match.sue_moves("f2f3", pgnMove="f4")
    match.bob_says("e7e5")
    match.sue_moves("g2g4")
    match.bob_says("d8h4")


def draw_and_rematch(match: Match) -> None:
    """Bob has White, offers a draw and later a rematch."""
    match.bob_asks()
    match.invites("black")
    match.bob_says("e2e4")
    match.sue_moves("e7e5")
    match.bob_says("draw")
    match.sue_ends("draw")
    match.bob_says("rematch")
    match.sue_accepts()
    match.sue_moves("d2d4")
    match.bob_says("d7d5")


def held_and_resigned(match: Match) -> None:
    """Her answer is heard before the move it answers; then she offers a rematch in which she
    wants White.
    """
    match.invites("black")
    match.bob_asks()
    content = match.sue.move_content("e2e4")
    early = {**content, "orig": "e7", "dest": "e5", "ply": 2, "pgnMove": "e5"}
    match.deliver(match.sue.letter({name: early[name] for name in early if name != "fen"}))
    match.bob_says("e2e4")
    match.bob_says("resign")
    match.invites("white", root=match.sue.root)
    match.bob_says("rematch")


def two_of_scuttlebutt(match: Match) -> None:
    """Tom invites us as well, under a root of his own; she resigns."""
    tom = SsbPlayer(match.world, "tom")
    match.invites("white")
    invited = tom.letter({"type": "chess_invite", "inviting": US, "myColor": "black"})
    (tom.root,) = tom.invites
    match.deliver(invited)
    match.sue_moves("e2e4")
    match.deliver(tom.letter(tom.move_content("e7e5")))
    match.sue_ends("resigned")


SCRIPTS: tuple[Script, ...] = (fools_mate, draw_and_rematch, held_and_resigned, two_of_scuttlebutt)


def played(script: Script, *faults: int) -> Match:
    match = Match(*faults)
    script(match)
    return match


WITHOUT = {script: played(script) for script in SCRIPTS}
CASES = [
    pytest.param(script, number, id=f"{script.__name__}-{number}")
    for script in SCRIPTS
    for number in range(1, WITHOUT[script].hook.calls + 1)
]


@pytest.mark.parametrize(("script", "number"), CASES)
def test_a_call_that_breaks_off_leaves_the_same_log(script: Script, number: int) -> None:
    """Alone, and every fourth together with the call after it."""
    for faults in ((number,), (number, number + 1))[: 1 if number % 4 else 2]:
        match = played(script, *faults)

        assert essence(match) == essence(WITHOUT[script])
        games = match.world.games.standing
        assert len(games) == len(WITHOUT[script].world.games.standing)
        for game in games.values():
            assert len(game.applied_ids) == len(set(game.applied_ids))


def essence(match: Match) -> list[tuple[object, ...]]:
    """What was said, and to whom."""
    return [
        (
            said.root,
            said.content["type"],
            said.content.get("ply"),
            said.content.get("status"),
            said.content.get("msg"),
            said.recps,
        )
        for said in match.said()
    ]


def test_the_scripts_say_all_there_is_to_say() -> None:
    types = {
        (said.content["type"], "verdict" in said.content)
        for match in WITHOUT.values()
        for said in match.said()
    }

    assert types == {
        ("chess_invite", False),
        ("chess_invite_accept", False),
        ("chess_move", False),
        ("chess_game_end", False),
        ("chess_chat", False),
        ("chess_chat", True),
    }
    assert [script for script in SCRIPTS if WITHOUT[script].hook.calls <= 30] == []
