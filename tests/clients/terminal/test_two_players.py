"""Two of our clients, a relay on loopback, and an arbiter of forty lines that is not ours."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.fake_arbiter import GAME, FakeArbiter
from tests.clients.terminal.program import Program
from tests.fakes.relay import FakeRelay

FOOLS_MATE = ("f3", "e5", "g4", "Qh4#")


@contextmanager
def an_arbiter(*, extensions: bool = True) -> Iterator[tuple[FakeArbiter, FakeRelay]]:
    arbiter = FakeArbiter(SERVER, extensions=extensions)
    with FakeRelay(on_event=arbiter.on_event) as relay:
        arbiter.relay = relay
        yield arbiter, relay


def a_player(name: str, relay: FakeRelay, *more: str) -> Program:
    key = {"alice": ALICE, "bob": BOB}[name]
    return Program(secret=key.to_hex(), server=SERVER.pubkey, relays=[relay.url, *more])


@pytest.mark.parametrize("extensions", [True, False])
def test_two_players_play_a_game_to_mate(*, extensions: bool) -> None:
    with an_arbiter(extensions=extensions) as (arbiter, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            assert white.until("started")["color"] == "white"
            assert black.until("started")["opponent"] == ALICE.pubkey
            for ply, san in enumerate(FOOLS_MATE, 1):
                mover = white if ply % 2 else black
                mover.until("state", ply=ply - 1, my_turn=True)
                mover.enter(san)
            for player, outcome in ((white, "lost"), (black, "won")):
                player.end_input()
                ended = player.until("ended")
                assert (ended["result"], ended["outcome"]) == ("0-1", outcome)
                assert player.until("pgn")["from"] == "arbiter"
                assert player.until("left")["code"] == ExitCode.ENDED == player.exit_code()
    moves = [event["content"] for event in arbiter.received if event["kind"] == 20303]
    assert moves == ["f2f3", "e7e5", "g2g4", "d8h4"]


def test_an_illegal_move_never_leaves_the_client() -> None:
    with an_arbiter() as (arbiter, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            black.until("state")
            white.until("state")
            white.enter("e5")
            assert white.until("error")["code"] == "illegal-move"
            white.enter("resign")
            assert black.until("ended")["outcome"] == "won"
    assert [e["content"] for e in arbiter.received if e["kind"] == 20303] == ["quit"]


def test_a_dropped_relay_is_dialled_again_and_the_game_goes_on() -> None:
    with an_arbiter() as (_, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            white.until("state", ply=0)
            relay.client(1).drop()
            white.until("disconnected", connected=0)
            white.until("connected")
            white.enter("e4")
            assert black.until("state", ply=1)["last"] == "e2e4"
            assert white.until("state", ply=1)["my_turn"] is False


def test_a_game_that_ended_while_the_player_was_away_is_learnt_from_its_record() -> None:
    with an_arbiter() as (_, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            white.until("state", ply=0)
            black.until("state", ply=0)
            relay.clients[0].subscriptions.clear()
            black.enter("resign")
            black.until("pgn")
            relay.client(1).drop()
            assert white.until("ended")["outcome"] == "won"


def test_two_players_talk_and_agree_to_a_draw_while_a_third_watches() -> None:
    with an_arbiter() as (arbiter, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            white.until("state", ply=0)
            black.until("state", ply=0)
            watching = ["--watch", GAME]
            eve = Program(
                secret=EVE.to_hex(), server=SERVER.pubkey, relays=[relay.url], options=watching
            )
            with eve:
                assert eve.until("started")["watched"] is True
                white.enter("say a draw?")
                assert black.until("chat", mine=False)["text"] == "a draw?"
                white.enter("draw")
                assert black.until("offer", mine=False)["offer"] == "draw"
                tuned_in = relay.count("REQ")
                black.enter("accept")
                for each in (white, black, eve):
                    assert each.until("ended")["termination"] == "agreement"
                # Now that it is over both players listen to the spectators too.
                relay.message("REQ", tuned_in + 2)
                eve.enter("say well fought")
                assert white.until("chat", mine=False)["public"] is True
                assert not [said for said in eve.said if said.get("text") == "a draw?"]
    (sealed,) = [event for event in arbiter.received if event["kind"] == 20305]
    assert "draw" not in sealed["content"]


def test_a_dropped_player_asks_for_his_game_and_not_for_another() -> None:
    with an_arbiter() as (arbiter, relay), a_player("alice", relay) as white:
        white.until("queued")
        with a_player("bob", relay) as black:
            white.until("state", ply=0)
            black.until("state", ply=0)
            asked = [event for event in arbiter.received if event["kind"] == 20300]
            relay.client(1).drop()
            white.until("disconnected", connected=0)
            white.until("connected")
            white.enter("e4")
            black.until("state", ply=1)
            assert [event for event in arbiter.received if event["kind"] == 20300] == asked
