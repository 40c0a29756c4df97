"""A session carried out: relays, signatures, time, and answers that are waited for."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from clients.player import drafts
from clients.player.events import Draft, Send, SendLine
from clients.player.heard import Tick
from clients.player.inbox import Aside, Inbox
from clients.player.model import Answered, Given, Mine, News, Session, Step
from clients.player.outgoing import ask, say
from clients.player.relays import Relays
from clients.player.sender import Sender, Signer, now_ms
from clients.player.session import take
from clients.player.terms import Terms, terms_tags

TICK_SECONDS = 0.2
PATIENCE_SECONDS = 0.8


class Client:
    """One key at one arbiter, over several relays; its owner is told the news, and may wait."""

    def __init__(
        self,
        key: SecretKey,
        arbiter: str,
        relays: Relays,
        tell: Callable[[News], None],
        *,
        name: str = "",
        by_bot: bool = False,
        gateway: str | None = None,
        aside: Callable[[Aside], None] = lambda _: None,
        wanted: Iterable[Filter] = (),
        signer: Signer | None = None,
    ) -> None:
        """``aside`` is told of what ``wanted`` brings beside the session; the key is a ``signer``'s
        if given. ``relays``, which several keys may share, are run by their owner.
        """
        self._sender = Sender(signer or key, relays.publish, self._give)
        me, cipher = self._sender.me, self._sender.cipher
        self.session = Session(me=me, arbiter=arbiter, name=name, by_bot=by_bot, gateway=gateway)
        self._tell = tell
        self._waiting: dict[str, asyncio.Future[Answered]] = {}
        self.inbox = Inbox(arbiter, {me: self._give}, aside, knows=self._knows, cipher=cipher)
        self._relays = relays
        self._end = relays.join((*drafts.playing(arbiter, me), *wanted), self.inbox.take)

    @property
    def me(self) -> str:
        """The public key."""
        return self.session.me

    @property
    def writes(self) -> bool:
        """Whether it can write lines of chat."""
        return self._sender.cipher is not None

    async def run(self) -> None:
        """Let time pass, for ever."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self._give(Tick())

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
        """Ask for a game; the handle, whose first half names a challenge, and the answer."""
        tags = terms_tags(terms)
        self.session, handle, sent = ask(self.session, "", now_ms(), tags)
        return handle, await self._answer(handle, sent, patience)

    async def say(
        self, game: str, content: str, patience: float = PATIENCE_SECONDS
    ) -> Answered | None:
        """Send a move or a word in a game, as `ask`. Raises KeyError if the game is not known."""
        self.session, handle, sent = say(self.session, game, content, now_ms())
        return await self._answer(handle, sent, patience)

    def publish(self, draft: Draft) -> None:
        """Sign and send what the session is not concerned with, as a profile."""
        self._sender.publish(draft)

    def write(self, line: SendLine) -> None:
        """Send a line of chat."""
        self._sender.do(line, self.session.timing)

    def subscribe(self, name: str, filters: tuple[Filter, ...]) -> None:
        """Ask all relays for further events, under this name."""
        self._relays.subscribe(name + self._end, filters)

    def _knows(self, game: str) -> bool:
        return game in self.session.games

    def _give(self, given: Given) -> None:
        self._do(take(self.session, given, now_ms()))

    def _do(self, step: Step) -> None:
        self.session, effects = step
        for effect in effects:
            if isinstance(effect, Send | Mine):
                self._sender.do(effect, self.session.timing)
            else:
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
