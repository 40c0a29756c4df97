"""Games of every dialect, read back over HTTP by somebody who speaks none of them."""

import asyncio
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import chess.pgn
import pytest

from clients.probes import matches
from clients.probes.chessgame_client import ChessgameClient
from clients.probes.chessgame_games import play
from clients.probes.endpoints import Endpoints
from clients.probes.http_client import Answer, HttpConnection
from clients.probes.independent_client import PGN_NOTE
from tests.e2e import nip100_matches
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.kept_notes import kept_note

pytestmark = pytest.mark.slow

_LIMIT_SECONDS = 60
_PGN = "application/vnd.chess-pgn"
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that has ended, and what its players know of it. ``players`` are white and black, 64
    hex each, and empty where nobody may know.
    """

    id: str
    script: tuple[str, ...]
    result: str
    termination: str
    players: tuple[str, ...] = ()


def _native(endpoints: Endpoints) -> Finished:
    async def finished() -> Finished:
        script = matches.OPERA_GAME
        async with asyncio.timeout(_LIMIT_SECONDS), matches.seated(endpoints, script) as match:
            await match.play_to(len(script))
            await match.until_heard(PGN_NOTE)
            players = tuple(player.pubkey for player in match.players)
            return Finished(match.game_id, script, "1-0", "checkmate", players)

    return asyncio.run(finished())


def _nip100(endpoints: Endpoints) -> Finished:
    async def finished() -> Finished:
        script = nip100_matches.STALEMATE
        async with asyncio.timeout(_LIMIT_SECONDS), nip100_matches.seated(endpoints) as table:
            await table.play(script)
            await table.until_over()
            players = tuple(player.pubkey for player in table.players)
        # Nothing in the draft names a game: it is found as the last one of its player.
        (game,) = _read(endpoints, f"/players/{players[0]}/games").json()["games"]
        return Finished(game["id"], script, "1/2-1/2", "stalemate", players)

    return asyncio.run(finished())


def _rest(endpoints: Endpoints) -> Finished:
    browser = ChessgameClient(endpoints.http)
    try:
        new = browser.new_game()
        assert isinstance(new, tuple)
        play(browser, matches.FOOLS_MATE)
        return Finished(str(new[0].id), matches.FOOLS_MATE, "0-1", "checkmate")
    finally:
        browser.http.close()


_DIALECTS = {"native": _native, "nip100": _nip100, "rest": _rest}


@pytest.fixture(scope="module", params=_DIALECTS)
def game(request: pytest.FixtureRequest, shared_run: ArbiterRun) -> Finished:
    return _DIALECTS[request.param](shared_run.endpoints)


@pytest.fixture
def http(arbiter: ArbiterRun) -> Iterator[HttpConnection]:
    connection = HttpConnection(arbiter.endpoints.http)
    yield connection
    connection.close()


def _read(endpoints: Endpoints, path: str) -> Answer:
    connection = HttpConnection(endpoints.http)
    try:
        answer = connection.request("GET", path)
        assert answer.status == 200, answer
        return answer
    finally:
        connection.close()


def _board_after(script: tuple[str, ...]) -> chess.Board:
    board = chess.Board()
    for uci in script:
        board.push_uci(uci)
    return board


def test_the_pgn_is_the_note_that_was_published(arbiter: ArbiterRun, game: Finished) -> None:
    answer = _read(arbiter.endpoints, f"/games/{game.id}.pgn")
    note = kept_note(arbiter.endpoints.relays[0], arbiter.endpoints.server, game.id)
    assert answer.media_type == _PGN
    assert answer.text == note["content"]
    read = chess.pgn.read_game(io.StringIO(answer.text))
    assert read is not None
    assert read.errors == []
    assert read.headers["Result"] == game.result
    assert tuple(move.uci() for move in read.mainline_moves()) == game.script


def test_the_state_is_what_was_played(arbiter: ArbiterRun, game: Finished) -> None:
    told = _read(arbiter.endpoints, f"/games/{game.id}").json()
    board = _board_after(game.script)
    assert (told["id"], told["state"]) == (game.id, "ended")
    assert (told["result"], told["termination"]) == (game.result, game.termination)
    assert chess.Board(told["fen"]).fen() == board.fen()
    assert tuple(move["uci"] for move in told["moves"]) == game.script
    sans = [move["san"] for move in told["moves"]]
    assert chess.Board().variation_san(board.move_stack) == _numbered(sans)
    seats = [told["white"], told["black"]]
    if game.players:
        assert tuple(seat["pubkey"] for seat in seats) == game.players
        assert [seat for seat in seats if not seat["npub"].startswith("npub1")] == []
    else:
        assert seats == [{"kind": "browser"}] * 2


def test_the_picture_has_every_piece_of_the_position(arbiter: ArbiterRun, game: Finished) -> None:
    answer = _read(arbiter.endpoints, f"/games/{game.id}/board.svg")
    assert answer.media_type == "image/svg+xml"
    picture = ET.fromstring(answer.body)  # noqa: S314 - our own server's
    assert picture.tag == f"{_SVG}svg"
    drawn = [use.get("href") or use.get(_HREF) or "" for use in picture.iter(f"{_SVG}use")]
    pieces = [name for name in drawn if re.fullmatch("#(white|black)-[a-z]+", name)]
    expected = [
        f"#{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"
        for piece in _board_after(game.script).piece_map().values()
    ]
    assert sorted(pieces) == sorted(expected)


def test_nothing_is_sent_twice_to_who_has_it(http: HttpConnection, game: Finished) -> None:
    paths = ("", ".pgn", "/board.svg", "/board.png")
    for path in (*(f"/games/{game.id}{path}" for path in paths), f"/g/{game.id}"):
        first = http.request("GET", path)
        assert first.status == 200
        assert "max-age" in first.headers["cache-control"]
        again = http.request("GET", path, {"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        other = http.request("GET", path, {"If-None-Match": '"another"'})
        assert (other.status, other.body) == (200, first.body)


def test_a_player_is_found_by_his_key_in_either_spelling(
    arbiter: ArbiterRun, game: Finished
) -> None:
    for pubkey in game.players:
        told = _read(arbiter.endpoints, f"/players/{pubkey}").json()
        assert told["player"]["pubkey"] == pubkey
        assert [recent["id"] for recent in told["recent_games"]] == [game.id]
        assert told == _read(arbiter.endpoints, f"/players/{told['player']['npub']}").json()
        page = _read(arbiter.endpoints, f"/players/{pubkey}/games").json()
        assert [listed["id"] for listed in page["games"]] == [game.id]
        assert page["next"] is None
        pgn = _read(arbiter.endpoints, f"/players/{pubkey}/games.pgn")
        assert pgn.media_type == _PGN
        assert pgn.text == _read(arbiter.endpoints, f"/games/{game.id}.pgn").text


@pytest.mark.e2e_slow
def test_a_player_s_games_are_exported_whole_page_by_page(
    arbiter: ArbiterRun, http: HttpConnection
) -> None:
    player = asyncio.run(_play_again_and_again(arbiter.endpoints, games=3))
    listed: list[str] = []
    path = f"/players/{player}/games?limit=2"
    while path:
        page = http.request("GET", path)
        listed += [game["id"] for game in page.json()["games"]]
        assert page.json()["next"] == (_next(page) or None)
        path = _next(page)
    assert len(set(listed)) == len(listed) == 3
    collected = ""
    path = f"/players/{player}/games.pgn?limit=2"
    while path:
        page = http.request("GET", path)
        collected += page.text
        path = _next(page)
    assert collected == "".join(http.request("GET", f"/games/{id_}.pgn").text for id_ in listed)
    file = io.StringIO(collected)
    read = [game for _ in listed if (game := chess.pgn.read_game(file))]
    assert [game.headers["Result"] for game in read] == ["0-1"] * 3
    assert chess.pgn.read_game(file) is None


async def _play_again_and_again(endpoints: Endpoints, *, games: int) -> str:
    """Two players, one game after the other; the key of one of them."""
    async with asyncio.timeout(_LIMIT_SECONDS), nip100_matches.seated(endpoints) as first:
        table = first
        for remaining in reversed(range(games)):
            await table.play(matches.FOOLS_MATE)
            await table.until_over()
            if remaining:
                table = await _seated_again(table)
        return first.white.pubkey


async def _seated_again(table: nip100_matches.Table) -> nip100_matches.Table:
    for player in table.players:
        assert (await player.search()).accepted
    for player in table.players:
        await player.until_seated()
    white, black = sorted(table.players, key=lambda player: not player.color)
    return nip100_matches.Table(white, black)


def _next(page: Answer) -> str:
    """Where the next page is, if there is one, as the ``Link`` header tells it."""
    found = re.fullmatch('<(.+)>; rel="next"', page.headers.get("link", ""))
    return found.group(1) if found else ""


def test_a_finished_game_is_not_live_and_one_that_goes_on_is(
    arbiter: ArbiterRun, game: Finished
) -> None:
    browser = ChessgameClient(arbiter.endpoints.http)
    try:
        new = browser.new_game()
        assert isinstance(new, tuple)
        play(browser, ("e2e4",))
    finally:
        browser.http.close()
    live = {told["id"]: told for told in _read(arbiter.endpoints, "/live").json()["games"]}
    assert game.id not in live
    assert live[str(new[0].id)]["last_move"] == "e2e4"


def test_nobody_who_is_provisional_is_on_a_leaderboard(arbiter: ArbiterRun) -> None:
    for speed in ("bullet", "blitz", "rapid", "classical", "correspondence"):
        told = _read(arbiter.endpoints, f"/leaderboard/{speed}").json()
        assert told == {"speed": speed, "ranked_below_deviation": 110, "players": []}


def test_the_arbiter_s_name_is_its_key(arbiter: ArbiterRun) -> None:
    names = _read(arbiter.endpoints, "/.well-known/nostr.json").json()["names"]
    assert arbiter.endpoints.server in names.values()
    for name, pubkey in names.items():
        told = _read(arbiter.endpoints, f"/.well-known/nostr.json?name={name}").json()
        assert told["names"] == {name: pubkey}
    nobody = _read(arbiter.endpoints, "/.well-known/nostr.json?name=nobody").json()
    assert nobody["names"] == {}


def test_a_run_that_is_well_says_so(arbiter: ArbiterRun) -> None:
    answer = _read(arbiter.endpoints, "/healthz")
    told = answer.json()
    assert (told["status"], told["faults"], told["table"]) == ("ok", [], True)
    assert {relay["url"] for relay in told["relays"]} >= set(arbiter.endpoints.relays)
    assert [relay for relay in told["relays"] if not relay["reached"]] == []
    assert "no-store" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/games/00000000000000000000000000000000", 404),
        ("/games/00000000000000000000000000000000.pgn", 404),
        ("/games/00000000000000000000000000000000/board.svg", 404),
        ("/g/00000000000000000000000000000000", 404),
        ("/games/no-id", 400),
        ("/players/nobody", 400),
        ("/leaderboard/slow", 404),
        ("/nothing/here", 404),
    ],
)
def test_what_is_not_there_is_a_problem(http: HttpConnection, path: str, status: int) -> None:
    answer = http.request("GET", path)
    assert answer.status == status
    assert answer.media_type == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == status
    assert told["title"]


def _numbered(sans: list[str]) -> str:
    """SAN as `variation_san` writes it."""
    words = [f"{ply // 2 + 1}. {san}" if ply % 2 == 0 else san for ply, san in enumerate(sans)]
    return " ".join(words)
