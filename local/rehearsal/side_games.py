"""Games beside the long one, which make every function do all that it is for, through players and
readers only.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

from clients.probes.endpoints import Endpoints
from clients.probes.hot_seat_client import ChessgameClient
from clients.probes.hot_seat_games import play
from clients.probes.http_client import Answer, HttpConnection
from clients.probes.independent_client import GAME_STATE, MOVE, REQUEST_TO_PLAY, RESPONSE
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import Event, RawSocket, opened
from local.rehearsal import CheckFailed, expect

_OK = 200
_LIMIT_SECONDS = 90.0
_EVENTS = 30
# Days for a move: further off than a queue can wait.
_FAR_DEADLINES = ["time", "3d"]


async def a_rated_challenge(endpoints: Endpoints) -> None:
    """A challenge whose deadlines are schedules, answered, played to mate over the gateway and
    rated.
    """
    async with asyncio.timeout(_LIMIT_SECONDS), _challenge(endpoints) as (white, black, begun):
        state = begun
        for number, uci in enumerate(FOOLS_MATE):
            mover, other = (white, black) if number % 2 == 0 else (black, white)
            answer = await mover.move(state, uci)
            expect(answer[2] is True, f"a move was not taken: {answer}")
            state = await mover.event("mine", GAME_STATE)
            await other.event("mine", GAME_STATE)
        expect(["result", "0-1"] in state["tags"], f"no mate: {state}")


async def a_game_with_the_house(endpoints: Endpoints, opponent: str) -> None:
    """A challenge that the house accepts, and two moves that it answers."""
    async with asyncio.timeout(_LIMIT_SECONDS), opened(endpoints) as visitor:
        await visitor.subscribe("mine", tag_p=[visitor.pubkey])
        await visitor.ask_to_play(["challenge", opponent], ["color", "white"], ["time", "300+5"])
        state = await visitor.event("mine", GAME_STATE)
        for uci in ("e2e4", "d2d4"):
            ply = _ply(state)
            answer = await visitor.move(state, uci)
            expect(answer[2] is True, f"a move was not taken: {answer}")
            while _ply(state) < ply + 2:
                state = await visitor.event("mine", GAME_STATE)


async def a_game_without_moves(endpoints: Endpoints) -> None:
    """A game with a clock in which no move is made: the clock function sees to its end."""
    terms = ["time", "61+0"]
    async with asyncio.timeout(_LIMIT_SECONDS):
        async with opened(endpoints) as one, opened(endpoints) as other:
            for player in (one, other):
                await player.subscribe("mine", tag_p=[player.pubkey])
                await player.ask_to_play(terms)
            begun = await one.event("mine", GAME_STATE)
            expect(not _has(begun, "result"), f"over before it began: {begun}")
            over = await _event_in_the_end(one)
            expect(_has(over, "termination"), f"not over: {over}")


async def a_stranger_talks(endpoints: Endpoints, game_id: str) -> None:
    """A key that does not play this game sends more events in it than strangers may, so the
    listener looks up its players.
    """
    relay = replace(endpoints, websocket=endpoints.relays[0])
    async with asyncio.timeout(_LIMIT_SECONDS), opened(relay) as stranger:
        named = (["d", game_id], ["p", endpoints.server])
        for number in range(_EVENTS):
            answer = await stranger.publish(stranger.signed(MOVE, f"event {number}", *named))
            expect(answer[2] is True, f"the relay did not take an event: {answer}")


def a_hot_seat_game(endpoints: Endpoints) -> str:
    """A game over HTTP alone, to mate; its id."""
    browser = ChessgameClient(endpoints.http)
    try:
        new = browser.new_game()
        if not isinstance(new, tuple):
            raise CheckFailed(f"no new game over HTTP: {new}")
        play(browser, FOOLS_MATE)
        return str(new[0].id)
    finally:
        browser.http.close()


def read(endpoints: Endpoints, path: str) -> Answer:
    """What a reader is shown there; it must be 200."""
    connection = HttpConnection(endpoints.http)
    try:
        answer = connection.request("GET", path)
        expect(answer.status == _OK, f"{path}: {answer}")
        return answer
    finally:
        connection.close()


def read_everything(endpoints: Endpoints, game: str, player: str) -> None:
    """Every page that is made from the table or from its indexes."""
    for path in (
        *(f"/games/{game}.pgn", f"/games/{game}/board.svg", f"/games/{game}/spectators"),
        f"/g/{game}",
        *(f"/players/{player}", f"/players/{player}/games", f"/players/{player}/games.pgn"),
        *("/live", "/leaderboard/blitz", "/healthz"),
    ):
        read(endpoints, path)


@contextlib.asynccontextmanager
async def _challenge(
    endpoints: Endpoints,
) -> AsyncIterator[tuple[RawSocket, RawSocket, Event]]:
    server = ["p", endpoints.server]
    async with opened(endpoints) as white, opened(endpoints) as black:
        for player in (white, black):
            await player.subscribe("mine", tag_p=[player.pubkey])
        await white.ask_to_play(
            ["challenge", black.pubkey], ["color", "white"], ["mode", "rated"], _FAR_DEADLINES
        )
        queued = await white.event("mine", RESPONSE)
        (challenge,) = (tag[1] for tag in queued["tags"] if tag[0] == "challenge")
        await black.publish(black.signed(REQUEST_TO_PLAY, f"accept:{challenge}", server))
        states = [await player.event("mine", GAME_STATE) for player in (white, black)]
        yield white, black, states[0]


async def _event_in_the_end(player: RawSocket) -> Event:
    """The next state, however long it takes; a socket's own patience is half a minute."""
    while True:
        with contextlib.suppress(TimeoutError):
            return await player.event("mine", GAME_STATE)


def _ply(state: Event) -> int:
    return next(int(tag[1]) for tag in state["tags"] if tag[0] == "ply")


def _has(event: Event, tag: str) -> bool:
    return any(it[0] == tag for it in event["tags"])
