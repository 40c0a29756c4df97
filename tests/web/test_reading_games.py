"""A game as JSON, PGN and images."""

from base64 import b64decode
from dataclasses import replace
from typing import Any

import chess
import chess.pgn
import pytest

from arbiter.application.reply.render import render_replies
from arbiter.application.results import Result as Said
from arbiter.core.clocks import Speed, TimeControl, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.ratings import RatedGame, Rating, Standing
from arbiter.core.replies import GameEnded
from arbiter.dialects import hot_seat
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.nip19 import encode_npub
from tests.application.script import run
from tests.builders import ALICE, NOW_MS, SERVER, a_game, after
from tests.dialects.ssb_cases import SEATS, SUE
from tests.fakes.stores import FakeGames
from tests.web.browser import Site

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
SCHOLARS_MATE = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"
WAYS = ["", ".pgn", "/board.svg", "/board.png"]


def site_of(*games: Game) -> Site:
    return Site(games=FakeGames(*games))


def ended(termination: Termination, winner: chess.Color | None = None) -> Game:
    return replace(
        after(a_game(), "e4 e5"), outcome=Outcome(termination, winner), ended_at_ms=NOW_MS
    )


def a_blitz_game() -> Game:
    return replace(a_game(), clocks=start_clocks(BLITZ, NOW_MS), rated=True)


DAILY = replace(a_game(), clocks=start_clocks(TimeControl(move_ms=86_400_000), NOW_MS))


def a_rated_game(game: Game) -> RatedGame:
    def standing(player: str, value: float, games: int) -> Standing:
        return Standing(player, Speed.BLITZ, Rating(value=value), games)

    white, black = game.white.player, game.black.player
    return RatedGame(
        game_id=game.id,
        white=(standing(white, 1500.4, 3), standing(white, 1512.6, 4)),
        black=(standing(black, 1490, 9), standing(black, 1478, 10)),
    )


def read(game: Game) -> Any:
    return site_of(game).browser().get(f"/games/{game.id}").json


def test_a_live_game_has_its_position_and_moves() -> None:
    game = after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+")

    view = read(game)

    assert (view["state"], view["result"], view["termination"]) == ("live", "*", None)
    assert view["fen"] == game.board().fen()
    assert (view["turn"], view["check"], view["ply"]) == ("black", True, 5)
    assert view["last_move"] == "h5f7"
    assert view["moves"][4] == {"ply": 5, "uci": "h5f7", "san": "Qxf7+"}
    assert [move["uci"] for move in view["moves"]] == [move.uci() for move in game.moves]
    npub = encode_npub(ALICE.pubkey)
    assert view["white"] == {"kind": "nostr", "pubkey": ALICE.pubkey, "npub": npub}
    assert (view["clocks"], view["speed"], view["ratings"], view["offer"]) == (None,) * 4


_MATED = after(a_game(), SCHOLARS_MATE)


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (
            _MATED,
            {
                "state": "ended",
                "result": "1-0",
                "termination": "checkmate",
                "winner": "white",
                "ended_at_ms": _MATED.end_ms,
            },
        ),
        (
            after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q Kg6"),
            {"start_fen": "8/P6k/8/8/8/8/8/K7 w - - 0 1", "last_move": "h7g6"},
        ),
        (
            replace(after(a_game(), "e4"), offer=Offer(OfferKind.DRAW, WHITE)),
            {"offer": {"kind": "draw", "by": "white"}},
        ),
        (replace(ended(Termination.AGREEMENT), next_game_id="ab" * 16), {"next_game": "ab" * 16}),
        (a_blitz_game(), {"speed": "blitz", "time_control": "180+2"}),
        (DAILY, {"speed": "correspondence", "time_control": "1d"}),
    ],
    ids=["ended", "from a position", "offered", "rematched", "blitz", "daily"],
)
def test_a_game_has_its_terms_and_its_state(game: Game, expected: dict[str, Any]) -> None:
    view = read(game)

    assert {name: view[name] for name in expected} == expected


_OVER = replace(ended(Termination.AGREEMENT), clocks=start_clocks(BLITZ, NOW_MS))


@pytest.mark.parametrize(
    ("game", "running"),
    [
        (after(a_blitz_game(), "e4 e5"), "white"),
        (after(a_blitz_game(), "e4 e5 Nf3"), "black"),
        (DAILY, "white"),
        (a_blitz_game(), None),  # before the first moves
        (_OVER, None),
    ],
)
def test_clocks_are_instants_from_which_a_client_derives_the_present(
    game: Game, running: str | None
) -> None:
    site = site_of(game)
    first = site.browser().get(f"/games/{game.id}")
    site.clock.advance(30)
    later = site.browser().get(f"/games/{game.id}")

    clocks = first.json["clocks"]
    assert first.body == later.body
    assert (clocks["running"], clocks["since_ms"]) == (running, NOW_MS)
    assert game.clocks
    assert clocks["white_ms"] == game.clocks.white_ms
    assert clocks["black_ms"] == game.clocks.black_ms
    assert clocks["deadline_ms"] == (None if game.outcome else game.deadline_ms())


def test_a_rated_game_has_the_ratings_before_and_after() -> None:
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


def test_a_browsers_stand_in_key_is_not_shown() -> None:
    game = replace(after(a_game(), "e4"), rated=False)
    white, black = hot_seat.seats_of(game.id, SERVER.pubkey)
    game = replace(game, white=white, black=black)
    browser = site_of(game).browser()

    view = browser.get(f"/games/{game.id}")
    page = browser.get(f"/g/{game.id}").body

    assert view.json["white"] == view.json["black"] == {"kind": "browser"}
    player = browser.get(f"/players/{white.player}").body.split("games_")[0]
    assert "npub1" not in view.body + page + player
    assert white.player not in view.body + page


def test_a_feed_is_shown_by_its_name_and_without_an_npub() -> None:
    game = replace(after(a_game(), "e4"), white=SEATS[WHITE], rated=False)
    browser = site_of(game).browser()

    view = browser.get(f"/games/{game.id}").json
    page = browser.get(f"/g/{game.id}").body

    pubkey = SEATS[WHITE].player
    assert view["white"] == {"kind": "scuttlebutt", "feed": SUE, "pubkey": pubkey}
    assert view["black"]["kind"] == "nostr"
    assert f'title="{SUE}"' in page
    assert encode_npub(pubkey) not in page
    assert browser.get(f"/players/{pubkey}").json["player"]["feed"] == SUE


DRAWS = (
    *(Termination.STALEMATE, Termination.INSUFFICIENT_MATERIAL, Termination.AGREEMENT),
    *(Termination.FIVEFOLD_REPETITION, Termination.THREEFOLD_REPETITION),
    *(Termination.SEVENTYFIVE_MOVES, Termination.FIFTY_MOVES),
)
ENDS = [
    (Termination.CHECKMATE, WHITE),
    *((termination, None) for termination in DRAWS),
    (Termination.RESIGNATION, BLACK),
    (Termination.TIMEOUT, WHITE),
    (Termination.TIMEOUT, None),
    (Termination.ILLEGAL_MOVES, BLACK),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("termination", "winner"), ENDS)
def test_the_pgn_of_an_ended_game_is_its_note(
    dialect: str, termination: Termination, winner: chess.Color | None
) -> None:
    game = ended(termination, winner)
    here = {color: SEATS[color].address for color in (WHITE, BLACK)}
    if dialect == "jester":
        here = {WHITE: f"{'a' * 64} host w", BLACK: f"{'b' * 64} host b"}
    game = replace(
        game,
        white=replace(game.white, dialect=dialect, address=here[WHITE]),
        black=replace(game.black, dialect=dialect, address=here[BLACK]),
    )

    said = render_replies(Said(status="", replies=(GameEnded(game),)), SERVER.pubkey, NOW_MS)
    (note,) = (it for it in said if isinstance(it, EventTemplate) and it.kind == 64)
    answer = site_of(game).browser().get(f"/games/{game.id}.pgn")

    assert answer.body == note.content
    assert answer.headers["Content-Type"].startswith("application/vnd.chess-pgn")


def test_the_pgn_of_a_rated_game_is_the_note_that_was_published() -> None:
    world = run(
        "alice seek blitz rated; bob seek blitz rated; moves f2f3 e7e5 g2g4; bob d8h4"
    ).world
    (note,) = (event for event in world.publisher.taken_events if event.kind == 64)
    ((game_id, _),) = world.games.by_id.items()
    site = Site(games=world.games, ratings=world.ratings)

    answer = site.browser().get(f"/games/{game_id}.pgn")

    assert answer.body == note.content
    assert '[WhiteElo "1500"]' in answer.body


def test_the_svg_is_reproducible_and_loads_nothing() -> None:
    game = after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+")

    answer, again = (site_of(game).browser().get(f"/games/{game.id}/board.svg") for _ in range(2))

    assert answer.body == again.body
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    text = answer.body.replace("http://www.w3.org/", "")
    assert not [word for word in ("style", "script", "http", "url(//", "data:") if word in text]
    assert text.count(' href="#white-pawn"') == 8
    assert "check_gradient" in text


def test_the_png_is_reproducible_and_600_pixels_wide() -> None:
    game = after(a_game(), "e4")

    answer, again = (site_of(game).browser().get(f"/games/{game.id}/board.png") for _ in range(2))

    assert answer.is_base64
    assert answer.body == again.body
    octets = b64decode(answer.body)
    assert octets[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(octets[at : at + 4], "big") for at in (16, 20)] == [600, 600]
    assert answer.headers["Content-Type"] == "image/png"
