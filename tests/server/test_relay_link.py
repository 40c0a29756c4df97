"""Publications at one relay: its OK, its end and new beginning, its AUTH, its silence."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus
from server import relay_link
from server.relay_link import RelayLink
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message


def an_event(number: int) -> VerifiedEvent:
    return SERVER.sign(EventTemplate(20302, (), str(number), 1_800_000_000))


@contextlib.asynccontextmanager
async def linked(relay: FakeRelay) -> AsyncIterator[RelayLink]:
    link = RelayLink(relay.url, SERVER.sign)
    try:
        yield link
    finally:
        await link.close()


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.relay_link.random.random", lambda: 0.0)


async def test_events_are_sent_in_order_and_each_is_settled_by_its_own_ok() -> None:
    with FakeRelay() as relay:
        async with linked(relay) as link:
            settled = [link.offer(an_event(number)) for number in range(5)]
            assert set(await asyncio.gather(*settled)) == {PublishStatus.ACCEPTED}
        contents = [relay.message("EVENT", number + 1)[1]["content"] for number in range(5)]
        assert contents == ["0", "1", "2", "3", "4"]


async def test_an_event_that_a_relay_lost_with_its_connection_is_sent_on_the_next_one() -> None:
    with FakeRelay() as relay:
        answer = relay.answer_event

        def drop_the_first(client: Client, message: Message) -> None:
            if relay.count("EVENT") == 1:
                client.drop()
            else:
                answer(client, message)

        relay.on_event = drop_the_first

        async with linked(relay) as link:
            assert await link.offer(an_event(1)) is PublishStatus.ACCEPTED
        assert relay.count("EVENT") == 2


async def test_where_a_relay_wants_to_know_who_asks_the_server_authenticates() -> None:
    with FakeRelay() as relay:
        known: list[Client] = []
        answer, answer_auth = relay.answer_event, relay.answer_auth

        def ask_first(client: Client, message: Message) -> None:
            if client in known:
                answer(client, message)
                return
            client.send("AUTH", "a challenge")
            client.send("OK", message[1]["id"], False, "auth-required: who are you?")

        def know(client: Client, message: Message) -> None:
            known.append(client)
            answer_auth(client, message)

        relay.on_event, relay.on_auth = ask_first, know

        async with linked(relay) as link:
            assert await link.offer(an_event(1)) is PublishStatus.ACCEPTED
            assert await link.offer(an_event(2)) is PublishStatus.ACCEPTED
        assert relay.message("AUTH")[1]["pubkey"] == SERVER.pubkey


async def test_a_relay_that_falls_silent_is_left_within_eight_seconds_for_a_new_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert relay_link._QUIET_SECONDS + relay_link._ANSWER_SECONDS <= 8
    for name in ("_QUIET_SECONDS", "_ANSWER_SECONDS"):
        monkeypatch.setattr(relay_link, name, 0.1)
    with FakeRelay() as relay:
        async with linked(relay) as link:
            assert await link.offer(an_event(1)) is PublishStatus.ACCEPTED
            await asyncio.to_thread(relay.message, "ping", 2)  # it was kept while it answered
            relay.client(1).go_deaf()
            await asyncio.to_thread(relay.client, 2)
            assert await link.offer(an_event(2)) is PublishStatus.ACCEPTED


async def test_a_relay_whose_pongs_are_late_is_kept_while_it_sends_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, seconds in (("_QUIET_SECONDS", 0.05), ("_ANSWER_SECONDS", 2.0)):
        monkeypatch.setattr(relay_link, name, seconds)
    with FakeRelay(on_connect=lambda client: setattr(client, "answers_pings", False)) as relay:
        async with linked(relay):
            for number in (1, 2):
                await asyncio.to_thread(relay.message, "ping", number)
                relay.client(1).send("NOTICE", "busy")
        assert len(relay.clients) == 1


async def test_an_event_that_is_refused_for_good_or_given_up_is_sent_no_more() -> None:
    with FakeRelay() as relay:

        def refuse_or_be_silent(client: Client, message: Message) -> None:
            if message[1]["content"] == "1":
                client.send("OK", message[1]["id"], False, "blocked: no chess here")

        relay.on_event = refuse_or_be_silent

        async with linked(relay) as link:
            silent = link.offer(an_event(2))
            assert await link.offer(an_event(1)) is PublishStatus.GIVE_UP
            link.give_up(an_event(2).id)
            assert await silent is PublishStatus.RETRY
            await asyncio.to_thread(relay.client().drop)
            relay.on_event = relay.answer_event
            assert await link.offer(an_event(3)) is PublishStatus.ACCEPTED
        assert relay.count("EVENT") == 3


async def test_a_relay_that_answers_no_ephemeral_event_gets_each_once_and_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeRelay(on_event=lambda *_: None) as relay:
        async with linked(relay) as link:
            assert await link.offer(an_event(1)) is PublishStatus.UNANSWERED
            monkeypatch.setattr("arbiter.adapters.relays.publish_attempt.OK_SECONDS", 3600.0)
            for number in (2, 3):
                assert await link.offer(an_event(number)) is PublishStatus.UNANSWERED
            await asyncio.to_thread(relay.client().drop)
            assert await link.offer(an_event(4)) is PublishStatus.UNANSWERED
        assert relay.count("EVENT") == 4


async def test_an_event_that_such_a_relay_had_not_read_is_sent_on_the_next_connection() -> None:
    with FakeRelay(on_event=lambda *_: None) as relay:
        async with linked(relay) as link:
            assert await link.offer(an_event(1)) is PublishStatus.UNANSWERED
            relay.client().answers_pings = False
            unread = link.offer(an_event(2))
            await asyncio.to_thread(relay.message, "ping", 2)
            await asyncio.to_thread(relay.client().drop)
            assert await unread is PublishStatus.UNANSWERED
        assert relay.count("EVENT") == 3


async def test_a_rating_is_not_settled_by_silence() -> None:
    rating = SERVER.sign(EventTemplate(30300, (("d", "blitz"),), "", 1_800_000_000))
    with FakeRelay(on_event=lambda *_: None) as relay:
        async with linked(relay) as link:
            settled = link.offer(rating)
            assert await link.offer(an_event(1)) is PublishStatus.UNANSWERED
            assert not settled.done()
