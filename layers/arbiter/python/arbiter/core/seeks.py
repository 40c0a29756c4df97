"""Requests to play: seeks, which wait in a pool, and challenges, which wait for an answer."""

from dataclasses import dataclass, replace

from arbiter.core.commands import PendingCommand
from arbiter.core.early_ends import short_name
from arbiter.core.game import Seat
from arbiter.core.terms import OPEN, PLAIN, UNRATED, Terms

WAIT_MS = 30 * 60_000
"""Time for which a seek waits for an opponent; asking again renews it."""

RELAY_WAIT_MS = 2 * 60_000
"""Of one over a relay, where its author may leave unseen, but not without any tags."""

LEFT_MS = 10_000
"""Time after which the author of a seek at our gateway, seen to be gone, is out of the pool."""

LONG_WAIT_MS = 14 * 24 * 60 * 60_000
CHALLENGE_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Seek:
    """A player's request to play, waiting since ``asked_at_ms``. ``request_id`` is its event's id
    (64 hex digits), ``rating`` the player's at this speed.

    ``slot_id`` (64 hex digits) is a slot of its own, for players with many games at once, whose
    seeks wait for weeks; empty for the one slot that most players have. ``avoids`` holds short
    names of players whom this one is not paired with, each until when (unix ms). ``has_played``:
    the player has played here before. ``first_move`` is White's, where it came before an opponent.
    ``renewed_at_ms`` is when it was last asked for again, ``gone_at_ms`` when its author was first
    seen to have left; ``is_plain``: it has no tags, but for a name.
    """

    request_id: str
    seat: Seat
    asked_at_ms: int
    terms: Terms = PLAIN
    rating: int = UNRATED
    slot_id: str = ""
    avoids: tuple[tuple[bytes, int], ...] = ()
    has_played: bool = False
    first_move: PendingCommand | None = None
    renewed_at_ms: int = 0
    is_plain: bool = False
    gone_at_ms: int = 0

    @property
    def slot(self) -> str:
        return self.slot_id or self.seat.player

    def may_meet(self, other: "Seek", now_ms: int) -> bool:
        """Whether these two players may be paired from a pool, whatever their terms."""
        names = {short_name(self.seat.player), short_name(other.seat.player)}
        avoided = (*self.avoids, *other.avoids)
        return len(names) > 1 and not any(
            name in names and now_ms < until for name, until in avoided
        )

    @property
    def is_slow(self) -> bool:
        time = self.terms.time
        return time is None or not time.is_live

    @property
    def needs_presence(self) -> bool:
        """Whether its author has to be there to play: not for a game by days."""
        time = self.terms.time
        return not self.slot_id and (time is None or time.is_live)

    def waits_ms(self) -> int:
        if not self.needs_presence:
            return LONG_WAIT_MS
        return WAIT_MS if self.seat.at_gateway or self.is_plain else RELAY_WAIT_MS

    def is_over(self, now_ms: int) -> bool:
        return now_ms - max(self.asked_at_ms, self.renewed_at_ms) > self.waits_ms()

    def seen(self, now_ms: int, *, is_here: bool) -> "Seek | None":
        """The seek once its author was looked for; None if they have been gone for too long."""
        if is_here:
            return replace(self, gone_at_ms=0) if self.gone_at_ms else self
        if self.gone_at_ms and now_ms - self.gone_at_ms >= LEFT_MS:
            return None
        return self if self.gone_at_ms else replace(self, gone_at_ms=now_ms)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A request to play one opponent, or the first who accepts; it waits outside the pools."""

    seek: Seek

    @property
    def id(self) -> str:
        """32 hex digits, the first half of the request's id."""
        return self.seek.request_id[:CHALLENGE_ID_DIGITS]

    def expires_at_ms(self) -> int:
        return self.seek.asked_at_ms + (WAIT_MS if self.seek.needs_presence else LONG_WAIT_MS)

    @property
    def is_for_all(self) -> bool:
        return self.seek.terms.opponent == OPEN and self.seek.terms.link_key is None

    def is_for(self, player_id: str) -> bool:
        return player_id != self.seek.seat.player and self.seek.terms.opponent in (OPEN, player_id)
