"""Who plays whom: one request to play, a pool of waiting players or a challenge, one answer.

A game's id, colours and Chess960 position are an HMAC of the two requests under ``pairing_key``, a
secret of the arbiter's: a request delivered twice can only make the same game, and a player who
sees the other request on a relay cannot search for one of their own that gives them White. A player
holds at most one place in the pool and one live game.
"""

import hmac
from dataclasses import dataclass, replace

import chess

from arbiter.core.clocks import start_clocks
from arbiter.core.early_ends import OPENING_PLIES, EarlyEnd, noted, waits_until_ms
from arbiter.core.game import EVENT_KEY_BYTES, GAME_ID_BYTES, Game, Seat, Termination, Variant
from arbiter.core.replies import GameStarted, Queued, Reason, Reply, RequestRefused
from arbiter.core.seeks import Seek
from arbiter.core.terms import ColorPreference, suit

FRESH_MS = 2 * 60_000
"""A request to play belongs to no game whose memory could know it again, so an older one is
refused.
"""

CHALLENGES_AT_ONCE = 8
"""How many challenges of one player may stand."""

REQUESTS_REMEMBERED = 32
"""How many requests of one player are remembered while they are fresh; more than that is refused.
"""

REFUSALS_REMEMBERED = 7
"""How many refused requests of one player are remembered, for a relay may say them again when they
would not be refused.
"""

WAITING_IN_A_POOL = 128
"""How many wait in a pool at most, beside the patient; then another ``gives_way``. Keys cost
nothing, and there are wishes that suit nobody. Every request reads and writes the whole pool, and a
partition of DynamoDB writes so many wishes some thirty times a second.
"""

PATIENT_OF_ONE, PATIENT_IN_A_POOL = 4, 64
"""How many wishes that wait for weeks one player may have in a pool, and all together: whoever else
asks there reads and writes the whole pool.
"""


@dataclass(frozen=True, slots=True)
class Pool:
    """Those who wait under the same terms, longest first."""

    name: str
    waiting: tuple[Seek, ...] = ()
    item_version: int = 0


@dataclass(frozen=True, slots=True)
class Player:
    """What is remembered of a player between games: their game and the one before it, the pool they
    wait in, and the challenges that they made and that still stand. ``set_aside`` are those that
    stood when their game began: see ``restored``.

    ``requests`` holds what was answered lately: the first bytes of the request's id, and when it
    was answered, or made if that is later (unix ms). ``refused`` holds the first bytes of those
    that another hour would have accepted. ``early_ends`` are the games of the last hour that ended
    before both had moved.
    """

    id: str
    game_id: str | None = None
    waits_in: str | None = None
    challenges: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    former_game_id: str | None = None
    requests: tuple[tuple[bytes, int], ...] = ()
    refused: tuple[bytes, ...] = ()
    early_ends: tuple[EarlyEnd, ...] = ()
    item_version: int = 0

    def remembers(self, request_id: str) -> bool:
        """Whether this request was answered before."""
        key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
        return key in self.refused or any(known == key for known, _ in self.requests)

    def was_refused(self, request_id: str) -> bool:
        """Whether this request is remembered as one that was refused."""
        return bytes.fromhex(request_id)[:EVENT_KEY_BYTES] in self.refused


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
    """Refuse a request that is not fresh, or one too many of the same player's. Where each request
    has a place of its own, that place remembers it, however late it comes.
    """
    if not seek.slot_id and abs(now_ms - made_at_ms) > FRESH_MS:
        off_seconds = round(abs(now_ms - made_at_ms) / 1000)
        where = "behind" if made_at_ms < now_ms else "ahead of"
        text = (
            f"created_at is {off_seconds} s {where} our clock, and {FRESH_MS // 1000} s are allowed"
        )
        return RequestRefused(seek.seat, Reason.STALE, f"{text}: set your clock, or ask again")
    counted = player.requests if seek.slot_id else _still_fresh(player, now_ms)
    if len(counted) >= REQUESTS_REMEMBERED:
        return RequestRefused(
            seek.seat, Reason.RATE_LIMITED, "too many requests to play: wait two minutes"
        )
    return None


def must_wait(player: Player, seek: Seek, now_ms: int) -> RequestRefused | None:
    """Refuse a game with a stranger to a player who has just ended too many before they began."""
    wait_ms = waits_until_ms(player.early_ends, now_ms) - now_ms
    if wait_ms <= 0:
        return None
    text = (
        f"you ended several games before both had moved: ask again in {-(-wait_ms // 1000)} seconds"
    )
    return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)


def crowded(pool: Pool, seek: Seek, now_ms: int) -> RequestRefused | None:
    """Refuse a patient wish that would wait with too many others like it."""
    if not seek.slot_id:
        return None
    others = [s for s in pool.waiting if s.slot != seek.slot and not _expired(s, now_ms)]
    patient = [s for s in others if s.slot_id]
    if sum(s.seat.player == seek.seat.player for s in patient) >= PATIENT_OF_ONE:
        text = f"{PATIENT_OF_ONE} invitations of yours wait already"
        return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)
    if len(patient) >= PATIENT_IN_A_POOL:
        text = "too many wait already: invite again in some days"
        return RequestRefused(seek.seat, Reason.RATE_LIMITED, text)
    return None


def gives_way(waiting: tuple[Seek, ...]) -> Seek | None:
    """Who leaves a pool where one more would find no room; None while there is some.

    It is the longest waiting, for they suit nobody who came since: of those who have played here or
    of those who have not, whichever are more. So a flood of fresh keys pushes out none but fresh
    keys, and one of keys that have played leaves half the pool to newcomers. The patient stay.
    """
    hasty = [seek for seek in waiting if not seek.slot_id]
    if len(hasty) < WAITING_IN_A_POOL:
        return None
    have_played = [seek for seek in hasty if seek.has_played]
    have_not = [seek for seek in hasty if not seek.has_played]
    return max(have_not, have_played, key=len)[0]


def next_opponent(pool: Pool, seek: Seek, now_ms: int) -> Seek | None:
    """The longest waiting player who suits this one, and whose wish still stands."""
    return next(
        (
            other
            for other in pool.waiting
            if seek.may_meet(other, now_ms)
            and not _expired(other, now_ms)
            and suit(seek.terms, seek.rating, other.terms, other.rating)
        ),
        None,
    )


def pair(
    pool: Pool,
    asking: Player,
    seek: Seek,
    opponent: Player | None,
    now_ms: int,
    pairing_key: bytes,
) -> Pairing:
    """Pair this seek with ``next_opponent``'s, whose record is ``opponent``; or let it wait.
    ``asking`` remembers the request.

    A request that was refused by ``screen`` never gets here, nor one of a player whose game goes
    on.
    """
    gone = tuple(s for s in pool.waiting if _expired(s, now_ms))
    kept = tuple(s for s in pool.waiting if s not in gone and s.slot != asking.id)
    told = tuple(
        RequestRefused(s.seat, Reason.STALE, f"nobody came in {_wait(s)}: ask again")
        for s in gone
        if s.slot != asking.id
    )
    other = next_opponent(pool, seek, now_ms)
    if other is None or opponent is None:
        if out := gives_way(kept):
            kept = tuple(s for s in kept if s != out)
            text = "others came, and no more find room: ask again"
            told = (*told, RequestRefused(out.seat, Reason.RATE_LIMITED, text))
        waiting = replace(pool, waiting=(*kept, seek))
        asking = replace(asking, waits_in=pool.name)
        return Pairing(pool=waiting, player=asking, replies=(*told, Queued(seek.seat)))
    game = new_game(seek, other, now_ms, pairing_key)
    return Pairing(
        pool=replace(pool, waiting=tuple(s for s in kept if s != other)),
        player=seated(asking, game),
        opponent=seated(opponent, game),
        game=game,
        replies=(*told, GameStarted(game)),
    )


def seated(player: Player, game: Game, taken: str = "") -> Player:
    """The player at the board: they wait nowhere and challenge nobody. ``taken`` is the id of the
    challenge that made the game; the others are set aside.
    """
    if player.game_id == game.id:
        return player
    aside = tuple(id_ for id_ in player.challenges if id_ != taken)
    return replace(
        player,
        game_id=game.id,
        former_game_id=player.game_id,
        waits_in=None,
        challenges=(),
        set_aside=aside,
    )


def after_last_game(
    player: Player, last: Game | None, now_ms: int, before: Game | None = None
) -> Player:
    """The player with what follows from their ``last`` game, and the one ``before`` it: challenges
    restored, and an early end noted. The same however often it is asked.
    """
    ends = noted(player.early_ends, last, player.id, now_ms, before)
    return replace(restored(player, last), early_ends=ends)


def restored(player: Player, last: Game | None) -> Player:
    """The player with the challenges that stood when their ``last`` game began, if it was called
    off or ended before both had moved: or a stranger could take an open challenge, abort or resign,
    and so remove all others.
    """
    if last is None or last.id != player.game_id or last.outcome is None:
        return player
    if last.outcome.termination is not Termination.ABORTED and last.ply >= OPENING_PLIES:
        return player
    standing = (*player.set_aside, *player.challenges)
    return replace(player, challenges=standing, set_aside=())


def without(pool: Pool, player_id: str) -> Pool:
    """The pool when this player waits there no more."""
    return replace(pool, waiting=tuple(s for s in pool.waiting if s.slot != player_id))


def remember_request(
    player: Player, request_id: str, made_at_ms: int, now_ms: int, *, at_any_age: bool = False
) -> Player:
    """The player with this request among those that were answered, and the ones too old to matter
    forgotten. None are too old where a request may come ``at_any_age``.
    """
    key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
    # Never counted from before now: who dates his requests back would have them forgotten at once.
    counted_from_ms = max(made_at_ms, now_ms)
    kept = player.requests if at_any_age else _still_fresh(player, now_ms)
    return replace(player, requests=(*kept, (key, counted_from_ms)))


def remember_refusal(player: Player, request_id: str) -> Player:
    """The player with this request among the last that were refused."""
    key = bytes.fromhex(request_id)[:EVENT_KEY_BYTES]
    return replace(player, refused=(*player.refused, key)[-REFUSALS_REMEMBERED:])


def new_game(one: Seek, other: Seek, now_ms: int, pairing_key: bytes) -> Game:
    """The game that these two requests make: the same one whichever comes first."""
    first, second = sorted((one, other), key=lambda seek: seek.request_id)
    digest = _drawn(pairing_key, "game", first.request_id, second.request_id)
    white, black = (first, second) if digest[-1] % 2 == 0 else (second, first)
    if white.terms.color is ColorPreference.BLACK or black.terms.color is ColorPreference.WHITE:
        white, black = black, white
    terms = one.terms
    start_fen = one.terms.start_fen or other.terms.start_fen
    if start_fen is None and terms.variant is Variant.CHESS960:
        start_fen = _one_of_960(digest)
    game = Game(
        id=digest[:GAME_ID_BYTES].hex(),
        white=white.seat,
        black=black.seat,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
        start_fen=start_fen or chess.STARTING_FEN,
        rated=terms.rated,
        variant=terms.variant,
        clocks=start_clocks(terms.time, now_ms) if terms.time else None,
    )
    return game.with_timer()


def rematch(
    game: Game, white: Seat, black: Seat, request_id: str, now_ms: int, pairing_key: bytes
) -> Game:
    """The same game again, with these seats; ``request_id`` is the event that agreed to it."""
    digest = _drawn(pairing_key, "rematch", game.id, request_id)
    start_fen = game.start_fen
    if game.variant is Variant.CHESS960:
        start_fen = _one_of_960(digest)
    following = Game(
        id=digest[:GAME_ID_BYTES].hex(),
        white=white,
        black=black,
        created_at_ms=now_ms,
        changed_at_ms=now_ms,
        start_fen=start_fen,
        rated=game.rated,
        variant=game.variant,
        clocks=start_clocks(game.clocks.control, now_ms) if game.clocks else None,
    )
    return following.with_timer()


def _drawn(pairing_key: bytes, *parts: str) -> bytes:
    """32 bytes that only the holder of the key can foresee: the drawing of lots."""
    return hmac.digest(pairing_key, ":".join(parts).encode(), "sha256")


def _one_of_960(digest: bytes) -> str:
    return chess.Board.from_chess960_pos(int.from_bytes(digest[16:24]) % 960).fen()


def _expired(seek: Seek, now_ms: int) -> bool:
    return now_ms - seek.asked_at_ms > seek.waits_ms()


def _wait(seek: Seek) -> str:
    return "two weeks" if seek.slot_id else "half an hour"


def _still_fresh(player: Player, now_ms: int) -> tuple[tuple[bytes, int], ...]:
    # A request dated up to FRESH_MS ahead stays acceptable for twice that long.
    return tuple(request for request in player.requests if abs(now_ms - request[1]) <= FRESH_MS)
