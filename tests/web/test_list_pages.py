"""Players, leaderboards and lists of games, as browsers get them."""

import re
from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.game import BLACK, Game, Outcome, Seat, Termination
from arbiter.dialects import rest
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import POLICY
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.dialects.ssb_cases import SEATS, SUE
from tests.fakes.games import FakeGames
from tests.web.browser import Answer, Browser, Site
from tests.web.test_front_page import A_BROWSER
from tests.web.test_game_page import Read
from tests.web.test_reading_lists import games_of_alice, rated

NPUB = encode_npub(ALICE.pubkey)
PLAYER = f"/players/{NPUB}"
LISTS = [PLAYER, f"{PLAYER}/games", "/live", "/leaderboard/blitz"]


def opened(browser: Browser, path: str, **query: str) -> Answer:
    return browser.ask("GET", path, query=query, headers={"Accept": A_BROWSER})


def text_of(answer: Answer) -> str:
    return " ".join("".join(Read(answer.body).texts).split())


def links_of(answer: Answer) -> set[str]:
    return {str(attrs["href"]) for tag, attrs in Read(answer.body).tags if tag == "a"}


def lost_by_black() -> Game:
    lost = Outcome(Termination.RESIGNATION, BLACK)
    return replace(after(a_game(), "e4 e5"), id="ab" * 16, outcome=lost, ended_at_ms=NOW_MS)


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_a_page_for_browsers_and_json_for_programs(path: str) -> None:
    browser = Site(games=FakeGames(*games_of_alice(3))).browser()

    page, view = opened(browser, path), browser.get(path)

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == POLICY
    assert view.headers["Content-Type"] == "application/json"
    assert "Content-Security-Policy" not in view.headers
    for answer in (page, view):
        assert answer.headers["Vary"] == "Accept"
        assert answer.headers["Cache-Control"] == (
            "public, max-age=60" if "leaderboard" in path else "public, max-age=2"
        )
    assert page.headers["ETag"] != view.headers["ETag"]
    held = {"Accept": A_BROWSER, "If-None-Match": page.headers["ETag"]}
    again = browser.ask("GET", path, headers=held)
    assert (again.status, again.headers["Vary"]) == (304, "Accept")


@pytest.mark.parametrize("path", LISTS)
def test_every_link_of_a_list_leads_somewhere_and_one_leads_home(path: str) -> None:
    site = Site(games=FakeGames(*games_of_alice(30), lost_by_black()))
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = rated(ALICE.pubkey, Speed.BLITZ, 1600)
    browser = site.browser()

    links = {link for link in links_of(opened(browser, path)) if not link.startswith("nostr:")}

    assert "/" in links
    for link in links:
        local, _, query = link.removeprefix("https://arbiter.example").partition("?")
        asked = dict(pair.split("=") for pair in query.split("&")) if query else {}
        assert opened(browser, local, **asked).status == 200, link


def test_a_player_is_shown_with_ratings_the_game_in_progress_and_last_games() -> None:
    live = after(a_game(), "e4")
    site = Site(games=FakeGames(live, lost_by_black()))
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = rated(ALICE.pubkey, Speed.BLITZ, 1613.7)
    site.ratings.standings[ALICE.pubkey, Speed.RAPID] = rated(ALICE.pubkey, Speed.RAPID, 900, 120)

    page = opened(site.browser(), PLAYER)

    in_progress, _, rest_of_page = page.body.partition("Ratings</h2>")
    ratings, _, last = rest_of_page.partition("Last games</h2>")
    assert f"/g/{live.id}" in in_progress.partition("In progress</h2>")[2]
    assert "1614 ±&nbsp;50</td><td>7" in ratings
    assert "900 ±&nbsp;120 provisional</td><td>7" in ratings
    assert f"/g/{'ab' * 16}" in last
    assert "Black won by resignation" in last
    assert f"nostr:{NPUB}" in links_of(page)
    assert encode_npub(BOB.pubkey) in page.body


def test_a_player_who_never_played_has_a_page() -> None:
    page = opened(Site().browser(), f"/players/{EVE.pubkey}")

    assert page.status == 200
    assert "None: no rated game has ended yet." in text_of(page)
    assert "No game has ended yet." in text_of(page)
    assert "In progress" not in text_of(page)


def test_a_browser_and_a_feed_are_nobody_on_nostr() -> None:
    white, black = rest.seats_of("ab" * 16, SERVER.pubkey)
    hot = replace(lost_by_black(), white=white, black=black)
    fed = replace(after(a_game(), "e4"), white=SEATS[True], rated=False)
    browser = Site(games=FakeGames(hot, fed)).browser()

    stand_in = opened(browser, f"/players/{white.player}")
    feed = opened(browser, f"/players/{SEATS[True].player}")

    assert "Plays in a browser, without a key." in text_of(stand_in)
    assert f"On Scuttlebutt: {SUE}" in text_of(feed)
    assert "nostr:" not in stand_in.body + feed.body
    assert f"/players/{SEATS[True].player}" in links_of(opened(browser, f"/g/{fed.id}"))
    live = opened(browser, "/live")
    assert white.player not in opened(browser, f"/g/{hot.id}").body + live.body


@pytest.mark.parametrize("nasty", ['"><script>alert(1)</script>', "' onmouseover='x", "<i>&amp;"])
def test_the_feed_of_a_stranger_and_the_arbiters_name_are_shown_as_text(nasty: str) -> None:
    seat = Seat(SEATS[True].player, "ssb", f"{nasty.replace(' ', '')} root host w")
    game = replace(after(a_game(), "e4"), white=seat)
    browser = Site(games=FakeGames(game), name=nasty, public_url=f"https://x/{nasty}").browser()

    for path in (*LISTS, f"/g/{game.id}", f"/players/{seat.player}", "/nowhere", "/docs", "/"):
        page = opened(browser, path)
        read = Read(page.body)
        assert page.headers["Content-Type"].startswith("text/html"), path
        assert not {"script", "i"} & {tag for tag, _ in read.tags}
        names = {name for _, attrs in read.tags for name in attrs}
        assert not [name for name in names if name.startswith("on") or name == "style"]
        assert nasty in "".join(read.texts)


def test_a_list_goes_on_by_a_link() -> None:
    games = games_of_alice(5)
    browser = Site(games=FakeGames(*games)).browser()

    first = opened(browser, "/live", limit="3")
    (onwards,) = (link for link in links_of(first) if "after=" in link)
    asked = dict(pair.split("=") for pair in onwards.partition("?")[2].split("&"))
    second = opened(browser, "/live", **asked)

    shown = re.findall(r'href="/g/(\w+)"', first.body + second.body)
    assert shown == [game.id for game in games]
    assert first.headers["Link"] == f'<{onwards}>; rel="next"'
    assert not [link for link in links_of(second) if "after=" in link]


def test_an_empty_leaderboard_says_who_is_ranked() -> None:
    site = Site()
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = rated(ALICE.pubkey, Speed.BLITZ, 1900, 110)

    text = text_of(opened(site.browser(), "/leaderboard/blitz"))

    assert "No player is ranked at blitz at the moment." in text
    assert "ranked while their deviation (Glicko-2) is below 110" in text


def test_a_leaderboard_names_its_players_in_order() -> None:
    site = Site()
    for player, value in ((ALICE, 1500), (BOB, 1700)):
        standing = rated(player.pubkey, Speed.BLITZ, value)
        site.ratings.standings[player.pubkey, Speed.BLITZ] = standing

    page = opened(site.browser(), "/leaderboard/blitz")

    ranked = [encode_npub(BOB.pubkey), NPUB]
    assert re.findall(r'href="/players/(\w+)"', page.body) == ranked
    assert "1 npub1" in text_of(page).replace("1npub1", "1 npub1")
    assert "Nobody" not in page.body


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/g/" + "0" * 32, 404),
        ("/g/x", 400),
        ("/players/x", 400),
        ("/players/npub1x/games", 400),
        ("/leaderboard/hyperbullet", 404),
        ("/games/x.pgn", 400),
        ("//evil.example/x", 404),
        ("/%3Cscript%3E", 404),
        ("/<script>alert(1)</script>", 404),
    ],
)
def test_a_wrong_address_is_a_page_with_ways_home_for_browsers(path: str, status: int) -> None:
    browser = Site().browser()

    page, told = opened(browser, path), browser.get(path)

    assert page.status == told.status == status
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == POLICY
    assert page.headers["Cache-Control"] == told.headers["Cache-Control"] == "no-store"
    assert page.headers["Vary"] == told.headers["Vary"] == "Accept"
    assert "ETag" not in page.headers
    assert told.headers["Content-Type"] == "application/problem+json"
    assert told.json["detail"] in text_of(page)
    assert {browser.get(link).status for link in links_of(page)} == {200}
    assert "/" in links_of(page)
    assert "<script" not in page.body
    assert "evil" not in page.body


def test_an_error_keeps_its_headers_on_a_page() -> None:
    refused = Site().browser().ask("DELETE", "/docs", headers={"Accept": A_BROWSER})

    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert refused.headers["Content-Type"] == "text/html; charset=utf-8"


def test_the_routes_of_chessgame_backend_answer_browsers_in_their_own_words() -> None:
    answer = opened(Site().browser(), "/load-game")

    assert answer.json == {"error": "No browser id"}
    assert "Vary" not in answer.headers
