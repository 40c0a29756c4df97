"""Games of kind 30 between two players, with the arbiter as referee."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

import chess
import chess.pgn
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.matches import FOOLS_MATE
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.jester_amethyst import Amethyst
from tests.e2e.jester_games import by, on_two_relays
from tests.e2e.jester_nostr_blue import NostrBlue
from tests.e2e.jester_player import PGN_NOTE, JesterPlayer
from tests.e2e.jester_spelling import (
    JESTER,
    WHITE,
    Spelling,
    values,
)
from tests.e2e.jester_ui import JesterUi

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    """The arbiter of this module."""
    with on_two_relays(tmp_path_factory.mktemp("jester")) as run:
        yield run


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

    def check_nothing_written(self) -> None:
        """The arbiter never writes kind 30 into somebody else's game."""
        for player in (self.white, self.black):
            assert by(self.server, player, JESTER) == []


@contextlib.asynccontextmanager
async def refereed(
    white: type[Spelling],
    black: type[Spelling],
    endpoints: Endpoints,
) -> AsyncIterator[Refereed]:
    """Two players who have found each other, on all relays."""
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
