"""Invitations that were one too many, or could not be read. A bridge that begins anew says once
more what it has said.
"""

import json

import pytest

from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip19 import encode_npub
from tests.application.native_player import NativePlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import BOB
from tests.fakes.faults import crash_at, quiet
from tests.letters import US, Content

TO_BOB = {"text": encode_npub(BOB.pubkey)}


def one_too_many(sue: SsbPlayer, named: Content) -> tuple[VerifiedEvent, str]:
    """The letter of the invitation that finds no room, not heard yet, and its root."""
    for _ in range(8 if named else 4):
        sue.invite("white", **named)
    letter = sue.letter({"type": "chess_invite", "inviting": US, "myColor": "white", **named})
    return letter, json.loads(letter.content)["key"]


@pytest.mark.parametrize("named", [{}, TO_BOB], ids=["for anybody", "for one"])
def test_an_invitation_that_was_refused_stays_refused_when_there_is_room(named: Content) -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    letter, refused = one_too_many(sue, named)
    world.hear(letter)
    said = sue.read(root=refused)
    assert ["Not accepted" in one["msg"] for one in said] == [True]

    for root in [*sue.invites][:-1]:
        sue.say({"type": "chess_game_end", "root": root, "status": "resigned"}, root=root)
    world.hear(letter)
    NativePlayer(world, BOB).connect()

    assert sue.read(root=refused) == said
    assert not world.games.standing


@pytest.mark.parametrize("named", [{}, TO_BOB], ids=["for anybody", "for one"])
def test_a_refusal_that_died_before_it_was_said_is_said_when_its_record_returns(
    named: Content,
) -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    letter, refused = one_too_many(sue, named)
    body = world.body(letter)
    world.outbox.hook = crash_at("outbox.send")
    assert world.deliver(world.record(body))

    world.outbox.hook = quiet
    for _ in range(2):
        world.deliver(world.record(body))

    (said,) = sue.read(root=refused)
    assert "Not accepted: too many invitations" in said["msg"]


def test_a_refused_invitation_that_is_withdrawn_says_no_more() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    letter, refused = one_too_many(sue, {})
    world.hear(letter)
    sue.say({"type": "chess_game_end", "root": refused, "status": "resigned"}, root=refused)
    said = sue.read(root=refused)

    world.hear(letter)

    assert sue.read(root=refused) == said


FLAWED: dict[str, tuple[Content, str]] = {
    "in no colour": ({"myColor": "red"}, "myColor is white or black"),
    "in two colours": ({"myColor": ["white", "black"]}, "myColor is white or black"),
    "without a colour": ({"myColor": None}, "myColor is white or black"),
    "after no game": ({"root": "yesterday"}, "root is the key of the game before"),
    "after a list": ({"root": []}, "root is the key of the game before"),
}


@pytest.mark.parametrize("flawed", FLAWED)
def test_an_invitation_of_us_that_cannot_be_read_is_told_why_once_and_asks_for_nothing(
    flawed: str,
) -> None:
    fields, flaw = FLAWED[flawed]
    world = World()
    sue = SsbPlayer(world, "sue")
    letter = sue.letter({"type": "chess_invite", "inviting": US, "myColor": "white", **fields})
    sue.root = json.loads(letter.content)["key"]

    for _ in range(2):
        world.hear(letter)
    NativePlayer(world, BOB).connect()

    assert world.statuses()[:2] == ["request-bad-terms"] * 2
    assert [said["msg"] for said in sue.read()] == [f"Arbiter: Not accepted: {flaw}."]
    assert [said.recps for said in world.outbox.said] == [(sue.feed,)]
    assert not world.games.standing


def test_what_is_said_where_an_invitation_of_us_could_not_be_read_is_answered_once() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("red")
    move = {"type": "chess_move", "root": sue.root, "orig": "e2", "dest": "e4"}

    for who in (sue, SsbPlayer(world, "mallory"), SsbPlayer(world, "mallory's friend")):
        who.invites, who.root = sue.invites, sue.root
        for ply in (1, 2):
            who.say({**move, "ply": ply})

    verdicts = {said["msg"] for said in sue.read("chess_chat") if "verdict" in said}
    assert verdicts == {
        "Arbiter: no game has begun here",
        "Arbiter: no game has begun here; only what its two players say counts",
    }
    assert len(world.outbox.said) == len(verdicts) + 1
    assert not world.games.standing


def test_an_invitation_of_us_that_could_not_be_read_can_be_withdrawn() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("red")

    sue.end("resigned")

    assert sue.read()[-1]["msg"] == "Arbiter: Your invitation is no longer open."
