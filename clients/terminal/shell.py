"""The program around the session: one queue and one loop, alone with session and screen."""

import asyncio
import codecs
import os
import signal
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from arbiter.nostr.keys import SecretKey
from clients.player import drafts
from clients.player.address import Address
from clients.player.chat import ChatCipher
from clients.player.events import Send, SendLine
from clients.player.heard import LinkDown, Tick
from clients.player.inbox import Inbox
from clients.player.model import Mine
from clients.player.relays import Relays
from clients.player.sender import Sender
from clients.player.tournaments import listed
from clients.terminal.line_editor import EditedLine, keys, press
from clients.terminal.outgoing import Effect, Leave, Save, Seal, Subscribe
from clients.terminal.screens import Screen
from clients.terminal.session import Input, InputOver, Sealed, Session, TypedLine
from clients.terminal.update import step

TICK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class KeysPressed:
    """Input of the terminal, not yet split into keys."""

    text: str


Queued = Input | KeysPressed


class Shell:
    """One run of the program."""

    def __init__(
        self, *, key: SecretKey, session: Session, relays: tuple[str, ...], screen: Screen
    ) -> None:
        """``session`` is the first one."""
        self._screen = screen
        self._queue: asyncio.Queue[Queued] = asyncio.Queue()
        server, me, watched = session.server, key.pubkey, session.watching
        filters = (*drafts.playing(server, me), listed(server))
        if watched is not None:
            filters = drafts.watching(server, me, watched)
        tell, cipher = self._queue.put_nowait, ChatCipher(key)
        self._cipher = cipher
        inbox = Inbox(server, {me: tell}, tell, knows=self._knows, cipher=cipher, watched=watched)
        self._relays = Relays(
            relays, filters, key.sign, inbox.take,
            arbiter=server, http=Address(server, relays, session.web, session.wire.gateway).http,
        )  # fmt: skip
        self._sender = Sender(key, self._relays.publish, tell)
        self._line = EditedLine()
        self.session = session
        self.failures: dict[str, str] = {}

    async def run(self, read_input: Callable[[Callable[[Queued], None]], None]) -> int:
        """Play until the session says to leave; the exit code. ``read_input`` runs in a thread."""
        loop = asyncio.get_running_loop()

        def tell(typed: Queued) -> None:
            # Who leaves does not wait for what is typed afterwards.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._queue.put_nowait, typed)

        threading.Thread(target=read_input, args=(tell,), daemon=True).start()
        async with self._relays.connected():
            return await self._loop()

    async def _loop(self) -> int:
        while True:
            came: Queued = Tick()
            with suppress(TimeoutError):
                # Before 3.12 `wait_for` loses a cancellation that meets an input.
                async with asyncio.timeout(TICK_SECONDS):
                    came = await self._queue.get()
            for given in self._inputs(came):
                code = self._step(given)
                if code is not None:
                    return code
            self._screen.idle(self.session, self._line, time.time())

    def _inputs(self, came: Queued) -> Iterator[Input]:
        match came:
            case KeysPressed():
                for key in keys(came.text):
                    pressed = press(self._line, key)
                    self._line = pressed.line
                    if pressed.entered is not None:
                        yield TypedLine(pressed.entered)
                    if pressed.over:
                        yield InputOver()
            case _:
                yield came
        # Under a flood of events time has to pass all the same.
        if not isinstance(came, Tick):
            yield Tick()

    def _step(self, given: Input) -> int | None:
        if isinstance(given, LinkDown):
            self.failures[given.url] = given.why
        self.session, effects = step(self.session, given, time.time())
        for effect in effects:
            code = self._carry_out(effect)
            if code is not None:
                return code
        return None

    def _carry_out(self, effect: Effect) -> int | None:
        match effect:
            case Send() | SendLine() | Mine():
                self._sender.do(effect, self.session.wire.timing)
            case Seal(game, text):
                if sealed := self._cipher.encrypt(text, self.session.server):
                    self._queue.put_nowait(Sealed(game, f"lines:{sealed}"))
            case Subscribe(name, filters):
                self._relays.subscribe(name, filters)
            case Save(path, text):
                self._save(Path(path).expanduser(), text)
            case Leave(code):
                return int(code)
            case _:
                self._screen.show(effect, self.session)
        return None

    def _knows(self, game: str) -> bool:
        return game in self.session.wire.games

    def _save(self, path: Path, text: str) -> None:
        try:
            # "x": never over a file that exists.
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            self._screen.say(f"Cannot save {path}: {error.strerror}")
            return
        self._screen.say(f"Saved {path}")


def read_lines(tell: Callable[[Queued], None]) -> None:
    """Standard input line by line, for pipes and scripts."""
    for line in sys.stdin:
        tell(TypedLine(line.rstrip("\n")))
    tell(InputOver())


def read_keys(tell: Callable[[Queued], None]) -> None:
    """Standard input key by key, from a terminal that does not echo."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while chunk := os.read(sys.stdin.fileno(), 1024):
        tell(KeysPressed(decoder.decode(chunk)))
    tell(InputOver())


@contextmanager
def key_by_key() -> Iterator[None]:
    """Have the terminal send each key at once and without echo, until the end of the block."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def take(_signal: int, _frame: FrameType | None) -> None:
        tty.setcbreak(descriptor)

    tty.setcbreak(descriptor)
    # After Ctrl-Z the shell has changed the terminal.
    signal.signal(signal.SIGCONT, take)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
