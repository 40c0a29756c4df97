"""Two of our clients as processes, a relay on loopback, and a small arbiter that is not ours."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from clients.terminal.session import ExitCode
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.fake_arbiter import GAME, FakeArbiter, an_arbiter
from tests.clients.terminal.program import Program
from tests.fakes.relay import FakeRelay

Game = tuple[FakeArbiter, FakeRelay, Program, Program]


def a_player(secret: str, relay: FakeRelay, *options: str) -> Program:
    return Program(secret=secret, server=SERVER.pubkey, relays=[relay.url], options=options)


@contextmanager
def begun(*, extensions: bool = True) -> Iterator[Game]:
    """The arbiter, its relay, and two players in a game that both have seen."""
    with (
        an_arbiter(extensions=extensions) as (arbiter, relay),
        a_player(ALICE.to_hex(), relay) as white,
    ):
        white.until("queued")
        with a_player(BOB.to_hex(), relay) as black:
            assert white.until("started")["color"] == "white"
            assert black.until("started")["opponent"] == ALICE.pubkey
            white.until("state", ply=0)
            black.until("state", ply=0)
            yield arbiter, relay, white, black


def contents(arbiter: FakeArbiter, kind: int) -> list[str]:
    return [event["content"] for event in arbiter.received if event["kind"] == kind]


@pytest.mark.parametrize("extensions", [True, False])
def test_two_players_play_a_game_to_mate(*, extensions: bool) -> None:
    with begun(extensions=extensions) as (arbiter, _, white, black):
        for ply, san in enumerate(("f3", "e5", "g4", "Qh4#")):
            mover = black if ply % 2 else white
            if ply:
                mover.until("state", ply=ply, my_turn=True)
            mover.enter(san)
        for player, outcome in ((white, "lost"), (black, "won")):
            player.end_input()
            ended = player.until("ended")
            assert (ended["result"], ended["outcome"]) == ("0-1", outcome)
            assert player.until("pgn")["from"] == "arbiter"
            assert player.until("left")["code"] == ExitCode.ENDED == player.exit_code()
    assert contents(arbiter, 20303) == ["f2f3", "e7e5", "g2g4", "d8h4"]


def test_a_dropped_relay_is_dialled_again_and_no_other_game_asked_for() -> None:
    with begun() as (arbiter, relay, white, black):
        asked = contents(arbiter, 20300)
        relay.client(1).drop()
        white.until("disconnected", connected=0)
        white.until("connected")
        white.enter("e4")
        assert black.until("state", ply=1)["last"] == "e2e4"
        assert white.until("state", ply=1)["my_turn"] is False
        assert contents(arbiter, 20300) == asked


def test_two_players_talk_and_agree_to_a_draw_while_a_third_watches() -> None:
    with (
        begun() as (arbiter, relay, white, black),
        a_player(EVE.to_hex(), relay, "--watch", GAME) as eve,
    ):
        assert eve.until("started")["watched"] is True
        white.enter("say a draw?")
        assert black.until("chat", mine=False)["text"] == "a draw?"
        white.enter("draw")
        assert black.until("offer", mine=False)["offer"] == "draw"
        subscriptions = relay.count("REQ")
        black.enter("accept")
        for each in (white, black, eve):
            assert each.until("ended")["termination"] == "agreement"
        # After the end both players subscribe to the spectators too.
        relay.message("REQ", subscriptions + 2)
        eve.enter("say well fought")
        assert white.until("chat", mine=False)["public"] is True
        assert not [said for said in eve.said if said.get("text") == "a draw?"]
    (encrypted,) = contents(arbiter, 20305)
    assert "draw" not in encrypted
