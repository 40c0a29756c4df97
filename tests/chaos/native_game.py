"""A native game over relays, by two independent clients that ask again when nothing is heard."""

import asyncio
import contextlib
import io
from collections import Counter
from collections.abc import AsyncIterator, Sequence

import chess.pgn

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE
from clients.probes.matches import Match, seated
from tests.chaos.kept_moves import kept_moves
from tests.chaos.played import Played

_PATIENCE_SECONDS = 4.0
_NOTE_SECONDS = 5.0


class NativeGame:
    """Two players, each on relays of his own choice. Make it with `native_game`."""

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
        await asyncio.gather(
            *(
                player.play_to(self._plies, patience_seconds=_PATIENCE_SECONDS)
                for player in self._match.players
            )
        )

    async def finish(self) -> Played:
        """White resigns, as often as it takes until both have the note, which python-chess reads;
        what HTTP shows of the game must say the same.
        """
        while not all(player.notes for player in self._match.players):
            position = self._match.white.position
            assert position is not None
            await self._match.white.send_move(position, "resign")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_NOTE_SECONDS):
                    await self._match.until_heard(PGN_NOTE)
        game = chess.pgn.read_game(io.StringIO(self._match.black.notes[0].content))
        assert game is not None
        noted = tuple(move.uci() for move in game.mainline_moves())
        kept = await asyncio.to_thread(kept_moves, self._endpoints, self._match.game_id)
        assert noted == kept, f"the note has {noted}, HTTP {kept}"
        return Played(self._script, self._told(), noted, self._sightings())

    def _told(self) -> frozenset[tuple[int, str]]:
        games = (player.game for player in self._match.players)
        return frozenset((p.ply, p.fen) for game in games if game for p in game.positions)

    def _sightings(self) -> Counter[str]:
        saw = Counter[str]()
        for player in self._match.players:
            # One request began the game.
            saw["asked again"] += player.requests - 1
            saw.update(text.partition(":")[0] for text in player.errors)
        return saw


@contextlib.asynccontextmanager
async def native_game(
    name: str,
    endpoints: Endpoints,
    script: Sequence[str],
    relays_of_each: tuple[Sequence[str], Sequence[str]],
    terms: Sequence[Sequence[str]] = (),
) -> AsyncIterator[NativeGame]:
    """A game that has just begun."""
    async with seated(endpoints, script, relays_of_each=relays_of_each, terms=terms) as match:
        yield NativeGame(name, match, endpoints, script)
