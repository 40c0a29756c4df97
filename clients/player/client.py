"""A session carried out: relays, signatures, time, and answers that are waited for."""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from clients.player import drafts
from clients.player.events import Draft, Send, with_work
from clients.player.heard import Delivered, FromRelay, Tick, Verdict
from clients.player.inbox import Inbox, addressees
from clients.player.messages import State
from clients.player.model import Answered, Given, Mine, Mined, News, Session, Step
from clients.player.outgoing import ask, say
from clients.player.relays import Relays
from clients.player.session import take
from clients.player.terms import Terms, terms_tags

TICK_SECONDS = 0.2
PATIENCE_SECONDS = 0.8


class Signer(Protocol):
    """A key that another program holds (NIP-46)."""

    pubkey: str

    def sign(self, template: EventTemplate, then: Callable[[VerifiedEvent], None]) -> None:
        """Have this signed, and then do something with it."""


class Client:
    """One key at one arbiter, over several relays. Its owner is told the news, and may wait for
    answers.
    """

    def __init__(
        self,
        key: SecretKey,
        arbiter: str,
        relays: tuple[str, ...] | Relays,
        tell: Callable[[News], None],
        *,
        name: str = "",
        by_bot: bool = False,
        gateway: str | None = None,
        other: Callable[[VerifiedEvent], None] = lambda _: None,
        wanted: Iterable[Filter] = (),
        signer: Signer | None = None,
    ) -> None:
        """``other`` is called with each event that ``wanted`` brings, once. With a ``signer`` the
        player's key is that, and ``key`` only authenticates to relays. ``relays`` that several keys
        share are run by their owner.
        """
        me = signer.pubkey if signer else key.pubkey
        self.session = Session(me=me, arbiter=arbiter, name=name, by_bot=by_bot, gateway=gateway)
        self._signer = signer
        self._key = key
        self._tell = tell
        self._other = other
        self._inbox = Inbox(arbiter)
        self._waiting: dict[str, asyncio.Future[Answered]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        filters = (*drafts.playing(arbiter, me), *wanted)
        self._is_shared = isinstance(relays, Relays)
        if isinstance(relays, Relays):
            self._relays, self._end = relays, relays.join(filters, self.take)
        else:
            self._relays, self._end = Relays(relays, filters, key.sign, self.take), ""

    @property
    def me(self) -> str:
        """The public key."""
        return self.session.me

    async def run(self) -> None:
        """Play for ever; cancelled, first send what is on its way."""
        async with asyncio.TaskGroup() as tasks:
            if not self._is_shared:
                tasks.create_task(self._relays.run())
            tasks.create_task(self._tick())

    async def until_sent(self) -> None:
        """Wait until all that was to be sent is on its way, for a second at the most."""
        await self._relays.until_sent()

    async def ask(
        self,
        content: str,
        tags: tuple[tuple[str, ...], ...] = (),
        patience: float = PATIENCE_SECONDS,
    ) -> Answered | None:
        """Send a 20300. The answer, or None if there is none yet: it is sent again by itself."""
        self.session, handle, sent = ask(self.session, content, now_ms(), tags)
        return await self._answer(handle, sent, patience)

    async def request(
        self, terms: Terms, patience: float = PATIENCE_SECONDS
    ) -> tuple[str, Answered | None]:
        """Ask for a game on these terms, of a pool or by a challenge; the handle, whose first half
        names the challenge, and the answer.
        """
        tags = terms_tags(terms)
        self.session, handle, sent = ask(self.session, "", now_ms(), tags)
        return handle, await self._answer(handle, sent, patience)

    async def say(
        self, game: str, content: str, patience: float = PATIENCE_SECONDS
    ) -> Answered | None:
        """Send a move or a word in a game, as `ask`.

        Raises:
            KeyError: if the game is not known.
        """
        self.session, handle, sent = say(self.session, game, content, now_ms())
        return await self._answer(handle, sent, patience)

    def publish(self, draft: Draft) -> None:
        """Sign and send what the session is not concerned with, as a line of chat."""
        if self._signer is None:
            self._relays.publish(self._key.sign(draft.template))
        else:
            self._signer.sign(draft.template, self._relays.publish)

    def subscribe(self, name: str, filters: tuple[Filter, ...]) -> None:
        """Ask all relays for further events, under this name."""
        self._relays.subscribe(name + self._end, filters)

    def take(self, came: FromRelay) -> None:
        """Take what a relay brings."""
        match came:
            case Delivered(event, stored):
                if event.kind not in drafts.SPOKEN:
                    if (verified := self._inbox.once(event)) is not None:
                        self._other(verified)
                    return
                if self.me not in addressees(event):
                    return
                message = self._inbox.open(event, stored=stored)
                if message is None:
                    return
                # A stored state of a game that is new to us may be of any age.
                known = self.session.games
                if not (stored and isinstance(message, State) and message.game not in known):
                    self._give(message)
            case Verdict():
                pass
            case _:
                self._give(came)

    def _give(self, given: Given) -> None:
        self._do(take(self.session, given, now_ms()))

    def _do(self, step: Step) -> None:
        self.session, effects = step
        for effect in effects:
            match effect:
                case Send(draft):
                    self.publish(draft)
                case Mine():
                    task = asyncio.create_task(self._mine(effect))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                case _:
                    self._hear(effect)

    def _hear(self, news: News) -> None:
        if isinstance(news, Answered):
            future = self._waiting.pop(news.open.handle, None)
            if future is not None and not future.done():
                future.set_result(news)
        self._tell(news)

    async def _answer(
        self, handle: str, sent: tuple[Send, ...], patience: float
    ) -> Answered | None:
        loop = asyncio.get_running_loop()
        future = self._waiting.setdefault(handle, loop.create_future())
        for one in sent:
            self.publish(one.draft)
        with suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(future), patience)
        return None

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._give(Tick())

    async def _mine(self, effect: Mine) -> None:
        mined = await asyncio.to_thread(with_work, effect.draft, effect.bits)
        self._give(Mined(effect.handle, mined))


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000
