"""The players who wait for a game, as programs and people read them."""

from dataclasses import replace

from arbiter.core.clocks import DAY_MS, TimeControl
from arbiter.core.game import Seat, Variant
from arbiter.core.pairing import Pool
from arbiter.core.seeks import WAIT_MS, Challenge, Seek
from arbiter.core.terms import OPEN, PLAIN, ColorPreference, Terms
from arbiter.nostr.nip19 import encode_npub
from tests.builders import ALICE, BOB, NOW_MS
from tests.fakes.stores import FakeGames, FakeLobby
from tests.web.browser import Site
from tests.web.test_client_files import A_BROWSER
from tests.web.test_openapi import breaches

BLITZ = replace(PLAIN, time=TimeControl(base_ms=180_000, increment_ms=2000), rated=True)
FROM_A_POSITION = replace(
    PLAIN, opponent=OPEN, color=ColorPreference.WHITE, start_fen="8/P6k/8/8/8/8/8/K7 w - - 0 1"
)
HOSTILE = '"><script>alert(1)</script>'


def a_seek(number: int, asked_at_ms: int, terms: Terms = PLAIN, player: str = ALICE.pubkey) -> Seek:
    return Seek(f"{number:02x}" * 32, Seat(player, "native"), asked_at_ms, terms, 1612)


def a_site(pools: list[list[Seek]], challenges: list[Seek] | None = None) -> Site:
    games = FakeGames()
    lobby = FakeLobby(games)
    for seeks in pools:
        name = seeks[0].terms.pool
        lobby.pools[name] = Pool(name, tuple(seeks))
    for challenge in map(Challenge, challenges or []):
        lobby.challenges[challenge.id] = challenge
    return Site(games, lobby=lobby)


def test_pools_show_terms_and_how_long_and_how_strong_and_name_no_player() -> None:
    chess960 = replace(PLAIN, variant=Variant.CHESS960, is_bot=True)
    site = a_site(
        [
            [a_seek(1, NOW_MS - 2000, chess960)],
            [a_seek(2, NOW_MS - 5000, BLITZ), a_seek(3, NOW_MS - 1000, BLITZ)],
        ]
    )

    answer = site.browser().get("/lobby")

    assert answer.headers["Cache-Control"] == "public, max-age=2"
    assert not breaches("/lobby", "GET", answer)
    assert answer.json == {
        "pools": [
            {
                "rated": True,
                "variant": "standard",
                "speed": "blitz",
                "time_control": "180+2",
                "waiting": [
                    {"since_ms": NOW_MS - 5000, "rating": 1612, "bot": False},
                    {"since_ms": NOW_MS - 1000, "rating": 1612, "bot": False},
                ],
            },
            {
                "rated": False,
                "variant": "chess960",
                "speed": None,
                "time_control": None,
                "waiting": [{"since_ms": NOW_MS - 2000, "rating": 1612, "bot": True}],
            },
        ],
        "challenges": [],
    }
    assert ALICE.pubkey not in answer.body


def test_open_challenges_show_who_made_them_and_the_newest_first() -> None:
    daily = replace(PLAIN, opponent=OPEN, time=TimeControl(move_ms=3 * DAY_MS))
    site = a_site([], [a_seek(1, NOW_MS - 2000, FROM_A_POSITION), a_seek(2, NOW_MS - 1000, daily)])

    answer = site.browser().get("/lobby")

    assert not breaches("/lobby", "GET", answer)
    shown = answer.json["challenges"]
    assert [one["time_control"] for one in shown] == ["3d", None]
    assert shown[1]["start_fen"] == FROM_A_POSITION.start_fen
    assert shown[1]["color"] == "white"
    assert shown[1]["challenger"]["npub"] == encode_npub(ALICE.pubkey)


def test_no_one_is_shown_who_waited_too_long_or_whose_challenge_is_not_for_all() -> None:
    by_name = replace(PLAIN, opponent=BOB.pubkey)
    by_link = replace(PLAIN, opponent=OPEN, link_key="ab" * 32)
    site = a_site(
        [[a_seek(1, NOW_MS - WAIT_MS)]],
        [
            a_seek(2, NOW_MS, by_name),
            a_seek(3, NOW_MS, by_link),
            a_seek(4, NOW_MS - WAIT_MS, FROM_A_POSITION),
        ],
    )

    assert site.browser().get("/lobby").json == {"pools": [], "challenges": []}


def test_people_read_the_same_without_javascript() -> None:
    hostile = replace(a_seek(2, NOW_MS, FROM_A_POSITION), seat=Seat("ab" * 32, "native", HOSTILE))
    site = a_site([[a_seek(1, NOW_MS, BLITZ)]], [hostile])

    page = site.browser().ask("GET", "/lobby", headers={"Accept": A_BROWSER})

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Rated · blitz · 3+2" in page.body
    assert "1 waiting since" in page.body
    assert "open to all" in page.body
    assert "<script" not in page.body
    empty = a_site([]).browser().ask("GET", "/lobby", headers={"Accept": A_BROWSER})
    assert "No open challenges." in empty.body
