"""A session's effects carried out: what it sends is signed, what needs work (NIP-13) gets it."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from clients.player.chat import ChatCipher, drafted
from clients.player.events import Draft, Send, SendLine, with_work
from clients.player.model import Mine, Mined
from clients.player.timing import Timing


class Signer(Protocol):
    """A key that another program holds (NIP-46)."""

    pubkey: str

    def sign(self, template: EventTemplate, then: Callable[[VerifiedEvent], None]) -> None:
        """Have this signed, and then do something with it."""


class Sender:
    """Signs and sends for one key. ``cipher`` reads and writes its chat; a signer has none."""

    def __init__(
        self,
        key: SecretKey | Signer,
        send: Callable[[VerifiedEvent], None],
        tell: Callable[[Mined], None],
    ) -> None:
        """``send`` takes what is signed, ``tell`` what has been worked on."""
        self.me = key.pubkey
        self.cipher = ChatCipher(key) if isinstance(key, SecretKey) else None
        self._key = key
        self._send = send
        self._tell = tell
        self._tasks: set[asyncio.Task[None]] = set()

    def do(self, effect: Send | SendLine | Mine, timing: Timing) -> None:
        """Carry it out; a line of chat is dated by the arbiter's clock."""
        match effect:
            case Send(draft):
                self.publish(draft)
            case SendLine() if self.cipher is not None:
                at = timing.to_seconds(now_ms())
                if (line := drafted(effect, self.me, at, self.cipher)) is not None:
                    self.publish(line)
            case Mine():
                task = asyncio.ensure_future(self._mine(effect))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case _:
                pass

    def publish(self, draft: Draft) -> None:
        """Sign and send it."""
        if isinstance(self._key, SecretKey):
            self._send(self._key.sign(draft.template))
        else:
            self._key.sign(draft.template, self._send)

    async def _mine(self, effect: Mine) -> None:
        mined = await asyncio.to_thread(with_work, effect.draft, effect.bits)
        self._tell(Mined(effect.handle, mined))


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000
