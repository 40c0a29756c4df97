"""The sidecar: a client for each key, and the server that programs ask."""

import asyncio
import logging
import socket
import sys
from dataclasses import dataclass

import uvicorn

from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from clients.lichess_api import challenging, playing, users
from clients.lichess_api.account import Account
from clients.lichess_api.book import Book
from clients.lichess_api.people import People
from clients.lichess_api.routes import App
from clients.lichess_api.seat import Seat
from clients.player.address import Address
from clients.player.bunker import Bunker
from clients.player.chat import ChatLine
from clients.player.client import Client
from clients.player.drafts import PROFILE, RATING
from clients.player.heard import Differs, FromRelay
from clients.player.inbox import Aside
from clients.player.messages import PLAYERS_CHAT
from clients.player.model import News
from clients.player.people import House, Profile, Rating
from clients.player.relays import Relays
from clients.player.sender import now_ms

KEEP_ALIVE_SECONDS = 75
"""Programs keep connections between moves."""

MAX_CONNECTIONS = 512
CLOSE_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Player:
    """A key or a bunker that has it, and what it calls itself."""

    key: SecretKey
    name: str
    is_bot: bool
    bunker: Bunker | None = None

    @property
    def pubkey(self) -> str:
        return self.bunker.pubkey if self.bunker else self.key.pubkey


def _warn(came: FromRelay) -> None:
    if isinstance(came, Differs):
        print(f"{came.game}: {came.text}", file=sys.stderr)


class Sidecar:
    """All players of one arbiter, behind one socket."""

    def __init__(
        self, there: Address, players: list[Player], book: Book, listening: socket.socket
    ) -> None:
        """Dials nowhere yet."""
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{port}"
        self.players = {book.token(one.pubkey, is_bot=one.is_bot): one for one in players}
        self._listening = listening
        self._people = People(book)
        self._relays = Relays(
            there.relays, (), players[0].key.sign, _warn,
            arbiter=there.arbiter, http=there.http,
        )  # fmt: skip
        self.seats = {token: self._seat(one, there, book) for token, one in self.players.items()}
        hosts = frozenset(f"{name}:{port}" for name in (shown, "localhost", "127.0.0.1", "[::1]"))
        routes = {**users.ROUTES, **challenging.ROUTES, **playing.ROUTES}
        self._app = App(self.seats, hosts, users.OPEN_TO_ALL, routes)

    async def serve(self) -> None:
        """Serve until SIGTERM or Ctrl-C."""
        config = uvicorn.Config(
            self._app,
            loop="none",
            ws="none",
            lifespan="off",
            interface="asgi3",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=CLOSE_SECONDS,
        )
        # A stream that is broken off, as is meant, is an error to uvicorn.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        async with self._relays.connected():
            clients = [
                asyncio.create_task(seat.account.client.run()) for seat in self.seats.values()
            ]
            await uvicorn.Server(config).serve([self._listening])
            for client in clients:
                client.cancel()

    def _seat(self, player: Player, there: Address, book: Book) -> Seat:
        def hear(news: News) -> None:
            seat.hear(news)

        def hear_aside(told: Aside) -> None:
            self._hear_aside(seat, told)

        wanted = (
            Filter(kinds=(PLAYERS_CHAT,), tags={"p": (player.pubkey,)}, since=now_ms() // 1000),
            Filter(kinds=(PROFILE,), authors=(player.pubkey,)),
            Filter(kinds=(RATING,), authors=(there.arbiter,), tags={"p": (player.pubkey,)}),
        )
        client = Client(
            player.key, there.arbiter, self._relays, hear, name=player.name,
            by_bot=player.is_bot, aside=hear_aside, wanted=wanted,
            signer=player.bunker, gateway=there.gateway,
        )  # fmt: skip
        account = Account(client, player.is_bot, book, self._people, self.url, player.name)
        self._people.name(player.pubkey, player.name)
        seat = Seat(account)
        return seat

    def _hear_aside(self, seat: Seat, told: Aside) -> None:
        """A line of chat from the opponent, or what is told of players."""
        account = seat.account
        match told:
            case Profile() | Rating() | House():
                self._people.learn(told)
            case ChatLine(author, game, text):
                known = account.client.session.games.get(game)
                if known and author == known.state.opponent_of(account.me):
                    seat.said(game, account.people.name(author), text)
            case _:
                pass
