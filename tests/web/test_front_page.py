"""The front page: shown to people alone, who find the games that go on there."""

import re
from dataclasses import replace

import pytest

from arbiter.nostr.nip19 import encode_npub
from arbiter.web.pages import POLICY
from tests.builders import ALICE, BOB, SERVER, a_game, after
from tests.fakes.games import FakeGames
from tests.web.browser import Answer, Browser, Site

A_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def opened(browser: Browser, **headers: str) -> Answer:
    return browser.ask("GET", "/", headers={"Accept": A_BROWSER, **headers})


def test_a_person_is_shown_the_games_that_go_on_and_finds_each() -> None:
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


def test_every_place_that_the_front_page_leads_to_is_there() -> None:
    browser = Site().browser()
    body = opened(browser).body

    assert "None at the moment" in body
    links = [link for link in re.findall(r'href="([^"]+)"', body) if "nostr:" not in link]
    assert {browser.get(link).status for link in links} == {200}


def test_who_wants_to_play_is_told_where_and_whom_to_ask() -> None:
    site = Site(relays=("wss://one.example", "wss://two.example"))

    told = f"RELAYS=wss://one.example,wss://two.example SERVER={encode_npub(SERVER.pubkey)}"
    assert f"make play {told}" in opened(site.browser()).body


@pytest.mark.parametrize("accept", ["", "*/*", "application/json, text/plain, */*"])
def test_a_program_is_told_that_the_api_is_up(accept: str) -> None:
    answer = Site().browser().ask("GET", "/", headers={"Accept": accept})

    assert answer.json == {"message": "Api OK!"}


def test_what_the_operator_calls_it_can_put_nothing_into_the_page() -> None:
    site = Site(name="<script>alert(1)</script>", relays=('wss://"><b>',))

    page = opened(site.browser())

    assert "<script" not in page.body
    assert "<b>" not in page.body
    assert page.headers["Content-Security-Policy"] == POLICY


def test_the_page_is_kept_for_a_moment_and_apart_from_what_programs_get() -> None:
    browser = Site().browser()
    first = opened(browser)

    again = opened(browser, **{"If-None-Match": first.headers["ETag"]})

    assert (again.status, again.body) == (304, "")
    assert first.headers["Cache-Control"] == "public, max-age=2"
    assert "Accept" in first.headers["Vary"]
