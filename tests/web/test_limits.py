"""Limits of one client, which take nothing from others."""

from dataclasses import replace

import pytest

from arbiter.web.deps import Limits
from tests.fakes.faults import Crash
from tests.fakes.rate_limits import FakeRateLimits
from tests.web.browser import Browser, Site


def statuses(browser: Browser, path: str, times: int) -> list[int]:
    return [browser.get(path).status for _ in range(times)]


def a_site(per_address: int) -> Site:
    return Site(limits=Limits(per_address=per_address))


def test_an_address_has_its_requests_a_minute_and_is_refused_with_the_seconds_to_wait() -> None:
    site = a_site(per_address=3)
    site.clock.ms = 1_800_000_000_000 + 45_000
    browser = site.browser()

    assert statuses(browser, "/", 3) == [200, 200, 200]
    refused, compatible = browser.get("/"), browser.get("/load-game")
    assert (refused.status, refused.headers["Retry-After"]) == (429, "15")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert compatible.json == {"error": "Too many requests"}
    assert compatible.headers["Access-Control-Allow-Origin"] == "*"
    site.clock.advance(60)
    assert statuses(browser, "/", 1) == [200]


@pytest.mark.parametrize(
    ("one", "other", "status"),
    [
        ("192.0.2.7", "192.0.2.8", 200),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", 200),
        ("", "no address", 429),
    ],
)
def test_an_ipv4_address_or_an_ipv6_network_is_one_client(
    one: str, other: str, status: int
) -> None:
    browser = a_site(per_address=1).browser()
    replace(browser, address=one).get("/")

    assert replace(browser, address=other).get("/").status == status


def test_a_browser_is_counted_across_addresses_without_its_id_being_kept() -> None:
    site = a_site(per_address=2)
    browser = site.browser().new_game(browser_id="a secret")

    answers = [
        replace(browser, address=f"192.0.2.{number}").get("/load-game").status
        for number in range(3)
    ]

    assert answers == [200, 200, 429]
    assert replace(browser, id="another").get("/load-game").status == 400
    assert site.rate_limits.counts
    assert "a secret" not in repr(site.rate_limits.counts)


def test_new_games_are_counted_by_the_hour() -> None:
    site = a_site(per_address=20)
    browser = site.browser()

    def started() -> int:
        return browser.ask("POST", "/new-game").status

    assert [started() for _ in range(3)] == [200, 200, 429]
    site.clock.advance(60)
    assert started() == 429
    site.clock.advance(3600)
    assert started() == 200


def test_a_refused_request_changes_nothing() -> None:
    site = a_site(per_address=2)
    browser = site.browser().new_game()
    browser.move("e2e4")

    assert browser.move("e7e5").status == 429

    (game,) = site.games.by_id.values()
    assert game.ply == 1


def test_preflights_and_unknown_paths_are_not_counted() -> None:
    browser = a_site(per_address=1).browser()
    for _ in range(5):
        browser.ask("OPTIONS", "/")
        browser.get("/nowhere")

    assert browser.get("/").status == 200


def test_requests_pass_while_the_counters_fail() -> None:
    def fail(point: str) -> None:
        raise Crash(point)

    site = replace(a_site(per_address=1), rate_limits=FakeRateLimits(fail))

    assert statuses(site.browser(), "/", 3) == [200, 200, 200]
