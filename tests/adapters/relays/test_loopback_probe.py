"""What a listener makes of a relay that answers everything and brings nothing."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import Pong
from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.adapters.relays.deadline_socket import RelayFailure
from arbiter.adapters.relays.loopback_probe import LOOPBACK_KIND, LoopbackPacing, LoopbackProbe
from arbiter.adapters.relays.protocol import (
    SUBSCRIPTION,
    Action,
    Disconnect,
    EventReceived,
    ListenerConfig,
    Pacing,
    RelayProtocol,
    Send,
)
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_from_json, verify
from tests.adapters.relays.watching import json_of
from tests.builders import ALICE, EVE, SERVER

URL = "wss://relay.example/"
EOSE = ("EOSE", SUBSCRIPTION)
LEFT = (Disconnect(RelayFailure.LOOPBACK_LOST),)
# Nothing but the canary has a time of its own here.
CALM = Pacing(
    ping_after_seconds=1e6,
    answer_within_seconds=1e6,
    refresh_after_seconds=60.0,
    resubscribe=Backoff(first_seconds=1.0, longest_seconds=1.0),
)
SILENCE, BACK_WITHIN = 30.0, 10.0


class Relay:
    """Conversations with one relay, one after the other; ``now`` is when the last thing was."""

    def __init__(self, *, chance: float = 1.0) -> None:
        self.tally = MemoryCounters()
        self.canary = LoopbackProbe(LoopbackPacing(), lambda: chance)
        self.now = 0.0
        self.subject = ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=SERVER.pubkey,
            pacing=CALM,
            unix_seconds=lambda: 1_800_000_000 + int(self.now),
            chance=lambda: chance,
            pubkey=EVE.pubkey,
            sign=EVE.sign,
            counters=self.tally,
        )
        self.connects()

    def connects(self) -> Sequence[Any]:
        """A new connection; the REQ that is made on it."""
        self.conversation = RelayProtocol(URL, self.subject, self.canary)
        (req,) = said(self.conversation.connected(self.now))
        return list(req)

    def hears(self, *message: Any, after: float = 0.0) -> Sequence[Action]:
        self.now += after
        return self.conversation.receive(json.dumps(message).encode(), self.now)

    def brings_a_move(self, after: float = 0.0) -> Sequence[Action]:
        """A player is heard."""
        at = self.subject.unix_seconds()
        move = ALICE.sign(EventTemplate(20303, (("p", SERVER.pubkey),), "e2e4", at))
        return self.hears("EVENT", SUBSCRIPTION, json_of(move), after=after)

    def waits(self) -> Sequence[Action]:
        """Nothing comes until something is due."""
        self.now = self.conversation.next_deadline()
        return self.conversation.on_timeout(self.now)

    def is_heard(self) -> bool:
        return self.canary.is_healthy

    def sends_a_canary(self) -> dict[str, Any]:
        """The next thing that is due is a canary."""
        ((verb, event),) = said(self.waits())
        assert (verb, event["kind"]) == ("EVENT", LOOPBACK_KIND)
        return dict(event)

    def proves_itself(self) -> None:
        """A canary is sent and comes back."""
        self.hears(*EOSE)
        self.hears("EVENT", SUBSCRIPTION, self.sends_a_canary())
        assert self.tally.counts()["canary-seen"] == 1

    def loses_a_canary(self) -> None:
        """The next one is sent, and never seen again."""
        self.sends_a_canary()
        assert self.waits() == LEFT


def said(actions: Sequence[Action]) -> list[Any]:
    return [json.loads(action.text) for action in actions if isinstance(action, Send)]


def test_a_silent_relay_is_sent_a_small_event_of_nobodys_that_names_it() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    sent = relay.sends_a_canary()
    event = event_from_json(sent)
    assert isinstance(event, NostrEvent)
    assert isinstance(verify(event), VerifiedEvent)
    assert event.pubkey == EVE.pubkey != SERVER.pubkey
    assert event.tags == (("relay", URL),)
    assert relay.now == SILENCE
    assert len(json.dumps(sent)) < 500


def test_it_is_asked_for_over_the_subscription_that_players_are_heard_on() -> None:
    verb, name, players, canary = Relay().connects()
    assert (verb, name) == ("REQ", SUBSCRIPTION)
    assert "authors" not in players
    assert (canary["authors"], canary["kinds"]) == ([EVE.pubkey], [LOOPBACK_KIND])


def test_one_that_comes_back_is_passed_on_to_nobody_and_another_follows() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    first = relay.sends_a_canary()
    assert relay.hears("OK", first["id"], True, "", after=1.0) == ()
    assert relay.hears("EVENT", SUBSCRIPTION, first) == ()
    relay.waits()
    relay.hears(*EOSE)
    second = relay.sends_a_canary()
    assert second["id"] != first["id"]
    assert relay.tally.counts() == {
        "eose": 2, "canary-sent": 2, "canary-taken": 1, "canary-seen": 1,
    }  # fmt: skip


def test_half_of_the_silence_is_chance() -> None:
    relay = Relay(chance=0.0)
    relay.hears(*EOSE)
    relay.sends_a_canary()
    assert relay.now == SILENCE / 2


def test_a_relay_that_takes_it_and_does_not_bring_it_back_is_left() -> None:
    relay = Relay()
    relay.proves_itself()
    sent = relay.sends_a_canary()
    relay.hears("OK", sent["id"], True, "")
    relay.conversation.receive(Pong(), relay.now + 5.0)
    began = relay.now
    assert relay.waits() == LEFT
    assert relay.now - began == BACK_WITHIN


def test_none_is_sent_while_players_are_heard() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    for _ in range(5):
        relay.brings_a_move(after=SILENCE - 20.0)
    assert relay.tally.counts()["canary-sent"] == 0
    assert relay.conversation.next_deadline() == 60.0


def test_a_player_who_is_heard_meanwhile_proves_as_much() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.sends_a_canary()
    (action,) = relay.brings_a_move(after=9.0)
    assert isinstance(action, EventReceived)
    assert relay.waits() != LEFT
    assert relay.is_heard()


def test_what_is_stored_proves_nothing_of_what_is_new() -> None:
    relay = Relay()
    relay.brings_a_move()
    assert relay.conversation.next_deadline() == 60.0
    relay.hears(*EOSE)
    relay.sends_a_canary()
    assert relay.now == SILENCE


def test_the_subscription_is_not_made_anew_while_one_is_on_its_way() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    relay.brings_a_move(after=25.0)
    relay.sends_a_canary()
    relay.brings_a_move(after=2.0)
    ((verb, *_),) = said(relay.waits())
    assert (verb, relay.now) == ("REQ", 60.0)
    relay.hears(*EOSE)
    assert relay.conversation.next_deadline() == 60.0 + SILENCE


@pytest.mark.parametrize(
    "forgery",
    [{"content": "forged"}, {"created_at": 1}, {"sig": "00" * 64}, {"id": "00" * 32}, {"tags": []}],
)
def test_only_its_own_bytes_count(forgery: dict[str, Any]) -> None:
    relay = Relay()
    relay.proves_itself()
    sent = relay.sends_a_canary()
    (action,) = relay.hears("EVENT", SUBSCRIPTION, {**sent, **forgery})
    assert isinstance(action, EventReceived)
    assert relay.waits() == LEFT


def test_what_comes_under_another_subscription_does_not_count() -> None:
    relay = Relay()
    relay.proves_itself()
    sent = relay.sends_a_canary()
    assert relay.hears("EVENT", "another", sent) == ()
    assert relay.waits() == LEFT


def test_one_of_before_does_not_count_for_the_present_one() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    before = relay.sends_a_canary()
    relay.hears("EVENT", SUBSCRIPTION, before)
    relay.sends_a_canary()
    for _ in range(1000):
        relay.hears("EVENT", SUBSCRIPTION, before)
    assert relay.waits() == LEFT
    assert relay.tally.counts()["canary-seen"] == 1


def test_a_flood_of_one_that_came_back_puts_nothing_off() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    sent = relay.sends_a_canary()
    relay.hears("EVENT", SUBSCRIPTION, sent)
    for _ in range(20):
        relay.hears("EVENT", SUBSCRIPTION, sent, after=1.0)
    relay.sends_a_canary()
    assert relay.now == 2 * SILENCE


REFUSALS = [
    "auth-required: who are you?", "restricted: not you", "blocked: kind not allowed",
    "pow: 28 bits needed", "invalid: too old", "rate-limited: slow down", "mute: nobody listens",
    "error: no room", "",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS)
def test_a_relay_that_refuses_it_is_kept_and_left_in_peace(text: str) -> None:
    relay = Relay()
    relay.hears(*EOSE)
    sent = relay.sends_a_canary()
    relay.hears("OK", sent["id"], False, text)
    assert relay.tally.counts()["canary-refused"] == 1
    ((verb, *filters),) = said(relay.waits())
    assert (verb, relay.now, len(filters)) == ("REQ", 60.0, 2)
    relay.hears(*EOSE)
    assert relay.conversation.next_deadline() == 120.0
    assert relay.is_heard()


def test_a_notice_instead_of_a_verdict_refuses_it_too() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    relay.sends_a_canary()
    relay.hears("NOTICE", "we do not take these")
    assert relay.tally.counts()["canary-refused"] == 1
    assert relay.conversation.next_deadline() == 60.0


def test_a_notice_after_it_was_taken_refuses_nothing() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.hears("OK", relay.sends_a_canary()["id"], True, "")
    relay.hears("NOTICE", "la la la")
    assert relay.waits() == LEFT


def test_each_refusal_is_believed_for_longer_than_the_one_before_for_an_hour_at_most() -> None:
    relay, at = Relay(), []
    while relay.now < 6 * 3600.0:
        relay.hears(*EOSE)
        (message,) = said(relay.waits())
        if message[0] == "EVENT":
            at.append(relay.now)
            relay.hears("OK", message[1]["id"], False, "blocked: no")
    pauses = [later - earlier for earlier, later in itertools.pairwise(at)]
    assert pauses == sorted(pauses)
    assert 60.0 <= pauses[0] <= 180.0
    assert 3600.0 <= pauses[-1] <= 3600.0 + 120.0


def test_a_relay_that_closes_the_subscription_is_asked_again_without_it() -> None:
    relay = Relay()
    relay.hears("CLOSED", SUBSCRIPTION, "invalid: one filter at a time")
    ((verb, _, *filters),) = said(relay.waits())
    assert (verb, len(filters)) == ("REQ", 1)
    relay.hears(*EOSE)
    assert relay.conversation.next_deadline() > relay.now + SILENCE


def test_a_subscription_that_is_closed_takes_nothing_back_with_it() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.sends_a_canary()
    relay.hears("CLOSED", SUBSCRIPTION, "error: restart")
    ((verb, _, *filters),) = said(relay.waits())
    assert (verb, len(filters)) == ("REQ", 2)
    relay.hears(*EOSE)
    relay.sends_a_canary()
    assert relay.is_heard()


def test_a_proven_relay_that_loses_one_is_not_heard_until_it_brings_one_back() -> None:
    relay = Relay()
    relay.proves_itself()
    assert relay.is_heard()
    relay.loses_a_canary()
    assert not relay.is_heard()
    relay.connects()
    relay.hears(*EOSE)
    assert not relay.is_heard()
    began = relay.now
    relay.hears("EVENT", SUBSCRIPTION, relay.sends_a_canary())
    assert relay.is_heard()
    assert relay.now - began == 1.0


def test_a_player_makes_it_heard_again_as_well() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.loses_a_canary()
    relay.connects()
    relay.brings_a_move()
    relay.hears(*EOSE)
    assert not relay.is_heard()
    relay.brings_a_move()
    assert relay.is_heard()


def test_a_relay_that_refuses_one_after_a_loss_is_believed_as_before() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.loses_a_canary()
    relay.connects()
    relay.hears(*EOSE)
    relay.hears("OK", relay.sends_a_canary()["id"], False, "blocked: enough")
    assert relay.is_heard()


def test_a_relay_that_goes_on_losing_them_is_left_again_each_time_later() -> None:
    relay, lasted = Relay(), []
    relay.proves_itself()
    for _ in range(8):
        relay.loses_a_canary()
        began = relay.now
        relay.connects()
        relay.hears(*EOSE)
        lasted.append(relay.conversation.next_deadline() - began)
    assert lasted == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_a_relay_that_was_never_seen_to_bring_one_back_is_soon_believed_without() -> None:
    relay, left = Relay(), []
    while relay.now < 3600.0:
        relay.hears(*EOSE)
        if relay.waits() == LEFT:
            assert relay.is_heard()
            left.append(relay.now)
            relay.connects()
    assert left[:2] == [SILENCE + BACK_WITHIN, SILENCE + BACK_WITHIN + 1.0 + BACK_WITHIN]
    assert len(left) <= 4


def test_a_relay_that_hangs_up_on_it_is_left_in_peace_as_if_it_had_said_no() -> None:
    relay = Relay()
    relay.hears(*EOSE)
    relay.sends_a_canary()

    _, _, *filters = relay.connects()

    assert len(filters) == 1
    assert not relay.canary.is_asked_for(relay.now)


def test_a_relay_that_brought_one_back_may_lose_a_connection_while_it_is_awaited() -> None:
    relay = Relay()
    relay.proves_itself()
    relay.sends_a_canary()

    relay.connects()

    assert relay.canary.is_asked_for(relay.now)
