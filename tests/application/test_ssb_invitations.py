"""Invitations of players on Scuttlebutt, and rematches, which are invitations that name the game
before: who is told of them, how many, how long they wait, and how they are refused.
"""

import json

import pytest

from tests.application.script import Conversation, run, scripts
from tests.letters import US, Content, a_letter, a_message


@scripts(
    """
# an invitation that names a key is told to its owner who accepts it within two weeks
@sue invite white to=bob > bob challenged c1 | @sue I have asked...
wait 10d; bob accept c1 > bob started | state | @sue* accept | @sue You play white...
= white @sue

# who plays cannot accept it and it still waits
@sue invite white to=bob; bob seek; alice seek; bob accept c1 > bob !playing | state
bob quit; bob accept c1 > bob started | state | @sue* accept | @sue You play white...

# who declines is reported
@sue invite white to=bob; bob decline c1 later > bob cancelled | @sue Not accepted: later...
= games 0

# an invitation waits for weeks and hurts none who wait for minutes
@sue invite white; wait 13d; bob seek > bob started | state | @sue* accept | @sue You play white...
alice seek > alice queued

# after two weeks an invitation is no longer open
@sue invite white; wait 15d; bob seek > bob queued | @sue Not accepted: no opponent in two weeks...
= games 0

# one player has as many games as invitations
@sue invite white; bob seek; @sue invite black; alice seek; alice e2e4 > state | @sue* e2e4
= games 2

# a player is never paired with themself
@sue invite white; @sue invite black > @sue I am looking for an opponent...
= games 0 | waiting @sue @sue

# five invitations of one feed are one too many
4 x @sue invite white
@sue invite white > @sue Not accepted: 4 invitations of yours wait al...
= waiting @sue @sue @sue @sue

# eight who are asked by name are enough at a time
8 x @sue invite white to=bob
@sue invite white to=bob > @sue Not accepted: 8 challenges of yours stand al...
bob decline c1; @sue invite white to=bob > bob challenged c9 | @sue I have asked...

# resigning before there is a game withdraws the invitation
@sue invite white; @sue resigned > @sue Your invitation is no longer open.
bob seek > bob queued

# an invitation that its withdrawal overtakes is no longer open
bob seek; hold x: @sue invite white; @sue resigned > @sue Your invitation is no longer open.
send x > -
= games 0

# an old invitation that comes again is no new one
x: @sue invite white; bob seek; @sue e2e4; bob resign; wait 40d; again x > -
= games 1 | status duplicate

# an invitation that was refused stays refused when there is room
4 x @sue invite white
x: @sue invite white > @sue Not accepted: 4 invitations of yours wait al...
bob seek; again x > -
= games 1 | waiting @sue @sue @sue
@sue resigned; again x > -

# a refusal that died before it was said is said when its record comes again
4 x @sue invite white
crash outbox.send; x: @sue invite white > failed
again x > @sue Not accepted: too many invitations wait alre...
again x > -

# and so is that of an invitation by name
8 x @sue invite white to=bob
crash outbox.send; x: @sue invite white to=bob > failed
again x > @sue Not accepted: too many invitations wait alre...
again x > -

# an invitation that cannot be read is told why once and asks for nothing
x: @sue invite red > @sue Not accepted: myColor is white or black...
again x > -
bob seek > bob queued
= games 0
@sue resigned > @sue Your invitation is no longer open.

# sixty-four who wait for weeks are enough for one pool
64 x @sue# invite white
@tom invite white > @tom Not accepted: too many wait already: invite again in some days.
bob seek > bob started | state | @sue0* accept | @sue0 You...
"""
)
def test_invitations(script: str) -> None:
    run(script)


@scripts(
    """
# she offers a rematch by inviting us again and has the colour that she says
@sue invite white again > state rematch/b 1-0 resignation
bob rematch > bob started | state | g1 state 1-0 resignation | @sue* accept | @sue You play white...
= white @sue | games 2
@sue d2d4 > state
bob d7d5 > state | @sue* d7d5

# a rematch whose invitation was withdrawn does not begin
@sue invite white again; @sue resigned > @sue Your invitation is no longer open.
bob rematch > bob !not-offered-here
= games 1

# the opponent offers a rematch and we invite her
bob rematch > state rematch/w 1-0 resignation | @sue* invite black
@sue accept > bob started | state | g1 state 1-0 resignation | @sue You play white...
white d2d4 > state
""",
    "@sue invite black; bob seek; bob e2e4; @sue resigned\n",
)
def test_rematches(script: str) -> None:
    run(script)


@scripts(
    """
# a rematch of the other colour
@sue invite white again; bob rematch > bob started | state | g1 state 0-1 resignation...
= white @sue

# the opponent offers one and we invite her for Black
bob rematch > state rematch/b 0-1 resignation | @sue* invite white
@sue accept > bob started | state | g1 state 0-1 resignation | @sue You play black...
= white bob
bob d2d4 > state | @sue* d2d4
@sue d7d5 > state
""",
    "@sue invite white; bob seek; @sue e2e4; @sue resigned\n",
)
def test_rematches_of_white(script: str) -> None:
    run(script)


@scripts(
    """
# two players of Scuttlebutt play a rematch under two new roots
@sue invite white again > state rematch/w 0-1 resignation | @tom* invite white
@tom accept > state | g1 state 0-1 resignation...
= white @sue
@sue e2e4 > state | @tom* e2e4
@tom c7c5 > state | @sue* c7c5

# two invitations to a rematch that both want White are one too many
@sue invite white again; @tom invite white again > @tom* !not-offered-here
= games 1
""",
    "@sue invite white; @tom invite black; @sue e2e4; @sue resigned\n",
)
def test_rematches_of_two(script: str) -> None:
    run(script)


def test_who_invites_without_end_is_answered_no_more_that_day() -> None:
    talk = Conversation()
    talk.world.clock.ms -= talk.world.clock.ms % 86_400_000
    for _ in range(40):
        talk.line("@sue invite white; @sue resigned")
    answered = len(talk.world.outbox.said)
    talk.line("@tom invite white; wait 1d; @sue invite white")
    assert len(talk.world.outbox.said) == answered + 2
    assert answered == 2 * 32


FLAWED: dict[str, tuple[Content, str]] = {
    "in no colour": ({"myColor": "red"}, "myColor is white or black"),
    "in two colours": ({"myColor": ["white", "black"]}, "myColor is white or black"),
    "without a colour": ({"myColor": None}, "myColor is white or black"),
    "after no game": ({"root": "yesterday"}, "root is the key of the game before"),
    "after a list": ({"root": []}, "root is the key of the game before"),
}


@pytest.mark.parametrize("flawed", FLAWED)
def test_an_invitation_of_us_that_cannot_be_read_is_told_why_once(flawed: str) -> None:
    fields, flaw = FLAWED[flawed]
    talk = Conversation()
    sue = talk.players.feed("sue")
    letter = sue.invitation(**{"color": "white"} | fields)
    for _ in range(2):
        talk.world.hear(letter)
    assert talk.fact("statuses") == "request-bad-terms request-bad-terms"
    assert [said["msg"] for said in sue.read()] == [f"Arbiter: Not accepted: {flaw}."]
    assert [said.recps for said in talk.world.outbox.said] == [(sue.feed,)]


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
    ("text", "is_for_anybody"),
    [("no key", True), ("npub1", True), ("npub1" + "q" * 58, False)],
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
    talk.world.hear(a_letter(sue.feed, key, own))
    assert (talk.fact("status"), talk.world.outbox.said) == ("unaddressed", [])
    assert json.dumps(own).count(US) == 0
