"""Publications of a server at all its relays, and again at one that comes back; what the listener
has no room for.
"""

import asyncio
import time
from typing import cast
from unittest.mock import Mock

import pytest

from arbiter.adapters.relays.publisher import PublishReport, RelayPublisher
from arbiter.application.records import QueueEntry
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.relay_messages import PublishStatus
from server.metrics import Metrics
from server.processing import Processing
from server.relays import FromListener, ToRelays
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message


@pytest.mark.parametrize("forgets", [True, False])
async def test_a_relay_that_lost_its_memory_is_announced_to_when_it_comes_back(
    monkeypatch: pytest.MonkeyPatch, *, forgets: bool
) -> None:
    monkeypatch.setattr("server.relay_link.random.random", lambda: 0.0)
    at = int(time.time())
    events = [SERVER.sign(EventTemplate(kind, (), "", at)) for kind in (0, 10002, 31990)]
    with FakeRelay() as relay:
        to_relays = ToRelays([relay.url], RelayPublisher([relay.url]), SERVER, Metrics())
        try:
            assert await to_relays.restore(events) == (relay.url, 3)
            if not forgets:
                relay.remembered += [relay.message("EVENT", number)[1] for number in (1, 2, 3)]
            # Which of the connections the relay has first is chance.
            for client in [*relay.clients]:
                await asyncio.to_thread(client.drop)
            assert await to_relays.restore(events) == (relay.url, 3 if forgets else 0)
        finally:
            await to_relays.close()


async def test_what_a_relay_refuses_each_time_it_comes_back_is_not_counted_as_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.relay_link.random.random", lambda: 0.0)
    at = int(time.time())
    events = [SERVER.sign(EventTemplate(kind, (), "", at)) for kind in (0, 10002, 31990)]

    def take_profiles(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], message[1]["kind"] == 0, "blocked: not here")

    with FakeRelay(on_event=take_profiles) as relay:
        to_relays = ToRelays([relay.url], RelayPublisher([relay.url]), SERVER, Metrics())
        try:
            counted = []
            for _ in range(3):
                counted.append(await to_relays.restore(events))
                for client in relay.clients:
                    await asyncio.to_thread(client.drop)
            assert counted == [(relay.url, 1)] * 3
        finally:
            await to_relays.close()


async def test_a_relay_that_was_silent_is_offered_the_note_that_another_took_until_it_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.relay_link.random.random", lambda: 0.0)
    note = SERVER.sign(EventTemplate(64, (), "1. e4 *", int(time.time())))
    taken, publisher = {"ws://another": PublishStatus.ACCEPTED}, Mock()

    def deaf(client: Client, message: Message) -> None:
        """The first time it ends the connection, the second time it takes it."""
        if relay.count("EVENT") == 1:
            client.drop()
        else:
            client.send("OK", message[1]["id"], True, "")

    with FakeRelay(on_event=deaf) as relay:
        to_relays = ToRelays([relay.url], publisher, SERVER, Metrics())
        try:
            for missing in (PublishStatus.GIVE_UP, PublishStatus.RETRY):
                statuses = {note.id: {**taken, relay.url: missing}}
                publisher.publish.return_value = PublishReport(statuses)
                assert await to_relays.publish([note]) == {note.id}
                assert len(to_relays._links[0]) == (missing is PublishStatus.RETRY)
            for number in (1, 2):
                sent = await asyncio.to_thread(relay.message, "EVENT", number)
                assert sent[1]["id"] == note.id
            await to_relays._links[0].offer(note)
            assert len(to_relays._links[0]) == 0
        finally:
            await to_relays.close()


async def test_the_listener_keeps_what_there_is_no_room_for() -> None:
    taken: list[QueueEntry] = []

    class Busy:
        are_relays_ahead = True

        def take(self, entry: QueueEntry) -> None:
            taken.append(entry)

    busy = Busy()
    from_listener = FromListener(asyncio.get_running_loop(), cast("Processing", busy))
    entry = QueueEntry(queue="moves", body="{}", group_id="a", dedup_id="b")
    assert await asyncio.to_thread(from_listener.send, [entry]) == [entry]
    busy.are_relays_ahead = False
    assert await asyncio.to_thread(from_listener.send, [entry]) == ()
    await asyncio.sleep(0)
    assert taken == [entry]
