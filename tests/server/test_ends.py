"""A server that ends, by kill -9 or by SIGTERM, and starts again on its file."""

import asyncio
import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE
from clients.probes.matches import OPERA_GAME
from clients.probes.raw_socket import Event, RawSocket, opened
from tests.server.running_server import RunningServer, running_server

pytestmark = pytest.mark.slow


async def begun(endpoints: Endpoints, keys: tuple[Any, Any], *terms: list[str]) -> str:
    """The id of a new game between these two."""
    async with opened(endpoints, keys[0]) as one, opened(endpoints, keys[1]) as other:
        for player in (one, other):
            await player.subscribe("mine", tag_p=[player.pubkey])
            await player.ask_to_play(*terms)
        return tag(await one.event("mine", GAME_STATE), "d")


def tag(event: Event, name: str) -> str:
    """The value of the event's tag of this name."""
    return str(next(tag[1] for tag in event["tags"] if tag[0] == name))


async def present(socket: RawSocket, game_id: str) -> Event:
    """The game's state, as a new subscription is shown it; the newer, if it ends meanwhile."""
    *_, state = await socket.subscribe(f"see{id(object())}", kinds=[GAME_STATE], tag_d=[game_id])
    return state


async def play(endpoints: Endpoints, keys: tuple[Any, Any], game_id: str, plies: int) -> Event:
    """Make so many moves of the opera game; the state after them."""
    async with opened(endpoints, keys[0]) as one, opened(endpoints, keys[1]) as other:
        state = await present(one, game_id)
        await one.subscribe("game", kinds=[GAME_STATE], tag_d=[game_id])
        for _ in range(plies):
            ply = int(tag(state, "ply"))
            mover = state["tags"][1 + ply % 2][1]
            accepted = await (one if one.pubkey == mover else other).move(state, OPERA_GAME[ply])
            assert accepted[2], accepted
            while int(tag(state, "ply")) == ply:
                state = await one.event("game", GAME_STATE)
        return state


def new_keys() -> tuple[Any, Any]:
    """Two players."""
    return nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()


async def test_sigterm_answers_what_was_received_and_the_next_start_does_what_was_not_finished(
    tmp_path: Path,
) -> None:
    with running_server(tmp_path) as server:
        endpoints, keys, others = server.endpoints, new_keys(), new_keys()
        game_id, unfinished = await begun(endpoints, keys), await begun(endpoints, others)
        async with opened(endpoints, keys[0]) as one, opened(endpoints, keys[1]) as other:
            state, left = await present(one, game_id), await present(one, unfinished)
            white = one if one.pubkey == state["tags"][1][1] else other
            event = _signed_move(server, white, state, "e2e4")
            await white.say("EVENT", event)
            await asyncio.sleep(0.05)
            server.ask_to_stop()
            assert (await white.until("OK", event["id"]))[2]
            await white.until_closed()
        assert await asyncio.to_thread(server.wait) == 0
        _put_in_inbox(server, _move(server, others, left, "e2e4"))
        server.start()
        async with opened(server.endpoints) as spectator:
            assert tag(await present(spectator, game_id), "ply") == "1"
            await spectator.subscribe("game", kinds=[GAME_STATE], tag_d=[unfinished])
            left = await present(spectator, unfinished)
            while tag(left, "ply") != "1":
                left = await spectator.event("game", GAME_STATE)
        assert server.log_lines[-1]["status"] != "failed"
        server.stop()
        assert _inbox(server) == []


def test_a_second_server_on_the_same_file_says_so_and_ends(server: RunningServer) -> None:
    second = RunningServer(server.data.parent, "none", {})
    second.log = server.data.parent / "second.log"
    endpoints = (server.data / "endpoints.json").read_text()
    with pytest.raises(AssertionError, match=r"another process has .* open"):
        second.start()
    (server.data / "endpoints.json").write_text(endpoints)
    assert server.log_lines[-1]["status"] != "failed"


def _move(server: RunningServer, keys: tuple[Any, Any], state: Event, uci: str) -> Event:
    white = next(key for key in keys if key.public_key().to_hex() == state["tags"][1][1])
    return _signed_move(server, RawSocket(None, server, white), state, uci)  # type: ignore[arg-type]


def _signed_move(server: RunningServer, player: RawSocket, state: Event, uci: str) -> Event:
    (_, game), (_, white), (_, black) = state["tags"][:3]
    named = [["d", game], ["p", server.pubkey], ["p", white], ["p", black]]
    return player.signed(20303, uci, *named, ["e", state["id"]])


def _put_in_inbox(server: RunningServer, event: Event) -> None:
    """As a server does that is killed before it handles it."""
    body = json.dumps({"event": event, "received_at_ms": round(time.time() * 1000)})
    with sqlite3.connect(server.data / "arbiter.sqlite3") as file:
        file.execute(
            "INSERT INTO inbox (queue, id, group_id, body, received_at_ms) VALUES (?, ?, ?, ?, 0)",
            ("moves", event["id"], "a group", body),
        )


def _inbox(server: RunningServer) -> list[Any]:
    with sqlite3.connect(server.data / "arbiter.sqlite3") as file:
        return file.execute("SELECT * FROM inbox").fetchall()
