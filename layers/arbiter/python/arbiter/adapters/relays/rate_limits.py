"""The rates of a listener: token buckets, and what they allow of strangers' events in games
(docs/decisions/0025-a-line-for-each-player-of-a-game.md).

Invariant: memory is bounded, and no player counts as a stranger. Who was paired here is known;
another game's players are read once, when its first event comes, for which later ones wait; if the
table does not answer, all pass. Not thread-safe.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from arbiter.application.gateway.player_cache import PlayerCache
from arbiter.application.records import QueueEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """At most ``burst`` tokens, refilled at ``per_second``."""

    per_second: float
    burst: float


class TokenBuckets:
    """A token bucket for each key, in monotonic seconds; the longest unused is forgotten."""

    def __init__(self, rate: Rate, max_keys: int) -> None:
        self._rate = rate
        self._max_keys = max_keys
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def has_token(self, key: str, now_seconds: float) -> bool:
        return self._level(key, now_seconds) >= 1.0

    def take(self, key: str, now_seconds: float) -> bool:
        level = self._level(key, now_seconds)
        if level < 1.0:
            return False
        self._levels[key] = (level - 1.0, now_seconds)
        self._levels.move_to_end(key)
        if len(self._levels) > self._max_keys:
            self._levels.popitem(last=False)
        return True

    def _level(self, key: str, now_seconds: float) -> float:
        bucket = self._levels.get(key)
        if bucket is None:
            return self._rate.burst
        level, since = bucket
        refilled = max(0.0, now_seconds - since) * self._rate.per_second
        return min(self._rate.burst, level + refilled)


GAME_RATE = Rate(per_second=1.0, burst=10.0)
"""For all strangers in one game."""
ALL_RATE = Rate(per_second=5.0, burst=20.0)
"""For all strangers, and events without a game: a laptop decides a hundred a second."""
DOUBT_SECONDS = 5.0
"""Time for which the table is not asked after it did not answer."""

_MAX_GAMES = 8_000
_MAX_HELD = 500
_MAX_HELD_BYTES = 4_000_000


class Admission(Enum):
    """The fate of an event, by its author."""

    PASSES = auto()
    """They play this game, or that cannot be found out."""
    SHARES = auto()
    """It takes a token of the strangers."""
    TOO_MANY = auto()
    """They do not play this game, and the rate is used up."""
    WAITS = auto()
    """Until the game's players are known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry, with its author (64 hex digits) and the game that it names, if any."""

    entry: QueueEntry
    author: str
    game_id: str | None


Paired = deque[tuple[str, frozenset[str]]]
"""Ids of new games, each with its players (64 hex digits), from the thread that begins them."""


def no_pairs() -> Paired:
    """For the games that begin between two events of relays; others are read."""
    return deque(maxlen=1_000)


class StrangerLimiter:
    """The strangers' rates, known players, and held events. Times are monotonic seconds."""

    def __init__(self, ask: Callable[[str], None] | None, paired: Paired) -> None:
        """``ask`` requests a game's players, for ``learn``; without it any author may be one."""
        self._ask = ask
        self._paired = paired
        self._doubts_until = 0.0
        self._players = PlayerCache()
        self._of_game = TokenBuckets(GAME_RATE, _MAX_GAMES)
        self._of_all = TokenBuckets(ALL_RATE, 1)
        self._held: dict[str | None, list[Candidate]] = {}
        self._count = 0
        self._bytes = 0

    def admit(self, game_id: str | None, author: str, now: float) -> Admission:
        """Decide on an event of this author in this game (None: it names none)."""
        while self._paired:
            self._players.learn(*self._paired.popleft(), now)
        if game_id in self._held:
            return Admission.WAITS
        plays = False if game_id is None else self._players.plays(author, game_id, now)
        if plays:
            return Admission.PASSES
        if plays is None:
            return Admission.WAITS if self._ask and now >= self._doubts_until else Admission.PASSES
        if self._of_all.has_token("", now) and (
            game_id is None or self._of_game.has_token(game_id, now)
        ):
            return Admission.SHARES
        return Admission.TOO_MANY

    def take(self, game_id: str | None, now: float) -> None:
        self._of_all.take("", now)
        if game_id is not None:
            self._of_game.take(game_id, now)

    def has_room(self) -> bool:
        return self._count < _MAX_HELD and self._bytes < _MAX_HELD_BYTES

    def hold(self, candidate: Candidate) -> None:
        """Hold an entry until ``learn`` or ``ask_no_more``, and ask for the game's players."""
        if candidate.game_id not in self._held and candidate.game_id and self._ask:
            self._ask(candidate.game_id)
        self._held.setdefault(candidate.game_id, []).append(candidate)
        self._count += 1
        self._bytes += len(candidate.entry.body)

    def learn(self, players: Mapping[str, frozenset[str] | None], now: float) -> list[Candidate]:
        """Learn these games' players (None: unread); the entries that waited, in order."""
        for game_id, found in players.items():
            if found is not None:
                self._players.learn(game_id, found, now)
        if all(found is None for found in players.values()):
            self._doubts_until = now + DOUBT_SECONDS
            return self._released(*self._held)
        return self._released(*players)

    def ask_no_more(self) -> list[Candidate]:
        """Let all pass that are not known as strangers; returns the held entries, in order."""
        self._ask = None
        return self._released(*self._held)

    def _released(self, *game_ids: str | None) -> list[Candidate]:
        released = [one for game_id in game_ids for one in self._held.pop(game_id, ())]
        self._count -= len(released)
        self._bytes -= sum(len(candidate.entry.body) for candidate in released)
        return released
