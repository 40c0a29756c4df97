"""Games over NIP-100's socket, by raw clients that know nothing of the arbiter but the draft."""

import asyncio

import pytest

from clients.probes.independent_client import PGN_NOTE, IndependentClient
from clients.probes.matches import FOOLS_MATE, OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import CHECKMATE, MOVE, Nip100Client
from tests.e2e.nip100_matches import seated

pytestmark = pytest.mark.slow

# Colors are drawn from the ids of two events; so often the same one is no chance any more.
_GAMES_FOR_BOTH_COLORS = 20


async def test_two_strangers_play_the_opera_game_to_its_mate(arbiter: ArbiterRun) -> None:
    async with seated(arbiter.endpoints) as table:
        await table.play(OPERA_GAME)
        assert await table.until_over() == (CHECKMATE, CHECKMATE)


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


async def test_a_player_of_the_draft_meets_native_players_with_both_colors(
    arbiter: ArbiterRun,
) -> None:
    colors: set[bool | None] = set()
    for _ in range(_GAMES_FOR_BOTH_COLORS):
        colors.add(await _meet_a_native_player(arbiter))
        if len(colors) == 2:
            break
    assert colors == {True, False}


async def _meet_a_native_player(arbiter: ArbiterRun) -> bool | None:
    endpoints = arbiter.endpoints
    native = IndependentClient(endpoints.relays, endpoints.server, FOOLS_MATE)
    raw = Nip100Client(endpoints.websocket, endpoints.server)
    async with native.connected(), raw.connected():
        assert await native.ask_until_answered() == "queued"
        await raw.search()
        await raw.until_seated()
        async with asyncio.TaskGroup() as both:
            both.create_task(native.play_to(len(FOOLS_MATE)))
            both.create_task(raw.play_its_half(FOOLS_MATE))
        assert (await raw.until_over()).content == CHECKMATE
        (note,) = await native.until_heard(PGN_NOTE)
        assert set(note.values("p")) == {raw.pubkey, native.pubkey}
        assert native.game is not None
        assert native.game.color == ("b" if raw.color else "w")
        assert native.errors == ()
    return raw.color
