"""The page of a game: what stands in it, and what can never get into it."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from arbiter.application.queries import Reading, clocks_now
from arbiter.core.clocks import DAY_MS, TimeControl, start_clocks
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination, Variant
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.game_page import game_page
from arbiter.web.pages import Where, about_text, standing_text
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.games import FakeGames
from tests.fakes.outages import FakeOutages
from tests.web.browser import Answer, Site

WHERE = Where("Arbiter", "https://arbiter.example")
SCHOLARS_MATE = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#"


class Read(HTMLParser):
    """What a browser makes of the page: tags, attributes and text."""

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
    return " ".join("".join(Read(game_page(Reading(game), WHERE)).texts).split())


def test_an_ended_game_is_shown_with_players_result_moves_and_board() -> None:
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


def test_the_page_of_a_live_game_asks_for_itself_again() -> None:
    read = Read(page_of(after(a_game(), "e4")).body)

    assert ("meta", {"http-equiv": "refresh", "content": "5"}) in read.tags


def test_a_preview_gets_absolute_addresses_and_a_png() -> None:
    game = after(a_game(), SCHOLARS_MATE)

    meta = Read(page_of(game).body).meta()

    assert meta["og:url"] == f"https://arbiter.example/g/{game.id}"
    assert meta["og:image"] == (
        f"https://arbiter.example/games/{game.id}/board.png?v={game.item_version}"
    )
    assert (meta["og:image:type"], meta["og:image:width"]) == ("image/png", "600")
    assert str(meta["og:description"]).startswith("White won by checkmate. 1-0")
    told = Read(page_of(game, public_url="https://chess.example").body).meta()
    assert told["og:url"] == f"https://chess.example/g/{game.id}"


def test_nothing_runs_and_nothing_is_loaded_but_the_pages_own_style() -> None:
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
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]


@pytest.mark.parametrize("nasty", ['"><script>alert(1)</script>', "a & b < c > d", "' onload='x"])
def test_whatever_the_arbiter_is_called_is_shown_as_text(nasty: str) -> None:
    answer = page_of(after(a_game(), "e4"), name=nasty)

    read = Read(answer.body)
    assert nasty not in answer.body
    assert read.meta()["og:site_name"] == nasty
    assert nasty in "".join(read.texts)
    assert "script" not in [tag for tag, _ in read.tags]


@pytest.mark.parametrize("host", ['x"><script>', "a b", "", "x/y", "ä"])
def test_a_host_that_is_none_gets_into_no_page(host: str) -> None:
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


ENDS = {
    Outcome(Termination.STALEMATE, None): "Draw by stalemate",
    Outcome(Termination.RESIGNATION, BLACK): "Black won by resignation",
    Outcome(Termination.TIMEOUT, WHITE): "White won on time",
    Outcome(Termination.TIMEOUT, None): "Draw on time",
    Outcome(Termination.ABORTED, None): "Aborted",
}


@pytest.mark.parametrize(("outcome", "words"), ENDS.items())
def test_an_end_is_told_in_words(outcome: Outcome, words: str) -> None:
    assert standing_text(replace(a_game(), outcome=outcome)) == words


@pytest.mark.parametrize("termination", Termination)
def test_there_are_words_for_every_end(termination: Termination) -> None:
    game = replace(after(a_game(), "e4"), outcome=Outcome(termination, None), ended_at_ms=NOW_MS)

    assert game_page(Reading(game), WHERE)


def test_a_live_game_says_whose_turn_it_is() -> None:
    assert standing_text(a_game()) == "White to move"
    assert standing_text(after(a_game(), "e4 e5 Qh5 Nc6 Qxf7+")) == "Black to move, in check"


CONTROLS = {
    TimeControl(base_ms=180_000, increment_ms=2000): "blitz · 3+2",
    TimeControl(base_ms=90_000): "bullet · 1.5+0",
    TimeControl(move_ms=DAY_MS): "correspondence · a day a move",
    TimeControl(move_ms=3 * DAY_MS): "correspondence · 3 days a move",
}


@pytest.mark.parametrize(("control", "words"), CONTROLS.items())
def test_time_is_told_as_players_say_it(control: TimeControl, words: str) -> None:
    game = replace(a_game(), clocks=start_clocks(control, NOW_MS))

    assert about_text(game) == f"Casual · {words} · 0 plies"


def test_other_starts_are_told() -> None:
    chess960 = replace(a_game(), variant=Variant.CHESS960, rated=True)
    position = after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q")

    assert about_text(chess960) == "Rated · without clocks · Chess960 · 0 plies"
    assert about_text(position) == "Casual · without clocks · from a position · 1 ply"


@pytest.mark.parametrize(
    ("left_ms", "shown"),
    [(59_999, "0:59"), (180_000, "3:00"), (3_661_000, "1:01:01"), (2 * DAY_MS + 1, "2d 0h")],
)
def test_a_clock_shows_what_is_left_to_people_and_programs(left_ms: int, shown: str) -> None:
    clocks = start_clocks(TimeControl(base_ms=180_000), NOW_MS)
    game = replace(a_game(), clocks=replace(clocks, white_ms=left_ms))
    told = f'<b><time datetime="PT{left_ms // 1000}S">{shown}</time></b>'

    assert told in game_page(Reading(game), WHERE, clocks_now(game, NOW_MS))


def clocks_on(body: str) -> list[str]:
    return re.findall(r"<b><time[^>]*>([^<]*)</time></b>", body)


@pytest.mark.parametrize(
    ("moves", "shown"),
    [("", ["1:00", "1:00"]), ("e4 e5", ["0:29", "1:00"]), ("e4 e5 Nf3", ["1:00", "0:29"])],
)
def test_a_live_clock_is_shown_as_of_now_with_its_deadline(moves: str, shown: list[str]) -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(base_ms=60_000), NOW_MS))
    site = Site(games=FakeGames(after(game, moves)))
    first = site.browser().get(f"/g/{game.id}")
    site.clock.advance(31.25)

    later = site.browser().get(f"/g/{game.id}")

    assert clocks_on(first.body) == ["1:00", "1:00"]
    assert clocks_on(later.body) == shown
    deadline = "2027-01-15T08:01:01.000Z" if moves else "2027-01-15T08:00:30.000Z"
    assert f'<time datetime="{deadline}">' in later.body
    assert '<time datetime="2027-01-15T08:00:31.250Z">08:00:31 UTC</time>' in later.body
    assert later.headers["Cache-Control"] == "public, max-age=2"


def test_the_page_of_a_running_clock_is_never_said_to_be_the_same_while_it_differs() -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(base_ms=60_000), NOW_MS))
    site = Site(games=FakeGames(after(game, "e4 e5")))
    tag = {"If-None-Match": site.browser().get(f"/g/{game.id}").headers["ETag"]}

    assert site.browser().ask("GET", f"/g/{game.id}", headers=tag).status == 304
    site.clock.advance(5)
    assert site.browser().ask("GET", f"/g/{game.id}", headers=tag).status == 200


def test_an_outage_is_asked_for_where_a_clock_ran_through_it() -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(base_ms=60_000), NOW_MS))
    outages = FakeOutages()
    outages.note(NOW_MS + 3000)
    site = Site(games=FakeGames(after(game, "e4 e5 Nf3")), outages=outages)
    site.clock.advance(50)

    page = site.browser().get(f"/g/{game.id}").body

    assert clocks_on(page) == ["1:00", "0:58"]
    assert "No relay can be reached, so the clock is paused." in page


def test_an_ended_game_shows_what_was_left_and_no_deadline() -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(base_ms=60_000), NOW_MS))
    over = replace(
        after(game, "e4 e5"),
        outcome=Outcome(Termination.RESIGNATION, BLACK),
        ended_at_ms=NOW_MS + 11_000,
    )
    site = Site(games=FakeGames(over))
    site.clock.advance(3600)

    page = site.browser().get(f"/g/{game.id}").body

    assert clocks_on(page) == ["0:50", "1:00"]
    assert "time ends" not in page


def test_a_deadline_of_days_is_told_with_its_date() -> None:
    game = replace(a_game(), clocks=start_clocks(TimeControl(move_ms=2 * DAY_MS), NOW_MS))

    page = page_of(game).body

    assert ">2027-01-17 08:00 UTC</time>" in page


def test_moves_are_numbered_from_where_the_game_began() -> None:
    game = after(a_game("7k/8/8/8/8/8/8/K6R b - - 0 41"), "Kg7 Kb2")

    page = game_page(Reading(game), WHERE)

    assert '<ol class="moves" start="41">' in page
    assert "<li><span>…</span> <span>Kg7</span></li>" in page
    assert "<li><span>Kb2</span></li>" in page


@pytest.mark.parametrize("slash", ["", "/"])
def test_every_link_of_the_page_leads_somewhere_and_one_leads_home(slash: str) -> None:
    game = after(a_game(), "e4")
    browser = Site(games=FakeGames(game)).browser()

    page = Read(browser.get(f"/g/{game.id}{slash}").body)

    links = {attrs["href"] for tag, attrs in page.tags if tag == "a"}
    assert "/" in links
    assert {browser.get(str(link)).status for link in links} == {200}


def test_links_begin_where_the_operator_says_the_api_is() -> None:
    answer = page_of(after(a_game(), "e4"), public_url="https://chess.example/api")

    links = {attrs["href"] for tag, attrs in Read(answer.body).tags if tag == "a"}
    assert "/api/" in links
    assert all(str(link).startswith("/api/") for link in links)


def test_a_rematch_is_linked() -> None:
    game = replace(a_game(), outcome=Outcome(Termination.AGREEMENT, None), next_game_id="ab" * 16)

    assert f'<a href="/g/{"ab" * 16}">Rematch</a>' in game_page(Reading(game), WHERE)


def test_a_browser_is_called_one() -> None:
    seat = Seat("ab" * 32, "rest")

    assert "White a browser" in text_of(replace(a_game(), white=seat))
