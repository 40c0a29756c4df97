"""Events: the list, a page with its tables, JSON, PGN and TRF."""

import re
from dataclasses import replace

import pytest

from arbiter.core.game import WHITE, Game, Outcome, Seat, Termination
from arbiter.core.tournaments.standings import standings
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    EntryState,
    Format,
    Phase,
    Round,
    Tournament,
)
from arbiter.dialects.trf import asked_text, players
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.stores import FakeGames
from tests.tournaments import ID, a_tournament, paused
from tests.web.browser import Browser, Site
from tests.web.test_list_pages import links_of, opened, text_of
from tests.web.test_openapi import breaches

PATH = f"/events/{ID}"
OPEN = a_tournament(rounds=0)
LIVE = a_tournament(is_live=True)
CASES = {
    "open": OPEN,
    "live": LIVE,
    "waiting": a_tournament(),
    "with a bye": a_tournament(players=5),
    "round robin": a_tournament(Format.ROUND_ROBIN, players=4, rounds=3),
    "arena": a_tournament(Format.ARENA, rounds=60, is_live=True),
    "knockout": a_tournament(Format.KNOCKOUT, players=4, rounds=1, is_live=True),
    "finished": replace(a_tournament(), phase=Phase.FINISHED),
    "cancelled": replace(OPEN, phase=Phase.CANCELLED),
    "in trouble": replace(LIVE, trouble="no legal pairing <b>"),
    "without entries": a_tournament(players=0, rounds=0),
}


def games_of(tournament: Tournament) -> list[Game]:
    """The games of its boards; those with a result are over."""
    return [
        replace(
            after(a_game(), "e4 e5"),
            id=board.game_id,
            white=tournament.entry(board.white).seat,
            black=tournament.entry(board.black).seat,
            outcome=Outcome(Termination.RESIGNATION, WHITE) if board.result else None,
            ended_at_ms=NOW_MS if board.result else None,
        )
        for _, board in tournament.boards()
    ]


def site_of(*tournaments: Tournament, games: FakeGames | None = None) -> Site:
    site = Site(games=games or FakeGames())
    for one in tournaments:
        site.tournaments.commit(None, one)
    return site


def browser_of(tournament: Tournament) -> Browser:
    return site_of(tournament, games=FakeGames(*games_of(tournament))).browser()


@pytest.mark.parametrize("tournament", CASES.values(), ids=CASES)
def test_an_event_is_a_page_for_browsers_and_json_of_the_documented_shape(
    tournament: Tournament,
) -> None:
    browser = browser_of(tournament)
    page, view = opened(browser, PATH), browser.get(PATH)

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Club evening" in text_of(page)
    assert not breaches("/events/{id}", "GET", view)
    assert [one["number"] for one in view.json["rounds"]] == [it.number for it in tournament.rounds]
    assert len(view.json["standings"]) == len(tournament.entries)
    assert not breaches("/events", "GET", browser.get("/events"))


@pytest.mark.parametrize("view", ["", "poster", "embed"])
@pytest.mark.parametrize("name", CASES)
def test_every_link_of_an_event_leads_somewhere(name: str, view: str) -> None:
    browser = browser_of(CASES[name])
    query = {"view": view} if view else {}

    for link in links_of(opened(browser, PATH, **query)):
        path, _, asked = link.partition("?")
        parameters = dict(pair.split("=") for pair in asked.split("&")) if asked else {}
        assert opened(browser, path, **parameters).status == 200, link


def test_a_strangers_texts_are_text() -> None:
    hostile = replace(LIVE.terms, title="<script>alert(1)</script>", description="<img src=x>")
    entry = replace(LIVE.entry(1), seat=Seat(ALICE.pubkey, "native", name="<b>Alice"))
    tournament = replace(LIVE, terms=hostile, trouble="<i>").with_entry(entry)
    browser = site_of(tournament).browser()

    for query in ({}, {"view": "poster"}, {"view": "embed"}):
        body = opened(browser, PATH, **query).body
        assert not [tag for tag in ("<script", "<img src=x", "<b>A", "<i>") if tag in body]
    assert "<script" not in opened(browser, "/events").body


def crosstable_of(browser: Browser) -> list[list[str]]:
    """Each row of the crosstable: its place, and the cells that follow the player."""
    body = opened(browser, PATH).body
    rows = body.partition("Crosstable</h2>")[2].partition("</table>")[0].split("<tr>")[2:]
    return [
        [re.sub("<[^>]*>", "", cell.partition("</td>")[0]) for cell in row.split("<td>")[1:]]
        for row in rows
    ]


def test_the_crosstable_of_a_swiss_has_opponent_colour_and_result_of_each_round() -> None:
    tournament = a_tournament(players=5)
    places = {row.number: str(at) for at, row in enumerate(standings(tournament), start=1)}
    shown = {row[0]: row[1:] for row in crosstable_of(browser_of(tournament))}

    for at, each in enumerate(tournament.rounds):
        for bye in each.byes:
            assert shown[places[bye.number]][at] == "1"
        for board in each.boards:
            marks = MARKS[board.result]
            assert shown[places[board.white]][at] == f"{places[board.black]}w{marks[0]}"
            assert shown[places[board.black]][at] == f"{places[board.white]}b{marks[1]}"


MARKS = {
    BoardResult.WHITE_WINS: "10",
    BoardResult.BLACK_WINS: "01",
    BoardResult.DRAW: "½½",
    BoardResult.WHITE_BY_FORFEIT: "+-",
    BoardResult.BLACK_BY_FORFEIT: "-+",
    BoardResult.BOTH_FORFEIT: "--",
    None: "··",
}


def test_a_knockout_is_a_tree_with_the_points_of_each_match() -> None:
    knockout = a_tournament(Format.KNOCKOUT, players=4, rounds=0)
    boards = (
        Board(white=1, black=4, game_id="1" * 32, result=BoardResult.WHITE_WINS),
        Board(white=3, black=2, game_id="2" * 32, result=BoardResult.BLACK_WINS),
    )
    first = Round(number=1, boards=boards, started=2)
    final = Round(number=2, boards=(Board(white=1, black=2, game_id="3" * 32),), started=1)
    played = replace(knockout, phase=Phase.PLAYING, round=2, field=(1, 2, 3, 4), by_player={})
    body = opened(browser_of(played.with_round(first).with_round(final)), PATH).body
    tree = body.partition("Bracket</h2>")[2].partition("</div>")[0]
    assert tree.count("<ol>") == 2, "two stages"
    names = [re.sub("<[^>]*>", "", part) for part in re.findall("<p.*?</p>", tree)]
    assert [name.split()[-1] for name in names] == ["1", "0", "1", "0", "0", "0"]
    assert tree.count('class="won"') == 2, "the winners of the first stage"


def test_the_crosstable_of_a_round_robin_has_each_pair_twice() -> None:
    rows = crosstable_of(browser_of(CASES["round robin"]))
    opposite = {"■": "■", "1": "0", "0": "1", "½": "½", "+": "-", "-": "+"}

    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    for one in range(1, 5):
        for other in range(1, 5):
            assert rows[one - 1][other] == opposite[rows[other - 1][one]], (one, other)
    assert [rows[place][place + 1] for place in range(4)] == ["■"] * 4


def test_each_tie_break_is_explained_beside_the_table_and_on_its_head() -> None:
    page = opened(browser_of(LIVE), PATH)

    for name in ("BH/C1", "BH", "SB", "WIN"):
        assert f">{name}</abbr></th>" in page.body
        assert f"<dt>{name}</dt>" in page.body


def test_live_boards_are_pictures_of_ours_that_the_policy_allows() -> None:
    page = opened(browser_of(LIVE), PATH)
    (live,) = (board.game_id for board in LIVE.rounds[-1].boards if board.result is None)

    assert f'<img src="/games/{live}/board.svg"' in page.body
    assert "img-src 'self'" in page.headers["Content-Security-Policy"]
    assert page.body.count("<figure>") == 1


def test_an_event_alone_can_be_shown_in_pages_of_others_and_only_when_embedded() -> None:
    browser = browser_of(LIVE)
    policies = {
        view: opened(browser, PATH, view=view).headers["Content-Security-Policy"]
        for view in ("", "poster", "embed")
    }

    assert [view for view, it in policies.items() if "frame-ancestors 'none'" not in it] == [
        "embed"
    ]
    assert "<nav>" not in opened(browser, PATH, view="embed").body


def test_a_poster_alone_reloads_itself_until_the_event_is_over() -> None:
    found = {
        (name, view)
        for name in ("open", "live", "finished", "cancelled")
        for view in ("", "poster", "embed")
        if 'http-equiv="refresh"' in opened(browser_of(CASES[name]), PATH, view=view).body
    }

    assert found == {("open", "poster"), ("live", "poster")}
    assert f'<a href="{PATH}">Reload</a>' in opened(browser_of(LIVE), PATH).body


def test_a_player_who_left_is_said_to_have_left() -> None:
    left = paused(LIVE, 2, EntryState.LEFT)

    assert "Bob (left)" in text_of(opened(browser_of(left), PATH))


def test_events_are_listed_by_their_state_and_a_cancelled_one_is_not() -> None:
    events = [
        replace(one, id=f"{number:032x}", terms=replace(one.terms, title=f"Event {number}"))
        for number, one in enumerate((CASES["finished"], OPEN, LIVE, CASES["cancelled"]), start=1)
    ]
    browser = site_of(*events).browser()
    text = text_of(opened(browser, "/events"))

    assert [text.index(f"Event {number}") for number in (3, 2, 1)] == sorted(
        text.index(f"Event {number}") for number in (1, 2, 3)
    )
    assert "Event 4" not in text
    assert len(browser.get("/events").json["events"]) == 4
    assert "None yet" in text_of(opened(Site().browser(), "/events"))


def test_the_pgn_of_an_event_has_every_game_that_is_over_once() -> None:
    tournament = a_tournament(players=30, rounds=7)
    browser = browser_of(tournament)
    found: list[str] = []
    path, query = f"{PATH}/pgn", dict[str, str]()
    for _ in range(9):
        answer = browser.get(path, **query)
        found += [line for line in answer.body.splitlines() if line.startswith("[White ")]
        if "Link" not in answer.headers:
            break
        after_place = answer.headers["Link"].partition("after=")[2].partition(">")[0]
        query = {"after": after_place}

    assert len(found) == 15 * 7
    assert len(found) > 50, "on more than one page"


def test_a_page_of_pgn_ends_early_when_its_games_are_long() -> None:
    tournament = a_tournament(players=6, rounds=1)
    long = after(a_game(), "Nf3 Nf6 Ng1 Ng8").moves * 2_000
    games = FakeGames(*(replace(one, moves=long) for one in games_of(tournament)))
    browser = site_of(tournament, games=games).browser()

    first = browser.get(f"{PATH}/pgn")
    second = browser.get(f"{PATH}/pgn", after="1.2")

    assert first.body.count("[White ") == 2
    assert "after=1.2" in first.headers["Link"]
    assert (second.body.count("[White "), "Link" in second.headers) == (1, False)


def test_no_page_of_pgn_follows_one_whose_last_games_are_missing() -> None:
    browser = site_of(a_tournament(rounds=1)).browser()

    answer = browser.get(f"{PATH}/pgn")

    assert (answer.status, answer.body, "Link" in answer.headers) == (200, "", False)


@pytest.mark.parametrize("version", ["trf26", "trf16"])
def test_the_report_is_ascii_with_a_line_for_each_player(version: str) -> None:
    answer = browser_of(LIVE).get(f"{PATH}/trf", version=version)

    assert answer.headers["Content-Type"] == "text/plain; charset=us-ascii"
    assert answer.body.isascii()
    assert {key for key, _ in players(answer.body)} == {it.seat.player for it in LIVE.entries}


def test_what_a_round_was_paired_from_is_text_for_any_engine() -> None:
    answer = browser_of(LIVE).get(f"{PATH}/trf", round="2")

    assert (answer.status, answer.body) == (200, asked_text(LIVE, 2))


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        (f"{PATH}/trf", {"round": "0"}, 404),
        (f"{PATH}/trf", {"round": "99"}, 404),
        (f"{PATH}/trf", {"round": "²"}, 404),
        (f"{PATH}/trf", {"round": "9" * 5000}, 404),
        ("/events/x", {}, 404),
        (f"/events/{'f' * 32}", {}, 404),
        (f"/events/{'f' * 32}/pgn", {}, 404),
        (PATH, {"view": "wall"}, 400),
        (f"{PATH}/pgn", {"after": "x"}, 400),
        (f"{PATH}/trf", {"version": "trf06"}, 400),
    ],
)
def test_a_wrong_address_is_a_problem_with_a_sentence(
    path: str, query: dict[str, str], status: int
) -> None:
    answer = browser_of(LIVE).get(path, **query)

    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")
    assert answer.json["detail"].endswith(".")
