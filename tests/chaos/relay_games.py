"""Games over relays by independent clients that ask again when nothing comes: two native players,
or one and a Scuttlebutt player with her own peer.

Her peer outlives what happens to the arbiter's, and so does her log: what is in it is never
published again, and the arbiter has to find it there.
"""

import asyncio
import contextlib
import io
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import chess.pgn

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE, IndependentClient
from clients.probes.matches import Match, seated
from tests.bridge.peers import PlayingPeer, playing_peer
from tests.chaos.played import Played, kept_moves
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.ssb_players import own_feed

_POLL_SECONDS = 0.2
_PATIENCE_SECONDS = 4.0
_NOTE_SECONDS = 5.0
_MOVES = ("chess_move", "chess_game_end")


class NativeGame:
    """Two players, each on relays of their own choice. Make it with `native_game`."""

    def __init__(
        self, name: str, match: Match, endpoints: Endpoints, script: Sequence[str]
    ) -> None:
        self.name = name
        self._match = match
        self._endpoints = endpoints
        self._script = script
        self._plies = 0

    async def move_on(self) -> None:
        """One ply, seen by both."""
        self._plies += 1
        players = self._match.players
        playing = (
            each.play_to(self._plies, patience_seconds=_PATIENCE_SECONDS) for each in players
        )
        await asyncio.gather(*playing)

    async def finish(self) -> Played:
        """White resigns."""
        kept = await _resigned(self._match.players, self._endpoints)
        return Played(self._script, _shown(self._match.players), kept)


@contextlib.asynccontextmanager
async def native_game(
    name: str,
    endpoints: Endpoints,
    script: Sequence[str],
    relays_of_each: tuple[Sequence[str], Sequence[str]],
    terms: Sequence[Sequence[str]] = (),
    *,
    both_name_the_state: bool = False,
) -> AsyncIterator[NativeGame]:
    """A game that has just begun."""
    async with seated(
        endpoints,
        script,
        relays_of_each=relays_of_each,
        terms=terms,
        both_name_the_state=both_name_the_state,
    ) as match:
        yield NativeGame(name, match, endpoints, script)


class SsbGame:
    """Sue, a Scuttlebutt player, has White, and Bob Black. Make it with `ssb_game`."""

    name = "Scuttlebutt"

    def __init__(
        self,
        sue: PlayingPeer,
        root: str,
        bob: IndependentClient,
        endpoints: Endpoints,
        script: Sequence[str],
    ) -> None:
        """``root`` is the key of her invitation."""
        self._sue = sue
        self._root = root
        self._bob = bob
        self._endpoints = endpoints
        self._script = script
        self._board = chess.Board()

    async def move_on(self) -> None:
        """One ply: Sue's, in her log and then sent to Bob; or Bob's, and then in her log."""
        move = chess.Move.from_uci(self._script[self._board.ply()])
        san, hers = self._board.san(move), self._board.turn == chess.WHITE
        self._board.push(move)
        if hers:
            await asyncio.to_thread(self._sue.publish, self._content(move, san))
        await self._bob.play_to(self._board.ply(), patience_seconds=_PATIENCE_SECONDS)
        if not hers:
            await self._until_sent(ply=self._board.ply())

    async def finish(self) -> Played:
        """Bob resigns; Sue was sent each of Bob's moves once, in order."""
        kept = await _resigned((self._bob,), self._endpoints)
        await self._until_sent(type="chess_game_end")
        sent = await asyncio.to_thread(self._moves_sent)
        plies = [content["ply"] for content in sent if content["type"] == "chess_move"]
        assert plies == list(range(2, len(kept) + 1, 2)), f"she was sent the plies {plies}"
        shown = {(content["ply"], content["fen"]) for content in sent if "fen" in content}
        shown |= {(0, chess.STARTING_FEN), *_shown((self._bob,))}
        return Played(self._script, frozenset(shown), kept)

    def _content(self, move: chess.Move, san: str) -> dict[str, Any]:
        """Her move as ssb-chess writes it. The board has it already."""
        piece = {"promotion": chess.piece_symbol(move.promotion)} if move.promotion else {}
        return {
            "type": "chess_move",
            "root": self._root,
            "ply": self._board.ply(),
            "orig": chess.square_name(move.from_square),
            "dest": chess.square_name(move.to_square),
            "pgnMove": san,
            "fen": self._board.fen(),
            **piece,
        }

    def _moves_sent(self) -> list[dict[str, Any]]:
        """The arbiter's messages about moves and the end of this game, in the order they came."""
        return [
            message["content"]
            for message in self._sue.messages(self._root)
            if message["author"] != self._sue.id and message["content"]["type"] in _MOVES
        ]

    async def _until_sent(self, **wanted: object) -> None:
        while True:
            sent = await asyncio.to_thread(self._moves_sent)
            if any(wanted.items() <= content.items() for content in sent):
                return
            await asyncio.sleep(_POLL_SECONDS)


@contextlib.asynccontextmanager
async def ssb_game(run: ArbiterRun, script: Sequence[str]) -> AsyncIterator[SsbGame]:
    """A game that has just begun. Bob asks first, and no other player may be waiting then."""
    feed = own_feed(run)
    endpoints = run.endpoints
    bob = IndependentClient(endpoints.relays, endpoints.server, script)
    with (
        tempfile.TemporaryDirectory(prefix="sue-") as folder,
        playing_peer(Path(folder), peers=[feed["address"]]) as sue,
    ):
        sue.follow(feed["id"])
        async with bob.connected():
            assert await bob.ask_until_answered() == "queued"
            invite = {"type": "chess_invite", "inviting": feed["id"], "myColor": "white"}
            root = await asyncio.to_thread(sue.publish, invite)
            await bob.play_to(0)
            yield SsbGame(sue, root, bob, endpoints, script)


async def _resigned(players: Sequence[IndependentClient], endpoints: Endpoints) -> tuple[str, ...]:
    """The moves of the game, which the first player resigns as often as it takes until all have the
    note. The note, read by python-chess, and the HTTP API agree on them.
    """
    first = players[0]
    while not all(player.notes for player in players):
        assert first.position is not None
        await first.send_move(first.position, "resign")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_NOTE_SECONDS):
                await asyncio.gather(*(player.until_heard(PGN_NOTE) for player in players))
    game = chess.pgn.read_game(io.StringIO(players[-1].notes[0].content))
    assert game is not None
    assert first.game is not None
    noted = tuple(move.uci() for move in game.mainline_moves())
    kept = await asyncio.to_thread(kept_moves, endpoints, first.game.id)
    assert noted == kept, f"the note has {noted}, HTTP {kept}"
    return kept


def _shown(players: Sequence[IndependentClient]) -> frozenset[tuple[int, str]]:
    games = (player.game for player in players)
    return frozenset((p.ply, p.fen) for game in games if game for p in game.positions)
