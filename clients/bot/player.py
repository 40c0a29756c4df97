"""Players: their sessions' effects carried out, over relays that they share."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from arbiter.nostr.relay_messages import PublishStatus
from clients.bot.config import Config
from clients.bot.engine_host import EngineHost
from clients.bot.model import Effect, Input, RestartEngine, Say, Session, StopThinking, Think
from clients.bot.session import begin, is_at_rest, leave, reduce
from clients.player import drafts, tournaments
from clients.player.address import Address
from clients.player.drafts import PROFILE
from clients.player.events import Send, SendLine
from clients.player.heard import CaughtUp, Differs, FromRelay, LinkDown, Tick, Verdict
from clients.player.inbox import Inbox, News
from clients.player.messages import Challenged
from clients.player.model import Mine
from clients.player.relays import MAIN, Relays
from clients.player.sender import Sender, now_ms
from clients.player.timing import UNTIMED

TICK_SECONDS = 0.2

PLAYERS_A_REQ = 25
"""The arbiter's own relay takes fifty values, and 4,096 bytes of filters."""


class Player:
    """A key that plays by an engine."""

    def __init__(
        self,
        config: Config,
        level: int | None,
        key: SecretKey,
        arbiter: str,
        say: Callable[[str], None],
        *,
        rest_seconds: float | None = None,
        gateway: str | None = None,
        after: "Callable[[Player], None]" = lambda _: None,
        host: type[EngineHost] = EngineHost,
    ) -> None:
        """With `rest_seconds` the engine starts at a question; `after` follows an input."""
        self._key = key
        self._arbiter = arbiter
        self._say = say
        self.me = key.pubkey
        self._inbox: asyncio.Queue[Input] = asyncio.Queue()
        self._after = after
        self._gateway = gateway
        self._starts_at_once = rest_seconds is None
        self._engine = host(config, level, self._inbox.put_nowait, say, rest_seconds=rest_seconds)
        self.session: Session | None = None
        self._profile: VerifiedEvent | None = None
        self._shown_to: set[str] = set()

    async def run(self, send: Callable[[VerifiedEvent], None]) -> None:
        """Play for ever; cancelled, take back what is asked for. Raises as `EngineHost.start`."""
        sender = Sender(self._key, send, self._inbox.put_nowait)
        if self._starts_at_once:
            await self._engine.start()
        self._say(f"is {encode_npub(self.me)}")
        self.session = begin(self._engine.config, self.me, self._arbiter, self._gateway)
        try:
            while True:
                try:
                    seconds = None if is_at_rest(self.session) else TICK_SECONDS
                    # Before 3.12 `wait_for` loses a cancellation that meets an input.
                    async with asyncio.timeout(seconds):
                        given = await self._inbox.get()
                except TimeoutError:
                    given = Tick()
                self.session, effects = reduce(self.session, given, now_ms())
                self._carry_out(effects, sender)
                self._after(self)
        finally:
            # No player is to be paired with a bot that is gone.
            self.session, effects = leave(self.session, now_ms())
            self._carry_out(effects, sender)
            await self._engine.close()

    def tell(self, given: Input) -> None:
        """Queue an input that came over a relay."""
        self._inbox.put_nowait(given)

    @property
    def config(self) -> Config:
        """Its games and opponents."""
        return self._engine.config

    @property
    def is_settled(self) -> bool:
        return self._inbox.empty()

    def hand_back(self) -> tuple[Challenged, ...]:
        """The challenges that wait for the end of its game, for others to accept."""
        if self.session is None:
            return ()
        wire = self.session.wire
        self.session = replace(self.session, wire=replace(wire, challenges={}))
        return tuple(wire.challenges.values())

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """An event of this player."""
        return self._key.sign(template)

    def show(self, url: str, publish: Callable[[VerifiedEvent], None]) -> None:
        """Publish the profile for this relay, once a run: one that is dialled again has it."""
        if url not in self._shown_to:
            self._shown_to.add(url)
            self._profile = self._profile or self._signed_profile()
            publish(self._profile)

    def _signed_profile(self) -> VerifiedEvent:
        """The kind 0 of this player, signed now."""
        config = self.config
        profile: dict[str, object] = {"name": config.name, "bot": True}
        if config.about:
            profile["about"] = config.about
        content = json.dumps(profile, ensure_ascii=False)
        return self.sign(EventTemplate(PROFILE, (), content, now_ms() // 1000))

    def _carry_out(self, effects: Sequence[Effect], sender: Sender) -> None:
        for effect in effects:
            match effect:
                case Send() | SendLine() | Mine():
                    sender.do(effect, self.session.timing if self.session else UNTIMED)
                case Think():
                    self._engine.think(effect)
                case StopThinking():
                    self._engine.stop()
                case RestartEngine():
                    self._engine.restart()
                case Say(text):
                    self._say(text)


async def play_over(
    there: Address,
    players: Sequence[Player],
    say: Callable[[str], None],
    on_subscribed: Callable[[], None] = lambda: None,
    hear: Callable[[Player, News], None] = Player.tell,
) -> None:
    """Play for ever, all players over one connection to each relay. ``on_subscribed`` is called
    when a relay brings what is for them, and ``hear`` with what one of them is told. Raises an
    ExceptionGroup.
    """
    told = Operator(say)
    inbox = Inbox(there.arbiter, {one.me: partial(hear, one) for one in players})

    def tell(came: FromRelay) -> None:
        inbox.take(came)
        told.hear(came)
        if isinstance(came, CaughtUp):
            for player in players:
                player.show(came.url, relays.publish)
            on_subscribed()

    # Stored events are not needed: each player asks for the present state.
    keys = [player.me for player in players]
    first, *others = (
        drafts.wanted(there.arbiter, *keys[at : at + PLAYERS_A_REQ], limit=1)
        for at in range(0, len(keys), PLAYERS_A_REQ)
    )
    joins = any(player.config.events for player in players)
    filters = (first, *((tournaments.listed(there.arbiter),) if joins else ()))
    one = players[0]
    relays = Relays(there.relays, filters, one.sign, tell, arbiter=there.arbiter, http=there.http)
    for number, wanted in enumerate(others, 2):
        relays.subscribe(f"{MAIN}{number}", (wanted,))
    async with relays.connected(), asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.run(relays.publish))


class Operator:
    """Is told what is wrong with relays, once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: dict[str, str] = {}

    def hear(self, came: FromRelay) -> None:
        match came:
            case LinkDown(url, why):
                self._say_once(url, f"{why}, tries again")
            case Differs(game, text):
                self._say_once(game, text)
            case Verdict(url, _, status, why) if status is not PublishStatus.ACCEPTED:
                self._say_once(url, f"refuses: {why[:120]!r}")
            case _:
                pass

    def _say_once(self, url: str, text: str) -> None:
        """Say it, unless it was the last that was said of this relay."""
        if self._said.get(url) != text:
            self._said[url] = text
            self._say(f"{url}: {text}")
