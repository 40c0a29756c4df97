"""The terminal's screen after every write."""

import io
import json
import os
import re
import sys
from typing import Protocol

import chess
import pytest

from clients.player.chat import ChatLine
from clients.player.messages import Challenged, Offer, Started
from clients.player.people import Profile
from clients.player.terms import TimeControl
from clients.terminal.board import Style
from clients.terminal.help import TOPICS
from clients.terminal.line_editor import EditedLine
from clients.terminal.notices import Notice
from clients.terminal.outgoing import Effect
from clients.terminal.screens import JsonScreen, PlainScreen, TerminalScreen
from clients.terminal.session import Input
from clients.terminal.terms import PLAIN as PLAIN_TERMS
from clients.terminal.text import cells
from tests.builders import ALICE, BOB
from tests.clients.terminal.scene import GAME, START, Scene, connected, playing, state

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
        size: tuple[int, int],
        style: Style,
        *,
        bell: bool,
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
        self.types("")

    def types(self, text: str, at: int = 0) -> None:
        self.screen.idle(self.scene.session, EditedLine(text, at), self.scene.now)

    def enters(self, text: str) -> None:
        self.shows(self.scene.enter(text))

    def gets(self, *inputs: Input) -> None:
        for given in inputs:
            self.shows(self.scene.give(given))

    def sees(self, text: str) -> bool:
        return any(text in line for line in self.glass.lines)


class NewPlayer(Protocol):
    def __call__(
        self,
        scene: Scene | None = None,
        *,
        size: tuple[int, int] = (80, 24),
        style: Style = PLAIN,
        bell: bool = True,
    ) -> Player: ...


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> NewPlayer:
    """Makes players at terminals; without a scene, Alice is to move after 1. e4 e5."""

    def new(
        scene: Scene | None = None,
        *,
        size: tuple[int, int] = (80, 24),
        style: Style = PLAIN,
        bell: bool = True,
    ) -> Player:
        return Player(monkeypatch, scene or playing("e4 e5"), size, style, bell=bell)

    return new


def named(name: str) -> Profile:
    return Profile(BOB.pubkey, name, 1)


@pytest.mark.parametrize("topic", ["", *TOPICS, "nonsense"])
@pytest.mark.parametrize("size", [(78, 20), (80, 24), (120, 50)])
def test_the_board_stays_when_help_is_asked_for(
    player: NewPlayer, topic: str, size: tuple[int, int]
) -> None:
    white = player(size=size)
    white.enters(f"help {topic}")
    assert white.glass.shows_the_board
    assert white.glass.lines[0].startswith(" Arbiter")
    assert white.glass.lines[white.glass.at].startswith(" your move, white >")


def test_the_board_stays_whatever_is_typed_and_said(player: NewPlayer) -> None:
    white = player()
    white.enters("flip")
    for number in range(16):
        white.enters(f"nonsense {number}")
    assert any(line.split() == list("hgfedcba") for line in white.glass.lines)
    assert "nonsense 15" in white.glass.lines[white.glass.at - 1]
    white.enters("flip")
    white.gets(*(ChatLine(BOB.pubkey, GAME, "x" * 140, public=False),) * 5)
    assert white.glass.shows_the_board
    white.shows(white.scene.hear(state("e4 e5 Nf3")))
    white.enters("nonsense")
    assert white.sees("2. Nf3")


def test_a_question_a_list_and_a_sentence_of_the_shell_are_shown(player: NewPlayer) -> None:
    white = player(playing("e4 e5", asks=True), size=(80, 16))
    white.screen.say("Saved game.pgn")
    assert white.sees("Saved game.pgn")
    white.enters("quit")
    assert white.sees("[k]eep the game for later")
    assert white.glass.lines[white.glass.at].startswith(" answer >")
    white.enters("stay")
    white.enters("pgn")
    assert white.sees("1. e4 e5 *")
    white.screen.leave(0)
    assert white.glass.lines[white.glass.at] == ""


@pytest.mark.parametrize("asked", [False, True])
def test_a_half_typed_line_and_a_question_stay_while_states_come(
    player: NewPlayer, *, asked: bool
) -> None:
    white = player(playing("e4 e5", asks=True))
    if asked:
        white.enters("resign")
    white.types("Nf")
    for shown in (
        state("e4 e5", offer=Offer("draw", chess.BLACK)),
        state("e4 e5"),
        state("e4 e5 Nf3"),
    ):
        effects = white.scene.hear(shown)
        for effect in effects:
            assert isinstance(effect, Notice)
            white.screen.show(effect, white.scene.session)
        white.types("Nf")
        prompt = white.glass.lines[white.glass.at]
        assert prompt.endswith("> Nf")
        assert prompt.startswith(" answer >") is asked


def test_the_bell_rings_once_for_every_turn_unless_it_is_switched_off(player: NewPlayer) -> None:
    white = player(playing("e4"))
    assert white.glass.bells == 0
    for expected, moves in ((1, "e4 e5"), (1, "e4 e5"), (1, "e4 e5 Nf3"), (2, "e4 e5 Nf3 Nc6")):
        white.shows(white.scene.hear(state(moves)))
        assert white.glass.bells == expected
    mated = player(playing("f3 e5 g4"))
    mated.shows(mated.scene.hear(state("f3 e5 g4 Qh4#", result="0-1", termination="checkmate")))
    assert mated.glass.bells == player(bell=False).glass.bells == 0


def test_programs_and_pipes_get_no_bell() -> None:
    scene = playing("e4 e5")
    plain, objects = io.StringIO(), io.StringIO()
    for out, screen in ((plain, PlainScreen(plain, PLAIN)), (objects, JsonScreen(objects))):
        screen.hello("alice", ALICE.pubkey)
        for effect in scene.effects:
            if isinstance(effect, Notice):
                screen.show(effect, scene.session)
        screen.idle(scene.session, EditedLine(), START)
        screen.say("Saved")
        screen.leave(0)
        assert "\a" not in out.getvalue()
    lines = plain.getvalue().splitlines()
    assert lines[0].startswith("You play as alice, npub1")
    assert lines[-1] == "Saved"
    assert any(line.split() == list("abcdefgh") for line in lines)
    types = [json.loads(line)["type"] for line in objects.getvalue().splitlines()]
    assert types == ["hello", "started", "state", "remark", "left"]


@pytest.mark.parametrize("typed", ["help", "ä", "accept 漢", "say ♟", "moves", "board"])
def test_ascii_is_ascii(player: NewPlayer, typed: str) -> None:
    style = Style(color=True, unicode=False)
    player(connected(), style=style).shows(playing().effects)
    white = player(style=style)
    white.gets(named("Jörg 漢♟"))
    white.enters(typed)
    white.types("größer …", 3)
    white.shows(white.scene.hear(state("e4 e5 Nf3")))
    assert white.written.getvalue().isascii()
    assert "Jorg ??" in white.written.getvalue()


@pytest.mark.parametrize("columns", [30, 40, 60])
def test_nothing_is_wider_than_a_narrow_terminal(player: NewPlayer, columns: int) -> None:
    scene = playing("e4 e5", time=TimeControl(180, 2), clock=(180_000, 180_000))
    white = player(scene, size=(columns, 24))
    white.gets(named("B" * 20))
    white.types("a long line of words " * 5, 100)
    assert white.glass.shows_the_board
    assert cells(white.glass.lines[white.glass.at]) < columns
    assert white.glass.lines[1] == ""
    assert white.glass.lines[2].startswith(" 8 ")
    assert white.glass.lines[9].startswith(" 1 ")


def test_what_was_offered_before_a_game_is_not_shown_in_it(player: NewPlayer) -> None:
    alice = player(connected())
    for message, offered in (
        (Challenged("c" * 32, BOB.pubkey, PLAIN_TERMS), True),
        (Started(GAME, BOB.pubkey), True),
        (state(), False),
    ):
        alice.shows(alice.scene.hear(message))
        assert alice.sees("accept 1 plays it") is offered
    assert alice.glass.shows_the_board
