"""Players of NIP-100 who lost their socket, their memory or their arbiter, and play on."""

import asyncio

import pytest

from clients.probes.matches import FOOLS_MATE, OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import CHECKMATE, DRAWN, MOVE, OPPONENT_RESIGNED, Nip100Client, Told
from tests.e2e.nip100_matches import Table, seated
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 150


def test_a_move_whose_answer_was_lost_is_sent_again_and_is_one_move(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(OPERA_GAME[:2])
            uncertain = table.white.signed(MOVE, OPERA_GAME[2])
            await table.white.send(uncertain)
            assert (await table.black.until_moved()).event == uncertain
            table.white.drop()
            async with table.white.connected():
                assert (await table.white.search()).text == "white"
                await table.white.send(uncertain)
                verdict = await table.white.verdict_on(uncertain["id"])
                assert (verdict.accepted, verdict.text) == (True, "")
                table.white.board.push_uci(OPERA_GAME[2])
                await table.play(OPERA_GAME[3:])
                assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_who_remembers_nothing_is_told_every_move_and_plays_on(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with seated(endpoints) as table:
            await table.play(OPERA_GAME[:9])
            table.black.drop()
            heir = Nip100Client(endpoints.websocket, endpoints.server, keys=table.black.keys)
            async with heir.connected():
                assert (await heir.search(known_plies=0)).text == "black"
                for uci in OPERA_GAME[:9]:
                    assert (await heir.until_moved()).content == uci
                again = Table(table.white, heir)
                await again.play(OPERA_GAME[9:])
                assert await again.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_an_offer_that_was_missed_is_told_to_who_comes_back(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(["e2e4"])
            table.black.drop()
            assert (await table.white.offer_draw()).accepted
            async with table.black.connected():
                assert (await table.black.search()).text == "black"
                await table.black.until_offered()
                assert (await table.black.offer_draw()).accepted
                assert [(await player.until_over()).content for player in table.players] == [
                    DRAWN,
                    DRAWN,
                ]

    run_within(_LIMIT_SECONDS, play())


def test_a_player_hears_his_opponent_on_every_socket_of_his(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with seated(endpoints) as table:
            phone = Nip100Client(endpoints.websocket, endpoints.server, keys=table.black.keys)
            async with phone.connected():
                # A word that differs, for the same one in the same second would be the same event.
                assert (await phone.search(known_plies=0)).text == "black"
                await table.play(["e2e4"])
                assert (await phone.until_moved()).event == table.white.sent[-1]
                await table.white.resign()
                for socket in (table.black, phone):
                    assert (await socket.until_over()).content == OPPONENT_RESIGNED

    run_within(_LIMIT_SECONDS, play())


def test_a_stolen_connect_opens_no_ear_and_no_mouth(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with (
            seated(endpoints) as table,
            Nip100Client(endpoints.websocket, endpoints.server).connected() as thief,
        ):
            await table.play(FOOLS_MATE[:2])
            await thief.send(table.white.sent[0])
            # He is answered, for a game is no secret; what he must not do is speak, or listen.
            await thief.verdict_on(table.white.sent[0]["id"])
            stolen = table.white.signed(MOVE, FOOLS_MATE[2])
            await thief.send(stolen)
            refused = await thief.verdict_on(stolen["id"])
            assert not refused.accepted
            assert refused.text.startswith("restricted: ")
            await table.play(FOOLS_MATE[2:])
            assert await table.until_over() == (CHECKMATE, CHECKMATE)
            # Were anything of this told here, it would come before the answer to that.
            assert not (await thief.resign()).accepted
            told = [frame.content for frame in thief.heard if isinstance(frame, Told)]
            assert not {*told} & {*FOOLS_MATE[2:], CHECKMATE}

    run_within(_LIMIT_SECONDS, play())


def test_a_game_goes_on_after_everything_was_stopped_and_started(arbiter: ArbiterRun) -> None:
    def stop_and_start() -> None:
        arbiter.stop()
        arbiter.start()

    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(OPERA_GAME[:8])
            await asyncio.to_thread(stop_and_start)
            async with table.white.connected(), table.black.connected():
                # Both know all that was played, and say so; else White would be told it again.
                assert (await table.white.search(known_plies=8)).text == "white"
                assert (await table.black.search(known_plies=8)).text == "black"
                await table.play(OPERA_GAME[8:])
                assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())
