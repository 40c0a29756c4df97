"""Relays that want to know who publishes (NIP-42)."""

import pytest

from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_from_json, verify
from arbiter.nostr.relay_messages import PublishStatus
from tests.adapters.relays.publishing import ONE, TWO, published, publishing, statuses
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message


class Doorkeeper:
    """A relay that takes nothing before AUTH. It challenges when it is told to."""

    def __init__(self, *, at_once: bool, accepts: bool = True) -> None:
        self.accepts = accepts
        self.known: set[Client] = set()
        self.relay = FakeRelay(
            on_connect=(lambda client: client.send("AUTH", "prove it")) if at_once else None,
            on_event=self.on_event,
            on_auth=self.on_auth,
        )
        self.at_once = at_once

    def on_event(self, client: Client, message: Message) -> None:
        if client in self.known:
            client.send("OK", message[1]["id"], True, "")
            return
        client.send("OK", message[1]["id"], False, "auth-required: members only")
        if not self.at_once:
            client.send("AUTH", "prove it")

    def on_auth(self, client: Client, message: Message) -> None:
        if self.accepts:
            self.known.add(client)
        client.send("OK", message[1]["id"], self.accepts, "" if self.accepts else "restricted: no")


@pytest.mark.parametrize("at_once", [True, False], ids=["challenge first", "refusal first"])
def test_a_relay_that_asks_who_publishes_is_told_once(*, at_once: bool) -> None:
    door = Doorkeeper(at_once=at_once)
    with door.relay as relay, publishing(relay.url, authenticate=SERVER.sign) as publisher:
        report = published(publisher, ONE, TWO)
        assert report.taken(ONE.id)
        assert report.taken(TWO.id)
        answer = verify(event_from_json(relay.message("AUTH")[1]))  # type: ignore[arg-type]
        assert isinstance(answer, VerifiedEvent)
        assert answer.pubkey == SERVER.pubkey
        assert ("challenge", "prove it") in answer.tags
        assert ("relay", relay.url) in answer.tags
        published(publisher)
        assert relay.count("AUTH") == 1


def test_a_challenge_of_a_lost_connection_is_not_answered() -> None:
    def on_event(client: Client, message: Message) -> None:
        if client is relay.client(1):
            client.send("AUTH", "old")
            client.drop()
        elif relay.count("AUTH") == 0:
            client.send("OK", message[1]["id"], False, "auth-required: members only")
            client.send("AUTH", "new")
        else:
            client.send("OK", message[1]["id"], True, "")

    relay = FakeRelay(on_event=on_event)
    with relay, publishing(relay.url, authenticate=SERVER.sign) as publisher:
        assert published(publisher).taken(ONE.id)
        assert ["challenge", "new"] in relay.message("AUTH")[1]["tags"]


def test_a_relay_that_knows_us_and_wants_others_is_no_success() -> None:
    door = Doorkeeper(at_once=True, accepts=False)
    with door.relay as relay, publishing(relay.url, authenticate=SERVER.sign) as publisher:
        assert statuses(published(publisher)) == [PublishStatus.AUTHENTICATE]
        assert relay.count("AUTH") == 1


def test_without_a_hand_to_sign_with_nothing_is_said() -> None:
    with Doorkeeper(at_once=True).relay as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher)) == [PublishStatus.AUTHENTICATE]
        assert relay.count("AUTH") == 0


def test_a_hand_that_fails_hurts_one_relay_only() -> None:
    def fail(_: EventTemplate) -> VerifiedEvent:
        raise RuntimeError("no key")

    with (
        Doorkeeper(at_once=True).relay as door,
        FakeRelay() as open_,
        publishing(door.url, open_.url, authenticate=fail) as publisher,
    ):
        report = published(publisher)
        assert statuses(report) == [PublishStatus.RETRY, PublishStatus.ACCEPTED]
        assert publisher.counters["bug"] == 1
