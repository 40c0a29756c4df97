"""A game between a player of Scuttlebutt, with a peer of her own, and a native one over relays.

Her peer outlives what happens to the arbiter's, and so does her log: what she said once is never
said again, and the arbiter has to find it there.
"""

import asyncio
import contextlib
import io
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import chess.pgn

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE, IndependentClient
from tests.bridge.peers import PlayingPeer, playing_peer
from tests.chaos.kept_moves import kept_moves
from tests.chaos.played import Played
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.ssb_players import own_feed

_POLL_SECONDS = 0.2
_PATIENCE_SECONDS = 4.0
_NOTE_SECONDS = 5.0
_MOVES = ("chess_move", "chess_game_end")


class ScuttlebuttGame:
    """She has White. Make it with `scuttlebutt_game`."""

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
        self._told = {(0, self._board.fen())}

    async def move_on(self) -> None:
        """One ply: said in her log and told to him, or sent by him and said to her."""
        move = chess.Move.from_uci(self._script[self._board.ply()])
        san, hers = self._board.san(move), self._board.turn == chess.WHITE
        self._board.push(move)
        if hers:
            await asyncio.to_thread(self._sue.publish, self._said(move, san))
        await self._bob.play_to(self._board.ply(), patience_seconds=_PATIENCE_SECONDS)
        if not hers:
            await self._until_said(ply=self._board.ply())

    async def finish(self) -> Played:
        """He resigns; his note, what HTTP shows, and what was said to her agree."""
        while not self._bob.notes:
            position = self._bob.position
            assert position is not None
            await self._bob.send_move(position, "resign")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_NOTE_SECONDS):
                    await self._bob.until_heard(PGN_NOTE)
        await self._until_said(type="chess_game_end")
        game = chess.pgn.read_game(io.StringIO(self._bob.notes[0].content))
        assert game is not None
        noted = tuple(move.uci() for move in game.mainline_moves())
        assert self._bob.game is not None
        kept = await asyncio.to_thread(kept_moves, self._endpoints, self._bob.game.id)
        assert noted == kept, f"the note has {noted}, HTTP {kept}"
        said = await asyncio.to_thread(self._moves_said)
        plies = [content["ply"] for content in said if content["type"] == "chess_move"]
        assert plies == list(range(2, len(kept) + 1, 2)), f"she was told the plies {plies}"
        shown = {(content["ply"], content["fen"]) for content in said if "fen" in content}
        shown |= {(position.ply, position.fen) for position in self._bob.game.positions}
        saw = Counter({"asked again": self._bob.requests - 1})
        saw.update(text.partition(":")[0] for text in self._bob.errors)
        return Played(self._script, frozenset(self._told | shown), noted, saw)

    def _said(self, move: chess.Move, san: str) -> dict[str, Any]:
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

    def _moves_said(self) -> list[dict[str, Any]]:
        """What the arbiter said in this game of moves and its end, in the order it came."""
        return [
            message["content"]
            for message in self._sue.messages(self._root)
            if message["author"] != self._sue.id and message["content"]["type"] in _MOVES
        ]

    async def _until_said(self, **wanted: object) -> None:
        while True:
            said = await asyncio.to_thread(self._moves_said)
            if any(wanted.items() <= content.items() for content in said):
                return
            await asyncio.sleep(_POLL_SECONDS)


@contextlib.asynccontextmanager
async def scuttlebutt_game(
    run: ArbiterRun, script: Sequence[str]
) -> AsyncIterator[ScuttlebuttGame]:
    """A game that has just begun. He asks first, and nobody else may wait for anybody then."""
    endpoints = run.endpoints
    bob = IndependentClient(endpoints.relays, endpoints.server, script)
    with _following(run) as (sue, arbiter):
        async with bob.connected():
            assert await bob.ask_until_answered() == "queued"
            invite = {"type": "chess_invite", "inviting": arbiter, "myColor": "white"}
            root = await asyncio.to_thread(sue.publish, invite)
            await bob.play_to(0)
            yield ScuttlebuttGame(sue, root, bob, endpoints, script)


@contextlib.contextmanager
def _following(run: ArbiterRun) -> Iterator[tuple[PlayingPeer, str]]:
    """Her peer, which follows the arbiter's feed; and that feed's id."""
    feed = own_feed(run)
    with (
        tempfile.TemporaryDirectory(prefix="sue-") as folder,
        playing_peer(Path(folder), peers=[feed["address"]]) as sue,
    ):
        sue.follow(feed["id"])
        yield sue, feed["id"]
