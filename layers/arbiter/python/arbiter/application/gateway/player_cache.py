"""The players of each game, as far as they were looked up here; they never change. That there is no
such game is believed for seconds. Memory is bounded, and invented ids push no game out.
"""

from collections import OrderedDict

MAX_GAMES = 24_000
"""Some 6 MB; and as many ids of no game, which take less."""

ABSENT_SECONDS = 10.0


class PlayerCache:
    """The players of the games that were asked about last. Not thread-safe."""

    def __init__(self, most: int = MAX_GAMES) -> None:
        self._most = most
        # Two keys of 32 bytes each: sets of texts would take more than twice the memory.
        self._players: OrderedDict[str, bytes] = OrderedDict()
        self._absent_until: OrderedDict[str, float] = OrderedDict()

    def plays(self, author: str, game_id: str, now_seconds: float) -> bool | None:
        """Whether this author (64 hex) plays this game; None if that is not known."""
        players = self._players.get(game_id)
        if players is not None:
            self._players.move_to_end(game_id)
            return bytes.fromhex(author) in (players[:32], players[32:])
        return False if now_seconds < self._absent_until.get(game_id, now_seconds) else None

    def learn(self, game_id: str, players: frozenset[str], now_seconds: float) -> None:
        if players:
            self._absent_until.pop(game_id, None)
            self._players[game_id] = bytes.fromhex("".join(players))
            self._players.move_to_end(game_id)
        else:
            self._absent_until[game_id] = now_seconds + ABSENT_SECONDS
            self._absent_until.move_to_end(game_id)
        for known in (self._players, self._absent_until):
            if len(known) > self._most:
                known.popitem(last=False)
