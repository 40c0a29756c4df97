"""The games of kind 30 that a listener follows: their moves need not name the arbiter, but a start.

The starts are learned from relays, which keep kind 30: those that name the arbiter, those that the
arbiter's own moves name, and those that name an opponent, if one of the two names the arbiter in a
move. So nothing is stored. Thread-safe, and bounded: strangers can push out games that hardly
began, never those in which the arbiter has moved.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from arbiter.adapters.relays.followed_tournaments import FollowedTournaments
from arbiter.adapters.relays.rate_limits import Rate, TokenBuckets
from arbiter.core.outages import RelayUptime
from arbiter.dialects.jester import wire
from arbiter.dialects.jester.encode import DATED_BACK_SECONDS
from arbiter.nostr.event import NostrEvent, VerifiedEvent, verify
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import MAX_AGE_SECONDS

MAX_GAMES = 200
"""Games of each sort. A REQ with both has 30 KB."""

STRANGERS_RATE = Rate(per_second=5.0, burst=500.0)
"""Of games that others tell of; the burst is a REQ's after a stop, renewed later."""

_MAX_SOUGHT = 50
_MAX_TOLD = 5_000
_LIMIT = 500
_DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class _Game:
    """A game that is followed or sought: ``is_whole``, however old; the version it came with."""

    is_whole: bool
    version: int


class FollowedGames:
    """A game is followed for ``days`` after a move; ``opens``: open starts are requests, too."""

    def __init__(
        self, server: str, unix_seconds: Callable[[], int], *, days: int, opens: bool = False
    ) -> None:
        self._server = server
        self._unix_seconds = unix_seconds
        self._days = days
        self._opens = opens
        self._since: int | None = None
        self._lock = threading.Lock()
        self._tournaments = FollowedTournaments(server)
        # By start.
        self._begun: OrderedDict[str, _Game] = OrderedDict()
        self._played: OrderedDict[str, _Game] = OrderedDict()
        # By start that is not known yet, with the player who named the arbiter.
        self._sought: OrderedDict[str, _Game] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()
        """The ids of the latest events that told of these."""
        self._strangers = TokenBuckets(STRANGERS_RATE, 1)
        self.version = 0
        """Rises when there is more to ask for."""
        self.stops_known = 0
        """1 once it is known what was missed: then all of it is asked for again."""

    def catch_up(self, uptime: RelayUptime | None) -> None:
        """Pass on what was published since a relay was last heard (None: unknown, so all)."""
        with self._lock:
            noted_at = uptime.reported_at_ms // 1000 if uptime else 0
            self._since = max(noted_at - MAX_AGE_SECONDS, 0)
            self.version += 1
            self.stops_known = 1

    def filters(self, *, is_first: bool) -> tuple[Filter, ...]:
        """The filters of what may tell of a game: of all days kept if ``is_first``, else recent."""
        with self._lock:
            oldest = self._oldest()
        wide = self._kept() if is_first else self._recent()
        addressed = _asked(wide, p=(self._server,))
        referring = _asked(wide, e=(wire.private_reference(self._server),))
        own = replace(_asked(max(wide - DATED_BACK_SECONDS, 0)), authors=(self._server,))
        opened = (_asked(max(wide, oldest), e=(wire.START,)),) if self._opens else ()
        shown = self._tournaments.shown(None if is_first else wide)
        return (addressed, referring, own, *opened, shown)

    def filters_of_games(self, asked: int, limit: int = _LIMIT) -> tuple[Filter, ...]:
        """The filters of recent events for a relay last asked at ``asked``."""
        with self._lock:
            games = (*self._played, *self._begun)
            sought = tuple(dict.fromkeys(key.split()[0] for key in self._sought))
            tournaments = tuple(self._tournaments.filters(asked, self._recent()))
        of_games = (replace(_asked(self._recent(), e=games), limit=limit),) if games else ()
        of_sought = (Filter(kinds=(wire.KIND,), ids=sought),) if sought else ()
        return (*of_games, *of_sought, *tournaments)

    def filters_of_new_games(self, asked: int) -> tuple[Filter, ...]:
        """The filters of all events of the games that are newer than the version ``asked``."""
        with self._lock:
            games = {**self._played, **self._begun}
            new = {start: game for start, game in games.items() if game.version > asked}
            is_whole = any(game.is_whole for game in new.values())
            deep = max(self._kept(), 0 if is_whole else self._oldest())
        return (_asked(deep, e=tuple(new)),) if new else ()

    def learn(self, event: NostrEvent) -> bool:
        """Follow this event's game or tournament, if it is ours; verified. False for too many."""
        if event.kind != wire.KIND:
            with self._lock:
                self.version += self._tournaments.learn(event, self.version + 1)
            return True
        is_ours, now = event.pubkey == self._server, self._unix_seconds()
        with self._lock:
            is_old = event.id in self._told and not self._who_sought(event)
            games = None if is_old else self._games_told_by(event)
            if games is None:
                return True
            kept, key = games
            if key in kept or (kept is not self._played and key.split()[0] in self._played):
                return True
            if not is_ours and not self._strangers.has_token("", now):
                return False
        if not isinstance(verify(event), VerifiedEvent):
            return True
        with self._lock:
            if not is_ours:
                self._strangers.take("", now)
            self._told[event.id] = None
            if len(self._told) > _MAX_TOLD:
                self._told.popitem(last=False)
            self.version += 1
            if kept is self._sought:
                # A new move makes the game one of ours, with all that was played before.
                kept[key] = _Game(event.created_at >= self._oldest(), self.version)
            else:
                # All of them, so that none is sought any more.
                sought = [self._sought.pop(one) for one in self._who_sought(event)]
                kept[key] = _Game(any(one.is_whole for one in sought), self.version)
            if len(kept) > (_MAX_SOUGHT if kept is self._sought else MAX_GAMES):
                kept.popitem(last=False)
        return True

    def _games_told_by(self, event: NostrEvent) -> tuple[OrderedDict[str, _Game], str] | None:
        """A start, and where it belongs; None if the event tells of no game of ours."""
        if wire.is_start(event):
            if event.pubkey == self._server:
                return self._played, event.id
            is_ours = wire.names(event, self._server) or bool(self._who_sought(event))
            return (self._begun, event.id) if is_ours or self._is_open(event) else None
        start = next(iter(wire.references(event)), None)
        if start is None:
            return None
        if event.pubkey == self._server:
            return self._played, start
        is_sought = self._server in wire.named_players(event) and start not in self._begun
        return (self._sought, f"{start} {event.pubkey}") if is_sought else None

    def _who_sought(self, start: NostrEvent) -> list[str]:
        """The keys of what was sought of a game that has two players: those by one of them."""
        opponents = [player for player in wire.named_players(start) if player != start.pubkey]
        keys = (f"{start.id} {player}" for player in (start.pubkey, *opponents) if opponents)
        return [key for key in keys if key in self._sought]

    def wants(self, event: NostrEvent) -> bool:
        """Whether it is an event of a followed game, or what a tournament waits for."""
        if event.kind != wire.KIND:
            with self._lock:
                return self._tournaments.wants(event)
        start = wire.start_named_by(event)
        with self._lock:
            for games in (self._played, self._begun):
                if start is not None and start in games:
                    games.move_to_end(start)
                    return games[start].is_whole or event.created_at >= self._oldest()
        return False

    def _recent(self) -> int:
        return max(self._unix_seconds() - MAX_AGE_SECONDS, 0)

    def _kept(self) -> int:
        return max(self._unix_seconds() - self._days * _DAY_SECONDS, 0)

    def _oldest(self) -> int:
        return self._recent() if self._since is None else self._since

    def _is_open(self, event: NostrEvent) -> bool:
        if not self._opens or event.created_at < self._oldest():
            return False
        return wire.START in wire.references(event) and not wire.named_players(event)


def _asked(since: int, **tags: tuple[str, ...]) -> Filter:
    return Filter(kinds=(wire.KIND,), tags=tags, since=since, limit=_LIMIT)
