"""Whether a side could mate, as far as it is known here: the reading process searches, and the
command is decided once its result is remembered.
"""

import chess

from arbiter.core.helpmate import Position, SearchResult, position_of, search_position

_MAX_FOUND = 1_000


class LongSearch(Exception):
    """This position, so many plies after the first of its game, is to be searched elsewhere."""

    def __init__(self, position: Position, plies: int) -> None:
        super().__init__(position.epd)
        self.position = position
        self.plies = plies


class KnownMates:
    """Results of searches."""

    def __init__(self) -> None:
        self._found: dict[Position, SearchResult] = {}

    def can_mate(self, board: chess.Board, winner: chess.Color) -> bool:
        """As `helpmate.can_mate`. Raises ``LongSearch`` where only a search tells."""
        position = position_of(board, winner)
        found = self._found.get(position) or search_position(position, moves=0)
        if found is SearchResult.UNDECIDED and position not in self._found:
            raise LongSearch(position, len(board.move_stack))
        return found is not SearchResult.NO_MATE

    def remember(self, position: Position, result: SearchResult) -> None:
        self._found[position] = result
        if len(self._found) > _MAX_FOUND:
            del self._found[next(iter(self._found))]
