"""Who plays whom: one request to play, one pool of waiting players, one answer.

The law: the game's id and the colours are derived from the two requests, so that a request
delivered twice can only make the same game. A player holds at most one place in the pool and one
live game.
"""

from dataclasses import dataclass, replace
from hashlib import sha256

from arbiter.core.model import CAUSE_BYTES, Game, Seat
from arbiter.core.replies import GameStarted, Queued, Reason, Reply, RequestRefused

FRESH_MS = 2 * 60_000
"""A request to play belongs to no game whose memory could know it again, so an older one is
refused.
"""

WAIT_MS = 30 * 60_000
"""How long a request waits for an opponent; asking again renews it."""

REQUESTS_REMEMBERED = 32
"""How many requests of one player are remembered while they are fresh; more than that is refused.
"""


@dataclass(frozen=True, slots=True)
class Seek:
    """One player's wish to play, waiting since ``asked_at_ms``. ``request_id`` is the id of the
    request (64 hex).
    """

    request_id: str
    seat: Seat
    asked_at_ms: int


@dataclass(frozen=True, slots=True)
class Pool:
    """Those who wait under the same terms, longest first."""

    name: str
    waiting: tuple[Seek, ...] = ()
    version: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """What is remembered of a player between games.

    ``requests`` holds what was answered lately: the first bytes of the request's id, and when it
    was answered, or made if that is later (unix ms).
    """

    id: str
    game_id: str | None = None
    requests: tuple[tuple[bytes, int], ...] = ()
    version: int = 0

    def remembers(self, request_id: str) -> bool:
        """Whether this request was answered before."""
        key = bytes.fromhex(request_id)[:CAUSE_BYTES]
        return any(known == key for known, _ in self.requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """How pool, players and games should stand now, and what to say. Unchanged values are the very
    same objects.
    """

    pool: Pool
    player: Player
    opponent: Player | None = None
    game: Game | None = None
    replies: tuple[Reply, ...]


def screen(player: Player, seek: Seek, made_at_ms: int, now_ms: int) -> RequestRefused | None:
    """Refuse a request that is not fresh, or one too many of the same player's."""
    if abs(now_ms - made_at_ms) > FRESH_MS:
        return RequestRefused(
            seek.seat,
            Reason.STALE,
            "created_at is more than two minutes off: ask again, or set your clock",
        )
    if len(_still_fresh(player, now_ms)) >= REQUESTS_REMEMBERED:
        return RequestRefused(
            seek.seat, Reason.RATE_LIMITED, "too many requests to play: wait two minutes"
        )
    return None


def next_opponent(pool: Pool, player_id: str, now_ms: int) -> Seek | None:
    """The longest waiting player other than this one whose wish still stands."""
    return next(
        (s for s in pool.waiting if s.seat.player != player_id and not _expired(s, now_ms)), None
    )


def pair(
    pool: Pool, player: Player, seek: Seek, opponent: Player | None, made_at_ms: int, now_ms: int
) -> Pairing:
    """Pair this seek with ``next_opponent``'s, whose record is ``opponent``; or let it wait.

    A request that was refused by ``screen`` never gets here, nor one of a player whose game goes
    on.
    """
    asking = remember_request(player, seek.request_id, made_at_ms, now_ms)
    gone = tuple(s for s in pool.waiting if _expired(s, now_ms))
    kept = tuple(s for s in pool.waiting if s not in gone and s.seat.player != player.id)
    told = tuple(
        RequestRefused(s.seat, Reason.STALE, "nobody came in half an hour: ask again")
        for s in gone
        if s.seat.player != player.id
    )
    other = next_opponent(pool, player.id, now_ms)
    if other is None or opponent is None:
        waiting = replace(pool, waiting=(*kept, seek))
        return Pairing(pool=waiting, player=asking, replies=(*told, Queued(seek.seat)))
    game = new_game(seek, other, now_ms)
    return Pairing(
        pool=replace(pool, waiting=tuple(s for s in kept if s != other)),
        player=replace(asking, game_id=game.id),
        opponent=replace(opponent, game_id=game.id),
        game=game,
        replies=(*told, GameStarted(game)),
    )


def remember_request(player: Player, request_id: str, made_at_ms: int, now_ms: int) -> Player:
    """The player with this request among those that were answered, and the ones too old to matter
    forgotten.
    """
    key = bytes.fromhex(request_id)[:CAUSE_BYTES]
    # Never counted from before now: who dates his requests back would have them forgotten at once.
    counted_from_ms = max(made_at_ms, now_ms)
    return replace(player, requests=(*_still_fresh(player, now_ms), (key, counted_from_ms)))


def new_game(one: Seek, other: Seek, now_ms: int) -> Game:
    """The game that these two requests make: the same one whichever comes first."""
    first, second = sorted((one, other), key=lambda seek: seek.request_id)
    digest = sha256(f"game:{first.request_id}:{second.request_id}".encode()).digest()
    white, black = (first, second) if digest[-1] % 2 == 0 else (second, first)
    return Game(
        id=digest[:16].hex(),
        white=white.seat,
        black=black.seat,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
    )


def _expired(seek: Seek, now_ms: int) -> bool:
    return now_ms - seek.asked_at_ms > WAIT_MS


def _still_fresh(player: Player, now_ms: int) -> tuple[tuple[bytes, int], ...]:
    # A request dated up to FRESH_MS ahead stays acceptable for twice that long.
    return tuple(request for request in player.requests if abs(now_ms - request[1]) <= FRESH_MS)
