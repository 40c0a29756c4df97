"""Invitations of players of Scuttlebutt: who is told of them, how many, and how long they stand."""

from tests.application.native_player import NativePlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.letters import US, a_letter, a_message


def test_an_invitation_naming_a_key_is_told_to_its_owner_in_the_native_protocol() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")

    said = sue.invite("white", text=f"anybody there? {BOB.pubkey}")

    (told,) = said
    assert told.kind == 20301
    assert told.tags[0] == ("p", BOB.pubkey)
    word, challenge_id, challenger = told.content.split(":")
    assert (word, challenger) == ("challenged", sue.pubkey)
    world.clock.ms += 10 * 24 * 3_600_000
    world.ask(BOB, f"accept:{challenge_id}")
    assert sue.read("chess_invite_accept") == [{"type": "chess_invite_accept", "root": sue.root}]
    assert sue.game.black.player == BOB.pubkey


def test_an_invitation_accepted_by_one_who_plays_is_refused_to_them_and_still_waits() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    (told,) = sue.invite("white", text=BOB.pubkey)
    challenge_id = told.content.split(":")[1]
    game = world.start(BOB, ALICE)

    refusal, _ = world.ask(BOB, f"accept:{challenge_id}")

    assert refusal.content.startswith("error:playing: ")
    assert sue.read("chess_invite_accept") == []
    game.say("quit", key=BOB)
    world.clock.advance(1)
    world.ask(BOB, f"accept:{challenge_id}")
    assert sue.game.black.player == BOB.pubkey


def test_eight_who_are_asked_by_name_are_enough_at_a_time() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    told = [sue.invite("white", text=BOB.pubkey) for _ in range(9)]

    assert [len(said) for said in told] == [1] * 8 + [0]
    assert "8 challenges" in sue.read()[-1]["msg"]
    world.ask(BOB, f"decline:{told[0][0].content.split(':')[1]}")
    assert len(sue.invite("white", text=BOB.pubkey)) == 1


def test_who_declines_is_reported() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    (told,) = sue.invite("white", text=BOB.pubkey)

    world.ask(BOB, f"decline:{told.content.split(':')[1]}:later")

    assert "later" in sue.read()[-1]["msg"]
    assert not world.games.standing


def test_an_invitation_waits_for_weeks_and_hurts_nobody_who_waits_for_minutes() -> None:
    world = World()
    sue, bob, alice = SsbPlayer(world, "sue"), NativePlayer(world, BOB), NativePlayer(world, ALICE)
    sue.invite("white")
    world.clock.ms += 13 * 24 * 3_600_000

    bob.connect()
    assert sue.game.black.player == BOB.pubkey
    alice.connect()
    assert world.lobby.player(ALICE.pubkey).waits_in is not None


def test_after_two_weeks_an_invitation_stands_no_more() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    sue.invite("white")
    world.clock.ms += 15 * 24 * 3_600_000

    bob.connect()

    assert not world.games.standing
    assert "two weeks" in sue.read()[-1]["msg"]


def test_one_player_has_as_many_games_as_invitations() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("white")
    first = sue.root
    NativePlayer(world, BOB).connect()
    sue.invite("black")
    NativePlayer(world, ALICE).connect()

    assert len(world.games.standing) == 2
    sue.root = first
    sue.move("e2e4")
    assert sorted(game.ply for game in world.games.standing.values()) == [0, 1]


def test_a_player_is_never_paired_with_himself() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("white")
    sue.invite("black")

    assert not world.games.standing


def test_five_invitations_of_one_feed_are_one_too_many() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")

    for _ in range(5):
        sue.invite("white")

    assert len(world.lobby.pool("standard:unlimited:casual").waiting) == 4
    assert "4 invitations" in sue.read()[-1]["msg"]


def test_whoever_invites_without_end_is_answered_no_more_that_day() -> None:
    world = World()
    world.clock.ms -= world.clock.ms % 86_400_000
    sue, tom = SsbPlayer(world, "sue"), SsbPlayer(world, "tom")

    for _ in range(40):
        sue.invite("white")
        sue.end("resigned")
    answered = len(world.outbox.said)
    assert answered == 2 * 32

    tom.invite("white")
    world.clock.ms += 86_400_000
    sue.invite("white")
    assert len(world.outbox.said) == answered + 2


def test_resigning_before_there_is_a_game_withdraws_the_invitation() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("white")

    sue.end("resigned")
    NativePlayer(world, BOB).connect()

    assert not world.games.standing


def test_an_invitation_that_its_withdrawal_overtakes_stands_no_more() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    bob.connect()
    sue.root = a_message("overtaken")
    invite = {"type": "chess_invite", "inviting": US, "myColor": "white"}
    sue.invites[sue.root] = (sue.root, sue.feed, invite)

    sue.end("resigned")
    world.hear(a_letter(sue.feed, sue.root, invite, at=world.clock.ms // 1000))

    assert not world.games.standing
    assert ["is no longer open" in said["msg"] for said in sue.read("chess_chat")] == [True]


def test_an_old_invitation_heard_again_is_no_new_one() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    sue.invite("white")
    _, _, content = sue.invites[sue.root]
    bob.connect()
    sue.move("e2e4")
    bob.resign()
    world.clock.ms += 40 * 24 * 3_600_000

    world.hear(a_letter(sue.feed, sue.root, content, at=world.clock.ms // 1000))

    assert len(world.games.standing) == 1
    assert world.statuses()[-1] == "duplicate"
