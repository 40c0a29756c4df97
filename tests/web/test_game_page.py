"""The page of a game: its content, and that nothing foreign gets into it."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import chess
import pytest

from arbiter.application.queries import GameWithRatings, clocks_now
from arbiter.core.clocks import DAY_MS, TimeControl, start_clocks
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Termination, Variant
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.game_page import game_page
from arbiter.web.pages import Where, about_text, standing_text
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.outages import FakeOutages
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Site

WHERE = Where("Arbiter", "https://arbiter.example")
SCHOLARS_MATE = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"


class Read(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def meta(self) -> dict[str | None, str | None]:
        found = (attrs for tag, attrs in self.tags if tag == "meta")
        return {it.get("property", it.get("name")): it.get("content") for it in found}


def page_of(game: Game, **site: str) -> Answer:
    made = Site(games=FakeGames(game), name=site.get("name", "Arbiter"))
    made.public_url = site.get("public_url", "")
    return made.browser().get(f"/g/{game.id}")


def text_of(game: Game) -> str:
    return " ".join("".join(Read(game_page(GameWithRatings(game), WHERE)).texts).split())


def test_an_ended_game_is_shown_with_players_result_moves_board_and_preview() -> None:
    game = after(a_game(), SCHOLARS_MATE)

    answer = page_of(game)

    read, text = Read(answer.body), text_of(game)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "White won by checkmate" in text
    assert "1-0 · Casual · without clocks · 7 plies" in text
    assert "Qh5 Nf6 Qxf7#" in text
    assert f'href="/players/{encode_npub(ALICE.pubkey)}"' in answer.body
    assert [tag for tag, _ in read.tags].count("svg") == 1
    assert "refresh" not in answer.body
    meta, here = read.meta(), "https://arbiter.example"
    assert meta["og:url"] == f"{here}/g/{game.id}"
    assert meta["og:image"] == f"{here}/games/{game.id}/board.png?v={game.item_version}"
    assert (meta["og:image:type"], meta["og:image:width"]) == ("image/png", "600")
    assert str(meta["og:description"]).startswith("White won by checkmate. 1-0")


def test_the_page_of_a_live_game_reloads_itself() -> None:
    read = Read(page_of(after(a_game(), "e4")).body)

    assert ("meta", {"http-equiv": "refresh", "content": "5"}) in read.tags


def test_the_page_runs_no_script_and_loads_nothing() -> None:
    answer = page_of(after(a_game(), SCHOLARS_MATE))

    policy = answer.headers["Content-Security-Policy"]
    (style,) = re.findall(r"<style>(.*?)</style>", answer.body, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    read = Read(answer.body)
    assert not {"script", "img", "iframe", "object", "form", "base"} & {tag for tag, _ in read.tags}
    names = {name for _, attrs in read.tags for name in attrs}
    assert not [name for name in names if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("name", ['"><script>alert(1)</script>', "a & b < c > d", "' onload='x"])
def test_the_arbiters_name_is_escaped(name: str) -> None:
    answer = page_of(after(a_game(), "e4"), name=name)

    read = Read(answer.body)
    assert name not in answer.body
    assert read.meta()["og:site_name"] == name
    assert name in "".join(read.texts)
    assert "script" not in [tag for tag, _ in read.tags]


@pytest.mark.parametrize("host", ['x"><script>', "a b", "", "x/y", "ä"])
def test_an_invalid_host_is_not_repeated(host: str) -> None:
    game = after(a_game(), "e4")
    browser = Site(games=FakeGames(game)).browser()

    def app(invocation: dict[str, object], context: object) -> dict[str, object]:
        told = invocation["requestContext"]
        assert isinstance(told, dict)
        told["domainName"] = host
        return browser.app(invocation, context)

    answer = replace(browser, app=app).get(f"/g/{game.id}")

    assert answer.status == 200
    assert Read(answer.body).meta()["og:url"] == f"/g/{game.id}"


def ended(termination: Termination, winner: chess.Color | None = None) -> Game:
    return replace(a_game(), outcome=Outcome(termination, winner), ended_at_ms=NOW_MS)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (ended(Termination.STALEMATE), "Draw by stalemate"),
        (ended(Termination.RESIGNATION, BLACK), "Black won by resignation"),
        (ended(Termination.TIMEOUT, WHITE), "White won on time"),
        (ended(Termination.TIMEOUT), "Draw on time"),
        (ended(Termination.ABORTED), "Aborted"),
        (a_game(), "White to move"),
        (after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+"), "Black to move, in check"),
    ],
)
def test_the_state_of_a_game_in_words(game: Game, words: str) -> None:
    assert standing_text(game) == words


@pytest.mark.parametrize("termination", Termination)
def test_each_way_to_end_has_its_words(termination: Termination) -> None:
    assert standing_text(ended(termination, WHITE)) not in {"White won ", ""}


def timed(**control: int) -> Game:
    return replace(a_game(), clocks=start_clocks(TimeControl(**control), NOW_MS))


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (timed(base_ms=180_000, increment_ms=2000), "Casual · blitz · 3+2 · 0 plies"),
        (timed(base_ms=90_000), "Casual · bullet · 1.5+0 · 0 plies"),
        (timed(move_ms=DAY_MS), "Casual · correspondence · a day a move · 0 plies"),
        (timed(move_ms=3 * DAY_MS), "Casual · correspondence · 3 days a move · 0 plies"),
        (
            replace(a_game(), variant=Variant.CHESS960, rated=True),
            "Rated · without clocks · Chess960 · 0 plies",
        ),
        (
            after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q"),
            "Casual · without clocks · from a position · 1 ply",
        ),
    ],
)
def test_the_terms_of_a_game_in_words(game: Game, words: str) -> None:
    assert about_text(game) == words


@pytest.mark.parametrize(
    ("left_ms", "shown"),
    [(59_999, "0:59"), (180_000, "3:00"), (3_661_000, "1:01:01"), (2 * DAY_MS + 1, "2d 0h")],
)
def test_remaining_time_is_readable_for_people_and_programs(left_ms: int, shown: str) -> None:
    clocks = start_clocks(TimeControl(base_ms=180_000), NOW_MS)
    game = replace(a_game(), clocks=replace(clocks, white_ms=left_ms))
    told = f'<b><time datetime="PT{left_ms // 1000}S">{shown}</time></b>'

    assert told in game_page(GameWithRatings(game), WHERE, clocks_now(game, NOW_MS))


def clocks_on(body: str) -> list[str]:
    return re.findall(r"<b><time[^>]*>([^<]*)</time></b>", body)


def site_of_a_minute(moves: str, outages: FakeOutages | None = None) -> tuple[Site, str]:
    """A game of a minute a side after these moves, and the path of its page."""
    game = after(timed(base_ms=60_000), moves)
    return Site(games=FakeGames(game), outages=outages), f"/g/{game.id}"


@pytest.mark.parametrize(
    ("moves", "shown"),
    [("", ["1:00", "1:00"]), ("e4 e5", ["0:29", "1:00"]), ("e4 e5 Nf3", ["1:00", "0:29"])],
)
def test_a_live_clock_is_shown_as_of_now_with_its_deadline(moves: str, shown: list[str]) -> None:
    site, path = site_of_a_minute(moves)
    first = site.browser().get(path)
    held = {"If-None-Match": first.headers["ETag"]}
    same = site.browser().ask("GET", path, headers=held)
    site.clock.advance(31.25)

    later = site.browser().get(path)

    assert clocks_on(first.body) == ["1:00", "1:00"]
    assert clocks_on(later.body) == shown
    deadline = "2027-01-15T08:01:01.000Z" if moves else "2027-01-15T08:00:30.000Z"
    assert f'<time datetime="{deadline}">' in later.body
    assert '<time datetime="2027-01-15T08:00:31.250Z">08:00:31 UTC</time>' in later.body
    assert later.headers["Cache-Control"] == "public, max-age=2"
    assert (same.status, site.browser().ask("GET", path, headers=held).status) == (304, 200)


def test_a_clock_is_paused_during_an_outage() -> None:
    outages = FakeOutages()
    outages.report_connected(NOW_MS + 3000)
    site, path = site_of_a_minute("e4 e5 Nf3", outages)
    site.clock.advance(50)

    page = site.browser().get(path).body

    assert clocks_on(page) == ["1:00", "0:58"]
    assert "No relay can be reached, so the clock is paused." in page


def test_a_deadline_of_days_has_a_date() -> None:
    assert ">2027-01-17 08:00 UTC</time>" in page_of(timed(move_ms=2 * DAY_MS)).body


def test_moves_are_numbered_from_the_initial_position() -> None:
    game = after(a_game("7k/8/8/8/8/8/8/K6R b - - 0 41"), "Kg7 Kb2")

    page = game_page(GameWithRatings(game), WHERE)

    assert '<ol class="moves" start="41">' in page
    assert "<li><span>…</span> <span>Kg7</span></li>" in page
    assert "<li><span>Kb2</span></li>" in page


@pytest.mark.parametrize("slash", ["", "/"])
def test_every_link_of_the_page_leads_somewhere_and_one_to_the_front_page(slash: str) -> None:
    game = after(a_game(), "e4")
    browser = Site(games=FakeGames(game)).browser()

    page = Read(browser.get(f"/g/{game.id}{slash}").body)

    links = {attrs["href"] for tag, attrs in page.tags if tag == "a"}
    assert "/" in links
    assert {browser.get(str(link)).status for link in links} == {200}


def test_links_and_previews_begin_at_the_public_url() -> None:
    read = Read(page_of(after(a_game(), "e4"), public_url="https://chess.example/api").body)

    links = {attrs["href"] for tag, attrs in read.tags if tag == "a"}
    assert "/api/" in links
    assert all(str(link).startswith("/api/") for link in links)
    assert str(read.meta()["og:url"]).startswith("https://chess.example/api/g/")


def test_a_rematch_is_linked() -> None:
    game = replace(ended(Termination.AGREEMENT), next_game_id="ab" * 16)

    assert f'<a href="/g/{"ab" * 16}">Rematch</a>' in game_page(GameWithRatings(game), WHERE)
