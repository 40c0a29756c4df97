"""Games of kind 30 on a whole arbiter with two relays, by clients that were written from what the
living ones do: against players of other wires, and against each other with the arbiter as referee.
"""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

import chess
import chess.pgn
import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE as NOTE
from clients.probes.independent_client import IndependentClient
from clients.probes.matches import FOOLS_MATE, OPERA_GAME, PROMOTION
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import ForeignRelay, bundled, rust_nostr
from tests.e2e.jester_amethyst import DESYNCED, Amethyst
from tests.e2e.jester_nostr_blue import NostrBlue
from tests.e2e.jester_player import PGN_NOTE, TEXT_NOTE, JesterPlayer
from tests.e2e.jester_spelling import (
    JESTER,
    WHITE,
    Draft,
    Event,
    Spelling,
    content_of,
    private_reference,
    values,
)
from tests.e2e.jester_ui import JesterUi
from tests.e2e.nip100_client import CHECKMATE, Nip100Client

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

SPELLINGS: tuple[type[Spelling], ...] = (JesterUi, Amethyst, NostrBlue)
EACH = pytest.mark.parametrize("spelling", SPELLINGS)


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    """An arbiter on two relays of two makes."""
    folder, port = tmp_path_factory.mktemp("jester"), free_port_base()
    relays: tuple[ForeignRelay, ...] = (bundled(folder / "relay", port), rust_nostr(port + 1))
    with contextlib.ExitStack() as running:
        for relay in relays:
            running.callback(relay.stop)
            relay.start()
        run = ArbiterRun(folder, [relay.url for relay in relays])
        running.callback(run.stop)
        run.start()
        yield run


def by(server: str, player: JesterPlayer, kind: int) -> list[Event]:
    """What the arbiter has published of this kind, as far as the player knows."""
    return [e for e in player.heard if (e["pubkey"], e["kind"]) == (server, kind)]


def sans(script: Sequence[str]) -> tuple[str, ...]:
    board = chess.Board()
    found = []
    for uci in script:
        move = chess.Move.from_uci(uci.lower())
        found.append(board.san(move))
        board.push(move)
    return tuple(found)


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
        if content["kind"] == 0:
            continue
        board = chess.Board()
        for san in content["history"][:-1]:
            board.push_san(san)
        board.push_san(content["history"][-1])
        assert content["move"] == content["history"][-1]
        assert content["fen"] == board.fen(en_passant="fen")
        assert [tag[0] for tag in event["tags"]] == ["e", "e", "p"]
        assert values(event, "e")[0] == player.start["id"]
        assert values(event, "p") == [player.pubkey]


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


@pytest.mark.parametrize("spelling", [Amethyst, NostrBlue])
async def test_a_starter_who_chose_black_has_black(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    native = IndependentClient(endpoints.relays, endpoints.server, FOOLS_MATE)
    async with native.connected():
        assert await native.ask_until_answered() == "queued"
        async with started(spelling, endpoints, "black") as player, asyncio.TaskGroup() as both:
            both.create_task(native.play_to(len(FOOLS_MATE)))
            both.create_task(play_half(player, FOOLS_MATE, until=len(FOOLS_MATE), first=1))
    assert native.game is not None
    assert native.game.color == "w"
    assert (player.view.black, player.view.result) == (player.pubkey, "0-1")


@EACH
async def test_each_finds_the_start_of_a_native_player_who_invites_them(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    invited = JesterPlayer(spelling())
    terms = [["challenge", invited.pubkey], ["dialect", "jester"]]
    native = IndependentClient(endpoints.relays, endpoints.server, FOOLS_MATE, terms=terms)
    async with native.connected(), invited.connected(endpoints.relays):
        await native.ask_to_play()
        await invited.until_challenged(endpoints.server)
        async with asyncio.TaskGroup() as both:
            both.create_task(native.play_to(len(FOOLS_MATE)))
            both.create_task(play_half(invited, FOOLS_MATE, until=len(FOOLS_MATE), first=1))
        (note,) = await native.until_heard(NOTE)
    assert (invited.view.black, invited.view.result) == (invited.pubkey, "0-1")
    assert note.values("result") == ("0-1",)
    check_answers(invited, endpoints.server)


@EACH
async def test_each_plays_a_player_of_nip_100(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    raw = Nip100Client(endpoints.websocket, endpoints.server)
    async with raw.connected():
        await raw.search()
        async with started(spelling, endpoints) as player:
            await raw.until_seated()
            async with asyncio.TaskGroup() as both:
                both.create_task(raw.play_its_half(FOOLS_MATE))
                both.create_task(play_half(player, FOOLS_MATE, until=4, first=0))
        assert (await raw.until_over()).content == CHECKMATE
    assert player.view.result == "0-1"


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


@pytest.mark.parametrize("spelling", [Amethyst, NostrBlue])
@pytest.mark.parametrize("plies", [0, 2])
async def test_a_resignation_is_one_to_the_terminal(
    arbiter: ArbiterRun, spelling: type[Spelling], plies: int
) -> None:
    endpoints = arbiter.endpoints
    async with at_a_terminal(endpoints) as program, started(spelling, endpoints) as player:
        await asyncio.to_thread(program.until, "started", color="black")
        if plies:
            await player.move("e2e4")
            await asyncio.to_thread(program.until, "state", ply=1)
            program.enter("e5")
            await player.until_ply(2)
        await player.resign()
        ended = await asyncio.to_thread(program.until, "ended")
        # Before both have moved it is no game.
        assert ended["result"] == ("0-1" if plies else "*") or ended["termination"] == "resignation"


async def test_a_draw_of_nostr_blue_is_offered_and_accepted(arbiter: ArbiterRun) -> None:
    endpoints = arbiter.endpoints
    blue = NostrBlue()
    async with at_a_terminal(endpoints) as program, started(NostrBlue, endpoints) as player:
        await asyncio.to_thread(program.until, "started", color="black")
        await player.move("e2e4")
        await asyncio.to_thread(program.until, "state", ply=1)
        program.enter("e5")
        await player.until_ply(2)
        await player.publish(player.signed(blue.offer_draw(player.view, player.pubkey)))
        await asyncio.to_thread(program.until, "offer", offer="draw", mine=False)
        program.enter("draw")
        ended = await asyncio.to_thread(program.until, "ended")
        assert (ended["result"], ended["termination"]) == ("1/2-1/2", "agreement")
        assert (await player.until_shown(lambda view: view.result is not None)).result == "1/2-1/2"


async def test_a_jesterui_start_that_hides_the_arbiter_is_found(arbiter: ArbiterRun) -> None:
    endpoints = arbiter.endpoints
    async with at_a_terminal(endpoints) as program, started(JesterUi, endpoints) as player:
        assert player.start is not None
        assert player.start["tags"] == [["e", private_reference(endpoints.server)]]
        await asyncio.to_thread(program.until, "started", color="black")


@EACH
async def test_a_game_goes_on_across_restarts_with_each_player_on_one_relay(
    arbiter: ArbiterRun, spelling: type[Spelling]
) -> None:
    endpoints = arbiter.endpoints
    script = OPERA_GAME[:6]
    native = IndependentClient(endpoints.relays[1:], endpoints.server, script)
    player = JesterPlayer(spelling())
    async with native.connected(), player.connected(endpoints.relays[:1]):
        assert await native.ask_until_answered() == "queued"
        await player.challenge(WHITE, endpoints.server)
        for until in (2, 4, 6):
            async with asyncio.TaskGroup() as both:
                both.create_task(native.play_to(until))
                both.create_task(play_half(player, script, until=until, first=0))
            arbiter.cut_short()
            await asyncio.to_thread(arbiter.start)
    moves = by(endpoints.server, player, JESTER)
    assert len(moves) == len(script) // 2
    assert player.view.sans == sans(script)


@dataclass
class Refereed:
    """A game of two players whose start asks the arbiter to judge."""

    white: JesterPlayer
    black: JesterPlayer
    server: str

    async def play(self, script: Sequence[str]) -> None:
        """Play these moves after those that were played."""
        for uci in script:
            ply = self.white.view.ply
            await (self.white, self.black)[ply % 2].move(uci.lower())
            await asyncio.gather(*(p.until_ply(ply + 1) for p in (self.white, self.black)))

    def forged(self, author: JesterPlayer, uci: str, **changed: object) -> Event:
        """A move by this author on the board of the player to move, with other values in it."""
        mover = (self.white, self.black)[self.white.view.ply % 2]
        draft = mover.spelling.move(mover.view, uci, mover.pubkey)
        return author.signed(Draft(draft.tags, {**draft.content, **changed}))

    def check_nothing_written(self) -> None:
        """The arbiter never writes kind 30 into somebody else's game."""
        for player in (self.white, self.black):
            assert by(self.server, player, JESTER) == []


@contextlib.asynccontextmanager
async def refereed(
    white: type[Spelling], black: type[Spelling], endpoints: Endpoints
) -> AsyncIterator[Refereed]:
    """Two players who have found each other."""
    game = Refereed(JesterPlayer(white()), JesterPlayer(black()), endpoints.server)
    async with (
        game.white.connected(endpoints.relays),
        game.black.connected(endpoints.relays),
    ):
        draft = game.white.spelling.start("abcdef42", WHITE, game.black.pubkey)
        named = [tag for tag in draft.tags if tag[0] == "p"] or [["p", game.black.pubkey]]
        others = [tag for tag in draft.tags if tag[0] != "p"]
        draft.tags[:] = [*others, *named, ["p", endpoints.server]]
        start = await game.white.publish(game.white.signed(draft))
        for player in (game.white, game.black):
            await player.follow(start)
        yield game
        game.check_nothing_written()


@pytest.mark.parametrize(
    ("white", "black"),
    [(JesterUi, Amethyst), (Amethyst, JesterUi), (JesterUi, JesterUi), (NostrBlue, NostrBlue)],
)
async def test_a_game_between_two_ends_with_a_note_of_the_arbiter(
    arbiter: ArbiterRun, white: type[Spelling], black: type[Spelling]
) -> None:
    async with refereed(white, black, arbiter.endpoints) as game:
        await game.play(FOOLS_MATE)
        note = await game.white.until(lambda e: (e["kind"], e["pubkey"]) == (PGN_NOTE, game.server))
    read = chess.pgn.read_game(io.StringIO(note["content"]))
    assert read is not None
    assert read.headers["Result"] == "0-1"
    assert [move.uci() for move in read.mainline_moves()] == [*FOOLS_MATE]
    assert {*values(note, "p")} == {game.white.pubkey, game.black.pubkey}


@pytest.mark.parametrize(
    "wrong",
    ["a stranger's move", "a fork", "a wrong history", "another position", "an illegal move"],
)
async def test_what_is_wrong_is_said_once_and_the_game_goes_on(
    arbiter: ArbiterRun, wrong: str
) -> None:
    async with refereed(JesterUi, JesterUi, arbiter.endpoints) as game:
        await game.play(FOOLS_MATE[:2])
        stranger = JesterPlayer(JesterUi())
        liar = stranger if wrong == "a stranger's move" else game.white
        forged: dict[str, Event] = {
            "a stranger's move": game.forged(liar, "e2e4"),
            "a fork": game.forged(liar, "e2e4"),
            "a wrong history": game.forged(liar, "g2g4", history=["e4", "e5", "g4"]),
            "another position": game.forged(liar, "g2g4", fen=chess.STARTING_FEN),
            "an illegal move": game.forged(liar, "g2g4", move="Ke6", history=["f3", "e5", "Ke6"]),
        }
        honest = [game.white.draft_move("g2g4")]
        if wrong == "another position":
            # The move counts, its position is named.
            honest = []
        async with stranger.connected(arbiter.endpoints.relays):
            if wrong == "a fork":
                for event in honest:
                    await game.white.publish(event)
                await asyncio.sleep(0)
            await game.white.publish(forged[wrong])
            await game.white.publish(forged[wrong])
            if wrong != "a fork":
                for event in honest:
                    await game.white.publish(event)
        moved = honest[0] if honest else forged[wrong]
        draft = Draft(
            [["e", moved["tags"][0][1]], ["e", moved["id"]]],
            {
                "version": "0",
                "kind": 1,
                "fen": _fen(FOOLS_MATE),
                "move": "Qh4#",
                "history": [*sans(FOOLS_MATE)],
            },
        )
        await game.black.publish(game.black.signed(draft))
        note = await game.white.until(lambda e: (e["kind"], e["pubkey"]) == (PGN_NOTE, game.server))
        said = [
            e for e in by(game.server, game.white, TEXT_NOTE) if "checkmate" not in e["content"]
        ]
        assert len({e["content"] for e in said}) == len(said)
        assert len(said) == (0 if wrong == "a stranger's move" else 1), said
        assert all(values(e, "e") == [game.white.view.game] for e in said)
    read = chess.pgn.read_game(io.StringIO(note["content"]))
    assert read is not None
    assert [move.uci() for move in read.mainline_moves()] == [*FOOLS_MATE]


def _fen(script: Sequence[str]) -> str:
    board = chess.Board()
    for uci in script:
        board.push_uci(uci.lower())
    return board.fen(en_passant="fen")
