"""Relays that repeat, forge, send junk and go away."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest
from websockets.asyncio.server import ServerConnection, serve

from clients.bot import relays
from clients.bot.config import read_config
from clients.bot.events import Draft, Event, public_key, sign
from clients.bot.player import Player, play_over
from clients.bot.relays import Relays
from tests.fakes.relay import FakeRelay

SECRET, STRANGER = bytes([1]) * 32, bytes([9]) * 32
ARBITER = public_key(SECRET)
JUNK = ("", "{", "[]", "5", "null", '["EVENT"]', '["EVENT", 1, {}]', '["EVENT", "play", {"id": 5}]',
        "[" * 5_000, '["OK", "x", false, "blocked"]', '["NOTICE", 7]')  # fmt: skip


def frame(kind: int, content: str, secret: bytes = SECRET) -> str:
    draft = Draft(public_key(secret), 1_800_000_000, kind, (), content)
    return json.dumps(["EVENT", "play", sign(draft, secret)])


def forged(content: str) -> str:
    name, subscription, event = json.loads(frame(20302, "another"))
    return json.dumps([name, subscription, {**event, "content": content}])


def told_by(*relays: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """The contents that a client hears of relays, each with a script for each connection in turn;
    and the number of times that a relay was ready.
    """

    async def run() -> tuple[list[str], int]:
        heard: list[str] = []
        ready: list[None] = []
        done = asyncio.Event()

        def on_event(event: Event) -> None:
            heard.append(event.content)
            if event.content == "last":
                done.set()

        async with serving(relays) as urls:
            client = Relays(
                urls, ARBITER, {"kinds": [20302]}, lambda: ready.append(None), on_event,
                lambda _: None,
            )  # fmt: skip
            listening = asyncio.create_task(client.run())
            await asyncio.wait_for(done.wait(), 30)
            listening.cancel()
            await asyncio.wait([listening])
        return heard, len(ready)

    return asyncio.run(run())


def test_what_a_relay_refuses_again_and_again_is_said_once() -> None:
    async def run() -> list[str]:
        said: list[str] = []
        done = asyncio.Event()
        refusals = ['["OK", "x", false, "blocked"]'] * 16 + ['["OK", "x", false, "rate-limited"]']
        async with serving([[[*refusals, frame(20302, "last")]]]) as urls:
            client = Relays(
                urls, ARBITER, {"kinds": [20302]}, lambda: None, lambda _: done.set(), said.append
            )
            listening = asyncio.create_task(client.run())
            await asyncio.wait_for(done.wait(), 30)
            listening.cancel()
            await asyncio.wait([listening])
        return [text.partition(" refuses: ")[2] for text in said]

    assert asyncio.run(run()) == ["'blocked'", "'rate-limited'"]


@contextlib.asynccontextmanager
async def serving(relays: Sequence[Sequence[Sequence[str]]]) -> AsyncIterator[tuple[str, ...]]:
    """The URL of a relay for each list of scripts; after its last script it stays connected."""
    async with contextlib.AsyncExitStack() as stack:
        urls = []
        for scripts in relays:
            server = await stack.enter_async_context(serve(talk_by(scripts), "127.0.0.1", 0))
            urls.append(f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}")
        yield tuple(urls)


def talk_by(scripts: Sequence[Sequence[str]]) -> Callable[[ServerConnection], Awaitable[None]]:
    """A relay's side of one connection after another."""
    waiting = list(scripts)

    async def talk(connection: ServerConnection) -> None:
        await connection.recv()
        for text in waiting.pop(0) if waiting else ():
            await connection.send(text)
        if not waiting:
            await connection.wait_closed()

    return talk


EOSE = json.dumps(["EOSE", "play"])


def test_junk_and_forgeries_are_passed_over() -> None:
    forgeries = (forged("evil"), forged("\ud800"), frame(20302, "evil", STRANGER))
    heard, _ = told_by([[*JUNK, EOSE, *JUNK, *forgeries, frame(20302, "last")]])

    assert heard == ["last"]


def test_what_two_relays_repeat_is_heard_once() -> None:
    one = frame(20302, "one")
    heard, _ = told_by([[EOSE, one, one]], [[EOSE, one, one, frame(20302, "last")]])

    assert sorted(heard) == ["last", "one"]


def test_a_stored_start_is_passed_over_and_a_stored_state_is_not() -> None:
    heard, _ = told_by(
        [
            [
                frame(20301, "old"),
                frame(20302, "state"),
                EOSE,
                frame(20301, "new"),
                frame(20302, "last"),
            ]
        ]
    )

    assert heard == ["state", "new", "last"]


def test_a_lost_relay_is_subscribed_to_again() -> None:
    heard, ready = told_by([[EOSE, frame(20302, "one")], [EOSE, frame(20302, "last")]])

    assert heard == ["one", "last"]
    assert ready == 2


def test_a_relay_that_falls_silent_is_left_within_eight_seconds_and_subscribed_to_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert relays.PING_SECONDS + relays.PONG_SECONDS + relays.CLOSE_SECONDS <= 8
    for name in ("PING_SECONDS", "PONG_SECONDS", "CLOSE_SECONDS", "PAUSE_SECONDS"):
        monkeypatch.setattr(relays, name, 0.1)
    said: list[str] = []
    with FakeRelay() as relay:

        async def run() -> None:
            nothing: Callable[[object], None] = lambda _: None  # noqa: E731
            client = Relays((relay.url,), ARBITER, {}, lambda: None, nothing, said.append)
            listening = asyncio.create_task(client.run())
            await asyncio.to_thread(relay.message, "ping")
            relay.client().go_deaf()
            await asyncio.to_thread(relay.message, "REQ", 2)
            listening.cancel()
            await asyncio.wait([listening])

        asyncio.run(run())

    assert said == [f"{relay.url}: ConnectionClosedError, tries again"]


def test_players_whose_program_ends_take_back_what_they_ask_for() -> None:
    async def run() -> list[str]:
        config = read_config("[matchmaking]\nallow_matchmaking = true\n[engine]\nname = 'plain'\n")
        said: asyncio.Queue[str] = asyncio.Queue()

        async def listen(socket: ServerConnection) -> None:
            async for text in socket:
                match json.loads(text):
                    case ["REQ", str(), *_]:
                        await socket.send('["EOSE", "play"]')
                    case ["EVENT", {"kind": 20300, "content": str(content)}]:
                        said.put_nowait(content)
                    case _:
                        pass

        async with serve(listen, "127.0.0.1", 0) as relay:
            url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
            players = [Player(config, 1, bytes([key]) * 32, ARBITER, print) for key in (2, 3)]
            playing = asyncio.create_task(play_over((url,), ARBITER, players, print))
            heard = [await asyncio.wait_for(said.get(), 30) for _ in players]
            playing.cancel()
            await asyncio.wait([playing])
            return heard + [await asyncio.wait_for(said.get(), 30) for _ in players]

    assert asyncio.run(run()) == ["state", "state", "cancel", "cancel"]
