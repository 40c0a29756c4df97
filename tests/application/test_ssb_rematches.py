"""Rematches of players of Scuttlebutt: each is an invitation that names the game before."""

from tests.application.native_player import NativePlayer, against_native
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.letters import a_message


def against_native_again(color: str) -> tuple[World, SsbPlayer, NativePlayer]:
    """Sue, who had this colour, resigned after the first move, and invites us again."""
    world, sue, bob = against_native(color)
    (sue if color == "white" else bob).move("e2e4")
    old = sue.root
    sue.end("resigned")
    # The program of today always wants White in a rematch, whatever it had.
    sue.invite("white", root=old)
    return world, sue, bob


def test_she_offers_a_rematch_by_inviting_us_again() -> None:
    world, sue, bob = against_native_again("black")
    new = sue.root
    bob.say("rematch")

    assert sue.read("chess_invite_accept") == [{"type": "chess_invite_accept", "root": new}]
    assert sue.game.white.player == sue.pubkey
    sue.move("d2d4")
    bob.move("d7d5")
    assert [said["ply"] for said in sue.read("chess_move")] == [2]
    assert len(world.games.standing) == 2


def test_a_rematch_whose_invitation_was_withdrawn_does_not_begin() -> None:
    world, sue, bob = against_native_again("black")
    sue.end("resigned")
    bob.say("rematch")

    assert "is no longer open" in str(world.outbox.said[-1].content["msg"])
    assert world.statuses()[-1] == "not-offered-here"
    assert len(world.games.standing) == 1


def test_a_rematch_gives_the_colour_that_its_invitation_says() -> None:
    _, sue, bob = against_native_again("white")
    bob.say("rematch")

    assert sue.game.white.player == sue.pubkey


def test_the_opponent_offers_a_rematch_and_we_invite_her() -> None:
    world, sue, bob = against_native("white")
    sue.move("e2e4")
    sue.end("resigned")
    old = sue.root
    bob.say("rematch")

    (invitation,) = [said for said in world.outbox.said if said.content["type"] == "chess_invite"]
    assert invitation.content == {
        "type": "chess_invite",
        "inviting": sue.feed,
        "myColor": "white",
        "root": old,
    }
    sue.accept(invitation, a_message("our invitation"))

    assert sue.game.black.player == sue.pubkey
    bob.move("d2d4")
    assert [said["ply"] for said in sue.read("chess_move")] == [1]
    # She accepted: that we do so too would be the second acceptance.
    assert sue.read("chess_invite_accept") == []
    sue.move("d7d5")
    assert sue.game.ply == 2


def who_wants_white_again() -> tuple[World, SsbPlayer, SsbPlayer, str]:
    """Sue resigned against Tom, who has a root of his own (the last value), and invites again."""
    world = World()
    sue, tom = SsbPlayer(world, "sue"), SsbPlayer(world, "tom")
    sue.invite("white")
    tom.invite("black")
    sue.move("e2e4")
    old, his_old = sue.root, tom.root
    sue.end("resigned")
    sue.invite("white", root=old)
    return world, sue, tom, his_old


def test_two_players_of_scuttlebutt_play_a_rematch_under_two_new_roots() -> None:
    world, sue, tom, his_old = who_wants_white_again()

    (invitation,) = [said for said in world.outbox.said if said.content["type"] == "chess_invite"]
    assert (invitation.root, invitation.content["myColor"]) == (his_old, "white")
    tom.accept(invitation, a_message("our invitation"))

    assert sue.game is tom.game
    assert sue.game.white.player == sue.pubkey
    sue.move("e2e4")
    tom.move("c7c5")
    assert [said["ply"] for said in tom.read("chess_move")] == [1]
    assert [said["ply"] for said in sue.read("chess_move")] == [2]


def test_two_invitations_to_a_rematch_that_both_want_white_are_one_too_many() -> None:
    world, _, tom, his_old = who_wants_white_again()
    tom.invite("white", root=his_old)

    verdicts = [said for said in world.outbox.said if "verdict" in said.content]
    assert len(verdicts) == 1
    assert "same colour" in str(verdicts[0].content["msg"])
    assert len(world.games.standing) == 1
