"""The front page, which browsers get: live games, and where to play."""

import re
from dataclasses import replace

from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import HEADERS
from tests.builders import ALICE, BOB, SERVER, a_game, after
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Browser, Site

A_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def opened(browser: Browser, **headers: str) -> Answer:
    return browser.ask("GET", "/", headers={"Accept": A_BROWSER, **headers})


def test_live_games_are_listed_with_their_players() -> None:
    game = after(a_game(), "e4 e5 Nf3")
    ended = replace(after(a_game(), "f3 e5 g4 Qh4#"), id="ab" * 16)
    browser = Site(games=FakeGames(game, ended)).browser()

    page = opened(browser)

    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert re.findall(r'href="/(g/\w+)"', page.body) == [f"g/{game.id}"]
    assert ">Black to move</a>" in page.body
    assert "Casual · without clocks · 3 plies" in page.body
    for player in (ALICE, BOB):
        assert f'href="/players/{encode_npub(player.pubkey)}"' in page.body
    assert browser.get(f"/g/{game.id}").status == 200


def test_every_link_of_the_front_page_leads_somewhere() -> None:
    browser = Site().browser()
    body = opened(browser).body

    assert "None at the moment" in body
    links = re.findall(r'href="(?!nostr:|data:)([^"]+)"', body)
    assert {browser.get(link).status for link in links} == {200}


def test_the_command_to_play_names_the_relays_and_the_arbiter() -> None:
    site = Site(relays=("wss://one.example", "wss://two.example"))

    told = f"RELAYS=wss://one.example,wss://two.example SERVER={encode_npub(SERVER.pubkey)}"
    assert f"make play {told}" in opened(site.browser()).body


def test_the_page_is_cached_briefly_and_apart_from_the_status() -> None:
    browser = Site(name="<script>alert(1)</script>", relays=('wss://"><b>',)).browser()
    first = opened(browser)

    again = opened(browser, **{"If-None-Match": first.headers["ETag"]})

    assert (again.status, again.body) == (304, "")
    assert first.headers["Cache-Control"] == "public, max-age=2"
    assert "Accept" in first.headers["Vary"]
    assert first.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert "<b>" not in first.body
    assert browser.get("/").json == {"message": "Api OK!"}
