"""What stands on a terminal after every write: the board, the bell, letters, and narrow ones."""

import io
import os
import re
import sys

import pytest

from clients.terminal.board import Style
from clients.terminal.effects import Effect
from clients.terminal.help import TOPICS
from clients.terminal.line_editor import EditedLine
from clients.terminal.notices import Notice
from clients.terminal.profiles import Profile
from clients.terminal.screens import JsonScreen, PlainScreen, TerminalScreen
from clients.terminal.session import FromChat, FromPeople
from clients.terminal.terms import PLAIN as PLAIN_TERMS
from clients.terminal.text import cells
from clients.terminal.wire import Challenged, ChatLine, Paired
from tests.builders import ALICE, BOB
from tests.clients.terminal.scene import GAME, START, Scene, connected, full, playing_full

PLAIN = Style(color=False, unicode=True)
_ESCAPE = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


class Glass:
    """A terminal of so many columns and rows, for the few sequences that the client writes."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.lines = [""] * rows
        self.at = 0
        self.bells = 0

    def write(self, text: str) -> None:
        while text:
            if found := _ESCAPE.match(text):
                self._obey(found[1], found[2])
                text = text[found.end() :]
                continue
            letter, text = text[0], text[1:]
            if letter == "\n":
                self._down()
            elif letter == "\a":
                self.bells += 1
            elif letter != "\r":
                if cells(self.lines[self.at] + letter) > self.columns:
                    self._down()
                self.lines[self.at] += letter

    def _obey(self, number: str, what: str) -> None:
        if what == "H":
            self.at = 0
        elif what == "J":
            self.lines = [""] * self.rows
        elif what == "K":
            self.lines[self.at] = ""

    def _down(self) -> None:
        if self.at + 1 == self.rows:
            self.lines = [*self.lines[1:], ""]
        else:
            self.at += 1

    @property
    def shows_the_board(self) -> bool:
        return any(line.split() == list("abcdefgh") for line in self.lines)


class Player:
    """A scene, and what its player sees of it."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        scene: Scene,
        *,
        size: tuple[int, int] = (80, 24),
        style: Style = PLAIN,
        bell: bool = True,
    ) -> None:
        self.glass = Glass(*size)
        self.written = io.StringIO()
        monkeypatch.setattr(sys, "stdout", self)
        monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size(size))
        self.scene = scene
        self.screen = TerminalScreen(style, bell=bell)
        self.screen.hello("alice", ALICE.pubkey)
        self.shows(scene.effects)

    def fileno(self) -> int:
        return 1

    def flush(self) -> None:
        """Nothing is held back."""

    def write(self, text: str) -> None:
        self.written.write(text)
        self.glass.write(text)

    def shows(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Notice):
                self.screen.show(effect, self.scene.session)
        self.screen.idle(self.scene.session, EditedLine(), self.scene.now)

    def enters(self, text: str) -> None:
        self.shows(self.scene.enter(text))


def a_player(monkeypatch: pytest.MonkeyPatch) -> Player:
    """Alice, to move after 1. e4 e5."""
    return Player(monkeypatch, playing_full("e4 e5"))


@pytest.mark.parametrize("topic", ["", *TOPICS, "nonsense"])
@pytest.mark.parametrize("size", [(78, 20), (80, 24), (120, 50)])
def test_the_board_stays_when_help_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, topic: str, size: tuple[int, int]
) -> None:
    player = Player(monkeypatch, playing_full("e4 e5"), size=size)
    player.enters(f"help {topic}")
    assert player.glass.shows_the_board
    assert player.glass.lines[0].startswith(" Arbiter")
    assert player.glass.lines[player.glass.at].startswith(" your move, white >")


def test_the_board_stays_however_often_a_player_mistypes(monkeypatch: pytest.MonkeyPatch) -> None:
    white = a_player(monkeypatch)
    for number in range(40):
        white.enters(f"nonsense {number}")
    assert white.glass.shows_the_board
    assert "nonsense 39" in white.glass.lines[white.glass.at - 1]


def test_the_board_stays_whatever_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    white = a_player(monkeypatch)
    for _ in range(5):
        white.shows(white.scene.give(FromChat(ChatLine(BOB.pubkey, GAME, "x" * 140, public=False))))
    assert white.glass.shows_the_board


def test_a_name_that_comes_is_drawn_beside_the_board_and_leaves_the_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    white = a_player(monkeypatch)
    white.enters("help moves")
    white.shows(white.scene.give(FromPeople(Profile(BOB.pubkey, "Bob", 1))))
    assert any(line.endswith("black Bob") for line in white.glass.lines)
    assert any("(SAN)" in line for line in white.glass.lines)


def test_the_bell_rings_once_for_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(monkeypatch, playing_full("e4"))
    assert player.glass.bells == 0
    for expected, moves in ((1, "e4 e5"), (1, "e4 e5"), (1, "e4 e5 Nf3"), (2, "e4 e5 Nf3 Nc6")):
        player.shows(player.scene.hear(full(moves)))
        player.shows(())
        assert player.glass.bells == expected


def test_the_bell_does_not_ring_for_a_player_who_is_mated(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(monkeypatch, playing_full("f3 e5 g4"))
    player.shows(player.scene.hear(full("f3 e5 g4 Qh4#", result="0-1", termination="checkmate")))
    assert player.glass.bells == 0


def test_the_bell_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Player(monkeypatch, playing_full("e4 e5"), bell=False).glass.bells == 0


def test_programs_and_pipes_hear_no_bell() -> None:
    scene = playing_full("e4 e5")
    for out in (io.StringIO(), io.StringIO()):
        for screen in (JsonScreen(out), PlainScreen(out, PLAIN)):
            for effect in scene.effects:
                if isinstance(effect, Notice):
                    screen.show(effect, scene.session)
            screen.idle(scene.session, EditedLine(), START)
        assert "\a" not in out.getvalue()


@pytest.mark.parametrize("typed", ["help", "ä", "accept 漢", "say ♟", "moves", "board"])
def test_ascii_is_ascii(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    style = Style(color=True, unicode=False)
    player = Player(monkeypatch, connected(), style=style)
    player.shows(playing_full().effects)
    player = Player(monkeypatch, playing_full("e4 e5"), style=style)
    player.shows(player.scene.give(FromPeople(Profile(BOB.pubkey, "Jörg 漢♟", 1))))
    player.enters(typed)
    player.screen.idle(player.scene.session, EditedLine("größer …", 3), START)
    player.shows(player.scene.hear(full("e4 e5 Nf3")))
    assert player.written.getvalue().isascii()
    assert "Jorg ??" in player.written.getvalue()


@pytest.mark.parametrize("columns", [30, 40, 60])
def test_nothing_is_wider_than_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    scene = playing_full("e4 e5", time="180+2", clock_ms=(180_000, 180_000))
    player = Player(monkeypatch, scene, size=(columns, 24))
    player.shows(player.scene.give(FromPeople(Profile(BOB.pubkey, "B" * 20, 1))))
    player.screen.idle(scene.session, EditedLine("a long line of words " * 5, 100), START)
    assert player.glass.shows_the_board
    assert cells(player.glass.lines[player.glass.at]) < columns
    assert player.glass.lines[1] == ""
    assert player.glass.lines[2].startswith(" 8 ")
    assert player.glass.lines[9].startswith(" 1 ")


def test_help_that_does_not_fit_under_the_board_is_shown_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = Player(monkeypatch, playing_full("e4 e5"), size=(40, 24))
    player.enters("help")
    shown = " ".join(" ".join(player.glass.lines).split())
    assert "e4, Nf3" in shown
    assert "help quit" in shown


def test_what_was_offered_before_a_game_is_not_shown_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = connected()
    player = Player(monkeypatch, scene)
    player.shows(scene.hear(Challenged("c" * 32, BOB.pubkey, PLAIN_TERMS)))
    assert any("accept 1 plays it" in line for line in player.glass.lines)
    player.shows(scene.hear(Paired(GAME, int(START))))
    player.shows(scene.hear(full()))
    assert player.glass.shows_the_board
    assert not any("accept 1" in line for line in player.glass.lines)


def test_a_mistyped_word_over_a_game_that_was_flipped(monkeypatch: pytest.MonkeyPatch) -> None:
    white = a_player(monkeypatch)
    white.enters("flip")
    white.enters("nonsense")
    assert any(line.split() == list("hgfedcba") for line in white.glass.lines)


def test_the_picture_follows_the_game_and_not_an_earlier_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    white = a_player(monkeypatch)
    white.shows(white.scene.hear(full("e4 e5 Nf3")))
    white.enters("nonsense")
    assert any("2. Nf3" in line for line in white.glass.lines)
