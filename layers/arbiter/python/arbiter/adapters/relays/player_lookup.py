"""The thread that asks who plays the games that the gate wants to know it of.

The law: one call at a time, for up to a hundred games, and a pause after it: what strangers name
costs a bounded number of reads. Trouble with the table is an answer too, and ends the wait.
"""

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence

from arbiter.application.ports import PlayersOfGames

_LOG = logging.getLogger(__name__)

MOST_GAMES = 100
"""In one call: what the port takes."""

PAUSE_SECONDS = 0.1


class PlayerLookup:
    """`start` it once, with what is told the answers: who plays each game that was asked about, or
    None where that could not be read.
    """

    def __init__(self, games: PlayersOfGames) -> None:
        self._games = games
        self._asked: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._is_stopped = threading.Event()

    def start(self, told: Callable[[Mapping[str, frozenset[str] | None]], None]) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self._run, args=(told,), name="player-lookup", daemon=True).start()

    def ask(self, game_id: str) -> None:
        """Have it found out who plays this game; returns at once, from any thread."""
        self._asked.put(game_id)

    def stop(self) -> None:
        """End it soon, from any thread."""
        self._is_stopped.set()
        self._asked.put(None)

    def _run(self, told: Callable[[Mapping[str, frozenset[str] | None]], None]) -> None:
        while game_ids := self._next():
            found = self._read(game_ids)
            told({game_id: found.get(game_id) for game_id in game_ids})
            self._is_stopped.wait(PAUSE_SECONDS)

    def _read(self, game_ids: Sequence[str]) -> Mapping[str, frozenset[str]]:
        try:
            return self._games.players_of(game_ids)
        except Exception as error:  # noqa: BLE001 - whatever the cloud's library raises, go on
            _LOG.warning({"status": "players-not-read", "error": type(error).__name__})
            return {}

    def _next(self) -> Sequence[str]:
        """The games to ask about now, each once; none when it is time to end."""
        asked: list[str] = []
        while not asked or (len(asked) < MOST_GAMES and not self._asked.empty()):
            game_id = self._asked.get()
            if game_id is None:
                return ()
            asked.append(game_id)
        return tuple(dict.fromkeys(asked))
