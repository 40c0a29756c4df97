"""Native games that tests of several kinds play: through something that happens to the arbiter, and
between two libraries; and the note that a relay keeps of a game.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from websockets.sync.client import connect

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, PGN_NOTE, RESPONSE, IndependentClient
from clients.probes.matches import OPERA_GAME, play_out, seated
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.node_client import installed_node_client, node_client

# The mate is not among them: its last state is not shown again to a player who was away.
_INTERRUPTED_AT_PLY, _PLAYED_MEANWHILE_TO_PLY = 9, 24
_NOTE_SECONDS = 30.0


async def play_on_through(arbiter: ArbiterRun, interruption: Callable[[], object]) -> None:
    """Play the Opera Game to its mate, with this happening while the players are moving."""
    async with seated(arbiter.endpoints, OPERA_GAME) as match:
        await match.play_to(_INTERRUPTED_AT_PLY)
        async with asyncio.TaskGroup() as both:
            both.create_task(match.play_to(_PLAYED_MEANWHILE_TO_PLY))
            both.create_task(asyncio.to_thread(interruption))
        await play_out(match, OPERA_GAME, "1-0")


async def nostr_tools_plays_nostr_sdk(endpoints: Endpoints) -> None:
    """Two clients that share no line play the Opera Game, and receive the same states and note."""
    program = installed_node_client()
    sdk = IndependentClient(endpoints.relays, endpoints.server, OPERA_GAME)
    async with node_client(program, endpoints, ",".join(OPERA_GAME)) as node, sdk.connected():
        queued = await node.until_heard(RESPONSE)
        assert queued["content"] == "queued"
        await sdk.ask_to_play()
        await sdk.play_to(len(OPERA_GAME))
        await sdk.until_heard(PGN_NOTE)
        assert await node.until_ended() == 0
        assert sdk.game is not None
        assert sdk.game.opponent == queued["me"]
        assert set(node.contents(GAME_STATE)) == {position.fen for position in sdk.game.positions}
        assert node.contents(PGN_NOTE) == [note.content for note in sdk.notes]
        assert sdk.errors == ()


def kept_note(relay: str, server: str, game_id: str) -> dict[str, Any]:
    """The note (kind 64) as the relay shows it to anybody; waits for one that is yet to come."""
    wanted = {"kinds": [PGN_NOTE], "authors": [server], "#d": [game_id]}
    with connect(relay, open_timeout=_NOTE_SECONDS) as socket:
        socket.send(json.dumps(["REQ", "note", wanted]))
        while True:
            match json.loads(socket.recv(_NOTE_SECONDS)):
                case ["EVENT", "note", dict() as event]:
                    return event
                case ["CLOSED", *_] as closed:
                    raise AssertionError(closed)
                case _:
                    continue
