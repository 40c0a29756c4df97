"""Bots over shared relays: their players hear, and so does their operator."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from arbiter.nostr.nip11 import RelayLimits
from arbiter.nostr.relay_messages import PublishStatus
from clients.bot.config import read_config
from clients.bot.player import Operator, Player, play_over
from clients.player.address import Address
from clients.player.heard import LinkDown, LinkUp, Tick, Verdict
from tests.builders import ALICE, BOB, SERVER, a_key

URL = "ws://one"


def test_what_a_relay_does_again_and_again_is_said_once() -> None:
    said: list[str] = []
    operator = Operator(said.append)
    for why in ["blocked"] * 16 + ["rate-limited"]:
        operator.hear(Verdict(URL, "x", PublishStatus.GIVE_UP, why))
    for _ in range(3):
        operator.hear(LinkDown(URL, "silent"))
    operator.hear(Verdict(URL, "x", PublishStatus.ACCEPTED, ""))
    refusals = [f"{URL}: refuses: {why!r}" for why in ("blocked", "rate-limited")]
    assert said == [*refusals, f"{URL}: silent, tries again"]


@asynccontextmanager
async def playing(
    players: Sequence[Player], hear: Callable[[Any], bool | None]
) -> AsyncIterator[asyncio.Task[None]]:
    """The players on a relay that has stored nothing, which tells of each connection (None) and of
    what comes over it, and hangs up where the answer is true.
    """

    async def listen(socket: ServerConnection) -> None:
        hear(None)
        async for text in socket:
            message = json.loads(text)
            if message[0] == "REQ":
                await socket.send(json.dumps(["EOSE", message[1]]))
            if hear(message):
                return

    async with serve(listen, "127.0.0.1", 0) as relay:
        url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
        task = asyncio.create_task(play_over(Address(SERVER.pubkey, (url,)), players, print))
        yield task
        task.cancel()
        await asyncio.wait([task])


async def test_players_whose_program_ends_take_back_what_they_ask_for() -> None:
    config = read_config("[matchmaking]\nallow_matchmaking = true\n[engine]\nname = 'plain'\n")
    said: asyncio.Queue[str] = asyncio.Queue()

    def hear(message: object) -> None:
        match message:
            case ["EVENT", {"kind": 20300, "content": str(content)}]:
                said.put_nowait(content)
            case _:
                pass

    players = [Player(config, 1, key, SERVER.pubkey, print) for key in (ALICE, BOB)]
    async with playing(players, hear) as task:
        heard = [await asyncio.wait_for(said.get(), 30) for _ in players]
        task.cancel()
        heard += [await asyncio.wait_for(said.get(), 30) for _ in players]

    assert heard == ["state", "state", "cancel", "cancel"]


async def test_a_relay_that_is_dialled_again_is_not_sent_the_profile_again() -> None:
    kinds: list[list[int]] = []
    is_over = asyncio.Event()

    def hear(message: object) -> bool:
        match message:
            case None:
                kinds.append([])
            case ["EVENT", {"kind": int(kind)}]:
                kinds[-1].append(kind)
                is_over.set() if kind == 20300 and len(kinds) > 1 else None
                return kind == 20300 and len(kinds) == 1
            case _:
                pass
        return False

    player = Player(read_config(""), 1, ALICE, SERVER.pubkey, print, rest_seconds=60.0)
    async with playing((player,), hear):
        await asyncio.wait_for(is_over.wait(), 30)

    assert kinds[:2] == [[0, 20300], [20300]]


async def test_a_large_house_is_heard_of_by_relays_that_take_few_values_in_a_req() -> None:
    limits = RelayLimits()
    keys = [a_key(f"player {number}") for number in range(limits.topics + 1)]
    named: dict[str, list[str]] = {}
    is_whole = asyncio.Event()

    def hear(message: object) -> None:
        match message:
            case ["REQ", str(name), {"#p": list(players)} as wanted, *_]:
                named[name] = players
                assert len(json.dumps(wanted)) <= limits.filter_bytes
                assert len(players) <= limits.topics
                is_whole.set() if sum(map(len, named.values())) == len(keys) else None
            case _:
                pass

    house = [
        Player(read_config(""), 1, key, SERVER.pubkey, print, rest_seconds=60.0) for key in keys
    ]
    async with playing(house, hear):
        await asyncio.wait_for(is_whole.wait(), 30)

    assert {one for part in named.values() for one in part} == {key.pubkey for key in keys}


@pytest.mark.parametrize("turns", range(4))
async def test_a_player_that_is_told_to_end_as_an_input_comes_ends(turns: int) -> None:
    player = Player(read_config(""), 1, ALICE, SERVER.pubkey, print, rest_seconds=60.0)
    task = asyncio.create_task(player.run(lambda _: None))
    player.tell(LinkUp(URL))  # from here on it waits with a time limit
    await asyncio.sleep(0.05)
    player.tell(Tick())
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait([task], timeout=5)
    task.cancel()
    assert done, "it goes on"
