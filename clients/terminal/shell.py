"""The program around the session: one queue and one loop, which relays and what is typed fill.

Invariant: only the loop touches the session and the screen, so there are no locks.
"""

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
from clients.player.chat import ChatCipher, drafted
from clients.player.events import Draft, Send, SendLine, with_work
from clients.player.heard import Delivered, FromRelay, LinkDown, Tick
from clients.player.model import Mine, Mined
from clients.player.relays import Relays
from clients.player.tournaments import listed
from clients.terminal.effects import Effect, Leave, Save, Subscribe
from clients.terminal.inbox import Mailroom
from clients.terminal.line_editor import EditedLine, keys, press
from clients.terminal.outgoing import dated
from clients.terminal.screens import Screen
from clients.terminal.session import Heard, Input, InputOver, Session, TypedLine
from clients.terminal.update import step

TICK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class KeysPressed:
    """Input of the terminal, not yet split into keys."""

    text: str


Queued = FromRelay | Mined | TypedLine | InputOver | KeysPressed


class Shell:
    """One run of the program."""

    def __init__(
        self,
        *,
        key: SecretKey,
        session: Session,
        relays: tuple[str, ...],
        screen: Screen,
    ) -> None:
        """``session`` is the first one."""
        self._key = key
        self._screen = screen
        self._queue: asyncio.Queue[Queued] = asyncio.Queue()
        self._cipher = ChatCipher(key)
        self._mail = Mailroom(
            session.server, key.pubkey, watched=session.watching, cipher=self._cipher
        )
        server, me, watched = session.server, key.pubkey, session.watching
        filters = (*drafts.playing(server, me), listed(server))
        if watched is not None:
            filters = drafts.watching(server, me, watched)
        self._relays = Relays(relays, filters, key.sign, self._queue.put_nowait)
        self._line = EditedLine()
        self._tasks: set[asyncio.Task[None]] = set()
        self.session = session
        self.failures: dict[str, str] = {}

    async def run(self, read_input: Callable[[Callable[[Queued], None]], None]) -> int:
        """Play until the session says to leave; the exit code. ``read_input`` runs in its own
        thread and passes on what is typed.
        """
        loop = asyncio.get_running_loop()

        def tell(typed: Queued) -> None:
            # Who leaves does not wait for what is typed afterwards.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._queue.put_nowait, typed)

        threading.Thread(target=read_input, args=(tell,), daemon=True).start()
        connecting = asyncio.create_task(self._relays.run())
        try:
            code = await self._loop()
            await self._relays.until_sent()
            return code
        finally:
            connecting.cancel()
            await asyncio.wait([connecting])

    async def _loop(self) -> int:
        while True:
            came: Queued | Tick = Tick()
            with suppress(TimeoutError):
                came = await asyncio.wait_for(self._queue.get(), TICK_SECONDS)
            for given in self._inputs(came):
                code = self._step(given)
                if code is not None:
                    return code
            self._screen.idle(self.session, self._line, time.time())

    def _inputs(self, came: Queued | Tick) -> Iterator[Input]:
        match came:
            case Delivered():
                heard = self._mail.open(came.event, stored=came.stored)
                if heard is not None:
                    yield Heard(heard, came.stored)
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
            case Send(draft):
                self._publish(draft)
            case Mine():
                task = asyncio.ensure_future(self._mine(effect))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case SendLine():
                at = dated(self.session, time.time())
                line = drafted(effect, self._key.pubkey, at, self._cipher)
                if line is not None:
                    self._publish(line)
            case Subscribe(name, filters):
                self._relays.subscribe(name, filters)
            case Save(path, text):
                self._save(Path(path).expanduser(), text)
            case Leave(code):
                return int(code)
            case _:
                self._screen.show(effect, self.session)
        return None

    async def _mine(self, effect: Mine) -> None:
        mined = await asyncio.to_thread(with_work, effect.draft, effect.bits)
        self._queue.put_nowait(Mined(effect.handle, mined))

    def _publish(self, draft: Draft) -> None:
        self._relays.publish(self._key.sign(draft.template))

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
