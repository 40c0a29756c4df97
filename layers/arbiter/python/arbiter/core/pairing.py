"""Pairing: a seek meets a pool or a challenge, and a game begins or the seek waits. A slot has one
seek in a pool and one game in its place at most; slow games run beside that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from arbiter.core.commands import PendingCommand
from arbiter.core.early_ends import OPENING_PLIES, EarlyEnd, waits_until_ms, with_early_end
from arbiter.core.game import EVENT_KEY_BYTES, Game, Termination
from arbiter.core.new_games import new_game
from arbiter.core.replies import GameStarted, Queued, Reason, Reply, RequestRefused
from arbiter.core.seeks import Seek
from arbiter.core.terms import suit

FRESH_MS = 2 * 60_000
"""Greatest age of a request to play: an older one could be a replay."""

CHALLENGES_AT_ONCE = 8
"""Challenges of one player that may be open."""

REQUESTS_REMEMBERED = 32
"""Requests of one player that are remembered while they are fresh; more are refused."""

REFUSALS_REMEMBERED = 7
"""Refused requests remembered, for a relay may deliver them again."""

WAITING_IN_A_POOL = 128
"""Seeks that may wait in a pool, apart from those in slots; beyond that ``seek_to_evict`` names
one. Keys cost nothing, and some terms suit no other. Every request reads and writes the whole pool,
and a DynamoDB partition can write an item of this size about thirty times a second.
"""

LONG_SEEKS_OF_ONE, LONG_SEEKS_IN_A_POOL = 4, 64
"""Seeks with slots, of one player and all: a pool is one item."""


MAX_SLOW_GAMES = 50
"""Games beside the live one, 16 bytes of the player's item each; all are read at once."""


MAX_EVENT_GAMES = 8
"""Games of one player in tournaments that are remembered, the latest: they are listed."""


MAX_BLOCKED = 200
"""Keys that one player blocks: 6 KB of their item."""


class Place(Enum):
    """Where a game that begins is kept with its player."""

    ONE = auto()
    """In their one place."""
    BESIDE = auto()
    """Among the slow games; it is also the last game, as no other holds the one place."""
    BESIDE_ANOTHER = auto()
    """Among the slow games, while another game holds the one place."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Seeks under the same terms, longest waiting first."""

    name: str
    waiting: tuple[Seek, ...] = ()
    item_version: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """A player between games: this game and the one before, the pool, and open challenges.
    ``set_aside`` are those open when the game began (``restored``); ``sought`` the seek by which it
    began, to wait again. ``slow_games`` run beside, some perhaps ended; ``event_games`` are
    tournaments'.

    ``requests`` has the first bytes of requests answered lately, and when (unix ms); ``refused``
    those that might be accepted later; ``early_ends`` the last hour's; ``blocked`` keys.
    """

    id: str
    game_id: str | None = None
    waits_in: str | None = None
    challenges: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    sought: Seek | None = None
    former_game_id: str | None = None
    requests: tuple[tuple[bytes, int], ...] = ()
    refused: tuple[bytes, ...] = ()
    early_ends: tuple[EarlyEnd, ...] = ()
    slow_games: tuple[str, ...] = ()
    event_games: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    item_version: int = 0

    def remembers(self, request_id: str) -> bool:
        key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
        return key in self.refused or any(known == key for known, _ in self.requests)

    def was_refused(self, request_id: str) -> bool:
        return bytes.fromhex(request_id)[:EVENT_KEY_BYTES] in self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The values to store, and the replies. A value that did not change is the same object."""

    pool: Pool
    player: Player
    opponent: Player | None = None
    game: Game | None = None
    replies: tuple[Reply, ...]


def clock_objection(made_at_ms: int, now_ms: int, allowed_ms: int) -> str | None:
    """By how much the date of a request is further off than is allowed; None if it is not."""
    off_ms = now_ms - made_at_ms
    if abs(off_ms) <= allowed_ms:
        return None
    where = "behind" if off_ms > 0 else "ahead of"
    off_seconds, allowed_seconds = round(abs(off_ms) / 1000), allowed_ms // 1000
    return f"created_at is {off_seconds} s {where} our clock, and {allowed_seconds} s are allowed"


def refuse_stale_or_flood(
    player: Player, seek: Seek, made_at_ms: int, now_ms: int
) -> RequestRefused | None:
    """The refusal of a request that is stale, or one too many; a slot remembers its own."""
    if not seek.slot_id and (text := clock_objection(made_at_ms, now_ms, FRESH_MS)):
        return RequestRefused(seek.seat, Reason.STALE, f"{text}: set your clock, or ask again")
    counted = player.requests if seek.slot_id else _still_fresh(player, now_ms)
    if len(counted) >= REQUESTS_REMEMBERED:
        return RequestRefused(
            seek.seat, Reason.RATE_LIMITED, "too many requests to play: wait two minutes"
        )
    return None


def refuse_early_leaver(player: Player, seek: Seek, now_ms: int) -> RequestRefused | None:
    wait_ms = waits_until_ms(player.early_ends, now_ms) - now_ms
    if wait_ms <= 0:
        return None
    text = (
        f"you ended several games before both had moved: ask again in {-(-wait_ms // 1000)} seconds"
    )
    return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)


def refuse_crowded(pool: Pool, seek: Seek, now_ms: int) -> RequestRefused | None:
    """The refusal of a seek with a slot of its own when too many such wait, or None."""
    if not seek.slot_id:
        return None
    others = [s for s in pool.waiting if s.slot != seek.slot and not s.is_over(now_ms)]
    long_lived = [s for s in others if s.slot_id]
    if sum(s.seat.player == seek.seat.player for s in long_lived) >= LONG_SEEKS_OF_ONE:
        text = f"{LONG_SEEKS_OF_ONE} invitations of yours wait already"
        return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)
    if len(long_lived) >= LONG_SEEKS_IN_A_POOL:
        text = "too many wait already: invite again in some days"
        return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)
    return None


def seek_to_evict(waiting: tuple[Seek, ...]) -> Seek | None:
    """The seek that leaves a full pool for a new one; None while there is room. It is the longest
    waiting of the larger group: players who have played here, or who have not. So a flood of fresh
    keys displaces only fresh keys. Seeks with a slot of their own stay.
    """
    short_lived = [seek for seek in waiting if not seek.slot_id]
    if len(short_lived) < WAITING_IN_A_POOL:
        return None
    have_played = [seek for seek in short_lived if seek.has_played]
    have_not = [seek for seek in short_lived if not seek.has_played]
    return max(have_not, have_played, key=len)[0]


def opponents(pool: Pool, seek: Seek, now_ms: int) -> Iterator[Seek]:
    """The waiting seeks that suit this one and have not expired, longest waiting first."""
    for other in pool.waiting:
        if (
            seek.may_meet(other, now_ms)
            and not other.is_over(now_ms)
            and suit(seek.terms, seek.rating, other.terms, other.rating)
        ):
            yield other


def pair(
    pool: Pool,
    asking: Player,
    seek: Seek,
    other: Seek | None,
    opponent: Player | None,
    now_ms: int,
    pairing_key: bytes,
    places: tuple[Place, Place] = (Place.ONE, Place.ONE),
) -> Pairing:
    """Pair this seek with the ``other`` of ``opponent``, or let it wait, in its old place if it
    waits. ``asking`` remembers the request; ``places`` are for both. The caller has applied
    ``refuse_stale_or_flood``.
    """
    gone = tuple(s for s in pool.waiting if s.is_over(now_ms))
    kept = tuple(s for s in pool.waiting if s not in gone and s.slot != asking.id)
    refusals = tuple(
        RequestRefused(s.seat, Reason.STALE, f"no opponent in {_words(s.waits_ms())}: ask again")
        for s in gone
        if s.slot != asking.id
    )
    if other is None or opponent is None:
        if evicted := seek_to_evict(kept):
            kept = tuple(s for s in kept if s != evicted)
            text = "removed from a full pool: ask again"
            refusals = (*refusals, RequestRefused(evicted.seat, Reason.RATE_LIMITED, text))
        own = next((s for s in pool.waiting if s.slot == asking.id and s not in gone), None)
        if own and own.terms == seek.terms:
            seek = replace(seek, asked_at_ms=own.asked_at_ms, renewed_at_ms=now_ms)
        in_order = tuple(sorted((*kept, seek), key=lambda one: one.asked_at_ms))
        waiting = replace(pool, waiting=in_order)
        asking = replace(asking, waits_in=pool.name, sought=None)
        return Pairing(pool=waiting, player=asking, replies=(*refusals, Queued(seek.seat)))
    is_at_once = not (seek.slot_id or other.slot_id)
    game = new_game(seek, other, now_ms, pairing_key, from_pool=is_at_once)
    own_sought, other_sought = (seek, other) if is_at_once else (None, None)
    asking, opponent = replace(asking, waits_in=None), replace(opponent, waits_in=None)
    return Pairing(
        pool=replace(pool, waiting=tuple(s for s in kept if s != other)),
        player=seated(asking, game, sought=own_sought, place=places[0]),
        opponent=seated(opponent, game, sought=other_sought, place=places[1]),
        game=game,
        replies=(*refusals, GameStarted(game)),
    )


def seated(
    player: Player,
    game: Game,
    taken: str = "",
    sought: Seek | None = None,
    place: Place = Place.ONE,
) -> Player:
    """The player with this game: in their one place they leave the pool, other challenges set
    aside. ``taken`` is the challenge that made it, ``sought`` the seek.
    """
    if game.id in (player.game_id, *player.slow_games):
        return player
    aside = tuple(id_ for id_ in player.challenges if id_ != taken)
    if place is not Place.ONE:
        # Who plays without a clock is there, and expects no other opponent.
        waits_in = None if game.clocks is None else player.waits_in
        games = (*player.slow_games, game.id)
        player = replace(player, challenges=aside, slow_games=games, waits_in=waits_in)
        if place is Place.BESIDE_ANOTHER:
            return player
        return replace(player, game_id=game.id, former_game_id=player.game_id, sought=sought)
    return replace(
        player,
        game_id=game.id,
        former_game_id=player.game_id,
        waits_in=None,
        challenges=(),
        set_aside=aside,
        sought=sought,
    )


def with_event_game(player: Player, game_id: str) -> Player:
    others = tuple(one for one in player.event_games if one != game_id)
    return replace(player, event_games=(*others, game_id)[-MAX_EVENT_GAMES:])


def after_last_game(
    player: Player, last: Game | None, now_ms: int, before: Game | None = None
) -> Player:
    """The player after their ``last`` game: challenges restored, an early end added. Idempotent."""
    ends = with_early_end(player.early_ends, last, player.id, now_ms, before)
    return replace(restored(player, last), early_ends=ends)


def restored(player: Player, last: Game | None) -> Player:
    """The player with the challenges from before a ``last`` game that hardly began."""
    if last is None or last.id != player.game_id or last.outcome is None:
        return player
    if last.outcome.termination is not Termination.ABORTED and last.ply >= OPENING_PLIES:
        return player
    open_challenges = (*player.set_aside, *player.challenges)
    return replace(player, challenges=open_challenges, set_aside=())


def without(pool: Pool, player_id: str) -> Pool:
    return replace(pool, waiting=tuple(s for s in pool.waiting if s.slot != player_id))


def remember_request(
    player: Player, request_id: str, made_at_ms: int, now_ms: int, *, at_any_age: bool = False
) -> Player:
    """The player with this request, without those no longer fresh, or ``at_any_age`` with all."""
    key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
    # Counted from now at least, or a backdated request would be forgotten at once.
    counted_from_ms = max(made_at_ms, now_ms)
    kept = player.requests if at_any_age else _still_fresh(player, now_ms)
    return replace(player, requests=(*kept, (key, counted_from_ms)))


def remember_refusal(player: Player, request_id: str) -> Player:
    key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
    return replace(player, refused=(*player.refused, key)[-REFUSALS_REMEMBERED:])


def heard_at_gateway(pool: Pool, player: Player, request_id: str) -> tuple[Pool, Player]:
    """Pool and player once this relay's request came over our gateway too, or as they were."""

    def heard(seek: Seek) -> Seek:
        if seek.request_id != request_id or seek.seat.at_gateway:
            return seek
        return replace(seek, seat=replace(seek.seat, at_gateway=True))

    waiting = tuple(map(heard, pool.waiting))
    sought = heard(player.sought) if player.sought else None
    # A seat over a relay equals one at the gateway.
    if any(one is not was for one, was in zip(waiting, pool.waiting, strict=True)):
        pool = replace(pool, waiting=waiting)
    return pool, player if sought is player.sought else replace(player, sought=sought)


def with_first_move(pool: Pool, slot: str, first_move: PendingCommand) -> Pool:
    """The pool with this move kept for the game of the seek in this slot."""
    waiting = (
        replace(seek, first_move=first_move) if seek.slot == slot else seek for seek in pool.waiting
    )
    return replace(pool, waiting=tuple(waiting))


def _words(waits_ms: int) -> str:
    minutes = waits_ms // 60_000
    return "two weeks" if minutes > 60 else "half an hour" if minutes > 2 else "two minutes"  # noqa: PLR2004


def _still_fresh(player: Player, now_ms: int) -> tuple[tuple[bytes, int], ...]:
    # A request dated up to FRESH_MS ahead stays acceptable for twice that long.
    return tuple(request for request in player.requests if abs(now_ms - request[1]) <= FRESH_MS)
