"""What may be said in games by those who do not play them, all together, so that no player waits
behind it (docs/decisions/0025-a-line-for-each-player-of-a-game.md).

The law: **no player is taken for a stranger.** Who plays a game is asked for once, and only when
the strangers' share is used up: up to then everybody may draw on it. What comes after that from
somebody of whom it is not known waits until it is, and so does what comes behind it in that game;
and where the table does not answer everybody is let in. Not for two threads at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from arbiter.adapters.relays.token_buckets import Rate, TokenBuckets
from arbiter.application.player_cache import PlayerCache
from arbiter.application.queue_messages import QueueEntry

GAME_RATE = Rate(per_second=1.0, burst=10.0)
"""For all strangers to one game."""
ALL_RATE = Rate(per_second=5.0, burst=20.0)
"""For all strangers to all games, and for what names no game: on a laptop a worker decides some
hundred a second.
"""
DOUBT_SECONDS = 5.0
"""So long nobody is asked for after the table did not answer."""

_MAX_GAMES = 20_000
_MAX_HELD = 500
_MAX_HELD_BYTES = 4_000_000


class Verdict(Enum):
    """What becomes of an event, as far as its author goes."""

    PASSES = auto()
    """They play there, or it cannot be told."""
    SHARES = auto()
    """It takes a part of the strangers' share."""
    TOO_MANY = auto()
    """They do not play there, and the share is used up."""
    WAITS = auto()
    """Until it is known whether they play there."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry, with its author (64 hex) and the game that it names, if any."""

    entry: QueueEntry
    author: str
    game_id: str | None


class StrangerLimiter:
    """The share, who is known to have no need of it, and what waits. Times are monotonic
    seconds.
    """

    def __init__(self, ask: Callable[[str], None] | None) -> None:
        """``ask`` has it found out who plays the game of this id, and `learn` told. Without it
        everybody may be a player.
        """
        self._ask = ask
        self._doubts_until = 0.0
        self._players = PlayerCache()
        self._of_game = TokenBuckets(GAME_RATE, _MAX_GAMES)
        self._of_all = TokenBuckets(ALL_RATE, 1)
        self._held: dict[str | None, list[Candidate]] = {}
        self._count = 0
        self._bytes = 0

    def verdict(self, game_id: str | None, author: str, now: float) -> Verdict:
        """What becomes of an event of this author in this game (None: it names none)."""
        if game_id in self._held:
            return Verdict.WAITS
        plays = False if game_id is None else self._players.plays(author, game_id, now)
        if plays:
            return Verdict.PASSES
        if self._of_all.has_token("", now) and (
            game_id is None or self._of_game.has_token(game_id, now)
        ):
            return Verdict.SHARES
        if plays is False:
            return Verdict.TOO_MANY
        return Verdict.WAITS if self._ask and now >= self._doubts_until else Verdict.PASSES

    def take(self, game_id: str | None, now: float) -> None:
        """Take a part of the share."""
        self._of_all.take("", now)
        if game_id is not None:
            self._of_game.take(game_id, now)

    def has_room(self) -> bool:
        """Whether one more entry may wait."""
        return self._count < _MAX_HELD and self._bytes < _MAX_HELD_BYTES

    def hold(self, said: Candidate) -> None:
        """Keep what waits until `learn` or `ask_no_more` gives it back, and see that it is asked
        for.
        """
        if said.game_id not in self._held and said.game_id and self._ask:
            self._ask(said.game_id)
        self._held.setdefault(said.game_id, []).append(said)
        self._count += 1
        self._bytes += len(said.entry.body)

    def learn(self, players: Mapping[str, frozenset[str] | None], now: float) -> list[Candidate]:
        """Take in who plays these games (None: that could not be read); what has waited for it, in
        order. If none could be read the table is left alone for a while, and nothing waits.
        """
        for game_id, found in players.items():
            if found is not None:
                self._players.learn(game_id, found, now)
        if all(found is None for found in players.values()):
            self._doubts_until = now + DOUBT_SECONDS
            return self._released(*self._held)
        return self._released(*players)

    def ask_no_more(self) -> list[Candidate]:
        """Let everybody in who is not known for a stranger; what has waited, in order."""
        self._ask = None
        return self._released(*self._held)

    def _released(self, *game_ids: str | None) -> list[Candidate]:
        released = [said for game_id in game_ids for said in self._held.pop(game_id, ())]
        self._count -= len(released)
        self._bytes -= sum(len(said.entry.body) for said in released)
        return released
