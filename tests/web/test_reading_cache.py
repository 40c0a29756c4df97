"""The time for which a game's answers are cached, and their entity tags."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from arbiter.core.game import BLACK, Game, Outcome, Termination
from arbiter.web.http import FORMAT_VERSION
from tests.builders import NOW_MS, a_game, after
from tests.web.browser import Answer
from tests.web.test_reading_games import SCHOLARS_MATE, WAYS, a_blitz_game, a_rated_game, site_of


@pytest.mark.parametrize("way", WAYS)
def test_a_game_is_not_sent_again_to_a_client_that_has_it(way: str) -> None:
    game = after(a_game(), "e4")
    site = site_of(game)
    tag = site.browser().get(f"/games/{game.id}{way}").headers["ETag"]

    def asked(named: str) -> Answer:
        return site.browser().ask("GET", f"/games/{game.id}{way}", headers={"if-none-match": named})

    for named in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        assert (asked(named).status, asked(named).body) == (304, "")
        assert asked(named).headers["ETag"] == tag
    assert asked('"x"').status == 200
    site.games.by_id[game.id] = after(game, "e5")
    assert asked(tag).status == 200


@pytest.mark.parametrize("way", WAYS)
def test_a_live_game_is_cached_for_two_seconds_and_a_settled_one_for_long(way: str) -> None:
    live, over = after(a_game(), "e4"), after(a_game(), SCHOLARS_MATE)

    def kept(game: Game, seconds: float) -> str:
        site = site_of(game)
        site.clock.advance(seconds)
        return site.browser().get(f"/games/{game.id}{way}").headers["Cache-Control"]

    assert kept(live, 86_400) == "public, max-age=2"
    assert kept(over, 10) == "public, max-age=2"
    assert kept(over, 301) == f"public, max-age={86400 if way else 3600}"


def test_a_game_whose_rating_is_late_is_not_kept() -> None:
    game = after(a_blitz_game(), SCHOLARS_MATE)
    site = site_of(game)
    site.clock.advance(3600)

    late = site.browser().get(f"/games/{game.id}").headers["Cache-Control"]
    site.ratings.games[game.id] = a_rated_game(game)
    settled = site.browser().get(f"/games/{game.id}").headers["Cache-Control"]

    assert (late, settled) == ("public, max-age=2", "public, max-age=3600")


@pytest.mark.parametrize(
    "game",
    [
        replace(a_blitz_game(), outcome=Outcome(Termination.ABORTED, None), ended_at_ms=NOW_MS),
        replace(after(a_blitz_game(), "e4"), outcome=Outcome(Termination.RESIGNATION, BLACK)),
        replace(after(a_blitz_game(), SCHOLARS_MATE), black=a_game().white),
        replace(after(a_game(), SCHOLARS_MATE), rated=True),
        replace(after(a_blitz_game(), SCHOLARS_MATE), rated=False),
    ],
    ids=["called off", "one ply", "against oneself", "no clocks", "casual"],
)
def test_no_rating_is_waited_for_where_none_will_come(game: Game) -> None:
    site = site_of(game)
    site.clock.advance(3600)

    answer = site.browser().get(f"/games/{game.id}.pgn")

    assert answer.headers["Cache-Control"] == "public, max-age=86400"


def test_a_game_is_shown_as_before_unless_the_format_version_was_raised() -> None:
    # Otherwise caches would keep what they have. The PNG is made of the SVG, and its last bits may
    # depend on the processor.
    game = after(a_blitz_game(), SCHOLARS_MATE)
    site = site_of(game)
    site.ratings.games[game.id] = a_rated_game(game)
    shown: list[Any] = [site.browser().get(f"/games/{game.id}{way}").body for way in WAYS[:3]]

    digest = hashlib.sha256("\n".join(shown).encode()).hexdigest()[:16]

    assert (FORMAT_VERSION, digest) == ("4", "4c2e39487481c7b3")
