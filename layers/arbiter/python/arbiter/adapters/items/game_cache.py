"""The games written last, so that reading one again need not replay its moves."""

from threading import Lock

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import item_of_game
from arbiter.core.game import Game

MAX_GAMES = 200

MAX_PLIES = 40_000
"""Of all cached games together: 24 MB, for a ply takes some 600 bytes with its board state."""


class GameCache:
    """The games written last, by their items; thread-safe. A cached game is used only if its item
    equals the one that was read, to save the replay of the board. It is handed out once, for its
    board is played on.
    """

    def __init__(self, most: int = MAX_GAMES, most_plies: int = MAX_PLIES) -> None:
        """Keeps the latest ``most`` games with at most ``most_plies`` plies together."""
        self._most = most
        self._most_plies = most_plies
        self._plies = 0
        self._known: dict[str, tuple[Item, Game]] = {}
        self._taken: tuple[Item, Game] | None = None
        self._lock = Lock()

    def keep(self, item: Item, game: Game) -> None:
        with self._lock:
            self._remove(item["pk"]["S"])
            self._known[item["pk"]["S"]] = (item, game)
            self._plies += game.ply
            while len(self._known) > self._most or self._plies > self._most_plies:
                self._remove(next(iter(self._known)))

    def take(self, item: Item) -> Game | None:
        """The game of exactly this item, removed from the cache; None if absent or changed."""
        with self._lock:
            known = self._remove(item["pk"]["S"])
        if known is None or known[0] != item:
            return None
        self._taken = known
        return known[1]

    def item_of(self, game: Game) -> Item:
        """The game's item, without packing it again if it was taken last."""
        taken = self._taken
        return taken[0] if taken and taken[1] is game else item_of_game(game)

    def _remove(self, key: str) -> tuple[Item, Game] | None:
        known = self._known.pop(key, None)
        if known:
            self._plies -= known[1].ply
        return known
