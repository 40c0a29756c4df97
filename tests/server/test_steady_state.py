"""A third visit leaves no more behind than the first: sets are empty again, counters fall."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sized
from typing import Any

import pytest

from arbiter.adapters.memory.connections import MemoryConnections, MemoryRateLimits
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.filters import Filter
from server.job_groups import Job, JobGroups
from server.relay_link import RelayLink
from server.sockets import LocalSockets, Session
from tests.builders import SERVER
from tests.fakes.relay import Client, FakeRelay, Message

ROUNDS = range(3)
VISITORS = range(20)


def held(thing: object) -> dict[str, int]:
    """The number of things in each container of this object, with those inside of them."""
    said = {"len": len(thing)} if isinstance(thing, Sized) else {}
    return said | {name: size for name, value in vars(thing).items() if (size := _size(value)) >= 0}


def _size(value: object) -> int:
    if isinstance(value, Mapping):
        return len(value) + sum(max(0, _size(each)) for each in value.values())
    return len(value) if isinstance(value, set | list | deque) else -1


def visit_connections(connections: MemoryConnections, day: int) -> None:
    """Sockets that subscribe twice under one name, withdraw what they have not, come again under
    the same id, and speak after their end.
    """
    for number in VISITORS:
        id_, topics = f"{number}", (f"d:{day}-{number}", "k:20302")
        wanted = Subscriber(id_, "mine", (Filter(kinds=(20302,)),))
        for _ in range(2):
            connections.add(Connection(id=id_, address="::1", challenge="", opened_at_ms=day), day)
            connections.authenticate(id_, f"{day}-{number}")
            connections.meet(id_, f"{day}-{number}")
            connections.here_since(f"{day}-{number}-another")
            connections.subscribe(id_, wanted, topics, day)
            connections.subscribe(id_, wanted, topics[1:], day)
        connections.is_crowded((f"p:{day}-{number}",), "::1", 1)
        connections.subscribers((f"p:{day}-{number}",), (20302,), day)
        connections.unsubscribe(id_, "another")
        connections.remove(id_)
        connections.remove(id_)
        connections.subscribe(id_, wanted, topics, day)
        connections.authenticate(id_, f"{day}-{number}")


def visit_rate_limits(limits: MemoryRateLimits, day: int) -> None:
    """Keys that are counted in windows of two lengths, on three days."""
    for second in range(3):
        for number in VISITORS:
            for length in (1, 10):
                limits.take(f"{day}-{number}", 1, length, 86_400_000 * day + 10_000 * second)


def visit_jobs(groups: JobGroups, day: int) -> None:
    """Groups that rest, come again and are stopped without a job."""
    for number in VISITORS:
        for group in (f"{day}-{number}", "shared"):
            groups.add(Job(group, str, lambda _: None))
    groups.stop(f"{day}")
    groups.resume(f"{day}")
    tried: set[str] = set()
    while groups.is_ready:
        job = groups.take()
        if job.group not in tried:
            tried.add(job.group)
            groups.put_back(job)
            groups.resume(job.group)


def visit_sockets(sockets: LocalSockets, day: int) -> None:
    """Sockets that close themselves, are closed, and are removed twice."""

    async def send(message: object) -> None:
        del message

    async def come_and_go() -> None:
        for number in VISITORS:
            sockets.add(f"{day}-{number}", session := Session(send))
            sockets.send(f"{day}-{number}", "OK")
            sockets.close(f"{day}-{number}")
            await session.wait_drained()
            sockets.remove(f"{day}-{number}")
            sockets.remove(f"{day}-{number}")

    asyncio.run(come_and_go())


@pytest.mark.parametrize(
    ("thing", "visit"),
    [
        (MemoryConnections(), visit_connections),
        (MemoryRateLimits(), visit_rate_limits),
        (JobGroups(1000), visit_jobs),
        (LocalSockets(), visit_sockets),
    ],
    ids=lambda it: type(it).__name__ if not callable(it) else "",
)
def test_what_came_and_went_leaves_nothing_behind(
    thing: object, visit: Callable[[Any, int], None]
) -> None:
    visit(thing, 0)
    first = held(thing)
    assert first
    assert isinstance(thing, MemoryRateLimits) or not any(first.values())
    for day in ROUNDS:
        visit(thing, 1 + day)
        assert held(thing) == first


def an_event(number: int) -> VerifiedEvent:
    return SERVER.sign(EventTemplate(20302, (), str(number), 1_800_000_000))


async def test_a_relay_link_keeps_nothing_of_what_is_settled_refused_lost_or_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.relay_link.random.random", lambda: 0.0)

    def by_turns(client: Client, message: Message) -> None:
        match int(message[1]["content"]) % 4:
            case 0:
                client.send("OK", message[1]["id"], True, "")
            case 1:
                client.send("OK", message[1]["id"], False, "blocked: not here")
            case 2:
                client.send("NOTICE", "slow down")
            case _:
                pass  # no answer

    with FakeRelay(on_event=by_turns) as relay:
        link = RelayLink(relay.url, SERVER.sign)
        try:
            for day in ROUNDS:
                events = [an_event(20 * day + number) for number in VISITORS]
                settled = [link.offer(event) for event in events]
                await asyncio.to_thread(relay.message, "EVENT", 20 * (day + 1))
                await asyncio.gather(*settled[::4], *settled[1::4])
                for event in events:
                    link.give_up(event.id)
                await asyncio.gather(*settled)
                await asyncio.gather(*link._tasks)
                assert not any(held(link).values()), held(link)
                left = held(link._attempt)
                assert not any(left.values()), left
        finally:
            await link.close()
