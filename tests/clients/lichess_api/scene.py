"""A seat whose relays and arbiter are what a test says they are."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from arbiter.nostr.filters import Filter
from arbiter.nostr.house import HousePlayer
from clients.lichess_api import challenging, playing, users
from clients.lichess_api.account import Account
from clients.lichess_api.book import Book
from clients.lichess_api.people import People
from clients.lichess_api.routes import App
from clients.lichess_api.seat import Seat
from clients.player.client import Client
from clients.player.events import Draft, SendLine
from clients.player.messages import Listed, Refused, Started, State
from clients.player.model import Answered, Given, News, Session
from clients.player.outgoing import ask
from clients.player.people import House
from clients.player.session import take
from clients.player.terms import Terms, terms_tags
from tests.clients.bot.scene import ARBITER, ME, NOW

HOST, TOKEN = "127.0.0.1:8464", "arb_1"


class SilentClient:
    """A client that sends nothing: what it would sign is kept."""

    def __init__(self) -> None:
        self.session = Session(me=ME, arbiter=ARBITER, links=frozenset({"ws://one"}))
        self.said: list[str] = []
        self.answer: Answered | None = None
        self.refusal: Refused | None = None
        self.tell: Any = None
        self.published: list[Draft] = []
        self.wrote: list[SendLine] = []
        self.writes = True
        self.wanted: dict[str, tuple[Filter, ...]] = {}

    @property
    def me(self) -> str:
        return ME

    async def say(self, game: str, content: str) -> Answered | None:
        self.said.append(content)
        return self.answer

    async def ask(self, content: str) -> Answered | None:
        self.said.append(content)
        return self.answer

    async def request(self, terms: Terms) -> tuple[str, Answered | None]:
        self.session, handle, _ = ask(self.session, "", NOW, terms_tags(terms))
        if self.refusal is None:
            return handle, None
        return handle, Answered(self.session.open[handle], self.refusal)

    def publish(self, draft: Draft) -> None:
        self.published.append(draft)

    def write(self, line: SendLine) -> None:
        self.wrote.append(line)

    def subscribe(self, name: str, filters: tuple[Filter, ...]) -> None:
        self.wanted[name] = filters

    def hear(self, *messages: Given, at: int = NOW) -> None:
        """Messages of the arbiter, by the session that all clients share."""
        for message in messages:
            self.session, effects = take(self.session, message, at)
            for effect in effects:
                if isinstance(effect, News):
                    self.tell(effect)


class Stage:
    """The application with one seat, asked without a network."""

    def __init__(self, *, is_bot: bool = False) -> None:
        self.client = SilentClient()
        book = Book(":memory:")
        people = People(book)
        self.account = Account(
            cast("Client", self.client), is_bot, book, people, f"http://{HOST}", "Ann"
        )
        self.seat = Seat(self.account)
        self.client.tell = self.seat.hear
        routes = {**users.ROUTES, **challenging.ROUTES, **playing.ROUTES}
        self.seats = {TOKEN: self.seat}
        self.app = App(self.seats, frozenset({HOST}), users.OPEN_TO_ALL, routes)

    def announce(self, *house: tuple[str, int]) -> None:
        """The arbiter's programs, and their levels."""
        self.account.people.learn(House(tuple(HousePlayer(*one) for one in house), 1))

    def begin(self, state: State) -> str:
        """The id of a game that goes on."""
        self.client.session = replace(self.client.session, listed=True)
        self.client.hear(Started(state.game, state.opponent_of(ME)), state)
        self.seat.hear(Listed(1))
        return self.account.alias(state.game)

    async def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> "Exchange":
        """Begin a request; its token and host are right unless given."""
        exchange = Exchange(self.app, method, path, body, headers or {})
        await exchange.settle()
        return exchange

    def status(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> int:
        """The status of a whole answer."""

        async def run() -> int:
            return (await self.ask(method, path, body, headers)).status

        return asyncio.run(run())


class Exchange:
    """A request that goes on; ``sent`` grows."""

    def __init__(
        self, app: App, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> None:
        given = {"host": HOST, "authorization": f"Bearer {TOKEN}", **headers}
        plain, _, query = path.partition("?")
        scope = {
            "type": "http", "method": method, "path": plain, "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode())
                for name, value in given.items() if value
            ],
        }  # fmt: skip
        self.sent: list[dict[str, Any]] = []
        self._body = [{"type": "http.request", "body": body}]
        self._gone = asyncio.Event()
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if self._body:
            return self._body.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def settle(self) -> None:
        """Let all that can happen now happen."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def leave(self) -> None:
        self._gone.set()
        await self.settle()

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"]) if self.sent else 0

    @property
    def lines(self) -> list[Any]:
        """The lines so far; None for an empty one."""
        bodies = [it["body"] for it in self.sent if it["type"] == "http.response.body"]
        return [json.loads(line) if line.strip() else None for line in bodies if line]

    @property
    def is_clean(self) -> bool:
        """Whether it ended, and said so."""
        return self.task.done() and bool(self.sent) and not self.sent[-1].get("more_body", False)
