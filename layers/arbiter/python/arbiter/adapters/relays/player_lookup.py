"""The thread that reads who plays the games that the ingester asks about: one call at a time, for
up to a hundred, then a pause, so that invented ids cost little. A failure is an answer too.
"""

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence

from arbiter.application.ports import PlayersOfGames

_LOG = logging.getLogger(__name__)

MAX_GAMES = 100
"""The port's limit for one call."""

PAUSE_SECONDS = 0.1


def pause_seconds(game_ids: Sequence[str], found: Mapping[str, frozenset[str]]) -> float:
    """The pause after this call: the less, the more of a full one were games."""
    if len(game_ids) < MAX_GAMES:
        return PAUSE_SECONDS
    return PAUSE_SECONDS * sum(not found.get(game_id) for game_id in game_ids) / len(game_ids)


class PlayerLookup:
    """Reads the players of requested games in a background thread. ``start`` may be called once."""

    def __init__(self, games: PlayersOfGames) -> None:
        self._games = games
        self._asked: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._is_stopped = threading.Event()

    def start(self, learn: Callable[[Mapping[str, frozenset[str] | None]], None]) -> None:
        """Begin, in a thread; ``learn`` receives each game's players (None: unread)."""
        threading.Thread(target=self._run, args=(learn,), name="player-lookup", daemon=True).start()

    def ask(self, game_id: str) -> None:
        """Request the players of this game. Returns at once; thread-safe."""
        self._asked.put(game_id)

    def stop(self) -> None:
        self._is_stopped.set()
        self._asked.put(None)

    def _run(self, learn: Callable[[Mapping[str, frozenset[str] | None]], None]) -> None:
        while game_ids := self._next():
            found = self._read(game_ids)
            learn({game_id: found.get(game_id) for game_id in game_ids})
            self._is_stopped.wait(pause_seconds(game_ids, found))

    def _read(self, game_ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        try:
            return self._games.players_of(game_ids)
        except Exception as error:  # noqa: BLE001 - whatever botocore raises, go on
            _LOG.warning({"status": "players-not-read", "error": type(error).__name__})
            return {}

    def _next(self) -> Sequence[str]:
        """The games to read now, each once; none when it is time to end."""
        asked: list[str] = []
        while not asked or (len(asked) < MAX_GAMES and not self._asked.empty()):
            game_id = self._asked.get()
            if game_id is None:
                return ()
            asked.append(game_id)
        return tuple(dict.fromkeys(asked))
