"""Each limit of our own relay refuses what is beyond it, and is named by what it refused."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from arbiter.core.game import WHITE, Outcome, Termination
from arbiter.nostr.event import event_to_json
from arbiter.nostr.nip11 import RelayLimits
from arbiter.nostr.nip42 import auth_template
from tests.application.gateway.relay_world import GAME, URL, RelayWorld, a_chat, a_relay, told
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after, an_event

TO_SERVER = ("p", SERVER.pubkey)
STATES = {"kinds": [20302]}
NO_GAME = ("d", "ab" * 16)


def says(*message: Any) -> Callable[[RelayWorld], str]:
    return lambda relay: relay.say_text(json.dumps(message)).limit


def publishes(kind: int, *tags: tuple[str, ...], content: str = "", seconds: int = 0) -> Any:
    event = an_event(ALICE, kind, content, (TO_SERVER, *tags), NOW_MS // 1000 + seconds)
    return says("EVENT", event_to_json(event))


def asks_of_another_game(relay: RelayWorld) -> str:
    game = next(relay.numbers)
    event = an_event(EVE, 20303, "e2e4", (TO_SERVER, ("d", f"{game:032x}")))
    return relay.say_text(json.dumps(["EVENT", event_to_json(event)])).limit


def proves_another_key(relay: RelayWorld) -> str:
    key = (ALICE, BOB, EVE)[next(relay.numbers) % 3]
    challenge = relay.connections.open["x"].challenge
    answer = key.sign(auth_template(URL, challenge, NOW_MS // 1000))
    return relay.say_text(json.dumps(["AUTH", event_to_json(answer)])).limit


def subscribes_anew(relay: RelayWorld) -> str:
    return relay.say_text(json.dumps(["REQ", f"s{next(relay.numbers)}", STATES])).limit


def reads_a_long_note(relay: RelayWorld) -> str:
    moves = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves * 60
    game = replace(a_game(), moves=moves, outcome=Outcome(Termination.RESIGNATION, WHITE))
    relay.world.games.by_id[game.id] = game
    return relay.say_text(json.dumps(["REQ", "s", {"kinds": [64], "#d": [game.id]}])).limit


def chats(relay: RelayWorld) -> str:
    relay.world.games.by_id[GAME.id] = GAME
    return relay.say_text(json.dumps(["EVENT", event_to_json(a_chat(ALICE))])).limit


CONNECT = an_event(ALICE, 5000, "connect", (), NOW_MS // 1000 - 10)

LIMITS: list[tuple[str, int, int, Callable[[RelayWorld], str]]] = (
    [
        ("frames_per_ten_seconds", 2, 2, says("CLOSE", "s")),
        ("address_frames_per_ten_seconds", 10, 19, says("CLOSE", "s")),
        ("message_bytes", 500, 0, publishes(20300, content="x" * 500)),
        ("message_bytes", 60, 0, says("REQ", "s", {"#d": ["x" * 80]})),
        ("message_bytes", 60, 0, says("x" * 80)),
        ("garbage", 2, 2, says("COUNT")),
        ("filters", 2, 0, says("REQ", "s", STATES, STATES, STATES)),
        ("subscriptions", 2, 2, subscribes_anew),
        ("of_an_address", 2, 2, subscribes_anew),
        ("address_subscriptions", 2, 2, subscribes_anew),
        ("requests_per_ten_seconds", 2, 4, says("REQ", "s", STATES)),
        ("plies_per_ten_seconds", 500, 2, reads_a_long_note),
        ("all_plies_per_ten_seconds", 500, 2, reads_a_long_note),
        ("topics", 2, 0, says("REQ", "s", {"#d": ["1", "2", "3"]})),
        ("filter_bytes", 100, 0, says("REQ", "s", {**STATES, "#t": ["x" * 100]})),
        ("event_tags", 1, 0, publishes(20300, ("t", "x"))),
        ("content_chars", 2, 0, publishes(20300, content="abc")),
        ("past_seconds", 9, 0, publishes(20300, seconds=-10)),
        ("future_seconds", 9, 0, publishes(20300, seconds=10)),
        ("pubkeys", 1, 1, proves_another_key),
        ("address_seeks_per_ten_seconds", 2, 2, publishes(20300)),
        ("address_entries_per_ten_seconds", 2, 2, publishes(20307)),
        ("all_entries_per_ten_seconds", 2, 2, publishes(31925)),
        ("events_per_ten_seconds", 2, 2, publishes(20300)),
        ("questions_per_ten_seconds", 2, 2, publishes(20303, NO_GAME, content="state")),
        ("address_strangers_per_ten_seconds", 2, 2, asks_of_another_game),
        ("all_strangers_per_ten_seconds", 2, 2, asks_of_another_game),
        ("strangers_per_ten_seconds", 2, 2, publishes(20303, NO_GAME, content="e2e4")),
        ("chats_per_ten_seconds", 2, 2, chats),
        ("address_chats_per_ten_seconds", 2, 2, chats),
        ("untagged_connect_seconds", 9, 0, says("EVENT", event_to_json(CONNECT))),
    ]
)  # fmt: skip
"""Of each its name, its value, and how often something is done within it; the next is refused."""


def test_each_limit_is_here() -> None:
    silent = {"events", "games_read", "plies_shown", "address_deliveries_per_ten_seconds"}
    at_the_door = {"address_connections_per_minute"}  # there is no socket yet to answer on
    named = {field.name for field in fields(RelayLimits)}
    assert {name for name, *_ in LIMITS} == named - silent - at_the_door


@pytest.mark.parametrize(("name", "most", "within", "does"), LIMITS)
def test_a_refusal_names_its_limit(
    name: str, most: int, within: int, does: Callable[[RelayWorld], str]
) -> None:
    relay = a_relay(**{name: most})
    assert name in {field.name for field in fields(RelayLimits)}
    assert [does(relay) for _ in range(within + 1)] == [""] * within + [name]


def test_a_socket_that_goes_on_beyond_its_rate_is_closed_by_the_same_limit() -> None:
    relay = a_relay(frames_per_ten_seconds=2)
    assert [says("CLOSE", "s")(relay) for _ in range(5)][2:] == ["frames_per_ten_seconds"] * 3
    assert relay.sockets.hung_up == ["x"]


@pytest.mark.parametrize("again", [[7], [], [{}] * 11, [{"search": "x"}]])
def test_a_request_that_cannot_be_read_ends_the_subscription_that_it_was_to_replace(
    again: list[Any],
) -> None:
    relay = a_relay()
    assert told(relay.subscribe(STATES)) == ("EOSE",)
    assert told(relay.subscribe(*again))[0].startswith("CLOSED")
    assert not relay.connections.filed


@pytest.mark.parametrize("number", ["1e999", "1" * 5000, "9" * 40_000])
def test_an_event_that_cannot_be_read_is_refused_by_its_id(number: str) -> None:
    relay, event = a_relay(), event_to_json(an_event(ALICE, 20300, tags=(TO_SERVER,)))
    text = json.dumps(["EVENT", event]).replace(
        f'"created_at": {NOW_MS // 1000}', f'"created_at": {number}'
    )
    for frame in (text, text.encode()):
        relay.say_text(frame)
        ((verb, id_, is_taken, why),) = relay.sockets.heard("x")
        assert (verb, id_, is_taken, why[:9]) == ("OK", event["id"], False, "invalid: ")
