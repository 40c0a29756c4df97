"""Two of our clients, a relay on loopback, and an arbiter of forty lines that is not ours."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, SERVER
from tests.clients.terminal.fake_arbiter import FakeArbiter
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
