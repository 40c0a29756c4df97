"""Two NIP-100 clients in one game, and what both must have received of every move."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import chess

from clients.probes.endpoints import Endpoints
from tests.e2e.nip100_client import Frame, Nip100Client, Told, Verdict

# Sam Loyd's: White's tenth move leaves Black none.
_STALEMATE = (
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)
STALEMATE = tuple(_STALEMATE.split())


@dataclass(frozen=True, slots=True)
class Table:
    """A game of the draft and its two players."""

    white: Nip100Client
    black: Nip100Client

    @property
    def players(self) -> tuple[Nip100Client, Nip100Client]:
        return self.white, self.black

    @property
    def turns(self) -> tuple[Nip100Client, Nip100Client]:
        return self.players if self.white.board.turn else (self.black, self.white)

    async def play(self, script: Sequence[str]) -> None:
        """Play these moves; each is called valid to the one, and told to the other whole."""
        for uci in script:
            mover, other = self.turns
            verdict = await mover.play(uci)
            assert (verdict.accepted, verdict.text) == (True, ""), verdict
            told = await other.until_moved()
            # The draft's "signed by your opponent": their own event, every byte of it.
            assert told.event == mover.sent[-1]
            assert told.event["tags"] == []
            assert told.content == uci
            assert self.white.board.fen() == self.black.board.fen()

    async def until_over(self) -> tuple[str, str]:
        """The last words to white and to black, and nothing else besides."""
        white, black = [(await player.until_over()).content for player in self.players]
        assert (self.white.unread, self.black.unread) == ([], [])
        return white, black


def frames_of_a_start(player: Nip100Client) -> list[Frame]:
    """The frames that a player who asked once must have received before the game, in this order."""
    asked = player.sent[0]["id"]
    found = next(frame for frame in player.heard if isinstance(frame, Told))
    assert player.color is not None
    return [Verdict(asked, True, ""), found, Verdict(asked, True, chess.COLOR_NAMES[player.color])]


@contextlib.asynccontextmanager
async def seated(endpoints: Endpoints) -> AsyncIterator[Table]:
    """Two strangers who searched, and found each other."""
    first, second = (Nip100Client(endpoints.websocket, endpoints.server) for _ in range(2))
    async with first.connected(), second.connected():
        await first.search()
        await second.search()
        for player in (first, second):
            await player.until_seated()
            assert player.heard == frames_of_a_start(player)
        assert first.color is not second.color
        table = Table(first, second) if first.color else Table(second, first)
        try:
            yield table
        except BaseException as error:
            for player in table.players:
                error.add_note(f"{player.pubkey[:8]} heard {player.heard}")
            raise
