"""Three ways of showing what happens: JSON lines, plain lines, and a terminal with a live prompt.

The law: a screen shows and remembers nothing of the game. On a terminal the board stays at the top
and news is written above the prompt; in a pipe everything is written once and nothing moves.
"""

import os
import sys
from typing import Protocol, TextIO

from arbiter.nostr.nip19 import encode_npub
from clients.terminal.board import Style
from clients.terminal.happenings import (
    Asked,
    BoardWanted,
    ChallengeCame,
    Ended,
    Moved,
    MoveSent,
    Notice,
    OfferGone,
    OfferMade,
    RecordCame,
    RelayFound,
    Said,
    Started,
    TakenBack,
)
from clients.terminal.json_lines import as_json, json_line
from clients.terminal.line_editor import EditedLine
from clients.terminal.session import Session
from clients.terminal.text import clock_text, short_key
from clients.terminal.wording import clocks_now, picture, sentence, standing

_CLEAR = "\x1b[H\x1b[2J"
_LINE = "\r\x1b[2K"
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SPINNER_ASCII = "|/-\\"
_NEWS_KEPT = 6
_KEPT = (
    *(RecordCame, Started, RelayFound, Ended, Moved, TakenBack),
    *(OfferMade, OfferGone, Said, ChallengeCame),
)
"""News that stays when the board is drawn again."""


class Screen(Protocol):
    """Where notices go."""

    def hello(self, name: str, pubkey: str) -> None:
        """Say who plays."""

    def show(self, notice: Notice, session: Session) -> None:
        """Show one notice; ``session`` is the one after it."""

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Show that the program lives, and the line being typed."""

    def say(self, text: str) -> None:
        """Show a sentence of the shell's own."""

    def leave(self, code: int) -> None:
        """The last thing shown."""


class JsonScreen:
    """One JSON object a line."""

    def __init__(self, out: TextIO) -> None:
        """``out`` is flushed after every line."""
        self._out = out

    def hello(self, name: str, pubkey: str) -> None:
        """``{"type":"hello"}``."""
        self._write(
            {"type": "hello", "player": name, "pubkey": pubkey, "npub": encode_npub(pubkey)}
        )

    def show(self, notice: Notice, session: Session) -> None:  # noqa: ARG002 - for people
        """The notice as an object."""
        self._write(as_json(notice))

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Programs need no sign of life."""

    def say(self, text: str) -> None:
        """``{"type":"remark"}``."""
        self._write({"type": "remark", "code": "client", "text": text})

    def leave(self, code: int) -> None:
        """``{"type":"left"}``."""
        self._write({"type": "left", "code": code})

    def _write(self, value: dict[str, object]) -> None:
        self._out.write(json_line(value) + "\n")
        self._out.flush()


class PlainScreen:
    """Lines of text, for pipes and files."""

    def __init__(self, out: TextIO, style: Style) -> None:
        """``out`` is flushed after every notice."""
        self._out = out
        self._style = style

    def hello(self, name: str, pubkey: str) -> None:
        """Who plays."""
        self.say(f"You play as {name}, {encode_npub(pubkey)}")

    def show(self, notice: Notice, session: Session) -> None:
        """The sentence, and the board with it where the board has changed."""
        text = sentence(notice)
        lines = [text] if text else []
        if isinstance(notice, Moved | TakenBack | Ended | BoardWanted):
            lines += picture(notice.game, self._style, flipped=session.flipped)
        for line in lines:
            self.say(line)

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Nothing moves in a pipe."""

    def say(self, text: str) -> None:
        """One sentence."""
        self._out.write(text + "\n")
        self._out.flush()

    def leave(self, code: int) -> None:
        """Nothing more."""


class TerminalScreen:
    """The board on top, the last news under it, and a prompt that lives."""

    def __init__(self, style: Style) -> None:
        """Writes to standard output, which is a terminal."""
        self._style = style
        self._who = ""
        self._news: list[str] = []
        self._prompt = ""
        self._waits_on = ""
        self._since: float | None = None

    def hello(self, name: str, pubkey: str) -> None:
        """Who plays; stays over the board."""
        self._who = f" Arbiter · {name} {short_key(pubkey)}"
        if not self._style.unicode:
            self._who = self._who.replace("·", "-").replace("…", "..")
        self._line(f"You play as {name}, {encode_npub(pubkey)}")

    def show(self, notice: Notice, session: Session) -> None:
        """Draw the board again where it has changed, else add a line."""
        text = sentence(notice)
        if isinstance(notice, MoveSent) and not notice.again:
            return
        if isinstance(notice, _KEPT):
            self._news = [*self._news, *text.split("\n")][-_NEWS_KEPT:]
        if isinstance(notice, Moved | TakenBack | Ended | BoardWanted):
            lines = picture(notice.game, self._style, flipped=session.flipped, clocks=False)
            news = [f" {line}" for line in self._news]
            self._draw(_CLEAR, "\n".join([self._style.dim(self._who), "", *lines, "", *news]))
        elif text:
            self._line(self._style.bold(text) if isinstance(notice, Asked) else text)

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Draw the prompt again if it would look different."""
        doing, waits = standing(session)
        clocks = clocks_now(session.game, now)
        if doing != self._waits_on or self._since is None:
            self._waits_on, self._since = doing, now
        if waits and session.question is None:
            wheel = _SPINNER if self._style.unicode else _SPINNER_ASCII
            turn = wheel[int(now * 5) % len(wheel)]
            since = clock_text(now - self._since)
            doing = f"{turn} {clocks}; {doing}" if clocks else f"{turn} {doing} {since}"
        elif session.question is not None:
            doing = "answer"
        elif clocks:
            doing = f"{clocks}; {doing}"
        prompt = f" {doing} > "
        width = max(20, os.get_terminal_size(sys.stdout.fileno()).columns)
        room = max(1, width - len(prompt) - 1)
        start = max(0, line.at - room + 1)
        shown = line.text[start : start + room]
        back = len(shown) - (line.at - start)
        drawn = f"{self._style.dim(prompt)}{shown}" + (f"\x1b[{back}D" if back else "")
        if drawn != self._prompt:
            self._prompt = drawn
            self._write(_LINE + drawn)

    def say(self, text: str) -> None:
        """A line above the prompt, that stays when the board is drawn again."""
        self._news = [*self._news, text][-_NEWS_KEPT:]
        self._line(text)

    def leave(self, code: int) -> None:  # noqa: ARG002 - for programs
        """Clear the prompt away."""
        self._write(_LINE)

    def _line(self, text: str) -> None:
        self._draw(_LINE, "\n".join(f" {line}" for line in text.split("\n")))

    def _draw(self, first: str, text: str) -> None:
        self._write(f"{first}{text}\n")
        self._prompt = ""

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
