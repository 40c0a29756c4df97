"""Programs of the house on a whole arbiter: found, challenged, played to the end, and killed. They
are a process on one machine, and a function in the cloud.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import chess
import nostr_sdk  # type: ignore[import-untyped]
import pytest
from websockets.sync.client import connect

from clients.bot.engine.search import search
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import CLOUD, SERVE, ArbiterRun, running
from tests.e2e.nip100_client import Nip100Client

pytestmark = pytest.mark.slow

_LEVELS = (1, 4, 8)
_PROFILE_SECONDS = 30.0
_PLIES_BEFORE = 6
_PLIES_AFTER = 14
_ENDS_ON_THE_BOARD = {
    "checkmate",
    "stalemate",
    "insufficient-material",
    "threefold-repetition",
    "fivefold-repetition",
    "fifty-moves",
}


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    settings = {"HOUSE": ",".join(map(str, _LEVELS))}
    with running(tmp_path_factory.mktemp("house"), settings=settings) as run:
        for pubkey in house_of(run, 1):
            profile(run, pubkey)
        yield run


def house_of(run: ArbiterRun, level: int) -> list[str]:
    """The keys that the endpoints file has for this level."""
    told = json.loads((run.run_dir / "endpoints.json").read_text(encoding="utf-8"))
    return [player["pubkey"] for player in told["house"] if player["level"] == level]


def profile(run: ArbiterRun, pubkey: str) -> Any:
    """The player's kind 0 on the relay; waits for one that is yet to come."""
    with connect(run.endpoints.relays[0]) as relay:
        relay.send(json.dumps(["REQ", "who", {"kinds": [0], "authors": [pubkey]}]))
        while True:
            match json.loads(relay.recv(_PROFILE_SECONDS)):
                case ["EVENT", "who", {"content": str(content)}]:
                    return json.loads(content)
                case _:
                    continue


def a_person(run: ArbiterRun) -> Program:
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()
    endpoints = run.endpoints
    return Program(secret=secret, server=endpoints.server, relays=[*endpoints.relays])


def reply(board: chess.Board) -> str:
    """A better move than level 1 finds."""
    return search(board, depth=3, nodes=3_000).move.uci()


def test_a_person_plays_level_1_to_the_end_of_the_game(arbiter: ArbiterRun) -> None:
    with a_person(arbiter) as person:
        person.until("queued")
        person.enter("house 1 10+5")
        started = person.until("started")
        assert started["opponent"] in house_of(arbiter, 1)
        assert (started["rated"], started["time"]) == (False, "600+5")
        told = person.until("state", ply=0)
        while told["type"] != "ended":
            if told["my_turn"]:
                person.enter(reply(chess.Board(told["fen"])))
            told = person.until_one_of("state", "ended")

        assert told["termination"] in _ENDS_ON_THE_BOARD
        assert told["outcome"] != "lost"


def test_the_house_says_that_it_is_a_program(arbiter: ArbiterRun) -> None:
    first, second = (profile(arbiter, pubkey) for pubkey in house_of(arbiter, 8)[:2])

    assert (first["name"], second["name"]) == ("House, level 8", "House, level 8 (2)")
    assert first["bot"] is second["bot"] is True


def kill_the_house(run: ArbiterRun) -> None:
    run.kill_and_await_successors("house")


def kill_its_engines(run: ArbiterRun) -> None:
    for pid in run.children_of("house"):
        run.kill_process(pid)


def kill_the_workers(run: ArbiterRun) -> None:
    for pid in run.workers():
        run.kill_process(pid)


@pytest.mark.parametrize(
    "kill",
    [
        *(
            pytest.param(kill, marks=pytest.mark.wiring(SERVE))
            for kill in (kill_the_house, kill_its_engines)
        ),
        pytest.param(kill_the_workers, marks=pytest.mark.wiring(CLOUD)),
    ],
)
async def test_the_house_plays_on_after_a_kill_in_mid_game(
    arbiter: ArbiterRun, kill: Callable[[ArbiterRun], None]
) -> None:
    async with _against(arbiter, 4) as visitor:
        await _play(visitor, _PLIES_BEFORE)
        if visitor.board.turn is visitor.color:
            await visitor.play(reply(visitor.board))
        # It owes a move, or has just made one.
        kill(arbiter)
        await visitor.until_moved()
        await _play(visitor, _PLIES_AFTER)
        assert (await visitor.resign()).accepted


@contextlib.asynccontextmanager
async def _against(run: ArbiterRun, level: int) -> AsyncIterator[Nip100Client]:
    house, endpoints = house_of(run, level), run.endpoints
    visitor = Nip100Client(endpoints.websocket, endpoints.server)
    async with visitor.connected():
        assert (await visitor.search(opponent=house[0])).accepted
        assert {*(await visitor.until_seated()).values("opponent")} <= {*house}
        yield visitor


async def _play(visitor: Nip100Client, plies: int) -> None:
    while visitor.board.ply() < plies:
        if visitor.board.turn is visitor.color:
            verdict = await visitor.play(reply(visitor.board))
            assert verdict.accepted, verdict
        else:
            await visitor.until_moved()
