"""Games as a store may hold them, out as PGN and in again by python-chess; and ids of any text."""

import io
from dataclasses import dataclass

import chess
import chess.pgn

from arbiter.adapters.dynamodb.game_items import game_of_item, item_of_game
from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.game import Game, Outcome, Termination, Variant
from arbiter.core.pgn import pgn
from arbiter.core.ratings import Rating
from arbiter.core.terms import flaw_of_position
from arbiter.dialects import arbiter_events
from tests.fuzz.choices import Choices
from tests.fuzz.texts import anything
from tests.hostile.stage import BEGUN_MS, a_game
from tests.nostr.hostile.case import SERVER

_MOST_PLIES = 120
_BLITZ = TimeControl(base_ms=180_000, increment_ms=2_000)
_CONTROLS = (None, _BLITZ, TimeControl(move_ms=86_400_000))


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished game, and names and a rating that no player should have."""

    game: Game
    names: tuple[str, str, str]
    rating: int


def games(choices: Choices) -> Finished:
    """A finished game of legal moves, from any position that the arbiter would take."""
    # First what is one of few: where the bytes end, what follows is always the same.
    control = choices.pick(_CONTROLS)
    outcome = Outcome(choices.pick([*Termination]), choices.pick((None, True, False)))
    variant = choices.pick([*Variant])
    rating = 600 + choices.below(2_000)
    names = (anything(choices), anything(choices), anything(choices))
    board = _start(choices, variant)
    start_fen = board.fen()
    for _ in range(choices.below(_MOST_PLIES)):
        if not _moved(choices, board):
            break
    game = a_game(
        start_fen=start_fen,
        variant=variant,
        moves=tuple(board.move_stack),
        outcome=outcome,
        ended_at_ms=BEGUN_MS + choices.below(10**12),
        clocks=start_clocks(control, BEGUN_MS) if control else None,
        rated=choices.chance(2),
    )
    return Finished(game, names, rating)


def _moved(choices: Choices, board: chess.Board) -> bool:
    """Whether there was a move, which was made."""
    moves = [*board.legal_moves]
    if moves:
        board.push(choices.pick(moves))
    return bool(moves)


def _start(choices: Choices, variant: Variant) -> chess.Board:
    """The usual start, one of the 960, or a position out of the middle of some game."""
    is_960 = variant is Variant.CHESS960
    board = chess.Board.from_chess960_pos(choices.below(960)) if is_960 else chess.Board()
    for _ in range(choices.pick((0, 0, 1, 7, 40))):
        _moved(choices, board)
    usable = flaw_of_position(board.fen(), variant) is None
    return chess.Board(board.fen() if usable else chess.STARTING_FEN, chess960=is_960)


def written(finished: Finished) -> str:
    """Store it, write it as a note and under those names, and read all of them again."""
    game, (white, black, site) = finished.game, finished.names
    assert game_of_item(item_of_game(game)) == game
    read_back(game, arbiter_events.note_event(game, SERVER.pubkey).content)
    ratings = (Rating(value=float(finished.rating)), Rating(value=1_500.5))
    read_back(game, pgn(game, white=white, black=black, site=site, ratings=ratings))
    termination = game.outcome.termination if game.outcome else "-"
    return f"{game.variant}:{termination}:{game.result} {min(len(white), 30)}-letters"


def read_back(game: Game, text: str) -> None:
    """python-chess reads the very game, and nothing beside it."""
    stream = io.StringIO(text)
    read = chess.pgn.read_game(stream)
    assert read is not None
    assert not read.errors
    assert tuple(read.mainline_moves()) == game.moves
    assert read.headers["Result"] == game.result
    assert read.headers.get("FEN", chess.STARTING_FEN) == game.start_fen
    assert chess.pgn.read_game(stream) is None
    assert max(map(len, text.partition("\n\n")[2].splitlines()), default=0) <= 80
