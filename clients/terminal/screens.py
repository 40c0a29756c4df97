"""Three screens: JSON lines, plain lines for pipes, and a board on top with a live prompt."""

import json
import os
import sys
from textwrap import wrap
from typing import TextIO

from arbiter.nostr.nip19 import encode_npub
from clients.terminal.board import Style
from clients.terminal.game_view import GameView
from clients.terminal.line_editor import EditedLine
from clients.terminal.notices import Notice
from clients.terminal.picture import picture
from clients.terminal.prompt import clocks_now, status
from clients.terminal.session import Phase, Session
from clients.terminal.text import cells, clock_text, short_key

_CLEAR = "\x1b[H\x1b[2J"
_LINE = "\r\x1b[2K"
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SPINNER_ASCII = "|/-\\"
_BELL = "\a"
_NEWS_KEPT = 6
_BOARD_ROWS = 12
"""The line over the board, the board, and an empty row on either side of it."""

_ROOM_TO_TYPE = 12
_LEAST_PROMPT = 8


class JsonScreen:
    """One JSON object a line."""

    def __init__(self, out: TextIO) -> None:
        """``out`` is flushed after every line."""
        self._out = out

    def hello(self, name: str, pubkey: str) -> None:
        """Show who plays."""
        self._write(
            {"type": "hello", "player": name, "pubkey": pubkey, "npub": encode_npub(pubkey)}
        )

    def show(self, notice: Notice, session: Session) -> None:  # noqa: ARG002 - for people
        """Show one notice; ``session`` is the one after it."""
        self._write({"type": notice.type, **notice.fields})

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Nothing, for programs."""

    def say(self, text: str) -> None:
        """Show a sentence of the shell's."""
        self._write({"type": "remark", "code": "client", "text": text})

    def leave(self, code: int) -> None:
        """Show the exit code."""
        self._write({"type": "left", "code": code})

    def _write(self, value: dict[str, object]) -> None:
        # In ASCII, so that no line holds a control character.
        self._out.write(json.dumps(value, separators=(",", ":")) + "\n")
        self._out.flush()


class PlainScreen:
    """Lines of text, for pipes and files."""

    def __init__(self, out: TextIO, style: Style) -> None:
        """``out`` is flushed after every notice."""
        self._out = out
        self._style = style

    def hello(self, name: str, pubkey: str) -> None:
        self.say(f"You play as {name}, {encode_npub(pubkey)}")

    def show(self, notice: Notice, session: Session) -> None:
        """The sentence, and the board with it where the board has changed."""
        lines = [notice.text] if notice.text else []
        if notice.board is not None and notice.type != "player":
            lines += picture(notice.board, self._style, flipped=session.flipped)
        for line in lines:
            self.say(line)

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Nothing, in a pipe."""

    def say(self, text: str) -> None:
        self._out.write(self._style.text(text) + "\n")
        self._out.flush()

    def leave(self, code: int) -> None:
        """Nothing more."""


class TerminalScreen:
    """The board on top, the latest lines under it, and a live prompt. When the lines would push the
    board off the screen, it is drawn again with the newest of them.
    """

    def __init__(self, style: Style, *, bell: bool = True) -> None:
        """Writes to standard output, which is a terminal; ``bell`` rings when it is our turn."""
        self._style = style
        self._bell = bell
        self._rung: tuple[str, int] | None = None
        self._who = ""
        self._news: list[str] = []
        self._offers: set[str] = set()
        self._under: list[str] = []
        self._board: tuple[GameView, bool] | None = None
        self._prompt = ""
        self._waits_on = ""
        self._since: float | None = None

    def hello(self, name: str, pubkey: str) -> None:
        """Name the player; the name stays over the board."""
        self._who = f" Arbiter · {name} {short_key(pubkey)}"
        self._add(f"You play as {name}, {encode_npub(pubkey)}")

    def show(self, notice: Notice, session: Session) -> None:
        """Draw the board again where it has changed, else add a line."""
        lines = notice.text.split("\n") if notice.text else []
        if notice.type == "sent" and not notice.fields["again"]:
            return
        if notice.type == "started":
            # Former challenges and offers are over.
            self._news = [line for line in self._news if line not in self._offers]
            self._offers = set()
        if notice.type in ("challenged", "offer"):
            self._offers |= set(lines)
        if notice.stays:
            self._news = [*self._news, *lines][-_NEWS_KEPT:]
        if notice.board is not None:
            self._board = notice.board, session.flipped
            self._redraw(self._under if notice.type == "player" else self._news)
        elif notice.type == "help" and self._fits(lines):
            self._turn_to(lines)
        elif lines:
            self._add(notice.text, bold=notice.type == "question")

    def idle(self, session: Session, line: EditedLine, now: float) -> None:
        """Draw the prompt again if it would look different."""
        self._ring(session)
        columns, _ = self._size()
        asked = self._asked(session, now)
        prompt = f" {self._style.fit(asked, max(_LEAST_PROMPT, columns - _ROOM_TO_TYPE))} > "
        room = max(1, columns - cells(prompt) - 1)
        start = max(0, line.at - room + 1)
        shown = line.text[start : start + room]
        back = len(shown) - (line.at - start)
        typed = self._style.text(shown)
        drawn = f"{self._style.dim(prompt)}{typed}" + (f"\x1b[{back}D" if back else "")
        if drawn != self._prompt:
            self._prompt = drawn
            self._write(_LINE + drawn)

    def say(self, text: str) -> None:
        """A line above the prompt that stays when the board is drawn again."""
        self._news = [*self._news, text][-_NEWS_KEPT:]
        self._add(text)

    def leave(self, code: int) -> None:  # noqa: ARG002 - for programs
        """Clear the prompt away."""
        self._write(_LINE)

    def _asked(self, session: Session, now: float) -> str:
        doing, waits = status(session)
        clocks = clocks_now(session.game, now)
        if doing != self._waits_on or self._since is None:
            self._waits_on, self._since = doing, now
        if session.question is not None:
            return "answer"
        if not waits:
            return f"{clocks}; {doing}" if clocks else doing
        wheel = _SPINNER if self._style.unicode else _SPINNER_ASCII
        turn = wheel[int(now * 5) % len(wheel)]
        since = clock_text(now - self._since)
        return f"{turn} {clocks}; {doing}" if clocks else f"{turn} {doing} {since}"

    def _ring(self, session: Session) -> None:
        """Once for every turn of ours, however often the state comes."""
        game = session.game
        if session.phase is not Phase.PLAYING or game is None or game.state is None:
            return
        turn = (game.id, game.ply)
        if game.my_turn and turn != self._rung:
            self._rung = turn
            if self._bell:
                self._write(_BELL)

    def _add(self, text: str, *, bold: bool = False) -> None:
        lines = text.split("\n")
        self._under += lines
        if self._board is None or self._fits(self._under):
            self._print(_LINE, self._wrapped(lines), bold=bold)
        elif self._fits(lines):
            self._redraw(self._under, bold=len(lines) if bold else 0)
        else:
            self._print(_LINE, self._wrapped(lines))

    def _turn_to(self, page: list[str]) -> None:
        """Show these lines in place of the news, where there is a board."""
        if self._board is None:
            self._add("\n".join(page))
        else:
            self._redraw(page)

    def _redraw(self, under: list[str], *, bold: int = 0) -> None:
        """Draw the board, and under it the last of these lines, as far as there is room."""
        if self._board is None:
            return
        game, flipped = self._board
        columns, _ = self._size()
        kept = list(under)
        while kept and not self._fits(kept):
            kept.pop(0)
        self._under = kept
        board = picture(game, self._style, flipped=flipped, clocks=False, columns=columns)
        who = self._style.dim(self._style.fit(self._who, columns))
        self._print(_CLEAR, [who, "", *board, ""])
        split = len(kept) - bold
        self._print("", self._wrapped(kept[:split]))
        self._print("", self._wrapped(kept[split:]), bold=True)

    def _fits(self, lines: list[str]) -> bool:
        """Whether these lines fit between the board and the prompt."""
        room = max(1, self._size()[1] - _BOARD_ROWS - 1)
        return len(self._wrapped(lines)) <= room

    def _wrapped(self, lines: list[str]) -> list[str]:
        columns, _ = self._size()
        width = max(_LEAST_PROMPT, columns - 2)
        wrapped = [wrap(self._style.text(line), width) or [""] for line in lines]
        return [f" {part}" for parts in wrapped for part in parts]

    def _size(self) -> tuple[int, int]:
        size = os.get_terminal_size(sys.stdout.fileno())
        # A terminal that does not know its size says 0.
        return size.columns or 80, size.lines or 24

    def _print(self, first: str, lines: list[str], *, bold: bool = False) -> None:
        shown = [self._style.bold(line) if bold else line for line in lines]
        if shown:
            self._write(first + "".join(f"{line}\n" for line in shown))
            self._prompt = ""

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


Screen = JsonScreen | PlainScreen | TerminalScreen
