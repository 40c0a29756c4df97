"""Games of every dialect, read back over HTTP by a client that speaks none of them."""

import asyncio
import io
from collections.abc import Iterator
from dataclasses import dataclass

import chess.pgn
import pytest

from clients.probes import matches
from clients.probes.endpoints import Endpoints
from clients.probes.hot_seat_client import ChessgameClient
from clients.probes.hot_seat_games import play
from clients.probes.http_client import HttpConnection
from tests.e2e import nip100_matches
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.games import kept_note

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that has ended. ``players`` are white's and black's pubkeys, and empty for a browser;
    ``id`` is empty where the dialect does not name games.
    """

    id: str
    script: tuple[str, ...]
    result: str
    termination: str
    players: tuple[str, ...] = ()


async def _native(endpoints: Endpoints) -> Finished:
    script = matches.OPERA_GAME
    async with matches.seated(endpoints, script) as match:
        await matches.play_out(match, script, "1-0")
        players = tuple(player.pubkey for player in match.players)
        return Finished(match.game_id, script, "1-0", "checkmate", players)


async def _nip100(endpoints: Endpoints) -> Finished:
    script = nip100_matches.STALEMATE
    async with nip100_matches.seated(endpoints) as table:
        await table.play(script)
        await table.until_over()
        players = tuple(player.pubkey for player in table.players)
        return Finished("", script, "1/2-1/2", "stalemate", players)


async def _hot_seat(endpoints: Endpoints) -> Finished:
    browser = ChessgameClient(endpoints.http)
    new = browser.new_game()
    assert isinstance(new, tuple)
    play(browser, matches.FOOLS_MATE)
    browser.http.close()
    return Finished(str(new[0].id), matches.FOOLS_MATE, "0-1", "checkmate")


@pytest.fixture(
    scope="module", params=[_native, _nip100, _hot_seat], ids=["native", "nip100", "hot-seat"]
)
def game(request: pytest.FixtureRequest, shared_run: ArbiterRun) -> Finished:
    finished: Finished = asyncio.run(request.param(shared_run.endpoints))
    return finished


@pytest.fixture
def http(arbiter: ArbiterRun) -> Iterator[HttpConnection]:
    connection = HttpConnection(arbiter.endpoints.http)
    yield connection
    connection.close()


def test_a_game_is_read_as_it_was_played(
    arbiter: ArbiterRun, http: HttpConnection, game: Finished
) -> None:
    game_id = game.id
    for pubkey in game.players:
        player = http.request("GET", f"/players/{pubkey}").json()
        assert player == http.request("GET", f"/players/{player['player']['npub']}").json()
        (listed,) = http.request("GET", f"/players/{pubkey}/games").json()["games"]
        game_id = game_id or listed["id"]
        assert [recent["id"] for recent in player["recent_games"]] == [listed["id"]] == [game_id]

    told = http.request("GET", f"/games/{game_id}").json()
    assert (told["id"], told["state"]) == (game_id, "ended")
    assert (told["result"], told["termination"]) == (game.result, game.termination)
    assert tuple(move["uci"] for move in told["moves"]) == game.script
    board = chess.Board()
    assert [move["san"] for move in told["moves"]] == [
        board.san_and_push(chess.Move.from_uci(uci)) for uci in game.script
    ]
    assert chess.Board(told["fen"]).fen() == board.fen()
    seats = [told["white"], told["black"]]
    if game.players:
        assert tuple(seat["pubkey"] for seat in seats) == game.players
    else:
        assert seats == [{"kind": "browser"}] * 2

    pgn = http.request("GET", f"/games/{game_id}.pgn")
    note = kept_note(arbiter.endpoints.relays[0], arbiter.endpoints.server, game_id)
    assert (pgn.media_type, pgn.text) == ("application/vnd.chess-pgn", note["content"])
    read = chess.pgn.read_game(io.StringIO(pgn.text))
    assert read is not None
    assert (read.errors, read.headers["Result"]) == ([], game.result)
    assert tuple(move.uci() for move in read.mainline_moves()) == game.script

    live = http.request("GET", "/live").json()["games"]
    assert game_id not in [each["id"] for each in live]

    for path in ("", ".pgn", "/board.svg", "/board.png", "page"):
        url = f"/g/{game_id}" if path == "page" else f"/games/{game_id}{path}"
        first = http.request("GET", url)
        assert first.status == 200
        assert "max-age" in first.headers["cache-control"]
        again = http.request("GET", url, {"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        head = http.request("HEAD", url)
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-length"] == str(len(first.body))


def test_the_arbiter_s_name_is_its_key_and_a_healthy_run_says_so(
    arbiter: ArbiterRun, http: HttpConnection
) -> None:
    names = http.request("GET", "/.well-known/nostr.json").json()["names"]
    assert arbiter.endpoints.server in names.values()
    told = http.request("GET", "/healthz").json()
    assert (told["status"], told["faults"], told["table"]) == ("ok", [], True)
    assert {relay["url"] for relay in told["relays"]} >= set(arbiter.endpoints.relays)
    assert [relay for relay in told["relays"] if not relay["reached"]] == []
