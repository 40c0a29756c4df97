"""Players, leaderboards and live games, page by page."""

import io
import re
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.application.queries import GamePage, GameWithRatings, cursor_of, pgn_of, shortened
from arbiter.core.clocks import Speed
from arbiter.core.game import Game, Outcome, Seat, Termination
from arbiter.core.ratings import Rating, Standing
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.request import decode_cursor, encode_cursor
from arbiter.web.routes import lists
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Browser, Site

PLAYED = after(a_game(), "e4 e5 Nf3")
KEYS = [ALICE.pubkey, BOB.pubkey, EVE.pubkey]


def a_game_of(number: int, began: int, white: int, black: int, *, over: bool) -> Game:
    return replace(
        PLAYED,
        id=f"{number:032x}",
        created_at_ms=NOW_MS + began,
        white=Seat(KEYS[white], "native"),
        black=Seat(KEYS[black], "native"),
        outcome=Outcome(Termination.AGREEMENT, None) if over else None,
    )


def games_of_alice(count: int) -> list[Game]:
    """Newest first."""
    games = [
        a_game_of(number, number // 2, number % 2, 1 - number % 2, over=False)
        for number in range(count)
    ]
    return games[::-1]


def site_of(*games: Game) -> Site:
    return Site(games=FakeGames(*games))


def followed(browser: Browser, url: str) -> Answer:
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc) == ("https", "arbiter.example")
    return browser.get(parts.path, **dict(parse_qsl(parts.query)))


def linked(answer: Answer) -> str | None:
    """The next page by the Link header."""
    if "Link" not in answer.headers:
        return None
    found = re.fullmatch(r'<([^>]*)>; rel="next"', answer.headers["Link"])
    assert found
    return found[1]


def walked(browser: Browser, path: str, limit: int) -> list[Answer]:
    pages = [browser.get(path, limit=str(limit))]
    while next_url := linked(pages[-1]):
        pages.append(followed(browser, next_url))
        assert len(pages) < 100
    return pages


GAMES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2), st.booleans()), max_size=20
).map(
    lambda drawn: [
        a_game_of(number, began, white, black, over=over)
        for number, (began, white, black, over) in enumerate(drawn)
    ]
)


@given(GAMES, st.integers(1, 8), st.sampled_from(["/live", f"/players/{ALICE.pubkey}/games"]))
def test_walking_the_pages_shows_every_game_once_newest_first(
    games: list[Game], limit: int, path: str
) -> None:
    pages = walked(site_of(*games).browser(), path, limit)

    shown = [game["id"] for page in pages for game in page.json["games"]]

    expected = [
        game
        for game in games
        if (game.outcome is None if path == "/live" else ALICE.pubkey in players_of(game))
    ]
    assert shown == [game.id for game in sorted(expected, key=cursor_of, reverse=True)]
    assert [page for page in pages if page.json["next"] != linked(page)] == []
    assert [page for page in pages[:-1] if len(page.json["games"]) != limit] == []


def players_of(game: Game) -> set[str]:
    return {game.white.player, game.black.player}


@given(GAMES, st.integers(1, 8))
def test_the_pages_of_pgn_are_one_file_of_every_game(games: list[Game], limit: int) -> None:
    pages = walked(site_of(*games).browser(), f"/players/{ALICE.pubkey}/games.pgn", limit)

    text = "".join(page.body for page in pages)

    own = [game for game in games if ALICE.pubkey in players_of(game)]
    own.sort(key=cursor_of, reverse=True)
    assert text == "".join(pgn_of(GameWithRatings(game), SERVER.pubkey) for game in own)


def test_a_page_ends_where_the_plies_are_too_many_but_not_before_the_first_game() -> None:
    games = tuple(games_of_alice(5))
    three = GamePage(games[:3], cursor_of(games[2]))

    assert shortened(GamePage(games, None), 9) == three
    assert shortened(GamePage(games, None), 11) == three
    assert shortened(three, 9) == three
    assert shortened(GamePage(games, None), 15) == GamePage(games, None)
    assert shortened(GamePage(games, None), 1) == GamePage(games[:1], cursor_of(games[0]))
    assert shortened(GamePage((), None), 1) == GamePage((), None)


def test_a_walk_through_long_games_shows_them_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_PLIES_A_PGN", 200)
    shuffle = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves
    games = [replace(game, moves=shuffle * 15) for game in games_of_alice(5)]
    browser = site_of(*games).browser()

    pages = walked(browser, f"/players/{ALICE.pubkey}/games.pgn", 50)

    assert [page.body.count("[Event ") for page in pages] == [3, 2]
    file = io.StringIO("".join(page.body for page in pages))
    read = [chess.pgn.read_game(file) for _ in range(6)]
    assert [game and game.end().ply() for game in read] == [60] * 5 + [None]


def test_new_games_do_not_disturb_a_walk() -> None:
    site = site_of(*games_of_alice(4))
    browser = site.browser()
    first = browser.get("/live", limit="2")
    newest = a_game_of(99, 99, 0, 1, over=False)
    site.games.by_id[newest.id] = newest

    second = followed(browser, first.json["next"])

    shown = [game["id"] for game in first.json["games"] + second.json["games"]]
    assert shown == [game.id for game in games_of_alice(4)]


def test_a_player_is_found_by_npub_or_hexadecimal_key() -> None:
    browser = site_of(*games_of_alice(12)).browser()

    by_hex, by_npub = (
        browser.get(f"/players/{name}") for name in (ALICE.pubkey, encode_npub(ALICE.pubkey))
    )

    assert by_hex.json == by_npub.json
    assert by_hex.json["player"]["npub"] == encode_npub(ALICE.pubkey)
    assert [game["id"] for game in by_hex.json["recent_games"]] == [
        game.id for game in games_of_alice(12)[:10]
    ]
    assert followed(browser, by_hex.json["games_url"]).json["games"]
    assert followed(browser, by_hex.json["pgn_url"]).body.startswith("[Event ")


def rated(player: str, speed: Speed, value: float, deviation: float = 50) -> Standing:
    return Standing(player, speed, Rating(value=value, deviation=deviation, rated_at_ms=NOW_MS), 7)


def test_a_player_has_a_rating_at_each_speed_they_played() -> None:
    site = Site()
    for standing in (rated(ALICE.pubkey, Speed.BLITZ, 1613.7), rated(BOB.pubkey, Speed.RAPID, 9e2)):
        site.ratings.standings[standing.player, standing.speed] = standing

    ratings = site.browser().get(f"/players/{ALICE.pubkey}").json["ratings"]
    new = site.browser().get(f"/players/{EVE.pubkey}").json

    assert ratings == {"blitz": {"rating": 1614, "deviation": 50, "provisional": False, "games": 7}}
    assert (new["ratings"], new["recent_games"]) == ({}, [])
    assert site.browser().get(f"/players/{EVE.pubkey}/games").json == {"games": [], "next": None}
    assert site.browser().get(f"/players/{EVE.pubkey}/games.pgn").body == ""


def test_a_rating_becomes_provisional_with_time() -> None:
    site = Site()
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = rated(ALICE.pubkey, Speed.BLITZ, 1600, 109)
    now = site.browser().get(f"/players/{ALICE.pubkey}").json["ratings"]["blitz"]
    site.clock.advance(400 * 86_400)

    later = site.browser().get(f"/players/{ALICE.pubkey}").json["ratings"]["blitz"]

    assert not now["provisional"]
    assert later["provisional"]
    assert later["deviation"] > now["deviation"]


def test_a_leaderboard_is_the_best_at_its_speed_best_first() -> None:
    site = Site()
    for player, value, deviation in zip(KEYS, (1500, 1700, 1900), (50, 50, 200), strict=True):
        standing = rated(player, Speed.BLITZ, value, deviation)
        site.ratings.standings[player, Speed.BLITZ] = standing
    browser = site.browser()

    told = browser.get("/leaderboard/blitz").json

    ranks = [(rank["rank"], rank["player"]["pubkey"], rank["rating"]) for rank in told["players"]]
    assert ranks == [(1, BOB.pubkey, 1700), (2, ALICE.pubkey, 1500)]
    assert len(browser.get("/leaderboard/blitz", limit="1").json["players"]) == 1
    empty = {"speed": "rapid", "ranked_below_deviation": 110, "players": []}
    assert browser.get("/leaderboard/rapid").json == empty


PLAYER = f"/players/{ALICE.pubkey}"


PAGED = ["/live", f"{PLAYER}/games", f"{PLAYER}/games.pgn"]
BAD_NAMES = ["x", "A" * 64, "npub1" + "q" * 58]
BAD_LIMITS = ["0", "51", "-1", "1.0", "", "x", "²", "1,2", "9999"]
BAD_CURSORS = ["", "x", "=" * 32, "A" * 31, "A" * 33, "é" * 32]


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        *((f"/players/{n}{way}", {}, 400) for n in BAD_NAMES for way in ("", "/games")),
        *((f"/players/{name}/games.pgn", {}, 400) for name in BAD_NAMES),
        *((path, {"limit": limit}, 400) for path in PAGED for limit in BAD_LIMITS),
        *((path, {"after": cursor}, 400) for path in PAGED for cursor in BAD_CURSORS),
        ("/leaderboard/blitz", {"limit": "101"}, 400),
        ("/leaderboard/hyperbullet", {}, 404),
    ],
)
def test_a_bad_name_limit_or_cursor_is_a_problem(
    path: str, query: dict[str, str], status: int
) -> None:
    answer = Site().browser().get(path, **query)

    assert (answer.status, answer.json["status"]) == (status, status)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/live", PLAYER, f"{PLAYER}/games", f"{PLAYER}/games.pgn"])
def test_a_list_is_not_sent_again_to_a_client_that_has_it(path: str) -> None:
    site = site_of(*games_of_alice(2))
    first = site.browser().get(path)
    tag: Any = {"if-none-match": first.headers["ETag"]}

    assert site.browser().ask("GET", path, headers=tag).status == 304
    site.games.by_id.popitem()
    assert site.browser().ask("GET", path, headers=tag).status == 200
    assert first.headers["Cache-Control"] == "public, max-age=2"


@given(st.text(st.sampled_from("AZaz09_-"), min_size=32, max_size=32))
def test_a_made_up_cursor_names_a_place(cursor: str) -> None:
    decoded = decode_cursor(cursor)

    assert decoded is not None
    assert encode_cursor(decoded) == cursor
