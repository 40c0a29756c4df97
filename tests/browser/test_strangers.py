"""Strangers' words are text, and nothing of theirs runs."""

import json
import re
from urllib.parse import quote

import nostr_sdk  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Route, expect

from tests.browser.players import PATIENCE_MS, Match, Newcomer, Player, paired
from tests.browser.wire import publish, signed
from tests.server.running_server import RunningServer

PROFILE = 0
SPECTATORS_CHAT = 20306

PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
MARKUP = "<img src=x onerror=alert(1)><b>bold</b>"
HOSTILE = {
    "markup": (MARKUP, MARKUP[:40]),
    "bidi": ("abc\u202edef\u2066ghi", "abc def ghi"),
    "control": ("\x1b[31mred\x07\u200b\u2028line", "[31mred line"),
    "long": ("long" * 2_500, ("long" * 10)),
    "marks": ("z" + "\u0301" * 400, "z" + "\u0301" * 3),
    "entity": ("&lt;script&gt;{name}", "&lt;script&gt;{name}"),
}
"""By what is wrong with it: the text, and how it shows as a name."""


def _runs_nothing(player: Player) -> None:
    page = player.page
    assert page.locator("img[src=x], main b:has-text('bold')").count() == 0
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0  # nothing is pushed out of the page


@pytest.mark.parametrize(
    "kinds", [("markup", "bidi"), ("control", "long"), ("marks", "entity")], ids="-".join
)
def test_a_name_is_text(arbiter: RunningServer, newcomer: Newcomer, kinds: tuple[str, str]) -> None:
    strangers = [_called(arbiter, newcomer, HOSTILE[kind][0]) for kind in kinds]
    match = paired(strangers[0], strangers[1])
    match.plays("e4 e5")
    for kind, stranger, other in zip(kinds, strangers, reversed(strangers), strict=True):
        shown = HOSTILE[kind][1]
        name = other.page.locator(".who bdi", has_text=shown)
        expect(name).to_be_visible(timeout=PATIENCE_MS)
        assert name.text_content() == shown
        _runs_nothing(other)
        other.opens(f"#/player/{stranger.npub}")
        title = other.page.get_by_role("heading", level=1)
        expect(title).to_contain_text(shown, timeout=PATIENCE_MS)
        _runs_nothing(other)


def _called(arbiter: RunningServer, newcomer: Newcomer, name: str) -> Player:
    """A player whose profile says this."""
    keys = nostr_sdk.Keys.generate()
    profile = {"name": name, "picture": "javascript:alert(1)", "nip05": name, "about": name}
    publish(arbiter.endpoints.relays[0], signed(keys, PROFILE, json.dumps(profile)))
    secret = keys.secret_key().to_hex()
    return newcomer(script=f"localStorage.setItem('arbiter.secret', '{secret}')")


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ({"ann": True}, "✓ confirmed by its domain"),
        ({"ann": False}, "not confirmed: its domain names another player, or none"),
        ({}, "not confirmed: its domain names another player, or none"),
        (None, "not confirmed: its domain does not answer"),
    ],
)
def test_a_nip05_name_is_shown_as_checked_or_not(
    arbiter: RunningServer, newcomer: Newcomer, names: dict[str, bool] | None, shown: str
) -> None:
    keys = nostr_sdk.Keys.generate()
    mine, other = keys.public_key().to_hex(), "1" * 64
    profile = json.dumps({"name": "Ann", "nip05": "ann@names.example"})
    publish(arbiter.endpoints.relays[0], signed(keys, PROFILE, profile))
    looking = newcomer(None)

    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if names is None:
            route.abort()
            return
        known = {name: mine if is_true else other for name, is_true in names.items()}
        route.fulfill(json={"names": known}, headers={"Access-Control-Allow-Origin": "*"})

    looking.page.route("https://names.example/**", answer)
    looking.opens(f"#/player/{keys.public_key().to_bech32()}")
    claim = looking.element("nip05")
    expect(claim).to_have_text("ann@names.example Ask its domain", timeout=PATIENCE_MS)
    assert asked == []
    looking.presses_named("Ask its domain")
    expect(claim).to_have_text(f"ann@names.example {shown}", timeout=PATIENCE_MS)
    looking.complaints[:] = [it for it in looking.complaints if "names.example" not in it]


def test_a_strangers_picture_is_fetched_when_a_visitor_wants_it(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    keys = nostr_sdk.Keys.generate()
    profile = json.dumps({"name": "Ann", "picture": "https://pictures.example/ann.png"})
    publish(arbiter.endpoints.relays[0], signed(keys, PROFILE, profile))
    looking = newcomer(None)
    asked: list[dict[str, str]] = []

    def answer(route: Route) -> None:
        asked.append(route.request.headers)
        route.fulfill(body=PIXEL, content_type="image/svg+xml")

    looking.page.route("https://pictures.example/**", answer)
    looking.opens(f"#/player/{keys.public_key().to_bech32()}")
    button = looking.element("picture")
    expect(button).to_have_text("Show the picture at pictures.example", timeout=PATIENCE_MS)
    assert asked == []
    button.click()
    expect(looking.page.locator("img.picture")).to_be_visible(timeout=PATIENCE_MS)
    assert [headers.get("referer") for headers in asked] == [None]


def test_a_newcomer_has_a_friendly_name_and_chooses_another_after_the_first_moves(
    arbiter: RunningServer, match: Match, newcomer: Newcomer
) -> None:
    white, black = match.white, match.black
    asks = white.page.get_by_test_id("own-name")
    expect(asks).to_have_count(0)
    match.plays("e4 e5")
    given = asks.locator("bdi").text_content(timeout=PATIENCE_MS)
    assert given
    expect(black.page.locator(".who bdi", has_text=given)).to_be_visible(timeout=PATIENCE_MS)

    white.presses_named("Choose another name")
    white.element("name").fill("Zoë \u202e the Bold")
    white.presses_named("Save")
    expect(asks).to_have_count(0)
    # Its profile came over relays.
    name = black.page.locator(".who bdi", has_text="Zoë the Bold")
    expect(name).to_be_visible(timeout=PATIENCE_MS)
    watcher = newcomer(f"#/game/{white.game}")
    expect(watcher.page.locator(".who bdi", has_text="Zoë the Bold")).to_be_visible(
        timeout=PATIENCE_MS
    )


def test_lines_of_chat_are_text(arbiter: RunningServer, match: Match, newcomer: Newcomer) -> None:
    match.plays("e4 e5")
    line = match.white.page.get_by_placeholder("Write a message")
    line.fill(MARKUP)
    line.press("Enter")
    expect(match.black.page.get_by_text(MARKUP)).to_be_visible(timeout=PATIENCE_MS)
    watcher = newcomer(f"#/game/{match.white.game}")
    watcher.sees("You are watching")
    relay, here = arbiter.endpoints.relays[0], ["d", match.white.game]
    # Relays do not store such lines: what is said before this one is heard may be lost.
    while not watcher.page.get_by_text("Hello").count():
        publish(relay, signed(nostr_sdk.Keys.generate(), SPECTATORS_CHAT, "Hello", here))
    stranger = nostr_sdk.Keys.generate()
    texts = [MARKUP, "abc\u202edef", "y" * 2_000, "\u200f\u2028title"]
    publish(relay, *(signed(stranger, SPECTATORS_CHAT, text, here) for text in texts))
    for shown in (MARKUP, "abc def", "y" * 140, "title"):
        expect(watcher.page.get_by_text(shown, exact=True)).to_be_visible(timeout=PATIENCE_MS)
    for player in (match.black, watcher):
        _runs_nothing(player)


def test_headers_of_a_pgn_are_text(newcomer: Newcomer) -> None:
    pgn = (
        f'[White "{MARKUP}"]\n[Black "abc\u202edef"]\n[Event "{"x" * 10_000}"]\n\n1. e4 e5 2. Nf3 *'
    )
    player = newcomer(f"#/analysis?pgn={quote(pgn)}")
    player.sees(re.compile(re.escape(MARKUP[:20])))
    player.sees("abc def")
    _runs_nothing(player)


def test_a_hostile_address_is_a_page(newcomer: Newcomer) -> None:
    player = newcomer(None)
    for where in (
        "#/game/%3Cscript%3Ealert(1)%3C/script%3E",
        "#/player/npub1<b>",
        "#/challenge/x?time=<b>",
        f"#/{'a' * 10_000}",
        "#/analysis?pgn=%00%ff",
        f"#/challenge/{'ab' * 16}?time=999999%2B9&color=javascript:&start=<svg/onload=alert(1)>",
    ):
        player.page.goto("about:blank")  # or another hash would load nothing
        player.opens(where)
        player.page.locator("main > *").first.wait_for()
        _runs_nothing(player)


def test_the_policy_refuses_what_is_not_the_page_s_own(newcomer: Newcomer) -> None:
    player = newcomer()
    directives = {"script-src-elem", "script-src-attr", "style-src-elem", "frame-src"}
    refused = player.page.evaluate(
        """async (directives) => {
          const refused = [];
          addEventListener("securitypolicyviolation", (it) => refused.push(it.effectiveDirective));
          const inline = document.createElement("script");
          inline.textContent = "window.ran = true";
          const foreign = document.createElement("script");
          foreign.src = "https://example.com/x.js";
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          const frame = document.createElement("iframe");
          frame.src = "https://example.com/";
          document.body.append(inline, foreign, style, frame);
          document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = true'>");
          const lacks = () => directives.some((it) => !refused.includes(it));
          for (let tries = 0; tries < 400 && lacks(); tries++)
            await new Promise((resolve) => setTimeout(resolve, 50));
          return { ran: window.ran ?? false, refused };
        }""",
        sorted(directives),
    )
    assert refused["ran"] is False
    assert directives <= set(refused["refused"])
    assert player.complaints  # and the console has said so
    player.complaints.clear()
