"""A hot-seat game over HTTP, by a browser that looks where the game stands when it is not answered.

A request has no id: whether one that was not answered was done can only be seen on the board.
"""

import asyncio
import contextlib
import http.client
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import TypeVar

import chess

from clients.probes.chessgame_client import ChessgameClient, Loaded, Moved, Refused
from clients.probes.chessgame_games import replayed
from clients.probes.endpoints import Endpoints
from clients.probes.http_client import Answer
from tests.chaos.kept_moves import kept_moves
from tests.chaos.played import Played

_PAUSE_SECONDS = 0.5
_Answer = TypeVar("_Answer")


class BrowserGame:
    """Both players at one browser. Make it with `browser_game`."""

    name = "hot seat"

    def __init__(
        self, browser: ChessgameClient, endpoints: Endpoints, game_id: str, script: Sequence[str]
    ) -> None:
        self._browser = browser
        self._endpoints = endpoints
        self._game_id = game_id
        self._script = script
        self._board = chess.Board()
        self._told = {(0, self._board.fen())}
        self._saw = Counter[str]()

    async def move_on(self) -> None:
        """One ply, answered or seen on the board."""
        uci = self._script[self._board.ply()]
        query = f"?promotion={uci[4]}" if len(uci) > 4 else ""
        make_move = partial(self._browser.make_move, uci[:2], uci[2:4], query)
        while True:
            moved = await self._answer_to(make_move)
            if isinstance(moved, Moved):
                self._push(uci, moved.board.placement)
                return
            loaded = await self._answer_to(self._browser.load_game)
            if isinstance(loaded, Loaded) and replayed(loaded).ply() > self._board.ply():
                self._push(uci, loaded.board.placement)
                return
            await asyncio.sleep(_PAUSE_SECONDS)

    async def finish(self) -> Played:
        """Nobody can resign at one browser, so it is left as it stands."""
        kept = await asyncio.to_thread(kept_moves, self._endpoints, self._game_id)
        return Played(self._script, frozenset(self._told), kept, self._saw)

    def _push(self, uci: str, placement: str) -> None:
        """Take what is shown for told, with what the rules say of what is not shown."""
        self._board.push_uci(uci)
        _, _, rest = self._board.fen().partition(" ")
        self._told.add((self._board.ply(), f"{placement} {rest}"))

    async def _answer_to(self, ask: Callable[[], _Answer]) -> _Answer | Refused | None:
        """What the server says, or None where it says nothing that is its own."""
        try:
            answer = await asyncio.to_thread(ask)
        except (OSError, http.client.HTTPException):
            self._saw["no answer"] += 1
        except AssertionError as odd:
            match odd.args:
                case [Answer(status=status)] if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    self._saw[f"HTTP {status}"] += 1
                case _:
                    raise
        else:
            if isinstance(answer, Refused):
                self._saw[f"HTTP {answer.status}"] += 1
            return answer
        self._browser.http.close()
        return None


@contextlib.asynccontextmanager
async def browser_game(endpoints: Endpoints, script: Sequence[str]) -> AsyncIterator[BrowserGame]:
    """A game that has just begun."""
    browser = ChessgameClient(endpoints.http)
    try:
        new = await asyncio.to_thread(browser.new_game)
        assert isinstance(new, tuple), new
        yield BrowserGame(browser, endpoints, str(new[0].id), script)
    finally:
        browser.http.close()
