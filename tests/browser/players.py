"""The page as its players use it: what they see, press, drag and type.

Everything is found by the test ids that scripts may rely on, by role and name, or by the name of a
square; how the page looks is not asked.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import chess
from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, expect

PATIENCE_MS = 20_000
"""Longest wait for anything: other work may hold this machine."""

Way = Literal["typed", "dragged", "clicked"]


class Player:
    """One person at one browser with a key of their own."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.context = context
        self.address = address
        self.complaints: list[str] = []
        """Messages of the console, and exceptions."""
        context.set_default_timeout(PATIENCE_MS)
        self.page = self.new_tab()

    def new_tab(self) -> Page:
        """Another tab of this browser, watched like the first."""
        page = self.context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        # A page that dials anew, since a busy machine took seconds to answer, is no fault.
        is_patience = "closed before the connection is established" in message.text
        if message.type in {"error", "warning"} and not is_patience:
            self.complaints.append(f"{message.text} ({message.location.get('url')})")

    # ------------------------------------------------------------------------ anywhere

    def opens(self, where: str = "#/") -> "Player":
        """Load the page at this address: a hash of the arbiter's page, or a whole one."""
        self.page.goto(where if "://" in where else f"{self.address}/{where}")
        self.element("npub").wait_for(state="attached")
        return self

    def reloads(self) -> None:
        self.page.reload()

    def element(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    def presses(self, test_id: str) -> None:
        self.element(test_id).click()

    def offers_a_draw(self) -> None:
        self.presses("draw")
        self.presses("confirm")

    def presses_named(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible(timeout=PATIENCE_MS)

    def hears(self, text: str | re.Pattern[str]) -> None:
        expect(self.element("status")).to_contain_text(text, timeout=PATIENCE_MS)

    @property
    def npub(self) -> str:
        expect(self.element("npub")).to_have_text(re.compile("^npub1"), timeout=PATIENCE_MS)
        return str(self.element("npub").text_content())

    # --------------------------------------------------------------------- at the board

    @property
    def board(self) -> Locator:
        return self.element("board")

    @property
    def color(self) -> chess.Color:
        """Whether White is below."""
        self.board.wait_for()
        return str(self.board.get_attribute("data-orientation")) == "white"

    @property
    def fen(self) -> str:
        return str(self.board.get_attribute("data-fen", timeout=PATIENCE_MS))

    @property
    def game(self) -> str:
        """The id of the game in the address."""
        self.page.wait_for_url(re.compile("#/game/"))
        return str(self.page.url).split("#/game/")[1]

    def piece_at(self, square: str) -> str:
        """The label of this square for a screen reader, such as ``e4, white pawn``."""
        return self.square(square).get_attribute("aria-label") or ""

    def square(self, name: str) -> Locator:
        return self.board.locator(f"[data-square={name}]")

    def moves(self, move: str, way: Way = "typed") -> None:
        """Make a move: SAN or UCI if typed, otherwise UCI."""
        if way == "typed":
            self.element("move").fill(move)
            self.element("move").press("Enter")
            return
        if way == "dragged":
            self.drags(move[:2], move[2:4])
        else:
            self.taps(move[:2])
            self.taps(move[2:4])
        if len(move) == len("a7a8q"):
            self.promotes_to(chess.piece_name(chess.PIECE_SYMBOLS.index(move[4])))

    def drags(self, start: str, goal: str) -> None:
        """Drag from the middle of a square to that of another one."""
        mouse = self.page.mouse
        mouse.move(*self.middle(start))
        mouse.down()
        mouse.move(*self.middle(goal), steps=3)
        mouse.up()

    def taps(self, square: str) -> None:
        """Click a square, or touch it on a phone."""
        if self.page.evaluate("'ontouchstart' in window"):
            self.page.touchscreen.tap(*self.middle(square))
        else:
            self.page.mouse.click(*self.middle(square))

    def middle(self, square: str) -> tuple[float, float]:
        box = self.square(square).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def promotes_to(self, piece: str) -> None:
        self.page.get_by_role("dialog").get_by_role(
            "button", name=re.compile(piece, re.IGNORECASE)
        ).click()

    def shows(self, fen: str) -> None:
        """Wait until this position is confirmed, and nothing of ours is under way."""
        expect(self.board).to_have_attribute("data-fen", fen, timeout=PATIENCE_MS)
        expect(self.board).to_have_attribute("data-pending", "false", timeout=PATIENCE_MS)

    def sees_result(self, result: str) -> None:
        expect(self.board).to_have_attribute("data-result", result, timeout=PATIENCE_MS)

    def milliseconds(self, color: Literal["white", "black"]) -> int:
        """The time that this clock shows."""
        return int(self.element(f"clock-{color}").get_attribute("data-ms") or -1)


@dataclass
class Match:
    """Two players at one game, and the position as the rules have it."""

    white: Player
    black: Player
    board: chess.Board = field(default_factory=chess.Board)
    watching: list[Player] = field(default_factory=list)

    @property
    def everybody(self) -> tuple[Player, ...]:
        return (self.white, self.black, *self.watching)

    @property
    def to_move(self) -> Player:
        return self.white if self.board.turn else self.black

    @property
    def waiting(self) -> Player:
        return self.black if self.board.turn else self.white

    def plays(self, sans: str, *ways: Way) -> None:
        """Play these moves; after each, everybody sees the position. The ways take turns."""
        for number, san in enumerate(sans.split()):
            move = self.board.parse_san(san)
            way = ways[number % len(ways)] if ways else "typed"
            self.to_move.moves(san if way == "typed" else move.uci(), way)
            self.board.push(move)
            self.shown()

    def shown(self) -> None:
        for player in self.everybody:
            player.shows(self.board.fen())

    def ends(self, result: str) -> None:
        for player in self.everybody:
            player.sees_result(result)


def seated(one: Player, other: Player, board: chess.Board | None = None) -> Match:
    """The match that both are brought to."""
    white, black = (one, other) if one.color else (other, one)
    assert white.color is not black.color
    assert white.game == black.game
    return Match(white, black, board or chess.Board(white.fen))


def paired(one: Player, other: Player, button: str = "play") -> Match:
    """Both ask for the same game in the lobby, and play each other."""
    one.presses(button)
    one.element("waiting").wait_for()
    other.presses(button)
    return seated(one, other)


_USUAL = {"locale": "en-GB", "reduced_motion": "reduce"}
"""Options of a browser: pieces that slide are not waited for."""

Newcomer = Callable[..., Player]
"""Opens a page, the lobby if none is named; `script` runs before its own, and the relay `without`
takes no connection."""


@contextmanager
def newcomers(browser: Any, address: str, **usual: Any) -> Iterator[Newcomer]:
    """Makes players; their browsers are closed at the end, and must have been silent."""
    players: list[Player] = []

    def newcomer(
        where: str | None = "#/", *, script: str = "", without: str = "", **options: Any
    ) -> Player:
        context = browser.new_context(**_USUAL | usual | options)
        if script:
            # Firefox runs it in about:blank as well, which has no storage.
            context.add_init_script(f"if (location.host) {{ {script} }}")
        if without:
            context.route_web_socket(without, lambda socket: socket.close())
        player = Player(context, address)
        players.append(player)
        return player.opens(where) if where is not None else player

    try:
        yield newcomer
        heard = [*complaints_of(players)]
        assert not heard, "\n".join(heard)
    finally:
        for player in players:
            player.context.close()


class Regulars:
    """Two players who play one game after the other."""

    def __init__(self, browser: Any, address: str) -> None:
        self._browser = browser
        self._address = address
        self._opened = ExitStack()
        self._players: tuple[Player, ...] = ()

    @contextmanager
    def playing(self) -> Iterator[Match]:
        """A new game, of two moves at least: who ends one earlier has to wait. What does not end
        well is followed by a game in new browsers.
        """
        if not self._players:
            newcomer = self._opened.enter_context(newcomers(self._browser, self._address))
            self._players = newcomer(), newcomer()
        try:
            one, other = self._players
            yield paired(one, other)
            _leave(*self._players)
            heard = [*complaints_of(self._players)]
            assert not heard, "\n".join(heard)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for player in self._players:
            player.complaints.clear()
        self._players = ()
        self._opened.close()


def _leave(*players: Player) -> None:
    """End the game if it goes on, and go to the lobby."""
    if players[0].board.get_attribute("data-result") is None:
        players[0].presses("resign")
        players[0].presses("confirm")
    for player in players:
        player.board.and_(player.page.locator("[data-result]")).wait_for()
        player.opens()
        player.element("play").wait_for()


def complaints_of(players: Iterable[Player]) -> Iterator[str]:
    """Messages that no console should show."""
    for player in players:
        yield from player.complaints
