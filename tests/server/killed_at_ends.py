"""`python -m tests.server.killed_at_ends [GAMES]`: a server that is killed while games end, again
and again; then what each transcript shows. Prints the counts; exit 1 if one claims what is not so.
"""

import asyncio
import contextlib
import random
import sys
import tempfile
import urllib.error
from collections import Counter
from pathlib import Path
from typing import Any

from arbiter.nostr.event import ParseError, VerifiedEvent, event_from_json, verify
from arbiter.proof.check import check
from arbiter.proof.transcript import unpack
from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE
from clients.probes.raw_socket import Event, RawSocket, opened
from server.game_proof import fetched
from tests.server.running_server import RunningServer, running_server
from tests.server.test_ends import new_keys, tag

AT_ONCE, NOTE = 50, 64
MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


class Pair:
    """Two players and their game; they go on after each kill."""

    def __init__(self, number: int) -> None:
        self.keys, self.terms = new_keys(), ["time", f"{600 + number}+0"]
        self.game_id = ""

    async def play(self, endpoints: Endpoints, plies: int) -> None:
        """Make the moves up to this one, whatever was made already."""
        async with opened(endpoints, self.keys[0]) as one, opened(endpoints, self.keys[1]) as other:
            state = await self._state(one, other)
            while int(tag(state, "ply")) < plies:
                ply = int(tag(state, "ply"))
                mover = one if one.pubkey == state["tags"][1 + ply % 2][1] else other
                await mover.move(state, MATE[ply])
                while int(tag(state, "ply")) == ply:
                    state = await one.event("mine", GAME_STATE)

    async def _state(self, one: RawSocket, other: RawSocket) -> Event:
        if not self.game_id:
            for player in (one, other):
                await player.subscribe("mine", tag_p=[player.pubkey])
                accepted = await player.ask_to_play(self.terms)
                assert accepted[2], accepted
            state = await one.event("mine", GAME_STATE)
            self.game_id = tag(state, "d")
            return state
        *_, state = await one.subscribe("mine", kinds=[GAME_STATE], tag_d=[self.game_id])
        return state


async def killed_while_games_end(server: RunningServer, games: int) -> list[Pair]:
    """Play them, AT_ONCE at a time; the server is killed while their last moves come."""
    done: list[Pair] = []
    while len(done) < games:
        pairs = [Pair(number) for number in range(AT_ONCE)]
        await asyncio.gather(*(pair.play(server.endpoints, 3) for pair in pairs))
        ends = [asyncio.create_task(pair.play(server.endpoints, 4)) for pair in pairs]
        await asyncio.sleep(random.random() * 0.3)
        server.kill()
        await asyncio.gather(*ends, return_exceptions=True)
        server.start()
        await asyncio.gather(*(pair.play(server.endpoints, 4) for pair in pairs))
        done += pairs
        sys.stdout.write(f"{len(done)} games\n")
    return done


async def shown(server: RunningServer, pair: Pair) -> str:
    """What the game's transcript shows, in a word."""
    url = f"{server.endpoints.http}/games/{pair.game_id}/transcript"
    try:
        found = unpack(await asyncio.to_thread(fetched, url))
    except urllib.error.HTTPError as refusal:
        return f"none ({refusal.code})"
    if isinstance(found, str):
        return f"WRONG: {found}"
    checked = check(found, await _note(server.endpoints, pair))
    if checked.wrong:
        return f"WRONG: {checked.wrong}"
    return f"says what is missing: {len(checked.missing)} lines" if checked.missing else "whole"


async def _note(endpoints: Endpoints, pair: Pair) -> VerifiedEvent | None:
    async with opened(endpoints) as anybody:
        said: list[Any] = await anybody.subscribe("note", kinds=[NOTE], tag_d=[pair.game_id])
    event = event_from_json(said[0]) if said else None
    verified = None if event is None or isinstance(event, ParseError) else verify(event)
    return verified if isinstance(verified, VerifiedEvent) else None


async def main(games: int) -> int:
    """Play, kill, and print; the exit code."""
    told = Counter[str]()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder), ARBITER_HTTP_PER_ADDRESS="0") as server,
    ):
        for pair in await killed_while_games_end(server, games):
            told[await shown(server, pair)] += 1
    for what, count in told.most_common():
        sys.stdout.write(f"{count} of {sum(told.values())}: {what}\n")
    return int(any(what.startswith("WRONG") for what in told))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 1000)))
