"""The operator's policy at our own relay."""

from dataclasses import replace
from typing import Any

import pytest

from arbiter.application.policy import KnownPolicy
from arbiter.core.policy import Closing, Denial, Policy
from arbiter.nostr.event import VerifiedEvent
from tests.application.gateway.relay_world import (
    GAME,
    NOW,
    PLAYED,
    TO_BOB,
    US,
    RelayWorld,
    a_chat,
    a_move,
    a_relay_with_a_game,
    a_request,
)
from tests.builders import ALICE, BOB, NOW_MS, an_event
from tests.fakes.policy import FixedPolicy


def a_relay_ruled_by(policy: Policy) -> RelayWorld:
    relay = a_relay_with_a_game()
    relay.deps = replace(relay.deps, policy=KnownPolicy(FixedPolicy(policy), relay.world.clock))
    return relay


DENIED = Policy(denied={ALICE.pubkey: Denial(NOW_MS, "rude")})
SEEKS = [
    a_request(),
    a_request(content=f"accept:{GAME.id}"),
    a_chat(ALICE),
    an_event(ALICE, 20305, "sealed", (PLAYED, TO_BOB), NOW),
    an_event(ALICE, 5000, "connect", (US,), NOW),
]
GOES_ON = [a_request(content="state"), a_request(content="cancel"), a_move(ALICE)]


@pytest.mark.parametrize("event", SEEKS)
def test_a_denied_key_is_refused_before_anything_is_counted_or_queued(event: VerifiedEvent) -> None:
    relay = a_relay_ruled_by(DENIED)

    (said,) = relay.publish(event)

    assert said == ["OK", event.id, False, "restricted: this key may not play here: rude"]
    assert relay.queue.waiting == []
    counted = [key.partition(":")[0] for key, *_ in relay.rates.counts]
    assert not {"events", "more-events", "event", "chats", "events-from"} & {*counted}


@pytest.mark.parametrize("event", GOES_ON)
def test_a_denied_key_plays_on_and_withdraws(event: VerifiedEvent) -> None:
    relay = a_relay_ruled_by(DENIED)

    said: list[list[Any]] = relay.publish(event)

    assert said[0][2] is True, said
    assert len(relay.queue.waiting) == 1


def test_while_it_is_closed_the_arbiter_answers_who_asks() -> None:
    relay = a_relay_ruled_by(Policy(closed=Closing(NOW_MS, "back at nine")))

    assert relay.publish(a_request())[0][2] is True


def test_the_gateway_takes_lists_of_the_operator_alone() -> None:
    relay = a_relay_ruled_by(Policy(operator=ALICE.pubkey))
    tags = (("d", "arbiter-deny"), US, TO_BOB)

    (taken,) = relay.publish(an_event(ALICE, 30000, "", tags, NOW))
    (refused,) = relay.publish(an_event(BOB, 30000, "", tags, NOW))

    assert taken[2] is True, taken
    assert refused[2:] == [False, "blocked: only chess is played here"]
    assert len(relay.queue.waiting) == 1


def test_a_report_is_queued_and_told_to_no_subscriber() -> None:
    relay = a_relay_ruled_by(Policy())
    assert relay.open("y")
    relay.subscribe({"#p": [BOB.pubkey]}, on="y")

    (taken,) = relay.publish(an_event(ALICE, 1984, "", (US, TO_BOB), NOW))

    assert taken[2] is True, taken
    assert len(relay.queue.waiting) == 1
    assert relay.sockets.heard("y") == []
