"""Players, leaderboards and lists of games as pages."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import Speed
from arbiter.core.game import BLACK, Game, Outcome, Seat, Termination
from arbiter.dialects import hot_seat
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import HEADERS
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.dialects.ssb_cases import SEATS, SUE
from tests.fakes.stores import FakeGames
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
    assert page.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
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
def test_every_link_of_a_list_leads_somewhere(path: str) -> None:
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


def test_a_new_player_a_browser_and_a_feed_have_pages_without_a_nostr_key() -> None:
    white, black = hot_seat.seats_of("ab" * 16, SERVER.pubkey)
    hot = replace(lost_by_black(), white=white, black=black)
    fed = replace(after(a_game(), "e4"), white=SEATS[True], rated=False)
    browser = Site(games=FakeGames(hot, fed)).browser()

    new = text_of(opened(browser, f"/players/{EVE.pubkey}"))
    stand_in = opened(browser, f"/players/{white.player}")
    feed = opened(browser, f"/players/{SEATS[True].player}")

    assert "None: no rated game has ended yet." in new
    assert "No game has ended yet." in new
    assert "In progress" not in new
    assert "Plays in a browser, without a key." in text_of(stand_in)
    assert f"On Scuttlebutt: {SUE}" in text_of(feed)
    assert "nostr:" not in stand_in.body + feed.body
    assert f"/players/{SEATS[True].player}" in links_of(opened(browser, f"/g/{fed.id}"))
    live = opened(browser, "/live")
    assert white.player not in opened(browser, f"/g/{hot.id}").body + live.body


@pytest.mark.parametrize("nasty", ['"><script>alert(1)</script>', "' onmouseover='x", "<i>&amp;"])
def test_foreign_texts_are_escaped(nasty: str) -> None:
    seat = Seat(SEATS[True].player, "ssb", f"{nasty.replace(' ', '')} root host w")
    game = after(a_game(), "e4")
    game = replace(game, white=seat, black=replace(game.black, name=nasty))
    browser = Site(games=FakeGames(game), name=nasty, public_url=f"https://x/{nasty}").browser()
    players = [f"/players/{one}" for one in (seat.player, game.black.player)]

    for path in (
        *LISTS,
        f"/g/{game.id}",
        *players,
        f"{players[1]}/games",
        "/nowhere",
        "/docs",
        "/",
    ):
        page = opened(browser, path)
        read = Read(page.body)
        assert page.headers["Content-Type"].startswith("text/html"), path
        assert not {"script", "i"} & {tag for tag, _ in read.tags}
        names = {name for _, attrs in read.tags for name in attrs}
        assert not [name for name in names if name.startswith("on") or name == "style"]
        assert nasty in "".join(read.texts)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/g/" + "0" * 32, 404),
        ("/g/x", 400),
        ("/players/x", 400),
        ("/leaderboard/hyperbullet", 404),
        ("//evil.example/x", 404),
        ("/<script>alert(1)</script>", 404),
    ],
)
def test_a_wrong_address_is_a_page_or_a_problem(path: str, status: int) -> None:
    browser = Site().browser()

    page, told = opened(browser, path), browser.get(path)

    assert page.status == told.status == status
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == told.headers["Cache-Control"] == "no-store"
    assert page.headers["Vary"] == told.headers["Vary"] == "Accept"
    assert "ETag" not in page.headers
    assert told.headers["Content-Type"] == "application/problem+json"
    assert told.json["detail"] in text_of(page)
    assert {browser.get(link).status for link in links_of(page)} == {200}
    assert "/" in links_of(page)
    assert "<script" not in page.body
    assert "evil" not in page.body


def test_a_refusal_keeps_its_headers_on_a_page_and_chessgame_backends_its_json() -> None:
    refused = Site().browser().ask("DELETE", "/docs", headers={"Accept": A_BROWSER})
    compatible = opened(Site().browser(), "/load-game")

    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert refused.headers["Content-Type"] == "text/html; charset=utf-8"
    assert compatible.json == {"error": "No browser id"}
    assert "Vary" not in compatible.headers
