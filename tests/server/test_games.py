"""Games on a whole server, by clients that share no code with it."""

import json
import urllib.request
from pathlib import Path

import pytest

from clients.probes.chessgame_client import ChessgameClient
from clients.probes.chessgame_games import play, replayed
from clients.probes.independent_client import PGN_NOTE
from clients.probes.matches import OPERA_GAME, check_note, check_start, check_states, seated
from tests.e2e.nip100_client import CHECKMATE
from tests.e2e.nip100_matches import seated as seated_by_the_draft
from tests.server.running_server import RunningServer, bundled_relay, running_server

pytestmark = pytest.mark.slow


async def test_native_players_play_the_opera_game_to_its_mate_at_the_gateway(
    server: RunningServer,
) -> None:
    async with seated(server.endpoints, OPERA_GAME) as match:
        await match.play_to(len(OPERA_GAME))
        await match.until_heard(PGN_NOTE)
        check_start(match)
        check_states(match, OPERA_GAME)
        check_note(match, OPERA_GAME, "1-0", "checkmate")
        assert [player.errors for player in match.players] == [(), ()]


async def test_players_of_nip_100_play_the_opera_game_to_its_mate(server: RunningServer) -> None:
    async with seated_by_the_draft(server.endpoints) as table:
        await table.play(OPERA_GAME)
        assert await table.until_over() == (CHECKMATE, CHECKMATE)


def test_two_people_at_one_browser_play_over_http(server: RunningServer) -> None:
    browser = ChessgameClient(server.endpoints.http)
    try:
        browser.new_game()
        board = play(browser, OPERA_GAME)
        assert board.is_checkmate()
        assert replayed(browser.load_game()).fen() == board.fen()
    finally:
        browser.http.close()


async def test_a_game_over_the_bundled_relay_ends_in_mate(tmp_path: Path) -> None:
    with bundled_relay(tmp_path) as relay, running_server(tmp_path, relay) as server:
        endpoints = server.endpoints
        assert endpoints.relays == (relay,)
        async with seated(endpoints, OPERA_GAME) as match:
            await match.play_to(len(OPERA_GAME))
            await match.until_heard(PGN_NOTE)
            check_states(match, OPERA_GAME)
            check_note(match, OPERA_GAME, "1-0", "checkmate")


def test_the_server_tells_its_health_and_counts_for_prometheus(server: RunningServer) -> None:
    def fetched(path: str) -> str:
        with urllib.request.urlopen(server.endpoints.http + path, timeout=10) as answer:  # noqa: S310 - our own loopback
            return str(answer.read().decode())

    assert json.loads(fetched("/healthz"))["faults"] == []
    counts = dict(
        line.rsplit(" ", 1) for line in fetched("/metrics").splitlines() if line[0] != "#"
    )
    assert (counts["arbiter_Waiting"], counts["arbiter_RecordFaults"]) == ("0", "0")
