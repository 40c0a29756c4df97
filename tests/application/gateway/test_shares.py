"""Shares of each key, address and stranger at our own relay."""

import pytest

from arbiter.application.gateway.events import FRAMES_UNCOUNTED
from tests.application.gateway.relay_world import (
    NOW,
    PLAYED,
    US,
    RelayWorld,
    a_chat,
    a_move,
    a_relay_with_a_game,
    a_request,
    fates,
)
from tests.builders import ALICE, BOB, EVE, a_key, an_event
from tests.fakes.faults import crash_at

STRANGERS = [a_key(f"stranger {number}") for number in range(6)]


def test_who_talks_too_fast_may_still_move() -> None:
    relay = a_relay_with_a_game(chats_per_ten_seconds=1)
    lines = [a_chat(ALICE, "a"), a_chat(ALICE, "b"), a_request()]
    assert fates(relay, lines) == "OK rate-limited OK"


def test_copies_that_others_send_do_not_use_up_the_share_of_the_author() -> None:
    relay = a_relay_with_a_game()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number)) for number in range(3)]
    for copy in [*signed, *signed] * 60:
        relay.world.clock.ms += 20
        relay.publish(copy, on="thief")
    assert fates(relay, signed[:1], on="thief") == "rate-limited"
    assert fates(relay, [a_request(content="fresh")]) == "OK"
    fates(relay, [a_chat(ALICE)] * 10, on="thief")
    assert fates(relay, [a_chat(ALICE, "thanks")]) == "OK"


def test_who_floods_with_copies_of_one_event_each_has_used_up_their_own_share_alone() -> None:
    """A bot's last quarter of an hour, once or twice each, from one foreign address."""
    relay = a_relay_with_a_game()
    relay.open("thief", address="192.0.2.66")
    signed = [a_request(content=str(number), at=NOW - number) for number in range(140)]
    statuses = fates(relay, signed * 3, on="thief").split()
    assert (statuses.count("OK"), statuses[-1]) == (300, "rate-limited")
    fresh = [a_request(content=f"fresh {number}") for number in range(300)]
    assert {*fates(relay, fresh).split()} == {"OK"}


def test_at_the_same_address_who_proved_the_key_has_a_share_of_their_own() -> None:
    relay = a_relay_with_a_game(events_per_ten_seconds=3)
    relay.open("thief")
    relay.connections.authenticate("x", ALICE.pubkey)
    signed = [a_request(content=str(number)) for number in range(4)]
    assert fates(relay, signed, on="thief").endswith("rate-limited")
    assert fates(relay, [a_request(content="fresh")]) == "OK"


@pytest.mark.parametrize("is_proved", [False, True])
def test_no_flooder_has_more_by_opening_more_sockets(*, is_proved: bool) -> None:
    relay, accepted = a_relay_with_a_game(events_per_ten_seconds=10), 0
    for number in range(40):
        socket = f"socket {number % 8}"
        if number < 8:
            relay.open(socket, address=f"192.0.2.{number}" if is_proved else "192.0.2.9")
            if is_proved:
                relay.connections.authenticate(socket, ALICE.pubkey)
        accepted += fates(relay, [a_request(content=str(number))], on=socket) == "OK"
    assert accepted == 10


def test_a_usual_move_is_not_counted_and_those_of_a_program_once() -> None:
    relay = a_relay_with_a_game()
    moves = [a_move(ALICE, f"word {number}") for number in range(FRAMES_UNCOUNTED + 1)]
    relay.rates.counts.clear()
    fates(relay, moves[:-1])
    assert not relay.rates.counts
    fates(relay, moves[-1:])
    counted = [key for key, *_ in relay.rates.counts]
    assert counted == ["frames:192.0.2.1", f"events:{ALICE.pubkey}@192.0.2.1"]


def test_questions_about_one_game_are_counted_together_for_all_authors() -> None:
    relay = a_relay_with_a_game(questions_per_ten_seconds=2)
    asked = [a_move(key, "state") for key in (EVE, BOB, ALICE)]
    assert fates(relay, asked) == "OK OK rate-limited"
    assert fates(relay, [a_move(ALICE), a_request(content="state")]) == "OK OK"


def said_by_strangers(relay: RelayWorld, *tags: tuple[str, ...]) -> str:
    """The fate of a move of each, over a socket and from an address of their own."""
    said = []
    for number, key in enumerate(STRANGERS):
        relay.open(f"socket {number}", address=f"192.0.2.{number + 10}")
        said.append(fates(relay, [a_move(key, "e2e4", US, *tags)], on=f"socket {number}"))
    return " ".join(said)


TWO_OF_SIX = "OK OK" + " rate-limited" * 4


@pytest.mark.parametrize(
    ("limit", "tags"),
    [
        ("strangers_per_ten_seconds", (PLAYED,)),
        ("strangers_per_ten_seconds", (("d", "ab" * 16),)),
        ("all_strangers_per_ten_seconds", (PLAYED,)),
        ("all_strangers_per_ten_seconds", ()),
        ("all_strangers_per_ten_seconds", (("d", "no game"),)),
    ],
)
def test_strangers_have_one_share_of_a_game_and_its_players_are_no_part_of_it(
    limit: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    relay = a_relay_with_a_game(**{limit: 2})
    assert said_by_strangers(relay, *tags) == TWO_OF_SIX
    own = [a_move(key, f"word {number}") for number in range(5) for key in (ALICE, BOB)]
    assert {*fates(relay, own).split()} == {"OK"}


def test_strangers_behind_one_address_have_one_share_of_all_games() -> None:
    relay = a_relay_with_a_game(address_strangers_per_ten_seconds=2)
    moves = [a_move(key, "e2e4", ("d", key.pubkey[:32]), US) for key in STRANGERS]
    assert fates(relay, [*moves, a_move(ALICE)]) == f"{TWO_OF_SIX} OK"


def test_who_plays_no_game_over_a_socket_is_a_stranger_and_who_plays_one_is_none() -> None:
    relay = a_relay_with_a_game(address_strangers_per_ten_seconds=1)
    for key in (ALICE, BOB, EVE):
        relay.connections.authenticate("x", key.pubkey)
    fates(relay, [an_event(key, 5000, "connect", (US,)) for key in (ALICE, BOB)])
    relay.arbitrate()
    # Were they strangers, the second would be one too many.
    fates(relay, [an_event(key, 5001, "e2e4", (US,)) for key in (ALICE, BOB)])
    assert len(relay.queue.waiting) == 2
    moves = [an_event(EVE, 5001, uci, (US,)) for uci in ("e2e4", "d2d4")]
    assert fates(relay, moves) == "- rate-limited"


def test_chat_of_strangers_for_the_arbiter_has_the_same_share() -> None:
    relay = a_relay_with_a_game(strangers_per_ten_seconds=1)
    assert fates(relay, [a_chat(key) for key in STRANGERS]) == "OK OK OK OK OK OK"
    for_us = [a_chat(key, "hello", PLAYED, US) for key in (*STRANGERS, ALICE)]
    assert fates(relay, for_us) == "OK" + " rate-limited" * 5 + " OK"


def test_who_plays_a_game_is_read_once_and_a_game_that_cannot_be_read_keeps_none_out() -> None:
    relay = a_relay_with_a_game(strangers_per_ten_seconds=1)
    relay.world.games.hook = crash_at("games.load", times=len(STRANGERS))
    assert {*said_by_strangers(relay, PLAYED).split()} == {"OK"}
    reads: list[str] = []
    relay.world.games.hook = reads.append
    fates(relay, [a_move(key, str(number)) for number in range(3) for key in (ALICE, BOB, EVE)])
    assert reads == ["games.load"]


def test_an_address_may_not_ask_for_games_nor_chat_with_keys_without_end() -> None:
    relay = a_relay_with_a_game(address_seeks_per_ten_seconds=1, address_chats_per_ten_seconds=1)
    relay.open("y")
    relay.open("z", address="192.0.2.2")
    connect = an_event(BOB, 5000, "connect", (US,))
    assert fates(relay, [a_request()]) == "OK"
    assert fates(relay, [connect], on="y") == "rate-limited"
    assert fates(relay, [an_event(BOB, 20300, tags=(US,))], on="z") == "OK"
    assert fates(relay, [a_chat(EVE), a_chat(BOB)]) == "OK rate-limited"


def test_a_socket_may_not_speak_for_keys_without_end() -> None:
    relay = a_relay_with_a_game(pubkeys=1)
    relay.connections.authenticate("x", ALICE.pubkey)
    connects = [an_event(key, 5000, "connect", (US,)) for key in (BOB, ALICE)]
    assert fates(relay, connects) == "restricted -"
    assert len(relay.queue.waiting) == 1
