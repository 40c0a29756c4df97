"""Invitations of players on Scuttlebutt, and rematches, which are invitations that name the game
before: who is told of them, how many, how long they wait, and how they are refused.
"""

import json

import pytest

from tests.application.script import Conversation, run
from tests.envelopes import US, a_message, an_envelope


def test_who_invites_without_end_is_told_so_and_answered_no_more_that_day() -> None:
    talk = Conversation()
    talk.world.clock.ms -= talk.world.clock.ms % 86_400_000
    for _ in range(40):
        talk.line("@sue invite white; @sue resigned")
    answered = len(talk.world.outbox.said)
    talk.line("@tom invite white; wait 1d; @sue invite white")
    assert len(talk.world.outbox.said) == answered + 2
    assert answered == 2 * 32 + 1


def test_what_is_said_where_an_invitation_could_not_be_read_is_answered_once() -> None:
    talk = run("@sue invite red")
    move = {"type": "chess_move", "root": talk.players.feed("sue").root, "orig": "e2", "dest": "e4"}
    for name in ("sue", "mallory", "friend"):
        for ply in (1, 2):
            talk.players.feed(name).say({**move, "ply": ply})
    verdicts = [
        said["msg"] for said in talk.players.feed("sue").read("chess_chat") if "verdict" in said
    ]
    assert sorted(verdicts) == [
        "Arbiter: no game has begun here",
        "Arbiter: no game has begun here; only what its two players say counts",
    ]


@pytest.mark.parametrize(
    ("text", "is_for_anybody"), [("no key", True), ("npub1", True), ("npub1" + "q" * 58, False)]
)
def test_an_invitation_that_names_none_in_particular_is_for_anybody(
    text: str, *, is_for_anybody: bool
) -> None:
    sue = Conversation().players.feed("sue")
    sue.invite("white", text=text)
    assert sue.read()[-1]["msg"].startswith("Arbiter: I am looking for") == is_for_anybody


def test_an_invitation_of_themself_is_not_for_us() -> None:
    talk = Conversation()
    sue, key = talk.players.feed("sue"), a_message("own")
    own = {"type": "chess_invite", "inviting": sue.feed, "myColor": "white"}
    talk.world.hear(an_envelope(sue.feed, key, own))
    assert (talk.fact("status"), talk.world.outbox.said) == ("unaddressed", [])
    assert json.dumps(own).count(US) == 0
