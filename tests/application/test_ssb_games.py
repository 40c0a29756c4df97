"""Whole games between players of Scuttlebutt and others: each reads what his own program knows."""

import chess
import pytest

from arbiter.core.commands import OfferKind
from arbiter.core.game import Termination
from arbiter.core.offers import NOTICE_MS
from arbiter.core.seeks import LONG_WAIT_MS
from tests.application.native_player import NativePlayer, against_native
from tests.application.players import LOYD
from tests.application.socket_player import SocketPlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import BOB
from tests.letters import US, Content, a_letter, a_message


def test_an_invitation_is_accepted_when_somebody_wants_to_play() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)

    sue.invite("black")
    assert [said["type"] for said in sue.read()] == ["chess_chat"]
    bob.connect()

    waiting, accepted, who = sue.read()
    assert "two weeks" in waiting["msg"]
    assert accepted == {"type": "chess_invite_accept", "root": sue.root}
    assert "You play black against npub1" in who["msg"]
    assert (sue.game.white.player, sue.game.black.player) == (BOB.pubkey, sue.pubkey)


def test_each_sees_the_others_moves_in_his_own_protocol() -> None:
    world, sue, bob = against_native()

    sue.move("e2e4")
    bob.move("e7e5")

    shown = [event for event in world.publisher.taken_events if event.kind == 20302]
    assert shown[-2].content.startswith("rnbqkbnr/pppppppp/8/8/4P3/")
    assert sue.read("chess_move") == [
        {
            "type": "chess_move",
            "root": sue.root,
            "ply": 2,
            "orig": "e7",
            "dest": "e5",
            "pgnMove": "e5",
            "fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        }
    ]


def test_the_opponents_mate_comes_inside_the_end_alone() -> None:
    _, sue, bob = against_native()
    for mine, his in (("f2f3", "e7e5"), ("g2g4", "d8h4")):
        sue.move(mine)
        bob.move(his)

    assert [said["ply"] for said in sue.read("chess_move")] == [2]
    (end,) = sue.read("chess_game_end")
    assert (end["status"], end["ply"], end["orig"], end["dest"]) == ("mate", 4, "d8", "h4")
    assert end["pgnMove"] == "Qh4#"


def test_her_own_mate_is_no_win_of_ours_and_confirmed_in_private() -> None:
    _, sue, bob = against_native("black")
    for his, mine in (("f2f3", "e7e5"), ("g2g4", "d8h4")):
        bob.move(his)
        sue.move(mine)

    assert sue.game.outcome is not None
    assert sue.game.result == "0-1"
    assert sue.read("chess_game_end") == []
    assert sue.read()[-1]["msg"] == "Arbiter: The game is over: 0-1, checkmate."
    assert [said for said in sue.read() if "verdict" in said] == []


def test_a_mate_that_is_none_is_refused_in_public_and_changes_nothing() -> None:
    world, sue, bob = against_native()
    sue.move("e2e4")
    bob.move("e7e5")

    sue.say({**sue.move_content("d1h5"), "type": "chess_game_end", "status": "mate"})

    assert (sue.game.ply, sue.game.outcome) == (2, None)
    (verdict,) = [said for said in world.outbox.said if "verdict" in said.content]
    assert verdict.recps == ()
    said = verdict.content["verdict"]
    assert isinstance(said, dict)
    assert (said["reason"], said["ply"]) == ("wrong-result", 2)
    assert said["about"] == a_message("sue 3")


def test_an_illegal_move_costs_nothing_but_a_verdict_however_often() -> None:
    _, sue, _ = against_native()

    for _ in range(4):
        sue.move("e2e5")

    assert (sue.game.ply, sue.game.white_strikes, sue.game.outcome) == (0, 0, None)
    verdicts = [said for said in sue.read() if "verdict" in said]
    assert [said["verdict"]["reason"] for said in verdicts] == ["illegal-move"]


def test_a_wrong_claim_is_named_and_the_legal_move_played() -> None:
    _, sue, _ = against_native()

    sue.move("e2e4", fen=chess.STARTING_FEN, pgnMove="d4")

    assert sue.game.ply == 1
    texts = [said["verdict"]["text"] for said in sue.read() if "verdict" in said]
    assert len(texts) == 2
    assert any("e4" in text for text in texts)


def test_a_mate_that_names_the_wrong_winner_is_played_and_the_claim_named() -> None:
    _, sue, bob = against_native("black")
    for his, mine in (("f2f3", "e7e5"), ("g2g4", "d8h4")):
        bob.move(his)
        sue.move(mine, **({"winner": US} if mine == "d8h4" else {}))

    assert sue.game.result == "0-1"
    texts = [said["verdict"]["text"] for said in sue.read() if "verdict" in said]
    assert texts == ["the game was not won by the one you name"]


@pytest.mark.parametrize("piece", ["r", "b", "n"])
def test_pawns_become_what_either_player_says(piece: str) -> None:
    _, sue, bob = against_native()
    for mine, his in (
        ("a2a4", "h7h5"),
        ("a4a5", "h5h4"),
        ("a5a6", "h4h3"),
        ("a6b7", "h3g2"),
    ):
        sue.move(mine)
        bob.move(his)
    sue.move(f"b7a8{piece}")
    bob.move(f"g2h1{piece}")

    assert [move.uci() for move in sue.game.moves[-2:]] == [f"b7a8{piece}", f"g2h1{piece}"]
    assert sue.read("chess_move")[-1]["promotion"] == piece


def test_the_promotion_that_mates_is_read_from_its_notation() -> None:
    """ssb-chess 4.0.2 writes no promotion into a chess_game_end."""
    _, sue, bob = against_native()
    for mine, his in (("a2a4", "c7c5"), ("a4a5", "h7h5"), ("a5a6", "d8b6"), ("a6b7", "b6h6")):
        sue.move(mine)
        bob.move(his)
    content = sue.move_content("b7c8r")
    assert content["pgnMove"] == "bxc8=R#"
    assert "promotion" not in content

    sue.say(content)

    assert (sue.game.moves[-1].uci(), sue.game.result) == ("b7c8r", "1-0")
    assert not [said for said in sue.read() if "verdict" in said]


def test_the_one_who_resigns_has_lost() -> None:
    _, sue, _ = against_native()
    sue.move("e2e4")
    sue.end("resigned")

    assert (sue.game.result, sue.read("chess_game_end")) == ("0-1", [])


def test_the_opponent_resigns_in_our_name() -> None:
    _, sue, bob = against_native()
    sue.move("e2e4")
    bob.move("e7e5")
    bob.resign()

    assert sue.game.result == "1-0"
    assert sue.read("chess_move", "chess_game_end")[-1] == {
        "type": "chess_game_end",
        "root": sue.root,
        "status": "resigned",
    }


def test_a_draw_is_offered_in_the_chat_and_agreed_to_there() -> None:
    _, sue, bob = against_native()
    sue.move("e2e4")
    sue.offer()
    bob.offer()

    assert sue.game.outcome is not None
    assert sue.game.outcome.termination is Termination.AGREEMENT
    assert [end["status"] for end in sue.read("chess_game_end")] == ["draw"]


def test_an_offer_that_was_refused_as_too_old_is_not_made_when_it_is_heard_again() -> None:
    world, sue, bob = against_native()
    offered = sue.letter({"type": "chess_game_end", "root": sue.root, "status": "draw"})
    waited = world.record(world.body(offered))
    world.clock.ms += 90_000
    sue.move("e2e4")
    world.deliver(waited)
    assert [said["verdict"]["reason"] for said in sue.read("chess_chat") if "verdict" in said] == [
        "stale"
    ]

    world.hear(offered)
    bob.offer()

    assert sue.game.outcome is None


def test_a_draw_that_the_opponent_offers_is_told_and_ended_in_her_own_words() -> None:
    world, sue, bob = against_native()
    sue.move("e2e4")
    bob.offer()
    (told,) = [said for said in world.outbox.said if "offers a draw" in str(said.content)]
    assert told.recps == (sue.feed,)

    sue.end("draw")

    assert sue.game.result == "1/2-1/2"
    assert [end["status"] for end in sue.read("chess_game_end")] == ["draw"]


def test_a_stalemate_ends_it_for_both() -> None:
    _, sue, bob = against_native()
    for at, uci in enumerate(LOYD):
        (bob if at % 2 else sue).move(uci)

    assert sue.game.outcome is not None
    assert sue.game.outcome.termination is Termination.STALEMATE
    assert not [said for said in sue.read() if "verdict" in said]


def test_two_players_of_scuttlebutt_meet_through_the_pool_each_under_his_own_root() -> None:
    world = World()
    sue, tom = SsbPlayer(world, "sue"), SsbPlayer(world, "tom")
    sue.invite("white")
    tom.invite("black")

    assert sue.game is tom.game
    assert sue.root != tom.root
    for at, uci in enumerate(["f2f3", "e7e5", "g2g4", "d8h4"]):
        (tom if at % 2 else sue).move(uci)

    assert [said["ply"] for said in tom.read("chess_move")] == [1, 3]
    assert [said["ply"] for said in sue.read("chess_move")] == [2]
    (end,) = sue.read("chess_game_end")
    assert (end["status"], end["pgnMove"]) == ("mate", "Qh4#")
    assert tom.read("chess_game_end") == []
    # Whoever watches sees the game on Nostr.
    shown = [event for event in world.publisher.taken_events if event.kind == 20302]
    assert len({event.content for event in shown}) == 5
    assert len([event for event in world.publisher.taken_events if event.kind == 64]) == 1


def test_a_player_of_scuttlebutt_meets_one_on_a_socket() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), SocketPlayer(world, BOB, "bob")
    sue.invite("white")
    bob.connect()
    sue.move("e2e4")
    bob.move("e7e5")
    bob.resign()

    assert sue.game.result == "1-0"
    assert [said["type"] for said in sue.read("chess_move", "chess_game_end")] == [
        "chess_move",
        "chess_game_end",
    ]


def test_after_the_end_an_end_that_says_the_same_is_let_pass() -> None:
    world, sue, bob = against_native("black")
    for his, mine in (("f2f3", "e7e5"), ("g2g4", "d8h4")):
        bob.move(his)
        sue.move(mine)
    before = len(world.outbox.said)

    sue.say(
        {
            "type": "ssb_chess_game_end",
            "root": sue.root,
            "status": "mate",
            "ply": 4,
            "orig": "d8",
            "dest": "h4",
            "pgnMove": "Qh4#",
            "fen": sue.game.board().fen(),
        }
    )
    assert len(world.outbox.said) == before
    sue.end("draw")
    assert sue.read()[-1]["verdict"]["reason"] == "game-over"


def test_the_one_verdict_after_the_end_says_how_much_was_counted() -> None:
    _, sue, bob = against_native()
    sue.move("e2e4")
    bob.say("resign")

    sue.say({"type": "chess_move", "root": sue.root, "orig": 7, "dest": None, "ply": "one"})
    sue.say({**sue.move_content("d2d4"), "ply": 3})

    (verdict,) = [said["verdict"] for said in sue.read() if "verdict" in said]
    assert (verdict["reason"], verdict["ply"]) == ("game-over", 1)


def test_a_stranger_in_her_game_gets_one_verdict() -> None:
    world, sue, _ = against_native()
    mallory = SsbPlayer(world, "mallory")
    mallory.invites, mallory.root = sue.invites, sue.root
    content: Content = sue.move_content("e2e4")

    for _ in range(3):
        mallory.say(content)

    assert sue.game.ply == 0
    verdicts = [said for said in world.outbox.said if "verdict" in said.content]
    assert [str(said.content["msg"]) for said in verdicts] == [
        "Arbiter: you have no seat in this game; only what its two players say counts"
    ]


def test_a_fork_is_named_once_in_a_game_however_often_it_is_told() -> None:
    world, sue, bob = against_native()
    fork: Content = {"sequence": 3, "known": sue.root}

    for mine, his in (("e2e4", "e7e5"), ("d2d4", "d7d5")):
        sue.move(mine)
        bob.move(his)
        key, invite = a_message(f"sue {sue.number}"), sue.invites[sue.root]
        content = {"type": "chess_chat", "root": sue.root, "msg": "hello"}
        world.hear(a_letter(sue.feed, key, content, invite, fork=fork))

    texts = [said["verdict"]["text"] for said in sue.read() if "verdict" in said]
    assert texts == ["your log is forked: of two messages of one number the first counts"]


def test_a_move_that_its_opponent_could_not_read_is_none() -> None:
    _, sue, _ = against_native()

    sue.say(sue.move_content("e2e4"), is_private=True)
    sue.say({"type": "chess_game_end", "root": sue.root, "status": "resigned"}, is_private=True)

    assert (sue.game.ply, sue.game.outcome) == (0, None)
    (verdict,) = [said for said in sue.read() if "verdict" in said]
    assert verdict["verdict"]["text"] == "moves and ends of games must be public"


def test_nothing_is_taken_back_where_a_log_keeps_it_and_the_draw_is_not_in_its_way() -> None:
    world, sue, bob = against_native()
    sue.move("e2e4")
    bob.move("e7e5")

    bob.say("takeback")
    refused = world.publisher.taken_events[-1]
    sue.offer()

    assert refused.kind == 20304
    assert refused.content.startswith("not-offered-here")
    assert sue.game.offer is not None
    assert sue.game.offer.kind is OfferKind.DRAW
    assert world.statuses()[-1] == "played"


def test_who_is_silent_for_two_weeks_is_told_a_day_before_the_game_is_called_off() -> None:
    world, sue, bob = against_native()
    sue.move("e2e4")
    bob.move("e7e5")
    sue.move("g1f3")
    bob.move("b8c6")
    world.clock.ms += LONG_WAIT_MS - 10_000

    bob.say("abort")
    too_soon = world.publisher.taken_events[-1]
    world.clock.ms += 20_000
    bob.say("abort")
    told = [said.recps for said in world.outbox.said if "aborted after a day" in str(said.content)]
    world.clock.ms += NOTICE_MS
    bob.say("abort")

    assert too_soon.content.startswith("too-late: ")
    assert told == [(sue.feed,)]
    assert sue.game.outcome is not None
    assert sue.game.outcome.termination is Termination.ABORTED
    assert sue.read("chess_chat")[-1]["msg"] == "Arbiter: The game is over: *, aborted."
