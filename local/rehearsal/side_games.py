"""Games beside the long one that make every function do what its role is to grant."""

import asyncio
import contextlib
from collections.abc import Sequence

from clients.probes.endpoints import Endpoints
from clients.probes.hot_seat_client import ChessgameClient
from clients.probes.hot_seat_games import play
from clients.probes.http_client import Answer, HttpConnection
from clients.probes.independent_client import GAME_STATE, REQUEST_TO_PLAY, RESPONSE
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import Event, RawSocket, opened
from local.rehearsal import expect

_OK = 200
_LIMIT_SECONDS = 90.0
# Days for a move: further off than a queue can wait.
_FAR_DEADLINES = ["time", "3d"]


async def a_rated_challenge(endpoints: Endpoints) -> None:
    """A challenge whose deadlines are schedules, played to mate over the gateway, and rated."""
    async with (
        asyncio.timeout(_LIMIT_SECONDS),
        opened(endpoints) as white,
        opened(endpoints) as black,
    ):
        for player in (white, black):
            await player.subscribe("mine", tag_p=[player.pubkey])
        await white.ask_to_play(
            ["challenge", black.pubkey], ["color", "white"], ["mode", "rated"], _FAR_DEADLINES
        )
        queued = await white.event("mine", RESPONSE)
        (challenge,) = (tag[1] for tag in queued["tags"] if tag[0] == "challenge")
        server = ["p", endpoints.server]
        await black.publish(black.signed(REQUEST_TO_PLAY, f"accept:{challenge}", server))
        state, _ = [await player.event("mine", GAME_STATE) for player in (white, black)]
        state = await play_on(white, black, state, FOOLS_MATE)
        expect(["result", "0-1"] in state["tags"], f"no mate: {state}")


async def play_on(white: RawSocket, black: RawSocket, state: Event, moves: Sequence[str]) -> Event:
    """Play these moves from this state, in which White moves; the last state that both are sent."""
    for number, uci in enumerate(moves):
        mover, other = (white, black) if number % 2 == 0 else (black, white)
        await _moved(mover, state, uci)
        state = await mover.event("mine", GAME_STATE)
        await other.event("mine", GAME_STATE)
    return state


async def a_game_with_the_house(endpoints: Endpoints, opponent: str) -> None:
    """A challenge that the house accepts, and two moves that it answers."""
    async with asyncio.timeout(_LIMIT_SECONDS), opened(endpoints) as visitor:
        await visitor.subscribe("mine", tag_p=[visitor.pubkey])
        await visitor.ask_to_play(["challenge", opponent], ["color", "white"], ["time", "300+5"])
        state = await visitor.event("mine", GAME_STATE)
        for uci in ("e2e4", "d2d4"):
            ply = _ply(state)
            await _moved(visitor, state, uci)
            while _ply(state) < ply + 2:
                state = await visitor.event("mine", GAME_STATE)


async def a_game_without_moves(endpoints: Endpoints) -> None:
    """A game with a clock in which no move is made: the clock function sees to its end."""
    async with asyncio.timeout(_LIMIT_SECONDS), opened(endpoints) as one, opened(endpoints) as two:
        for player in (one, two):
            await player.subscribe("mine", tag_p=[player.pubkey])
            await player.ask_to_play(["time", "61+0"])
        state = await one.event("mine", GAME_STATE)
        expect(not _is_over(state), f"over before it began: {state}")
        while not _is_over(state):
            # A socket's own patience is half a minute.
            with contextlib.suppress(TimeoutError):
                state = await one.event("mine", GAME_STATE)


def a_hot_seat_game(endpoints: Endpoints) -> None:
    browser = ChessgameClient(endpoints.http)
    with contextlib.closing(browser.http):
        new = browser.new_game()
        expect(isinstance(new, tuple), f"no new game over HTTP: {new}")
        play(browser, FOOLS_MATE)


def read(endpoints: Endpoints, path: str) -> Answer:
    """GET ``path``; the answer must be 200."""
    with contextlib.closing(HttpConnection(endpoints.http)) as connection:
        answer = connection.request("GET", path)
    expect(answer.status == _OK, f"{path}: {answer}")
    return answer


def read_everything(endpoints: Endpoints, game: str, player: str) -> None:
    for path in (
        *(f"/games/{game}.pgn", f"/games/{game}/board.svg", f"/games/{game}/spectators"),
        f"/g/{game}",
        *(f"/players/{player}", f"/players/{player}/games", f"/players/{player}/games.pgn"),
        *("/live", "/leaderboard/blitz", "/healthz"),
    ):
        read(endpoints, path)


async def _moved(player: RawSocket, state: Event, uci: str) -> None:
    answer = await player.move(state, uci)
    expect(answer[2] is True, f"a move was not taken: {answer}")


def _ply(state: Event) -> int:
    return next(int(tag[1]) for tag in state["tags"] if tag[0] == "ply")


def _is_over(state: Event) -> bool:
    return any(tag[0] == "termination" for tag in state["tags"])
