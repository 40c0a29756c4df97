"""Games over NIP-100's socket, by raw clients that know nothing of the arbiter but the draft."""

import asyncio

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.independent_client import GAME_STATE, PGN_NOTE, IndependentClient
from clients.probes.matches import FOOLS_MATE, OPERA_GAME
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_client import (
    CHECKMATE,
    DRAWN,
    GAME_FOUND,
    GAME_OVER,
    MOVE,
    OPPONENT_RESIGNED,
    Nip100Client,
    Told,
)
from tests.e2e.nip100_matches import STALEMATE, Table, seated
from tests.e2e.within import run_within

pytestmark = pytest.mark.slow

_LIMIT_SECONDS = 120
# Colors are drawn from the ids of two events; so often the same one is no chance any more.
_GAMES_FOR_BOTH_COLORS = 20


def test_two_strangers_play_the_opera_game_to_its_mate(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(OPERA_GAME)
            assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_an_offer_that_is_answered_by_an_offer_draws(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(["e2e4"])
            offered = await table.white.offer_draw()
            assert (offered.accepted, offered.text) == (True, "offer")
            await table.black.until_offered()
            accepted = await table.black.offer_draw()
            assert (accepted.accepted, accepted.text) == (True, "offer")
            assert await table.until_over() == (DRAWN, DRAWN)

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_an_offer_is_refused_unless_the_last_move_is_ones_own(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            assert not (await table.white.offer_draw()).accepted
            await table.play(["e2e4"])
            assert not (await table.black.offer_draw()).accepted
            await table.play(["e7e5"])
            assert (await table.black.offer_draw()).accepted
            await table.white.until_offered()
            assert (await table.white.resign()).accepted
            assert (await table.black.until_over()).content == OPPONENT_RESIGNED

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_a_stalemate_is_a_draw(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(STALEMATE)
            assert table.white.board.is_stalemate()
            assert await table.until_over() == (DRAWN, DRAWN)

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_who_resigns_is_told_so_and_so_is_his_opponent(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(["e2e4", "e7e5"])
            resigned = await table.white.resign()
            assert (resigned.accepted, resigned.text) == (True, "resigned")
            assert (await table.black.until_over()).content == OPPONENT_RESIGNED

    run_within(_LIMIT_SECONDS, play())


def test_the_second_illegal_move_loses(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(["e2e4"])
            for illegal in ("e7e4", "a8a3"):
                verdict = await table.black.play(illegal)
                assert not verdict.accepted
                assert verdict.text.startswith("invalid: ")
            assert await table.until_over() == (OPPONENT_RESIGNED, GAME_OVER)
            for player in table.players:
                over = player.heard[-1]
                assert isinstance(over, Told)
                assert over.values("termination") == ("illegal-moves",)

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_what_is_no_move_or_not_in_turn_is_refused_and_costs_nothing(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            for nonsense in ("Nf3", "0000", "e2e9", "", "e2e4e5"):
                assert not (await table.white.say(MOVE, nonsense)).accepted
            for _ in range(3):
                assert not (await table.black.play("e7e5")).accepted
            await table.play(FOOLS_MATE)
            assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_a_player_whose_socket_drops_comes_back_and_plays_on(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            await table.play(OPERA_GAME[:8])
            table.black.drop()
            missed = OPERA_GAME[8]
            assert (await table.white.play(missed)).accepted
            async with table.black.connected():
                back = await table.black.search()
                assert (back.accepted, back.text) == (True, "black")
                assert (await table.black.until_moved()).content == missed
                await table.play(OPERA_GAME[9:])
                assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_who_cancels_his_search_is_given_no_game(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with Nip100Client(endpoints.websocket, endpoints.server).connected() as third:
            await third.search()
            cancelled = await third.cancel_search()
            assert (cancelled.accepted, cancelled.text) == (True, "")
            async with seated(endpoints) as table:
                await table.play(FOOLS_MATE)
                assert await table.until_over() == (CHECKMATE, CHECKMATE)
            assert len(third.heard) == 2

    run_within(_LIMIT_SECONDS, play())


def test_a_player_has_one_game_at_a_time(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with (
            seated(endpoints) as table,
            Nip100Client(endpoints.websocket, endpoints.server).connected() as third,
        ):
            assert (await third.search()).text == ""
            # Were it a second game, the third player would be in it.
            assert (await table.white.search()).text == "white"
            cancelled = await table.white.cancel_search()
            assert not cancelled.accepted
            assert cancelled.text.startswith("invalid: ")
            await table.play(FOOLS_MATE)
            assert await table.until_over() == (CHECKMATE, CHECKMATE)
            assert (await third.cancel_search()).accepted
            assert len(third.heard) == 2

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_a_second_search_of_who_waits_is_the_same_search(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        first, second = (Nip100Client(endpoints.websocket, endpoints.server) for _ in range(2))
        async with first.connected(), second.connected():
            for _ in range(2):
                assert (await first.search()).text == ""
            await second.search()
            await second.until_seated()
            await first.until_seated()
            table = Table(first, second) if first.color else Table(second, first)
            await table.play(FOOLS_MATE)
            assert await table.until_over() == (CHECKMATE, CHECKMATE)
            found = [frame for frame in first.heard if getattr(frame, "content", "") == GAME_FOUND]
            assert len(found) == 1

    run_within(_LIMIT_SECONDS, play())


@pytest.mark.e2e_slow
def test_a_move_counts_only_on_a_socket_of_its_author(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with seated(arbiter.endpoints) as table:
            stolen = table.white.signed(MOVE, "e2e4")
            await table.black.send(stolen)
            refused = await table.black.verdict_on(stolen["id"])
            assert not refused.accepted
            assert refused.text.startswith("restricted: ")
            await table.play(FOOLS_MATE)
            assert await table.until_over() == (CHECKMATE, CHECKMATE)

    run_within(_LIMIT_SECONDS, play())


def test_a_player_of_the_draft_meets_native_players_with_both_colors(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        colors: set[bool | None] = set()
        for _ in range(_GAMES_FOR_BOTH_COLORS):
            colors.add(await _meet_a_native_player(arbiter))
            if len(colors) == 2:
                break
        assert colors == {True, False}

    run_within(_LIMIT_SECONDS, play())


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
            both.create_task(_play_my_half(raw, FOOLS_MATE))
        assert (await raw.until_over()).content == CHECKMATE
        (note,) = await native.until_heard(PGN_NOTE)
        assert set(note.values("p")) == {raw.pubkey, native.pubkey}
        assert native.game is not None
        assert native.game.color == ("b" if raw.color else "w")
        assert native.errors == ()
        assert len([heard for heard in native.heard if heard.kind == GAME_STATE]) >= len(FOOLS_MATE)
    return raw.color


async def _play_my_half(player: Nip100Client, script: tuple[str, ...]) -> None:
    for uci in script:
        if player.board.turn is player.color:
            assert (await player.play(uci)).accepted
        else:
            assert (await player.until_moved()).content == uci


def test_a_player_of_the_draft_meets_one_at_a_terminal(arbiter: ArbiterRun) -> None:
    endpoints = arbiter.endpoints
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()

    async def play(terminal: Program) -> None:
        await asyncio.to_thread(terminal.until, "queued")
        raw = Nip100Client(endpoints.websocket, endpoints.server)
        async with raw.connected():
            await raw.search()
            await raw.until_seated()
            for ply, uci in enumerate(FOOLS_MATE):
                state = await asyncio.to_thread(terminal.until, "state", ply=ply)
                if state["my_turn"]:
                    terminal.enter(uci)
                    assert (await raw.until_moved()).content == uci
                else:
                    assert (await raw.play(uci)).accepted
            assert (await raw.until_over()).content == CHECKMATE
        ended = await asyncio.to_thread(terminal.until, "ended")
        assert (ended["result"], ended["termination"]) == ("0-1", "checkmate")

    with Program(secret=secret, server=endpoints.server, relays=[*endpoints.relays]) as terminal:
        run_within(_LIMIT_SECONDS, play(terminal))
