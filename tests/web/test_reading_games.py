"""One game as it is read over HTTP: as JSON, as PGN, as a picture."""

import io
from base64 import b64decode
from dataclasses import replace

import chess
import chess.pgn
import pytest

from arbiter.application.render_replies import render_replies
from arbiter.application.results import Result as Said
from arbiter.core.clocks import Speed, TimeControl, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.core.replies import GameEnded
from arbiter.dialects import rest
from arbiter.dialects.base import Outgoing
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.nip19 import encode_npub
from tests.application.test_rated_games import played
from tests.application.world import World
from tests.builders import ALICE, NOW_MS, SERVER, a_game, after
from tests.dialects.ssb_cases import SEATS, SUE
from tests.fakes.faults import Crash
from tests.fakes.games import FakeGames
from tests.web.browser import Answer, Site

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
SCHOLARS_MATE = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"
WAYS = ["", ".pgn", "/board.svg", "/board.png"]

SITE_OF_EVERYTHING = Site()


def site_of(*games: Game) -> Site:
    return Site(games=FakeGames(*games))


def ended(termination: Termination, winner: chess.Color | None = None) -> Game:
    return replace(
        after(a_game(), "e4 e5"), outcome=Outcome(termination, winner), ended_at_ms=NOW_MS
    )


def a_blitz_game() -> Game:
    return replace(a_game(), clocks=start_clocks(BLITZ, NOW_MS), rated=True)


def a_rated_game(game: Game) -> RatedGame:
    def standing(player: str, value: float, games: int) -> Standing:
        return Standing(player, Speed.BLITZ, Rating(value=value), games)

    white, black = game.white.player, game.black.player
    return RatedGame(
        game_id=game.id,
        white=(standing(white, 1500.4, 3), standing(white, 1512.6, 4)),
        black=(standing(black, 1490, 9), standing(black, 1478, 10)),
    )


def problem_of(answer: Answer) -> tuple[int, str]:
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json["status"] == answer.status
    return answer.status, answer.json["detail"]


def test_a_live_game_is_told_with_its_position_and_moves() -> None:
    game = after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+")

    told = site_of(game).browser().get(f"/games/{game.id}").json

    assert (told["state"], told["result"], told["termination"]) == ("live", "*", None)
    assert told["fen"] == game.board().fen()
    assert (told["turn"], told["check"], told["ply"]) == ("black", True, 5)
    assert told["last_move"] == "h5f7"
    assert told["moves"][4] == {"ply": 5, "uci": "h5f7", "san": "Qxf7+"}
    assert [move["uci"] for move in told["moves"]] == [move.uci() for move in game.moves]
    assert told["white"] == {
        "kind": "nostr",
        "pubkey": ALICE.pubkey,
        "npub": encode_npub(ALICE.pubkey),
    }
    assert (told["clocks"], told["speed"], told["ratings"], told["offer"]) == (None,) * 4


def test_an_ended_game_is_told_with_its_result() -> None:
    game = after(a_game(), SCHOLARS_MATE)

    told = site_of(game).browser().get(f"/games/{game.id}").json

    assert (told["state"], told["result"]) == ("ended", "1-0")
    assert (told["termination"], told["winner"]) == ("checkmate", "white")
    assert told["ended_at_ms"] == game.end_ms


def test_clocks_are_told_as_moments_from_which_the_present_follows() -> None:
    game = after(a_blitz_game(), "e4 e5")
    site = site_of(game)

    first = site.browser().get(f"/games/{game.id}")
    site.clock.advance(30)
    later = site.browser().get(f"/games/{game.id}")

    clocks = first.json["clocks"]
    assert first.body == later.body
    assert (first.json["speed"], first.json["time_control"]) == ("blitz", "180+2")
    assert (clocks["white_ms"], clocks["black_ms"]) == (180_000, 180_000)
    assert (clocks["running"], clocks["since_ms"]) == ("white", NOW_MS)
    assert clocks["deadline_ms"] == game.deadline_ms()


@pytest.mark.parametrize("game", [a_blitz_game(), ended(Termination.AGREEMENT)])
def test_no_clock_runs_before_the_first_moves_or_after_the_end(game: Game) -> None:
    game = replace(game, clocks=start_clocks(BLITZ, NOW_MS))

    clocks = site_of(game).browser().get(f"/games/{game.id}").json["clocks"]

    assert clocks["running"] is None
    assert (clocks["deadline_ms"] is None) == (game.outcome is not None)


def test_a_day_a_move_runs_from_the_first_move_on() -> None:
    daily = TimeControl(move_ms=86_400_000)
    game = replace(a_game(), clocks=start_clocks(daily, NOW_MS))

    told = site_of(game).browser().get(f"/games/{game.id}").json

    assert (told["time_control"], told["speed"]) == ("1d", "correspondence")
    assert told["clocks"]["running"] == "white"


def test_an_offer_and_a_rematch_are_told() -> None:
    offered = replace(after(a_game(), "e4"), offer=Offer(OfferKind.DRAW, WHITE))
    again = replace(ended(Termination.AGREEMENT), next_game_id="ab" * 16)

    assert site_of(offered).browser().get(f"/games/{offered.id}").json["offer"] == {
        "kind": "draw",
        "by": "white",
    }
    assert site_of(again).browser().get(f"/games/{again.id}").json["next_game"] == "ab" * 16


def test_a_rated_game_is_told_with_what_it_did_to_the_ratings() -> None:
    game = after(a_blitz_game(), SCHOLARS_MATE)
    site = site_of(game)
    before = site.browser().get(f"/games/{game.id}")
    site.ratings.games[game.id] = a_rated_game(game)

    rated = site.browser().get(f"/games/{game.id}")

    assert before.json["ratings"] is None
    assert rated.json["ratings"] == {
        "white": {"before": 1500, "after": 1513},
        "black": {"before": 1490, "after": 1478},
    }
    assert rated.headers["ETag"] != before.headers["ETag"]


def test_a_game_from_a_position_is_told_from_there() -> None:
    game = after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q Kg6")

    told = site_of(game).browser().get(f"/games/{game.id}").json

    assert told["start_fen"] == "8/P6k/8/8/8/8/8/K7 w - - 0 1"
    assert [move["uci"] for move in told["moves"]] == ["a7a8q", "h7g6"]


def test_nobody_on_nostr_is_named_for_a_browser() -> None:
    game = replace(after(a_game(), "e4"), rated=False)
    white, black = rest.seats_of(game.id, SERVER.pubkey)
    game = replace(game, white=white, black=black)
    browser = site_of(game).browser()

    told = browser.get(f"/games/{game.id}")
    page = browser.get(f"/g/{game.id}").body

    assert told.json["white"] == told.json["black"] == {"kind": "browser"}
    for text in (told.body, page, browser.get(f"/players/{white.player}").body.split("games_")[0]):
        assert "npub1" not in text
    assert white.player not in told.body + page


def test_a_feed_is_called_by_its_name_and_no_key_is_said_to_be_somebodys() -> None:
    game = replace(after(a_game(), "e4"), white=SEATS[WHITE], rated=False)
    browser = site_of(game).browser()

    told = browser.get(f"/games/{game.id}").json
    page = browser.get(f"/g/{game.id}").body

    pubkey = SEATS[WHITE].player
    assert told["white"] == {"kind": "scuttlebutt", "feed": SUE, "pubkey": pubkey}
    assert told["black"]["kind"] == "nostr"
    assert f'title="{SUE}"' in page
    assert encode_npub(pubkey) not in page
    player = browser.get(f"/players/{pubkey}").json
    assert player["player"]["feed"] == SUE


ENDS = [
    (Termination.CHECKMATE, WHITE),
    (Termination.STALEMATE, None),
    (Termination.INSUFFICIENT_MATERIAL, None),
    (Termination.FIVEFOLD_REPETITION, None),
    (Termination.SEVENTYFIVE_MOVES, None),
    (Termination.THREEFOLD_REPETITION, None),
    (Termination.FIFTY_MOVES, None),
    (Termination.AGREEMENT, None),
    (Termination.RESIGNATION, BLACK),
    (Termination.TIMEOUT, WHITE),
    (Termination.TIMEOUT, None),
    (Termination.ILLEGAL_MOVES, BLACK),
]


def note_in(said: tuple[Outgoing, ...]) -> EventTemplate:
    (note,) = (one for one in said if isinstance(one, EventTemplate) and one.kind == 64)
    return note


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("termination", "winner"), ENDS)
def test_the_pgn_of_an_ended_game_is_its_note(
    dialect: str, termination: Termination, winner: chess.Color | None
) -> None:
    game = ended(termination, winner)
    game = replace(
        game,
        white=replace(game.white, dialect=dialect, address=SEATS[WHITE].address),
        black=replace(game.black, dialect=dialect, address=SEATS[BLACK].address),
    )

    note = note_in(
        render_replies(Said(status="", replies=(GameEnded(game),)), SERVER.pubkey, NOW_MS)
    )
    answer = site_of(game).browser().get(f"/games/{game.id}.pgn")

    assert answer.body == note.content
    assert answer.headers["Content-Type"].startswith("application/vnd.chess-pgn")


def test_the_pgn_of_a_rated_game_is_the_note_that_was_published() -> None:
    world = World()
    _, said = played(world)
    (note,) = (event for event in said if event.kind == 64)
    ((game_id, _),) = world.games.standing.items()
    site = Site(games=world.games, ratings=world.ratings)

    answer = site.browser().get(f"/games/{game_id}.pgn")

    assert answer.body == note.content
    assert '[WhiteElo "1500"]' in answer.body


@pytest.mark.parametrize("moves", ["", "e4", SCHOLARS_MATE])
def test_any_pgn_is_read_by_others_as_the_same_game(moves: str) -> None:
    game = after(a_game(), moves)

    text = site_of(game).browser().get(f"/games/{game.id}.pgn").body

    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    assert tuple(read.mainline_moves()) == game.moves
    assert read.headers["Result"] == game.result


def test_the_board_is_the_same_picture_to_the_byte_every_time() -> None:
    game = after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+")
    svgs = {site_of(game).browser().get(f"/games/{game.id}/board.svg").body for _ in range(2)}
    pngs = {site_of(game).browser().get(f"/games/{game.id}/board.png").body for _ in range(2)}

    assert len(svgs) == len(pngs) == 1
    assert "check_gradient" in svgs.pop()


def test_the_svg_asks_for_no_style_no_script_and_nothing_from_elsewhere() -> None:
    game = after(a_game(), "e4 e5")

    answer = site_of(game).browser().get(f"/games/{game.id}/board.svg")

    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    text = answer.body.replace("http://www.w3.org/2000/svg", "").replace(
        "http://www.w3.org/1999/xlink", ""
    )
    assert not [word for word in ("style", "script", "http", "url(//", "data:") if word in text]
    assert text.count(' href="#white-pawn"') == 8


def test_the_png_is_a_png_of_six_hundred_pixels() -> None:
    game = after(a_game(), "e4")

    answer = site_of(game).browser().get(f"/games/{game.id}/board.png")

    assert answer.is_base64
    octets = b64decode(answer.body)
    assert octets[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(octets[at : at + 4], "big") for at in (16, 20)] == [600, 600]
    assert answer.headers["Content-Type"] == "image/png"


@pytest.mark.parametrize("way", [*WAYS, "page"])
def test_head_is_answered_as_get_without_the_body(way: str) -> None:
    game = after(a_game(), "e4")
    path = f"/g/{game.id}" if way == "page" else f"/games/{game.id}{way}"
    browser = site_of(game).browser()

    get, head = browser.get(path), browser.ask("HEAD", path)

    octets = b64decode(get.body) if get.is_base64 else get.body.encode()
    told = {**get.headers, "Content-Length": str(len(octets))}
    assert (head.status, head.headers, head.body) == (200, told, "")
    assert octets


@pytest.mark.parametrize("way", [*WAYS, "page"])
@pytest.mark.parametrize(
    ("name", "status"),
    [("0" * 32, 404), ("0" * 31, 400), ("A" * 32, 400), ("%00", 400), ("x" * 1500, 400)],
)
def test_what_is_no_game_is_told_in_problem_details(way: str, name: str, status: int) -> None:
    path = f"/g/{name}" if way == "page" else f"/games/{name}{way}"

    answer = SITE_OF_EVERYTHING.browser().get(path)

    assert problem_of(answer)[0] == status
    assert name not in answer.body


def test_a_table_that_fails_is_our_fault_and_the_reason_is_not_told() -> None:
    def crash(point: str) -> None:
        raise Crash(point)

    site = Site(games=FakeGames(hook=crash))

    answer = site.browser().get(f"/games/{'0' * 32}")

    assert problem_of(answer)[0] == 500
    assert "games.load" not in answer.body
