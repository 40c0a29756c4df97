"""Games of kind 30 on a whole arbiter with two relays, against players of other wires, by clients
that were written from what the living ones do.
"""

import asyncio
import contextlib
import io
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence

import chess
import chess.pgn
import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.nostr.nip19 import encode_jester
from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE as NOTE
from clients.probes.independent_client import IndependentClient
from clients.probes.matches import FOOLS_MATE, OPERA_GAME, PROMOTION
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.jester_amethyst import DESYNCED, Amethyst
from tests.e2e.jester_games import by, on_two_relays, sans
from tests.e2e.jester_nostr_blue import NostrBlue
from tests.e2e.jester_player import JesterPlayer
from tests.e2e.jester_spelling import JESTER, WHITE, Spelling, content_of, values
from tests.e2e.jester_ui import JesterUi

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

SPELLINGS: tuple[type[Spelling], ...] = (JesterUi, Amethyst, NostrBlue)
EACH = pytest.mark.parametrize("spelling", SPELLINGS)


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    """The arbiter of this module."""
    with on_two_relays(tmp_path_factory.mktemp("jester")) as run:
        yield run


async def play_half(player: JesterPlayer, script: Sequence[str], *, until: int, first: int) -> None:
    """Play this player's half of the script from where they are up to so many plies; they have the
    odd or even ones.
    """
    for ply in range(player.view.ply, until):
        await player.until_ply(ply)
        if ply % 2 == first:
            await player.move(script[ply].lower())
    await player.until_ply(until)


def check_answers(player: JesterPlayer, server: str) -> None:
    """Each move of the arbiter's is in the one spelling that all clients take."""
    assert player.start is not None
    for event in by(server, player, JESTER):
        content = content_of(event)
        board = chess.Board()
        for san in content["history"][:-1]:
            board.push_san(san)
        board.push_san(content["history"][-1])
        assert content["move"] == content["history"][-1]
        assert content["fen"] == board.fen(en_passant="fen")
        assert [tag[0] for tag in event["tags"]] == ["e", "e", "p"]
        assert values(event, "e")[0] == player.start["id"]
        assert values(event, "p") == [player.pubkey]


def page_of(endpoints: Endpoints, player: JesterPlayer) -> bytes:
    """The page of their game, by the name that their client has for it."""
    assert player.start is not None
    url = f"{endpoints.http}/games/{encode_jester(player.start['id'])}"
    with urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310 - our own
        said: bytes = answer.read()
    return said


@contextlib.asynccontextmanager
async def started(
    spelling: type[Spelling], endpoints: Endpoints, color: str = WHITE
) -> AsyncIterator[JesterPlayer]:
    """A player who has asked the arbiter for a game."""
    player = JesterPlayer(spelling())
    async with player.connected(endpoints.relays):
        await player.challenge(color, endpoints.server)
        yield player


@contextlib.asynccontextmanager
async def at_a_terminal(endpoints: Endpoints) -> AsyncIterator[Program]:
    """Somebody at a terminal who waits for an opponent."""
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()
    with Program(secret=secret, server=endpoints.server, relays=[*endpoints.relays]) as program:
        await asyncio.to_thread(program.until, "queued")
        yield program


@EACH
@pytest.mark.parametrize("script", [FOOLS_MATE, OPERA_GAME])
async def test_each_plays_a_native_player_to_mate(
    arbiter: ArbiterRun, spelling: type[Spelling], script: Sequence[str]
) -> None:
    endpoints = arbiter.endpoints
    if spelling is NostrBlue and script is OPERA_GAME:
        pytest.skip("its own page plays dxe5 twice")
    native = IndependentClient(endpoints.relays, endpoints.server, script)
    async with native.connected():
        assert await native.ask_until_answered() == "queued"
        async with started(spelling, endpoints) as player, asyncio.TaskGroup() as both:
            both.create_task(native.play_to(len(script)))
            both.create_task(play_half(player, script, until=len(script), first=0))
        (note,) = await native.until_heard(NOTE)
    check_answers(player, endpoints.server)
    assert player.view.sans == sans(script)
    assert player.view.result == ("0-1" if script is FOOLS_MATE else "1-0")
    assert player.view.complaint == ""
    game = chess.pgn.read_game(io.StringIO(note.content))
    assert game is not None
    assert [move.uci() for move in game.mainline_moves()] == [uci.lower() for uci in script]
    assert native.errors == ()


@EACH
async def test_each_accepts_a_native_player_who_invites_them_by_asking_for_a_game(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    invited = JesterPlayer(spelling())
    terms = [["challenge", invited.pubkey], ["dialect", "jester"]]
    native = IndependentClient(endpoints.relays, endpoints.server, FOOLS_MATE, terms=terms)
    async with native.connected(), invited.connected(endpoints.relays):
        assert await native.ask_until_answered() == "queued"
        await invited.challenge(opponent=endpoints.server)
        async with asyncio.TaskGroup() as both:
            both.create_task(native.play_to(len(FOOLS_MATE)))
            both.create_task(play_half(invited, FOOLS_MATE, until=len(FOOLS_MATE), first=0))
        (note,) = await native.until_heard(NOTE)
    assert (invited.view.white, invited.view.result) == (invited.pubkey, "0-1")
    assert note.values("result") == ("0-1",)
    check_answers(invited, endpoints.server)


@EACH
async def test_each_promotes_against_a_terminal_that_resigns(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    async with at_a_terminal(endpoints) as program, started(spelling, endpoints) as player:
        game = await asyncio.to_thread(program.until, "started", color="black")
        for ply, uci in enumerate(PROMOTION):
            if ply % 2:
                program.enter(uci)
                await player.until_ply(ply + 1)
            else:
                await player.move(uci.lower())
                await asyncio.to_thread(program.until, "state", ply=ply + 1)
        program.enter("resign")
        ended = await asyncio.to_thread(program.until, "ended")
        assert (ended["result"], ended["termination"]) == ("1-0", "resignation")
        said = await player.until_said(endpoints.server)
        assert "1-0" in said["content"]
        if spelling is not JesterUi:
            await player.until_shown(lambda view: view.result == "1-0")
    assert game["game"]
    # An end is longer than the game, and Amethyst shows the position that it names.
    assert player.view.complaint == (DESYNCED if spelling is Amethyst else "")
    assert player.view.fen.startswith("rQbqkbnr")


@pytest.mark.parametrize(
    ("white", "black"),
    [(JesterUi, Amethyst), (JesterUi, NostrBlue), (Amethyst, NostrBlue), (NostrBlue, Amethyst)],
)
async def test_each_meets_each_other_in_starts_of_their_own(
    arbiter: ArbiterRun, white: type[Spelling], black: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    async with started(white, endpoints) as one, started(black, endpoints, "black") as other:
        for until in (4, len(PROMOTION)):
            async with asyncio.TaskGroup() as both:
                both.create_task(play_half(one, PROMOTION, until=until, first=0))
                both.create_task(play_half(other, PROMOTION, until=until, first=1))
            arbiter.cut_short()
            await asyncio.to_thread(arbiter.start)
        for player in (one, other):
            assert (player.view.sans, player.view.complaint) == (sans(PROMOTION), "")
        pages = {await asyncio.to_thread(page_of, endpoints, player) for player in (one, other)}
        assert len(pages) == 1
        await other.resign()
        assert "1-0, resignation" in (await one.until_said(endpoints.server))["content"]
        if white is not JesterUi:
            assert (await one.until_shown(lambda view: view.result is not None)).result == "1-0"


async def test_games_go_on_across_restarts_with_each_player_on_one_relay(
    arbiter: ArbiterRun,
) -> None:
    endpoints = arbiter.endpoints
    script = OPERA_GAME[:6]
    games = []
    async with contextlib.AsyncExitStack() as stack:
        for spelling in SPELLINGS:
            native = IndependentClient(endpoints.relays[1:], endpoints.server, script)
            player = JesterPlayer(spelling())
            await stack.enter_async_context(native.connected())
            await stack.enter_async_context(player.connected(endpoints.relays[:1]))
            assert await native.ask_until_answered() == "queued"
            await player.challenge(WHITE, endpoints.server)
            await player.move(script[0])
            await native.play_to(1)
            games.append((native, player))
        for until in (2, 4, 6):
            arbiter.cut_short()
            await asyncio.to_thread(arbiter.start)
            async with asyncio.TaskGroup() as all_of_them:
                for native, player in games:
                    all_of_them.create_task(native.play_to(until))
                    all_of_them.create_task(play_half(player, script, until=until, first=0))
    for _, player in games:
        assert len(by(endpoints.server, player, JESTER)) == len(script) // 2
        assert player.view.sans == sans(script)
