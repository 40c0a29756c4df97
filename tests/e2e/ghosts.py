"""A hundred people at a real `arbiter serve`, half at its gateway and half over a relay, of whom
forty leave without a word. Prints how long those who stay wait; fails if one is left alone beside
another, or is told that they ended games. `tests/application/test_ghosts.py` is the same in virtual
time.

    python -m tests.e2e.ghosts [SEED]
"""

import asyncio
import contextlib
import json
import random
import secrets
import statistics
import sys
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from bench.served import Served, relay, serving

PEOPLE, LEAVERS = 100, 40
ARRIVALS, RENEWED_EVERY, LATEST = 120.0, 60.0, 300.0
ALONE_SECONDS = 40.0


class Visitor:
    """A person who asks for a 3+2 game, makes a first move, and leaves at a moment or stays."""

    def __init__(self, number: int, chance: random.Random) -> None:
        self.key = SecretKey.generate(secrets.token_bytes(32))
        self.address = f"127.0.1.{number + 1}"
        self.comes_after = chance.uniform(0, ARRIVALS)
        self.stays_for = chance.uniform(1, 20) if number < LEAVERS else None
        self.came_at: float | None = None
        self.played_at: float | None = None
        self.alone_since: float | None = None
        self.longest_alone = 0.0
        self.errors: list[str] = []

    async def visit(self, url: str, server: str) -> None:
        """Come, play and go."""
        await asyncio.sleep(self.comes_after)
        async with connect(url, ping_interval=None, local_addr=(self.address, 0)) as socket:
            self.came_at = time.monotonic()
            wanted = {"kinds": [20301, 20302, 20304], "#p": [self.key.pubkey]}
            await socket.send(json.dumps(["REQ", "mine", wanted]))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.stays_for), asyncio.TaskGroup() as both:
                    both.create_task(self._seek(socket, server))
                    both.create_task(self._hear(socket, server))

    async def _seek(self, socket: ClientConnection, server: str) -> None:
        while self.played_at is None:
            await self._say(socket, 20300, "", ("p", server), ("time", "180+2"))
            await asyncio.sleep(RENEWED_EVERY)

    async def _hear(self, socket: ClientConnection, server: str) -> None:
        async for frame in socket:
            message = json.loads(frame)
            if message[0] != "EVENT":
                continue
            event: dict[str, Any] = message[2]
            if event["kind"] == 20302:
                await self._answer(socket, server, event)
            elif event["content"].startswith("error:"):
                self.errors.append(event["content"])

    async def _answer(self, socket: ClientConnection, server: str, event: dict[str, Any]) -> None:
        values = {tag[0]: tag[1] for tag in event["tags"]}
        both = [tag[1] for tag in event["tags"] if tag[0] == "p"]
        ply = int(values["ply"])
        if ply >= 2 and self.played_at is None:
            self.played_at = time.monotonic()
        if ply < 2 and "result" not in values and both[ply] == self.key.pubkey:
            tags = (("p", server), ("d", values["d"]), ("e", event["id"]))
            await self._say(socket, 20303, ("e2e4", "e7e5")[ply], *tags)

    async def _say(
        self, socket: ClientConnection, kind: int, content: str, *tags: tuple[str, ...]
    ) -> None:
        event = self.key.sign(EventTemplate(kind, tags, content, int(time.time())))
        await socket.send(json.dumps(["EVENT", event_to_json(event)]))


async def _evening(served: Served, relay_url: str, seed: int) -> list[Visitor]:
    chance = random.Random(seed)
    visitors = [Visitor(number, chance) for number in range(PEOPLE)]
    urls = (served.websocket, relay_url)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(one.visit(urls[number % 2], served.pubkey))
            for number, one in enumerate(visitors)
        ]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_all_but_one_played(visitors), LATEST)
        for task in tasks:
            task.cancel()
    return [one for one in visitors if one.stays_for is None]


async def _all_but_one_played(visitors: list[Visitor]) -> None:
    while len(_look(visitors)) > 1:  # noqa: ASYNC110 - the look is the point
        await asyncio.sleep(0.1)


def _look(visitors: list[Visitor]) -> list[Visitor]:
    """Note who is alone beside another; those who stay and have not played yet."""
    now = time.monotonic()
    waiting = [one for one in visitors if one.stays_for is None and one.played_at is None]
    alone = [one for one in waiting if one.came_at is not None]
    for one in visitors:
        if one not in alone or len(alone) < 2:
            one.alone_since = None
        else:
            one.alone_since = one.alone_since or now
            one.longest_alone = max(one.longest_alone, now - one.alone_since)
    return waiting


def main(seed: int) -> None:
    """Run the evening; AssertionError if one who stayed was not served."""
    with relay() as (url, _), serving(url, {}) as served:
        stayed = asyncio.run(_evening(served, url, seed))
        log = served.log.read_text(encoding="utf-8") if served.log else ""
    played = [one for one in stayed if one.played_at and one.came_at]
    waits = sorted((one.played_at or 0) - (one.came_at or 0) for one in played)
    longest = max(one.longest_alone for one in stayed)
    errors = [text for one in stayed for text in one.errors]
    print(f"seed {seed}: {len(played)} of {len(stayed)} who stayed played")
    print(
        f"wait from coming to the first two moves: median {statistics.median(waits):.1f} s, "
        f"longest {waits[-1]:.1f} s; together alone at most {longest:.1f} s"
    )
    print(
        f"errors told to them: {errors or 'none'}; ERROR lines of the server: "
        f"{log.count(chr(34) + 'ERROR' + chr(34))}"
    )
    assert len(played) >= len(stayed) - 1, "one may be left over"
    assert longest <= ALONE_SECONDS, f"{longest:.1f} s alone beside another"
    assert not errors, errors


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
