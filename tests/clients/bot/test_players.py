"""Bots over shared relays: their players hear, and so does their operator."""

import asyncio
import json

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


def test_players_whose_program_ends_take_back_what_they_ask_for() -> None:
    async def run() -> list[str]:
        config = read_config("[matchmaking]\nallow_matchmaking = true\n[engine]\nname = 'plain'\n")
        said: asyncio.Queue[str] = asyncio.Queue()

        async def listen(socket: ServerConnection) -> None:
            async for text in socket:
                match json.loads(text):
                    case ["REQ", str(name), *_]:
                        await socket.send(json.dumps(["EOSE", name]))
                    case ["EVENT", {"kind": 20300, "content": str(content)}]:
                        said.put_nowait(content)
                    case _:
                        pass

        async with serve(listen, "127.0.0.1", 0) as relay:
            url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
            players = [Player(config, 1, key, SERVER.pubkey, print) for key in (ALICE, BOB)]
            playing = asyncio.create_task(play_over(Address(SERVER.pubkey, (url,)), players, print))
            heard = [await asyncio.wait_for(said.get(), 30) for _ in players]
            playing.cancel()
            await asyncio.wait([playing])
            return heard + [await asyncio.wait_for(said.get(), 30) for _ in players]

    assert asyncio.run(run()) == ["state", "state", "cancel", "cancel"]


def test_a_relay_that_is_dialled_again_is_not_sent_the_profile_again() -> None:
    async def run() -> list[list[int]]:
        kinds: list[list[int]] = []
        is_over = asyncio.Event()

        async def listen(socket: ServerConnection) -> None:
            kinds.append([])
            async for text in socket:
                match json.loads(text):
                    case ["REQ", str(name), *_]:
                        await socket.send(json.dumps(["EOSE", name]))
                    case ["EVENT", {"kind": int(kind)}]:
                        kinds[-1].append(kind)
                        if kind == 20300 and len(kinds) == 1:
                            return
                        is_over.set() if kind == 20300 else None
                    case _:
                        pass

        async with serve(listen, "127.0.0.1", 0) as relay:
            url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
            player = Player(read_config(""), 1, ALICE, SERVER.pubkey, print, rest_seconds=60.0)
            playing = asyncio.create_task(
                play_over(Address(SERVER.pubkey, (url,)), (player,), print)
            )
            await asyncio.wait_for(is_over.wait(), 30)
            playing.cancel()
            await asyncio.wait([playing])
            return kinds

    assert asyncio.run(run())[:2] == [[0, 20300], [20300]]


def test_a_large_house_is_heard_of_by_relays_that_take_few_values_in_a_req() -> None:
    limits = RelayLimits()
    keys = [a_key(f"player {number}") for number in range(limits.topics + 1)]

    async def run() -> set[str]:
        found: asyncio.Queue[list[str]] = asyncio.Queue()

        async def listen(socket: ServerConnection) -> None:
            named: dict[str, list[str]] = {}
            async for text in socket:
                match json.loads(text):
                    case ["REQ", str(name), {"#p": list(players)} as wanted, *_]:
                        assert len(json.dumps(wanted)) <= limits.filter_bytes
                        assert len(players) <= limits.topics
                        named[name] = players
                        if sum(map(len, named.values())) == len(keys):
                            found.put_nowait([one for part in named.values() for one in part])
                    case _:
                        pass

        async with serve(listen, "127.0.0.1", 0) as relay:
            url = f"ws://127.0.0.1:{relay.sockets[0].getsockname()[1]}"
            players = [
                Player(read_config(""), 1, key, SERVER.pubkey, print, rest_seconds=60.0)
                for key in keys
            ]
            playing = asyncio.create_task(play_over(Address(SERVER.pubkey, (url,)), players, print))
            heard = await asyncio.wait_for(found.get(), 30)
            playing.cancel()
            await asyncio.wait([playing])
            return set(heard)

    assert asyncio.run(run()) == {key.pubkey for key in keys}


@pytest.mark.parametrize("turns", range(4))
def test_a_player_that_is_told_to_end_as_an_input_comes_ends(turns: int) -> None:
    async def run() -> bool:
        player = Player(read_config(""), 1, ALICE, SERVER.pubkey, print, rest_seconds=60.0)
        playing = asyncio.create_task(player.run(lambda _: None))
        player.tell(LinkUp(URL))  # from here on it waits with a time limit
        await asyncio.sleep(0.05)
        player.tell(Tick())
        for _ in range(turns):
            await asyncio.sleep(0)
        playing.cancel()
        done, _ = await asyncio.wait([playing], timeout=5)
        playing.cancel()
        return bool(done)

    assert asyncio.run(run()), "it goes on"
