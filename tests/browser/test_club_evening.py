"""A club's evening: nine people and programs of four protocols, one of whom leaves and one comes
late, from the making of the event to its crosstable on paper and its report.

`PICTURES_OF_EVENING=folder` keeps pictures of it.
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import nostr_sdk  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from clients.player.keys import load_key
from tests.browser.players import PATIENCE_MS, Newcomer, Player
from tests.browser.test_events import EVENT
from tests.browser.test_everyone import PHONE, faults_of
from tests.browser.wire import publish, signed
from tests.clients.terminal.program import Program
from tests.e2e.nip100_client import SEARCH, Nip100Client
from tests.server.running_server import RunningServer

MOVE, COMMAND, PROFILE = 20303, 20307, 0
WAIT_SECONDS = 60
PICTURES = os.environ.get("PICTURES_OF_EVENING")
LONG = "Konstantin Alexandrowitsch III"
"""Thirty letters."""


class Evening:
    """The event as its page has it, and players whose keys the test holds."""

    def __init__(self, server: RunningServer, event: str) -> None:
        self.server, self.id = server, event
        self.about = ["a", f"30327:{server.pubkey}:{event}"]
        self.keys: dict[str, nostr_sdk.Keys] = {}

    def get(self, path: str = "", accept: str = "application/json") -> str:
        url = f"{self.server.endpoints.http}/events/{self.id}{path}"
        asked = Request(url, headers={"Accept": accept})  # noqa: S310 - our own server
        with urlopen(asked, timeout=20) as answer:  # noqa: S310
            return str(answer.read().decode())

    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.get())
        return found

    def until(self, is_so: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
        """The event once it is so."""
        ends = time.monotonic() + WAIT_SECONDS
        while not is_so(view := self.view()):
            assert time.monotonic() < ends, f"waited in vain for {what}: {view}"
            time.sleep(0.1)
        return view

    def say(self, name: str, word: str, *tags: list[str]) -> None:
        """A command of a player of the arbiter's own protocol."""
        keys = self.keys.setdefault(name, nostr_sdk.Keys.generate())
        about = (["p", self.server.pubkey], self.about, *tags)
        publish(self.server.endpoints.relays[0], signed(keys, COMMAND, word, *about))

    def joins(self, name: str) -> str:
        self.say(name, "join", ["name", name])
        return str(self.keys[name].public_key().to_hex())

    def quits(self, name: str, game: str) -> None:
        tags = ["d", game], ["p", self.server.pubkey]
        publish(self.server.endpoints.relays[0], signed(self.keys[name], MOVE, "quit", *tags))


def named(
    newcomer: Newcomer, server: RunningServer, name: str, **options: Any
) -> tuple[str, Player]:
    keys = nostr_sdk.Keys.generate()
    publish(server.endpoints.relays[0], signed(keys, PROFILE, json.dumps({"name": name})))
    script = f"localStorage.setItem('arbiter.secret', '{keys.secret_key().to_hex()}')"
    return str(keys.public_key().to_hex()), newcomer(script=script, **options)


@contextmanager
def engine(folder: Path, server: RunningServer) -> Iterator[str]:
    """The UCI engine of this repository, which joins events that welcome programs."""
    config, key = folder / "fish.toml", folder / "fish.key"
    config.write_text(
        'events = true\n[engine]\nname = "plain"\n[matchmaking]\nallow_matchmaking = false\n'
    )
    words = ["--config", str(config), "--name", "Fish", "--level", "1", "--key", str(key)]
    words += ["--relays", server.endpoints.relays[0], "--server", server.pubkey]
    process = subprocess.Popen(
        [sys.executable, "-m", "clients.bot", *words], stdout=subprocess.DEVNULL
    )
    try:
        ends = time.monotonic() + WAIT_SECONDS
        while not key.exists():
            assert time.monotonic() < ends, "the bot does not start"
            time.sleep(0.1)
        yield load_key(key).pubkey
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def of_nip100(evening: Evening, stronger: set[str]) -> Iterator[str]:
    """A player on a socket, who resigns each game but against these."""
    endpoints = evening.server.endpoints
    client = Nip100Client(endpoints.websocket, endpoints.server)
    loop = asyncio.new_event_loop()

    async def play() -> None:
        async with client.connected():
            assert (await client.say(SEARCH, "connect", [evening.about])).accepted
            while True:
                with suppress(TimeoutError):
                    found = await client.until_seated()
                    if found.values("opponent")[0] not in stronger:
                        await client.resign()

    task = loop.create_task(play())
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])))
    thread.start()
    try:
        yield client.pubkey
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(20)
        loop.close()


def made(organiser: Player) -> str:
    """A Swiss of three rounds, each begun by hand, for programs too, and for who comes late."""
    organiser.opens("#/events/new")
    organiser.element("form-title").fill("Club evening")
    organiser.page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = true))")
    organiser.element("form-format").select_option("swiss")
    for name, value in (("rounds", "3"), ("late", "2")):
        organiser.element(f"form-{name}").fill(value)
    organiser.element("form-interval").select_option(label="until I begin each round")
    organiser.page.get_by_label("Programs may join").check()
    organiser.presses("form-send")
    organiser.page.wait_for_url(EVENT, timeout=PATIENCE_MS)
    found = EVENT.search(organiser.page.url)
    assert found is not None
    return found[1]


def picture(page: Page, name: str) -> None:
    for width in (360, 1280) if PICTURES else ():
        before = page.viewport_size
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(300)
        page.screenshot(path=Path(PICTURES or "") / f"{name}-{width}.png", full_page=True)
        if before:
            page.set_viewport_size(before)


def is_done(view: dict[str, Any]) -> bool:
    return bool(view["rounds"]) and all(it["result"] for it in view["rounds"][-1]["boards"])


def chosen(organiser: Player, what: str, *values: str) -> None:
    """The organiser's command that is picked from lists."""
    part = organiser.page.locator("fieldset", has=organiser.page.get_by_text(what, exact=True))
    organiser.page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = true))")
    for place, value in enumerate(values):
        part.locator("select").nth(place).select_option(value)
    part.get_by_role("button", name="Do it").click()


def test_a_club_has_an_evening(  # noqa: PLR0915 - one evening
    newcomer: Newcomer, arbiter: RunningServer, tmp_path: Path
) -> None:
    organiser = newcomer()
    evening = Evening(arbiter, made(organiser))
    anna_key, anna = named(newcomer, arbiter, LONG)
    ben_key, ben = named(newcomer, arbiter, "Ben", **PHONE)
    browsers = {anna_key: anna, ben_key: ben}
    for player in browsers.values():
        player.opens(f"#/events/{evening.id}")
        player.presses("event-join")
        player.sees("You take part.")
    picture(anna.page, "joined")
    cleo = nostr_sdk.Keys.generate()
    relays = list(arbiter.endpoints.relays)
    terminal = Program(
        secret=cleo.secret_key().to_hex(),
        server=arbiter.pubkey,
        relays=relays,
        options=["--events", "--name", "Cleo"],
    )
    cleo_key = str(cleo.public_key().to_hex())
    with (
        terminal,
        engine(tmp_path, arbiter) as fish,
        of_nip100(evening, {*browsers, cleo_key}) as dora,
    ):
        terminal.until("connected")
        terminal.enter(f"join https://chess.example/#/events/{evening.id}")
        while terminal.until_one_of("remark", "error")["code"] != "joined":
            time.sleep(0.2)
            terminal.enter(f"join https://chess.example/#/events/{evening.id}")
        natives = {evening.joins(name): name for name in ("Emil", "Frida")}
        order = [*browsers, cleo_key, dora, *natives, fish]
        evening.until(lambda it: len(it["standings"]) == len(order), "all entries")

        def played(number: int) -> dict[str, Any]:
            """A round in which of two players the earlier in the order resigns."""
            organiser.presses("event-pair")
            organiser.presses("event-start")
            view = evening.until(
                lambda it: (
                    len(it["rounds"]) == number
                    and all(board["game"] for board in it["rounds"][-1]["boards"])
                ),
                f"the games of round {number}",
            )
            numbers = {row["number"]: row["player"]["pubkey"] for row in view["standings"]}
            for board in view["rounds"][-1]["boards"]:
                pair = sorted((numbers[board[it]] for it in ("white", "black")), key=order.index)
                if player := browsers.get(pair[0]):
                    player.board.wait_for(timeout=PATIENCE_MS)
                    expect(player.element("game-event")).to_contain_text(f"round {number}.")
                    player.presses("resign")
                    player.presses("confirm")
                elif pair[0] == cleo_key:
                    terminal.until("started", event=evening.id, game=board["game"])
                    terminal.enter("resign")
                elif name := natives.get(pair[0]):
                    evening.quits(name, board["game"])
            return evening.until(is_done, f"all results of round {number}")

        first = played(1)
        assert [bye["kind"] for bye in first["rounds"][0]["byes"]] == ["U"]
        evening.say("Emil", "leave")
        late = evening.joins("Hugo the late")
        natives[late] = "Hugo the late"
        order.insert(-1, late)
        organiser.page.set_viewport_size({"width": 1280, "height": 800})
        wrong = first["rounds"][0]["boards"][0]
        right = "0-1" if wrong["result"] == "1-0" else "1-0"
        chosen(organiser, "Set a result", "1", right)
        organiser.sees("set by the organiser")
        picture(organiser.page, "organiser")
        corrected = evening.view()["rounds"][0]["boards"][0]
        assert (corrected["result"], corrected["corrected"]) == (right, True)
        played(2)
        picture(ben.page, "a-game-over")
        played(3)
    organiser.sees("Final standings")
    final = evening.view()
    states = {row["player"].get("name"): row["state"] for row in final["standings"]}
    assert (states["Emil"], states["Hugo the late"], len(states)) == ("left", "in", 8)
    faults = [*faults_of(organiser.page, "the end")]
    picture(organiser.page, "final")
    ben.opens(f"#/events/{evening.id}")
    ben.sees("Final standings")
    picture(ben.page, "final-on-a-phone")
    organiser.page.emulate_media(media="print")
    expect(organiser.element("event-standings")).to_be_visible()
    picture(organiser.page, "print")
    organiser.page.emulate_media(media="screen")
    organiser.page.goto(f"{organiser.address}/#/events/{evening.id}?view=poster")
    expect(organiser.page.locator(".poster")).to_be_visible(timeout=PATIENCE_MS)
    faults += faults_of(organiser.page, "poster")
    picture(organiser.page, "poster")
    assert not faults, "\n".join(faults)
    report = evening.get("/trf", "*/*")
    if PICTURES:
        Path(PICTURES, "evening.trf").write_text(report)
    points = sorted(float(line[80:84]) for line in report.splitlines() if line[:3] == "001")
    assert points == sorted(row["points"] for row in final["standings"])
