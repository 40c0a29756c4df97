"""Games over relays by independent clients that ask again when nothing comes."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Sequence

import chess.pgn

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE, IndependentClient
from clients.probes.matches import Match, seated
from tests.chaos.played import Played, kept_moves

_PATIENCE_SECONDS = 4.0
_NOTE_SECONDS = 5.0


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
    async with seated(
        endpoints,
        script,
        relays_of_each=relays_of_each,
        terms=terms,
        both_name_the_state=both_name_the_state,
    ) as match:
        yield NativeGame(name, match, endpoints, script)


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
