"""Games over NIP-100's socket, by raw clients that know nothing of the arbiter but the draft."""

import asyncio

import pytest

from clients.probes.matches import OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import CHECKMATE, MOVE
from tests.e2e.nip100_matches import seated

pytestmark = pytest.mark.slow


async def test_players_whose_sockets_drop_resend_what_is_uncertain_and_play_on(
    arbiter: ArbiterRun,
) -> None:
    async with seated(arbiter.endpoints) as table:
        white, black = table.players
        await table.play(OPERA_GAME[:2])
        uncertain = white.signed(MOVE, OPERA_GAME[2])
        await white.send(uncertain)
        assert (await black.until_moved()).event == uncertain
        white.drop()
        async with white.connected():
            assert (await white.search()).text == "white"
            await asyncio.gather(*(white.send(uncertain) for _ in range(3)))
            for _ in range(3):
                verdict = await white.verdict_on(uncertain["id"])
                assert (verdict.accepted, verdict.text) == (True, "")
            white.board.push_uci(OPERA_GAME[2])
            await table.play(OPERA_GAME[3:8])
            black.drop()
            assert (await white.play(OPERA_GAME[8])).accepted
            async with black.connected():
                assert (await black.search()).text == "black"
                assert (await black.until_moved()).content == OPERA_GAME[8]
                await table.play(OPERA_GAME[9:])
                assert await table.until_over() == (CHECKMATE, CHECKMATE)
