"""Pairing from pools, and the waiting there."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.pairing import WAITING_IN_A_POOL
from arbiter.core.ratings import Rating, Standing
from tests.application.script import Conversation
from tests.builders import ALICE, BOB
from tests.contract.test_connections import a_connection


def test_a_flood_of_keys_that_have_played_leaves_half_the_pool_to_those_who_have_not() -> None:
    talk = Conversation(in_order=False)
    for line in ("alice seek", f"{WAITING_IN_A_POOL - 1} x veteran# seek bot"):
        talk.line(line)
    talk.world.clock.ms -= 100_000
    pool = talk.world.lobby.pool("standard:unlimited:casual")
    played = [replace(seek, has_played=seek.seat.player != ALICE.pubkey) for seek in pool.waiting]
    talk.world.lobby.pools[pool.name] = replace(pool, waiting=tuple(played))
    talk.line(f"{WAITING_IN_A_POOL // 2 - 1} x bot# seek bot")
    assert len(talk.fact("waiting").split()) == WAITING_IN_A_POOL
    assert "veteran0" not in talk.fact("waiting").split()
    talk.line("carol seek")
    assert talk.fact("games") == "1"


def test_a_range_is_compared_with_the_rating_at_that_speed() -> None:
    talk = Conversation(in_order=False)
    for speed, value in ((Speed.BLITZ, 1720.0), (Speed.RAPID, 900.0)):
        standing = Standing(BOB.pubkey, speed, Rating(value=value), 30)
        talk.world.ratings.standings[BOB.pubkey, speed] = standing
    talk.line("alice seek blitz rating=1700,1800")
    talk.line("carol seek blitz > carol queued")
    talk.line("bob seek blitz")
    assert talk.fact("games") == "1"


def test_a_game_without_clocks_has_no_timer_once_both_have_moved() -> None:
    talk = Conversation(in_order=False)
    talk.line("alice seek; bob seek; moves e2e4 e7e5; timer > -")
    assert talk.game().timer_at_ms is None


def test_a_challenge_without_clocks_waits_for_first_moves_for_ever() -> None:
    talk = Conversation(in_order=False)
    talk.line("alice challenge open; bob accept c1")
    assert talk.game().timer_at_ms is None
    assert talk.game().deadline_ms() is None


@pytest.mark.parametrize("again", [1, 2, 3])
def test_a_timer_that_comes_again_tells_again_that_the_player_waits(again: int) -> None:
    talk = Conversation(in_order=False)
    talk.line("alice seek blitz; bob seek blitz; alice e2e4; 2 x timer")
    waits = talk.world.lobby.player(ALICE.pubkey)
    for _ in range(again):
        talk.line("timer > same state * aborted | alice queued")
    assert talk.world.lobby.player(waits.id) == waits


def test_a_player_who_took_their_request_back_does_not_wait_again() -> None:
    talk = Conversation(in_order=False)
    talk.line("alice seek; bob seek; alice e2e4; alice cancel; 2 x timer")
    assert (talk.fact("end"), talk.fact("waiting")) == ("* aborted", "-")


def ask(talk: Conversation, words: str, socket: str | None = None) -> None:
    """Ask for a game over a relay, or over this socket of the gateway."""
    event, _ = talk.players.event(words)
    if socket:
        world = talk.world
        world.connections.add(a_connection(socket), world.clock.ms)
        world.connections.meet(socket, event.pubkey)
    talk.deliver(talk.world.body(event, at_gateway=socket is not None))
    talk.line("wait 1s")


def test_a_player_who_left_the_gateway_is_not_met_and_ten_seconds_later_is_out() -> None:
    talk = Conversation(in_order=False)
    ask(talk, "ghost seek blitz", "tab")
    ask(talk, "alice seek blitz color=white", "other tab")
    assert talk.fact("games") == "1"

    ask(talk, "ghost2 seek rapid", "lost")
    talk.world.connections.remove("lost")
    talk.line("bob seek rapid > bob queued")
    assert talk.fact("waiting") == "ghost2 bob"
    talk.line("wait 10s; carol seek rapid color=white")
    assert talk.fact("games") == "2"
    assert talk.fact("waiting") == "-"


def test_a_player_who_is_back_within_ten_seconds_keeps_their_place() -> None:
    talk = Conversation(in_order=False)
    ask(talk, "alice seek blitz", "tab")
    talk.world.connections.remove("tab")
    talk.line("bob seek blitz > bob queued")
    talk.world.connections.add(a_connection("tab again"), talk.world.clock.ms)
    talk.world.connections.meet("tab again", ALICE.pubkey)
    talk.line("wait 60s; carol seek blitz")
    assert {talk.players.name(it.player) for it in (talk.game().white, talk.game().black)} == {
        "alice",
        "carol",
    }


def ask_over_both(talk: Conversation, words: str, socket: str) -> None:
    """Ask over a relay, whose copy comes first, and over this socket, which closes then."""
    event, _ = talk.players.event(words)
    talk.deliver(talk.world.body(event))
    talk.world.connections.add(a_connection(socket), talk.world.clock.ms)
    talk.world.connections.meet(socket, event.pubkey)
    talk.deliver(talk.world.body(event, at_gateway=True))
    talk.world.connections.remove(socket)
    talk.line("wait 1s")


@pytest.mark.parametrize(("said", "games"), [(" here", "0"), ("", "1")], ids=["here", "nothing"])
def test_who_said_that_they_have_a_socket_leaves_with_it_whichever_copy_came_first(
    said: str, games: str
) -> None:
    talk = Conversation(in_order=False)
    ask_over_both(talk, f"ghost seek blitz{said}", "tab")
    talk.line("bob seek blitz")
    assert talk.fact("games") == games


def test_who_left_in_a_game_that_their_request_began_at_once_is_not_met_afterwards() -> None:
    talk = Conversation(in_order=False)
    talk.line("alice seek blitz color=white")
    ask_over_both(talk, "ghost seek blitz color=black here", "tab")
    assert talk.fact("games") == "1"
    talk.line("2 x timer")
    assert (talk.fact("end"), talk.fact("waiting")) == ("* aborted", "ghost")
    talk.line("bob seek blitz > bob queued")


def test_a_request_by_days_waits_for_a_player_who_closed_every_tab() -> None:
    talk = Conversation(in_order=False)
    ask(talk, "alice seek time=3d", "tab")
    talk.world.connections.remove("tab")
    talk.line("wait 13d; bob seek time=3d")
    assert talk.fact("games") == "1"


def test_no_more_players_are_looked_for_than_a_few() -> None:
    talk = Conversation(in_order=False)
    for number in range(12):
        ask(talk, f"ghost{number} seek blitz color=white", f"tab{number}")
        talk.world.connections.remove(f"tab{number}")
    looked_for: list[str] = []
    talk.world.connections.hook = looked_for.append
    talk.line("alice seek blitz color=black > alice queued")
    assert looked_for.count("connections.here_since") == 8
