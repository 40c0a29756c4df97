"""Notices that reach a browser whose page is closed: a real Firefox at a push service on this
machine decrypts what the arbiter encrypted; chromium is handed a push by its own debugger.
"""

import json
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.adapters.timers import SystemClock
from arbiter.adapters.web_push import WebPush
from arbiter.application.notices.tell import NoticeDeps, see_to
from arbiter.application.policy import KnownPolicy
from arbiter.application.records import NoticeAsked
from arbiter.core.notices import Occasion
from arbiter.nostr.nip19 import decode_npub
from server.key import load_key
from server.settings import read_settings
from tests.browser.conftest import started_chromium, started_firefox
from tests.browser.players import PATIENCE_MS, Player, newcomers
from tests.browser.push_service import PushService, push_service
from tests.browser.test_everyone import faults_of
from tests.browser.test_many_games import begins
from tests.server.running_server import RunningServer

PUSH = "Tell me on this device while the page is closed, too"
SEEN = """() => {
  // A notification goes by itself after some seconds, in a browser without a screen at once.
  window.seen = [];
  const look = async () => {
    const worker = await navigator.serviceWorker.ready;
    for (const { title, tag, data } of await worker.getNotifications())
      if (!window.seen.some((one) => one[0] === title)) window.seen.push([title, tag, data.url]);
    setTimeout(look, 20);
  };
  look();
}"""


PRESSED = """() => registration.getNotifications().then(([notification]) =>
  void dispatchEvent(new NotificationEvent("notificationclick", { notification })))"""


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[RunningServer]:
    """An arbiter that tells players of their turns, and gives them days off."""
    server = RunningServer(tmp_path / "arbiter", "none", {})
    server.start()
    server.stop()
    with Store.open(read_settings({"data": str(server.data)}, {}).database) as store:
        policy = StoredPolicy(SqliteTable(store))
        assert policy.commit(policy.load(), replace(policy.load(), notices=True, vacation_days=10))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[PushService]:
    (tmp_path / "push").mkdir()
    with push_service(tmp_path / "push") as service:
        yield service


@pytest.fixture
def firefox(playwright: Playwright, tmp_path: Path, service: PushService) -> Iterator[Browser]:
    """A Firefox whose pushes come from that service, and whose player allows all notifications. It
    draws them itself: on a machine without a desktop there is nothing else to.
    """
    preferences: dict[str, str | float | bool] = {
        "dom.push.serverURL": service.address,
        "dom.push.connection.enabled": True,
        "dom.push.testing.allowInsecureServerURL": True,
        "permissions.default.desktop-notification": 1,
        "alerts.useSystemBackend": False,
    }
    (tmp_path / "firefox").mkdir()
    launched = started_firefox(playwright.firefox, tmp_path / "firefox", preferences)
    yield launched
    launched.close()


class Later:
    """A clock that is ahead by so much."""

    def __init__(self, minutes: int) -> None:
        self._ahead_ms = minutes * 60_000

    def now_ms(self) -> int:
        return SystemClock().now_ms() + self._ahead_ms


def told(
    server: RunningServer,
    service: PushService,
    player: str,
    occasion: Occasion | None,
    minutes: int,
) -> str:
    """Tell this player, or what waits for them, as the stopped server would so many minutes from
    now, were the push service at no inner address.
    """
    key, clock = load_key(server.data / "server.key").key, Later(minutes)
    with Store.open(read_settings({"data": str(server.data)}, {}).database) as store:
        table = SqliteTable(store)
        deps = NoticeDeps(
            recipients=StoredRecipients(table),
            games=StoredGames(table),
            lobby=StoredLobby(table, clock),
            timers=SqliteTimers(store),
            clock=clock,
            key=key,
            policy=KnownPolicy(StoredPolicy(table), clock),
            push=WebPush(lambda: key, "", socket.create_connection, lambda: service.trusted),
        )
        return see_to(deps, NoticeAsked(player, occasion))


def shows(page: Page, *notifications: list[str]) -> None:
    """Wait until the browser has shown these, each by its title, tag and place."""
    until(page, lambda: len(page.evaluate("window.seen")) >= len(notifications))
    assert page.evaluate("window.seen") == [*notifications]


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait for this, while the browser goes on."""
    for _ in range(PATIENCE_MS // 100):
        if is_so():
            return
        page.wait_for_timeout(100)


def turns_on(player: Player) -> None:
    player.opens("#/settings")
    switch = player.page.get_by_role("switch", name=PUSH)
    switch.click()
    expect(switch).to_be_checked(timeout=20_000)


def test_firefox_shows_what_the_arbiter_encrypts(
    firefox: Browser, telling: RunningServer, service: PushService
) -> None:
    with newcomers(firefox, telling.endpoints.http) as newcomer:
        player = newcomer()
        game, pubkey = begins(player, telling), decode_npub(player.npub) or ""
        turns_on(player)
        assert (service.channels, service.statuses) == (1, []), "an inner address is not dialled"
        telling.stop()
        player.complaints.clear()

        player.page.evaluate(SEEN)

        turn = Occasion("turn", game, 1)
        assert told(telling, service, pubkey, None, 10) == "notice-sent"
        hello = ["You will hear here when it is your turn.", "turns", "#/"]
        shows(player.page, hello)
        assert told(telling, service, pubkey, turn, 30) == "notice-sent"
        shows(player.page, hello, ["It is your turn.", f"turn:{game}", f"#/game/{game}"])
        assert told(telling, service, pubkey, turn, 50) == "notice-unwanted"
        assert (service.statuses, service.codes) == ([201, 201], [service.DELIVERED] * 2)
        player.complaints.clear()


def test_a_pressed_notification_leads_to_its_game_in_the_page_that_is_open(
    playwright: Playwright, telling: RunningServer
) -> None:
    chromium = started_chromium(playwright.chromium)
    with newcomers(chromium, telling.endpoints.http, permissions=["notifications"]) as newcomer:
        player = newcomer()
        game = begins(player, telling)
        player.opens("#/tv")
        page = player.page
        page.evaluate(SEEN)
        debugger, found = player.context.new_cdp_session(page), list[str]()
        debugger.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda said: found.extend(it["registrationId"] for it in said["registrations"]),
        )
        debugger.send("ServiceWorker.enable")
        until(page, lambda: bool(found))
        push = {"text": "It is your turn.", "tag": f"turn:{game}", "url": f"#/game/{game}"}
        origin, data = telling.endpoints.http, json.dumps(push)
        said = {"origin": origin, "registrationId": found[0], "data": data}
        debugger.send("ServiceWorker.deliverPushMessage", said)
        shows(page, [push["text"], push["tag"], push["url"]])
        player.context.service_workers[0].evaluate(PRESSED)
        page.wait_for_url(f"**/#/game/{game}")
        player.board.wait_for()
    chromium.close()


def test_a_player_takes_days_off_and_their_opponent_sees_until_when(
    browser: Browser, telling: RunningServer
) -> None:
    with newcomers(browser, telling.endpoints.http) as newcomer:
        player = newcomer()
        game = begins(player, telling)
        other = newcomer(f"#/game/{game}")
        page = player.page
        page.get_by_title("More").click()
        page.get_by_label("Days off").fill("7")
        page.get_by_role("button", name="Take them").click()
        for each in (player, other):
            each.sees(re.compile("On vacation until "))
        faults = [*faults_of(page, "days off", ".menu[open]"), *faults_of(page, "on vacation")]
        assert not faults, "\n".join(faults)
        page.get_by_label("Days off").fill("4")
        page.get_by_role("button", name="Take them").click()
        player.sees(re.compile("you have 3 days left of 10"))


def test_a_browser_without_a_push_service_says_so(
    playwright: Playwright, telling: RunningServer
) -> None:
    """A chromium of no company's has none, and asks none."""
    chromium = started_chromium(playwright.chromium)
    with newcomers(chromium, telling.endpoints.http, permissions=["notifications"]) as newcomer:
        player = newcomer("#/settings")
        switch = player.page.get_by_role("switch", name=PUSH)
        switch.click()
        player.sees("Your browser could not reach its push service.")
        expect(switch).not_to_be_checked()
        faults = [*faults_of(player.page, "settings")]
        assert not faults, "\n".join(faults)
        player.complaints.clear()
    chromium.close()
