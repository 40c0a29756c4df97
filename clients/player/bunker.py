"""A key that another program holds (NIP-46), asked over relays; no request waits for it."""

import asyncio
import json
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from arbiter.nostr.event import (
    EventTemplate,
    ParseError,
    VerifiedEvent,
    event_from_json,
    is_hex_32_bytes,
)
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.strict_json import read_json
from clients.player.chat import ChatCipher
from clients.player.heard import Delivered, FromRelay, LinkUp
from clients.player.inbox import verified_event
from clients.player.relays import Relays
from clients.player.sender import now_ms

REQUEST = 24133
ANSWER_SECONDS = 10.0
"""As long as the session waits before it sends again."""

CONNECT_SECONDS = 60.0
"""Its owner may have to allow it."""

MAX_ANSWER_BYTES = 65_536
_KINDS = "sign_event:0,sign_event:20300,sign_event:20303"


class Bunker:
    """One remote signer; ``pubkey`` is there once it is connected."""

    def __init__(self, address: str, key: SecretKey) -> None:
        """``key`` is ours, to talk to it. Raises ValueError for no `bunker://` with relays."""
        parts = urlsplit(address)
        given = parse_qs(parts.query)
        relays = tuple(given.get("relay", ()))
        if parts.scheme != "bunker" or not is_hex_32_bytes(parts.netloc) or not relays:
            raise ValueError("a bunker is bunker://<64 hex digits>?relay=wss://…&secret=…")
        self.pubkey = ""
        self._signer = parts.netloc
        self._secret = given.get("secret", [""])[0]
        self._key = key
        self._cipher = ChatCipher(key)
        self._asked: dict[str, asyncio.Future[str]] = {}
        self._up = asyncio.Event()
        self._waiting: asyncio.Queue[tuple[EventTemplate, Callable[[VerifiedEvent], None]]] = (
            asyncio.Queue()
        )
        wanted = Filter(kinds=(REQUEST,), authors=(self._signer,), tags={"p": (key.pubkey,)})
        self._relays = Relays(relays, (wanted,), key.sign, self._take)

    async def run(self) -> None:
        """Sign for ever, in the order in which it was asked."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._relays.run())
            tasks.create_task(self._sign_all())

    async def connect(self) -> None:
        """Introduce ourselves, and learn whose key it holds. Raises ValueError if that fails."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._up.wait()
                await self._ask("connect", self._signer, self._secret, _KINDS)
                found = await self._ask("get_public_key")
        except TimeoutError:
            raise ValueError("the bunker does not answer") from None
        if not is_hex_32_bytes(found):
            raise ValueError("the bunker tells no key")
        self.pubkey = found

    def sign(self, template: EventTemplate, then: Callable[[VerifiedEvent], None]) -> None:
        """Have this signed, and then do something with it; nothing if the bunker refuses."""
        self._waiting.put_nowait((template, then))

    async def _sign_all(self) -> None:
        while True:
            template, then = await self._waiting.get()
            wanted = {
                "kind": template.kind,
                "tags": template.tags,
                "content": template.content,
                "created_at": template.created_at,
            }
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    text = await self._ask("sign_event", json.dumps(wanted, ensure_ascii=False))
            except (TimeoutError, ValueError):
                continue  # the session sends it again
            if (event := _signed(text, self.pubkey, template)) is not None:
                then(event)

    async def _ask(self, method: str, *parameters: str) -> str:
        id_ = secrets.token_hex(8)
        asked = {"id": id_, "method": method, "params": parameters}
        payload = self._cipher.encrypt(json.dumps(asked, ensure_ascii=False), self._signer)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._asked[id_] = future
        tags = (("p", self._signer),)
        template = EventTemplate(REQUEST, tags, payload or "", now_ms() // 1000)
        self._relays.publish(self._key.sign(template))
        try:
            return await future
        finally:
            del self._asked[id_]

    def _take(self, came: FromRelay) -> None:
        if isinstance(came, LinkUp):
            self._up.set()
        if not isinstance(came, Delivered) or came.event.pubkey != self._signer:
            return
        event = verified_event(came.event)
        text = self._cipher.decrypt(event.content, self._signer) if event else None
        answer = read_json(text or "", MAX_ANSWER_BYTES)
        match answer:
            # Its owner is to look at a page first; the answer proper comes later.
            case {"result": "auth_url"}:
                pass
            case {"id": str(id_), "error": str(error)} if error:
                self._settle(id_, ValueError(f"the bunker refuses: {error[:100]}"))
            case {"id": str(id_), "result": str(result)}:
                self._settle(id_, result)
            case _:
                pass

    def _settle(self, id_: str, what: str | ValueError) -> None:
        future = self._asked.get(id_)
        if future is None or future.done():
            return
        if isinstance(what, str):
            future.set_result(what)
        else:
            future.set_exception(what)


def _signed(text: str, pubkey: str, template: EventTemplate) -> VerifiedEvent | None:
    """The event, if it is the one that was asked for."""
    event = event_from_json(read_json(text, MAX_ANSWER_BYTES))
    verified = None if isinstance(event, ParseError) else verified_event(event)
    if verified is None or verified.pubkey != pubkey:
        return None
    same = (verified.kind, verified.content, verified.created_at) == (
        template.kind, template.content, template.created_at,
    )  # fmt: skip
    return verified if same and verified.tags == tuple(map(tuple, template.tags)) else None
