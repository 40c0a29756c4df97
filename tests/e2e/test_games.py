"""Whole games on a whole arbiter, by clients that know nothing of it but its protocol.

One file, because test workers share no arbiter, and to deploy one takes half a minute.
"""

import asyncio
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.independent_client import (
    ERROR,
    GAME_STATE,
    PGN_NOTE,
    RESPONSE,
    IndependentClient,
)
from clients.probes.matches import (
    FOOLS_MATE,
    OPERA_GAME,
    PROMOTION,
    check_note,
    check_start,
    check_states,
    seated,
)
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ROOT, ArbiterRun
from tests.e2e.interruptions import OPERA_MATE, play_on_through
from tests.e2e.node_client import installed_node_client, node_player

pytestmark = pytest.mark.slow

_LIMIT_SECONDS = 60


def test_two_strangers_play_fools_mate_to_the_end(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), seated(arbiter.endpoints, FOOLS_MATE) as match:
            await match.play_to(len(FOOLS_MATE))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, FOOLS_MATE)
            check_note(match, FOOLS_MATE, "0-1", "checkmate")
            for player in match.players:
                kinds = [heard.kind for heard in player.heard]
                told = [GAME_STATE] * (len(FOOLS_MATE) + 1)
                assert [kind for kind in kinds if kind == GAME_STATE] == told
                assert player.errors == ()

    asyncio.run(play())


def test_the_client_in_readme_plays_e4(arbiter: ArbiterRun, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (client,) = re.findall(r"^```python\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / ".run").symlink_to(arbiter.run_dir)
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()
    endpoints = arbiter.endpoints
    with (
        Program(secret=secret, server=endpoints.server, relays=[*endpoints.relays]) as opponent,
        subprocess.Popen(
            [sys.executable, "-c", client], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as player,
    ):
        assert opponent.until("state", ply=1)["moves"] == ["e2e4"]
        position, _ = player.communicate(timeout=_LIMIT_SECONDS)

    assert position == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"


def test_a_challenge_is_played_by_the_friend_who_has_its_link_and_by_no_stranger(
    arbiter: ArbiterRun,
) -> None:
    def a_terminal() -> Program:
        secret = nostr_sdk.Keys.generate().secret_key().to_hex()
        endpoints = arbiter.endpoints
        relays = [*endpoints.relays]
        options = ("--challenge", "open")
        return Program(secret=secret, server=endpoints.server, relays=relays, options=options)

    with a_terminal() as author, a_terminal() as stranger, a_terminal() as friend:
        for each in (author, stranger, friend):
            each.until("queued")
            each.enter("cancel")
            each.until("cancelled")
        author.enter("challenge link 3+2 white")
        queued = author.until("queued")
        author.enter("challenges")
        assert author.until("challenges")["own"] == queued["link"]
        for wrong in (queued["challenge"], f"{queued['challenge']}-{'7' * 64}"):
            stranger.enter(f"accept {wrong}")
            assert stranger.until("error")["code"] == "unknown-challenge"
        friend.enter(f"accept {queued['link']}")
        assert friend.until("started")["color"] == "black"
        assert author.until("started")["color"] == "white"
        author.until("state", ply=0)
        author.enter("e4")
        assert friend.until("state", ply=1)["last"] == "e2e4"
        friend.enter("resign")
        author.until("ended")


def test_a_capital_letter_promotes_and_quitting_a_game_resigns_it(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), seated(arbiter.endpoints, PROMOTION) as match:
            await match.play_to(len(PROMOTION))
            position = match.black.position
            assert position is not None
            await match.black.send_move(position, "quit")
            await match.until_heard(PGN_NOTE)
            check_states(match, PROMOTION)
            check_note(match, PROMOTION, "1-0", "resignation")

    asyncio.run(play())


def test_an_illegal_move_is_answered_by_an_error_and_the_game_goes_on(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), seated(arbiter.endpoints, FOOLS_MATE) as match:
            position = match.white.position
            assert position is not None
            await match.white.send_move(position, "e2e5")
            await match.until_heard(ERROR)
            for player in match.players:
                (error,) = await player.until_heard(ERROR)
                assert error.content.startswith("illegal-move: ")
                assert error.values("d") == (match.game_id,)
                assert error.values("p") == (match.white.pubkey, match.black.pubkey)
                assert len(error.values("e")) == 1
            await match.play_to(len(FOOLS_MATE))
            await match.until_heard(PGN_NOTE)
            check_note(match, FOOLS_MATE, "0-1", "checkmate")

    asyncio.run(play())


def test_a_player_who_comes_back_remembering_nothing_plays_on(arbiter: ArbiterRun) -> None:
    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), seated(arbiter.endpoints, OPERA_GAME) as match:
            await match.play_to(4)
            again = IndependentClient(
                arbiter.endpoints.relays,
                arbiter.endpoints.server,
                OPERA_GAME,
                keys=match.white.keys,
            )
            async with again.connected():
                await again.ask_to_play()
                await asyncio.gather(again.play_to(9), match.black.play_to(9))
                assert again.game is not None
                assert (again.game.id, again.game.color) == (match.game_id, "w")

    asyncio.run(play())


def test_two_clients_of_different_make_play_each_other(arbiter: ArbiterRun) -> None:
    program = installed_node_client()

    async def play() -> None:
        endpoints = arbiter.endpoints
        python = IndependentClient(endpoints.relays, endpoints.server, OPERA_GAME)
        async with (
            asyncio.timeout(_LIMIT_SECONDS),
            node_player(program, endpoints, OPERA_GAME) as node,
            python.connected(),
        ):
            queued = await node.until_heard(RESPONSE)
            assert queued["content"] == "queued"
            await python.ask_to_play()
            await python.play_to(len(OPERA_GAME))
            await python.until_heard(PGN_NOTE)
            assert await node.until_ended() == 0
            assert python.game is not None
            assert python.game.opponent == queued["me"]
            fens = [heard["content"] for heard in node.heard if heard["kind"] == GAME_STATE]
            assert sorted(fens) == sorted(position.fen for position in python.game.positions)
            notes = [heard["content"] for heard in node.heard if heard["kind"] == PGN_NOTE]
            assert notes == [note.content for note in python.notes]
            assert python.errors == ()

    asyncio.run(play())


def test_a_game_goes_on_after_the_arbiter_was_stopped_and_started(arbiter: ArbiterRun) -> None:
    def stop_and_start() -> None:
        arbiter.stop()
        arbiter.start()

    assert play_on_through(arbiter, stop_and_start) == OPERA_MATE


def test_a_game_goes_on_while_one_listener_is_killed(arbiter: ArbiterRun) -> None:
    kill = partial(arbiter.kill_and_await_successors, "listener-1")
    assert play_on_through(arbiter, kill) == OPERA_MATE


def test_a_game_goes_on_after_every_listener_was_killed_at_once(arbiter: ArbiterRun) -> None:
    kill = partial(arbiter.kill_and_await_successors, "listener-1", "listener-2")
    assert play_on_through(arbiter, kill) == OPERA_MATE


def test_a_game_goes_on_after_the_relay_was_killed(arbiter: ArbiterRun) -> None:
    kill = partial(arbiter.kill_and_await_successors, "relay")
    assert play_on_through(arbiter, kill) == OPERA_MATE
