"""One player: the session's effects carried out."""

import asyncio
import json
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from clients.bot.config import Config
from clients.bot.engine_host import EngineHost
from clients.bot.events import Draft, Event, npub, public_key, sign, with_work
from clients.bot.messages import (
    ERROR,
    PLAYERS_CHAT,
    RESPONSE,
    SPECTATORS_CHAT,
    STATE,
    read_message,
)
from clients.bot.model import (
    Chat,
    Effect,
    Input,
    Mine,
    Mined,
    Ready,
    RestartEngine,
    Say,
    Send,
    StopThinking,
    Think,
    Tick,
)
from clients.bot.nip44 import conversation_key, encrypt
from clients.bot.relays import Relays
from clients.bot.session import begin, reduce

TICK_SECONDS = 0.2
KEY_BYTES = 32


def load_key(path: Path) -> bytes:
    """The secret key in this file, made on first use, for its owner alone.

    Raises:
        ValueError: if the file holds no key.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = bytes.fromhex(path.read_text().strip())
        if len(key) != KEY_BYTES:
            raise ValueError(f"{path} holds no key of 64 hex digits") from None
        public_key(key)
        return key
    key = secrets.token_bytes(KEY_BYTES)
    with os.fdopen(descriptor, "w") as file:
        file.write(key.hex() + "\n")
    return key


class Player:
    """A key that plays by an engine over relays."""

    def __init__(
        self,
        config: Config,
        level: int | None,
        secret: bytes,
        arbiter: str,
        urls: tuple[str, ...],
        say: Callable[[str], None],
    ) -> None:
        """Connects nowhere yet."""
        self._secret = secret
        self._arbiter = arbiter
        self._say = say
        self.me = public_key(secret)
        self._inbox: asyncio.Queue[Input] = asyncio.Queue()
        # What a relay has stored is not needed: the bot asks for the present state.
        wanted: dict[str, object] = {
            "kinds": [RESPONSE, STATE, ERROR],
            "#p": [self.me],
            "limit": 1,
        }
        self._relays = Relays(urls, arbiter, wanted, self._on_ready, self._on_event, say)
        self._engine = EngineHost(config, level, self._inbox.put_nowait, say)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Plays for ever.

        Raises:
            OSError, chess.engine.EngineError, TimeoutError: if the engine cannot be started.
        """
        await self._engine.start()
        self._say(f"is {npub(self.me)}")
        session = begin(self._engine.config, self.me, self._arbiter)
        listening = asyncio.create_task(self._relays.run())
        try:
            while True:
                try:
                    given = await asyncio.wait_for(self._inbox.get(), TICK_SECONDS)
                except TimeoutError:
                    given = Tick()
                session, effects = reduce(session, given, now_ms())
                for effect in effects:
                    self._do(effect)
        finally:
            listening.cancel()
            await self._engine.close()

    def _on_ready(self) -> None:
        config = self._engine.config
        profile: dict[str, object] = {"name": config.name, "bot": True}
        if config.about:
            profile["about"] = config.about
        content = json.dumps(profile, ensure_ascii=False)
        draft = Draft(self.me, now_ms() // 1000, 0, (), content)
        self._relays.send(sign(draft, self._secret))
        self._inbox.put_nowait(Ready())

    def _on_event(self, event: Event) -> None:
        message = read_message(event, self._arbiter)
        if message is not None:
            self._inbox.put_nowait(message)

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send(draft):
                self._relays.send(sign(draft, self._secret))
            case Mine(draft, bits):
                task = asyncio.create_task(self._mine(draft, bits))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case Chat():
                self._chat(effect)
            case Think():
                self._engine.think(effect)
            case StopThinking():
                self._engine.stop()
            case RestartEngine():
                self._engine.restart()
            case Say(text):
                self._say(text)

    async def _mine(self, draft: Draft, bits: int) -> None:
        mined = await asyncio.to_thread(with_work, draft, bits)
        self._inbox.put_nowait(Mined(mined))

    def _chat(self, line: Chat) -> None:
        dated, tags = now_ms() // 1000, (("d", line.game),)
        if line.to is None:
            draft = Draft(self.me, dated, SPECTATORS_CHAT, tags, line.text)
        else:
            try:
                key = conversation_key(self._secret, line.to)
            except ValueError:
                return
            sealed = encrypt(line.text, key, secrets.token_bytes(32))
            draft = Draft(self.me, dated, PLAYERS_CHAT, (*tags, ("p", line.to)), sealed)
        self._relays.send(sign(draft, self._secret))


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000
