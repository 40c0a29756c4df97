"""What the items mean that were written here last.

The law: **this is a memo and no state.** The table is read all the same, with strong consistency,
and a game is believed only when its item is, attribute for attribute, the one that was packed from
it. So whoever forgets it all is as right, and slower: the board that came with the last move need
not be replayed, which in a game of two hundred plies is most of the work.

A game is given away once, because its board is played on: two threads must not have the same.
"""

from threading import Lock

from arbiter.adapters.items import Item
from arbiter.core.game import Game

MOST_GAMES = 200

MOST_PLIES = 40_000
"""Of all these games together. A ply is some 600 bytes, with the board that was before it: these
are 24 MB, and two hundred games of 5,000 plies would be more than a function has.
"""


class GameCache:
    """The games that were last written, by their items. Threads may share it."""

    def __init__(self, most: int = MOST_GAMES, most_plies: int = MOST_PLIES) -> None:
        """``most`` games are kept, the latest, and no more than have so many plies together."""
        self._most = most
        self._most_plies = most_plies
        self._plies = 0
        self._known: dict[str, tuple[Item, Game]] = {}
        self._lock = Lock()

    def keep(self, item: Item, game: Game) -> None:
        """Remember that this item was packed from this game."""
        with self._lock:
            self._let_go(item["pk"]["S"])
            self._known[item["pk"]["S"]] = (item, game)
            self._plies += game.ply
            while len(self._known) > self._most or self._plies > self._most_plies:
                self._let_go(next(iter(self._known)))

    def take(self, item: Item) -> Game | None:
        """The game that this very item was packed from, which is then forgotten; None if it is not
        known, or is another by now.
        """
        with self._lock:
            known = self._let_go(item["pk"]["S"])
        return known[1] if known and known[0] == item else None

    def _let_go(self, key: str) -> tuple[Item, Game] | None:
        known = self._known.pop(key, None)
        if known:
            self._plies -= known[1].ply
        return known
