"""Two independent clients in one game, and checks of what they received."""

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import chess
import chess.pgn

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import PGN_NOTE, IndependentClient, Position


def _script(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FOOLS_MATE = _script("f2f3 e7e5 g2g4 d8h4")

# Paul Morphy against two consultants, Paris 1858: castling, captures and a mate, in 33 plies.
OPERA_GAME = _script(
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 "
    "b7b5 c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
)

# White's pawn takes on b8 and becomes a queen, in the capital letter of both protocol texts.
PROMOTION = _script("a2a4 b7b5 a4b5 a7a6 b5a6 h7h6 a6a7 h6h5 a7b8Q")


@dataclass(frozen=True, slots=True)
class Match:
    """A game and its two players."""

    white: IndependentClient
    black: IndependentClient

    @property
    def players(self) -> tuple[IndependentClient, IndependentClient]:
        """White, then black."""
        return self.white, self.black

    @property
    def game_id(self) -> str:
        """The game's id, as white received it."""
        assert self.white.game is not None
        return self.white.game.id

    async def play_to(self, ply: int) -> None:
        """Both play until both have seen this many plies."""
        await asyncio.gather(*(player.play_to(ply) for player in self.players))

    async def until_heard(self, kind: int) -> None:
        """Wait until both have received an event of this kind."""
        await asyncio.gather(*(player.until_heard(kind) for player in self.players))


@contextlib.asynccontextmanager
async def seated(
    endpoints: Endpoints,
    script: Sequence[str],
    *,
    relays_of_each: tuple[Sequence[str], Sequence[str]] | None = None,
    terms: Sequence[Sequence[str]] = (),
    both_name_the_state: bool = False,
) -> AsyncIterator[Match]:
    """Two strangers who get a game against each other; the second names the state in moves, unless
    both do. ``terms`` are tags of both requests.
    """
    first_relays, second_relays = relays_of_each or (endpoints.relays, endpoints.relays)
    first = IndependentClient(
        first_relays, endpoints.server, script, names_the_state=both_name_the_state, terms=terms
    )
    second = IndependentClient(
        second_relays, endpoints.npub, script, names_the_state=True, terms=terms
    )
    async with first.connected(), second.connected():
        assert await first.ask_until_answered() == "queued"
        await second.ask_to_play()
        await asyncio.gather(first.play_to(0), second.play_to(0))
        assert first.game is not None
        try:
            yield Match(first, second) if first.game.color == "w" else Match(second, first)
        except BaseException as error:
            for player in (first, second):
                error.add_note(f"{player.pubkey[:8]} sent {player.sent}, heard {player.heard}")
            raise


async def play_out(
    match: Match, script: Sequence[str], result: str, termination: str = "checkmate"
) -> None:
    """Play the rest of the script, wait for the note, and check all that both received."""
    await match.play_to(len(script))
    await match.until_heard(PGN_NOTE)
    check_start(match)
    check_states(match, script)
    check_note(match, script, result, termination)


def check_start(match: Match) -> None:
    """Both got the same game, each their own colour and the other's name."""
    for player, other, color in ((match.white, match.black, "w"), (match.black, match.white, "b")):
        assert player.game is not None
        told = (player.game.id, player.game.opponent, player.game.color)
        assert told == (match.game_id, other.pubkey, color)


def check_states(match: Match, script: Sequence[str]) -> None:
    """Every state names both players and shows this game; by date, none shows fewer plies."""
    fens = _fens(script)
    for player in match.players:
        assert player.game is not None
        for position in player.game.positions:
            assert position.players == (match.white.pubkey, match.black.pubkey)
            assert position.fen == fens[position.ply]
        plies = [position.ply for position in _by_date(player.game.positions)]
        assert plies == sorted(plies)


def check_note(match: Match, script: Sequence[str], result: str, termination: str) -> None:
    """The game's NIP-64 note, read by python-chess: who played, what they played, how it ended."""
    for player in match.players:
        (note,) = player.notes
        assert note.values("p") == (match.white.pubkey, match.black.pubkey)
        assert note.values("result") == (result,)
        assert note.values("termination") == (termination,)
        game = chess.pgn.read_game(io.StringIO(note.content))
        assert game is not None
        assert game.errors == []
        assert game.headers["White"] == match.white.pubkey
        assert game.headers["Black"] == match.black.pubkey
        assert game.headers["Result"] == result
        assert game.headers["Termination"] == "normal"
        moves = [move.uci() for move in game.mainline_moves()]
        assert moves == [move.lower() for move in script]


def _fens(script: Sequence[str]) -> list[str]:
    board = chess.Board()
    fens = [board.fen()]
    for uci in script:
        board.push_uci(uci.lower())
        fens.append(board.fen())
    return fens


def _by_date(positions: Sequence[Position]) -> list[Position]:
    # Relays keep no order, so within one second anything may come first.
    return sorted(positions, key=lambda p: (p.heard.created_at, p.ply))
