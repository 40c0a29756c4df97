"""Invitations that were one too many. A bridge that begins anew says once more what it has said."""

import json

import pytest

from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip19 import encode_npub
from tests.application.ssb_player import SsbPlayer
from tests.application.test_one_game_on_every_wire import NativePlayer
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
