import json
from collections.abc import Sequence
from typing import Any

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
    Ping,
    RelayProtocol,
    Send,
)
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.event import NostrEvent, VerifiedEvent, event_from_json, verify
from arbiter.nostr.limits import MAX_AGE_SECONDS
from arbiter.nostr.nip11 import RelayLimits
from tests.adapters.relays.watching import a_move, json_of
from tests.builders import EVE, SERVER

NEVER = LoopbackPacing(silence=Backoff(first_seconds=1e6, longest_seconds=1e6))
UNIX = 1_800_000_000
URL = "wss://relay.example/"
PACING = Pacing(
    ping_after_seconds=20.0,
    pong_within_seconds=10.0,
    answer_within_seconds=15.0,
    refresh_after_seconds=60.0,
    resubscribe=Backoff(first_seconds=1.0, longest_seconds=8.0),
)


class Talk:
    """A conversation, opened at 0. Canaries have a file of their own, test_canary.py.

    ``unix_seconds`` is the time of day that its requests are dated by.
    """

    def __init__(self) -> None:
        self.unix_seconds = UNIX
        self.tally = MemoryCounters()
        self.conversation = RelayProtocol(
            URL,
            ListenerConfig(
                kinds=LISTENED_KINDS,
                server_pubkey=SERVER.pubkey,
                pacing=PACING,
                unix_seconds=lambda: self.unix_seconds,
                chance=lambda: 1.0,
                pubkey=EVE.pubkey,
                sign=EVE.sign,
                counters=self.tally,
            ),
            LoopbackProbe(NEVER, lambda: 1.0),
        )
        self.first = self.conversation.connected(0.0)

    def hears(self, *message: Any, at: float = 1.0) -> Sequence[Action]:
        return self.conversation.receive(json.dumps(message).encode(), at)

    def waits(self, until: float) -> Sequence[Action]:
        return self.conversation.on_timeout(until)

    @property
    def deadline(self) -> float:
        return self.conversation.next_deadline()


def said(actions: Sequence[Action]) -> list[Any]:
    return [json.loads(action.text) for action in actions if isinstance(action, Send)]


def test_it_asks_for_players_words_to_the_server_its_canary_and_the_last_minutes_too() -> None:
    (req,) = said(Talk().first)
    assert req == [
        "REQ",
        SUBSCRIPTION,
        {"kinds": [*LISTENED_KINDS], "#p": [SERVER.pubkey], "since": UNIX - MAX_AGE_SECONDS},
        {"kinds": [LOOPBACK_KIND], "authors": [EVE.pubkey], "since": UNIX - MAX_AGE_SECONDS},
    ]


def test_an_event_for_its_subscription_is_to_be_considered() -> None:
    talk, move = Talk(), a_move("e2e4")
    (action,) = talk.hears("EVENT", SUBSCRIPTION, json_of(move))
    assert isinstance(action, EventReceived)
    assert action.event == event_from_json(json_of(move))
    assert action.wanted.since == UNIX - MAX_AGE_SECONDS


def test_what_belongs_to_no_subscription_of_ours_is_counted_and_ignored() -> None:
    talk = Talk()
    for message in (["EVENT", "x", json_of(a_move("e2e4"))], ["EOSE", "x"], ["CLOSED", "x", ""]):
        assert talk.hears(*message) == ()
    assert talk.tally.counts() == {"foreign-subscription": 3}
    assert talk.deadline == 15.0


def test_junk_is_counted_and_ignored() -> None:
    talk = Talk()
    for junk in (b"", b"{", b"\xff\xfe", b"[]", b'["EVENT"]', b"[[[[[[[[[[]]]]]]]]]]", b"null"):
        assert talk.conversation.receive(junk, 1.0) == ()
    whole = json.dumps(["EVENT", SUBSCRIPTION, json_of(a_move("e2e4"))])
    assert talk.conversation.receive(whole[:-30].encode(), 1.0) == ()
    assert talk.tally.counts() == {"malformed": 8}


def test_a_notice_and_a_verdict_on_nothing_are_counted() -> None:
    talk = Talk()
    assert talk.hears("NOTICE", "hello") == ()
    assert talk.hears("OK", "00" * 32, True, "") == ()
    assert talk.tally.counts() == {"notice": 1, "foreign-ok": 1}


def test_a_quiet_relay_is_pinged_and_left_when_no_pong_comes() -> None:
    talk = Talk()
    talk.hears("EOSE", SUBSCRIPTION, at=0.0)
    assert talk.deadline == 20.0
    assert talk.waits(19.9) == []
    assert talk.waits(20.0) == [Ping()]
    assert talk.deadline == 30.0
    assert talk.waits(30.0) == (Disconnect(RelayFailure.SILENT),)


def test_a_pong_is_a_sign_of_life() -> None:
    talk = Talk()
    talk.hears("EOSE", SUBSCRIPTION, at=0.0)
    talk.waits(20.0)
    assert talk.conversation.receive(Pong(), 21.0) == ()
    assert talk.deadline == 41.0
    assert talk.waits(30.0) == []


def test_a_relay_that_leaves_the_subscription_unanswered_is_left() -> None:
    talk = Talk()
    talk.hears("NOTICE", "busy", at=14.0)
    assert talk.deadline == 15.0
    assert talk.waits(15.0) == (Disconnect(RelayFailure.SILENT),)


def test_the_subscription_is_made_anew_so_that_a_forgetful_relay_is_noticed() -> None:
    talk = Talk()
    talk.hears("EOSE", SUBSCRIPTION, at=1.0)
    talk.conversation.receive(Pong(), 59.0)
    assert talk.deadline == 61.0
    (req,) = said(talk.waits(61.0))
    assert req[:2] == ["REQ", SUBSCRIPTION]
    assert req[2]["limit"] == 500
    talk.conversation.receive(Pong(), 75.0)
    assert talk.deadline == 76.0
    assert talk.waits(76.0) == (Disconnect(RelayFailure.SILENT),)


def test_every_req_reaches_as_far_back_as_a_players_clock_may_be_slow() -> None:
    """Relays hold ``since`` against new events too, and the time between two REQs must be covered:
    so each is dated from its own time, less the whole span.
    """
    talk = Talk()
    requests = said(talk.first)
    talk.hears("EOSE", SUBSCRIPTION, at=1.0)
    talk.unix_seconds = UNIX + 61
    requests += said(talk.waits(61.0))
    talk.hears("CLOSED", SUBSCRIPTION, "error: busy", at=62.0)
    talk.unix_seconds = UNIX + 70
    requests += said(talk.waits(70.0))
    ((_, answer),) = said(talk.hears("AUTH", "prove it", at=71.0))
    talk.hears("CLOSED", SUBSCRIPTION, "auth-required: who are you?", at=71.0)
    talk.unix_seconds = UNIX + 72
    requests += said(talk.hears("OK", answer["id"], True, "", at=72.0))

    dates = [[asked["since"] for asked in filters] for _, _, *filters in requests]
    earliest = [UNIX + passed - MAX_AGE_SECONDS for passed in (0, 61, 70, 72)]
    assert [since for since, *_ in dates] == earliest
    assert all(len({*asked}) == 1 for asked in dates)
    assert MAX_AGE_SECONDS == RelayLimits().past_seconds == 15 * 60


def test_events_alone_do_not_put_off_making_the_subscription_anew() -> None:
    talk = Talk()
    for second in range(50):
        talk.hears("EVENT", SUBSCRIPTION, json_of(a_move("e2e4")), at=float(second))
    assert talk.deadline == 60.0


def test_a_closed_subscription_is_made_again_each_time_later() -> None:
    talk, now, waits = Talk(), 0.0, []
    for _ in range(5):
        assert talk.hears("CLOSED", SUBSCRIPTION, "error: shutting down", at=now) == ()
        waits.append(talk.deadline - now)
        now = talk.deadline
        (req,) = said(talk.waits(now))
        assert req[0] == "REQ"
    assert waits == [1.0, 2.0, 4.0, 8.0, 8.0]


def test_a_relay_that_sends_eose_and_closes_at_once_does_not_hurry_us() -> None:
    talk, now, waits = Talk(), 0.0, []
    for _ in range(3):
        talk.hears("EOSE", SUBSCRIPTION, at=now)
        talk.hears("CLOSED", SUBSCRIPTION, "", at=now)
        waits.append(talk.deadline - now)
        now = talk.deadline
        talk.waits(now)
    assert waits == [1.0, 2.0, 4.0]


def test_a_subscription_that_lasted_clears_the_past() -> None:
    talk = Talk()
    talk.hears("CLOSED", SUBSCRIPTION, "", at=0.0)
    talk.hears("CLOSED", SUBSCRIPTION, "", at=0.0)
    talk.waits(2.0)
    talk.hears("EOSE", SUBSCRIPTION, at=2.0)
    talk.conversation.receive(Pong(), 61.0)
    talk.waits(62.0)
    talk.hears("CLOSED", SUBSCRIPTION, "", at=62.0)
    assert talk.deadline == 63.0


def test_a_challenge_is_answered_with_the_throw_away_key() -> None:
    talk = Talk()
    ((verb, answer),) = said(talk.hears("AUTH", "prove it"))
    event = event_from_json(answer)
    assert verb == "AUTH"
    assert isinstance(event, NostrEvent)
    assert isinstance(verify(event), VerifiedEvent)
    assert (event.pubkey, event.kind, event.created_at) == (EVE.pubkey, 22242, UNIX)
    assert set(event.tags) == {("relay", URL), ("challenge", "prove it")}


def test_after_an_accepted_answer_a_closed_subscription_is_made_at_once() -> None:
    talk = Talk()
    ((_, answer),) = said(talk.hears("AUTH", "prove it"))
    talk.hears("CLOSED", SUBSCRIPTION, "auth-required: who are you?")
    (req,) = said(talk.hears("OK", answer["id"], True, ""))
    assert req[0] == "REQ"
    assert said(talk.waits(5.0)) == []


def test_after_a_refused_answer_it_goes_on_waiting() -> None:
    talk = Talk()
    ((_, answer),) = said(talk.hears("AUTH", "prove it"))
    talk.hears("CLOSED", SUBSCRIPTION, "auth-required: who are you?")
    assert talk.hears("OK", answer["id"], False, "restricted: not you") == ()
    assert talk.tally.counts()["auth-refused"] == 1


def test_only_the_answer_to_the_latest_challenge_is_awaited() -> None:
    talk = Talk()
    ((_, stale),) = said(talk.hears("AUTH", "one"))
    ((_, latest),) = said(talk.hears("AUTH", "two"))
    talk.hears("OK", stale["id"], True, "")
    assert talk.tally.counts()["auth-accepted"] == 0
    talk.hears("OK", latest["id"], True, "")
    assert talk.tally.counts()["auth-accepted"] == 1


def test_a_flood_of_challenges_is_not_worth_our_signatures() -> None:
    talk = Talk()
    answers = [said(talk.hears("AUTH", str(number))) for number in range(100)]
    assert sum(map(len, answers)) == 8


def test_a_relay_that_goes_on_forging_is_left() -> None:
    talk = Talk()
    statuses = [talk.conversation.caught_forging(1.0) for _ in range(51)]
    assert statuses == [()] * 50 + [(Disconnect(RelayFailure.HOSTILE),)]


def test_traffic_puts_off_pings_but_not_what_else_is_due() -> None:
    talk = Talk()
    talk.hears("EOSE", SUBSCRIPTION, at=0.0)
    for second in range(60):
        talk.hears("NOTICE", "la", at=float(second))
    assert talk.deadline == 60.0
