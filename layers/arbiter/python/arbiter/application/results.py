"""What came of one record, for the shell to publish, to retry and to log.

What a request comes to: what to write in one transaction, and what to say once it is written.

What is answered about one game: what there is to say, the word for the log, and the game to name
if it must be said again.
"""

from dataclasses import dataclass, field

from arbiter.application.ports import (
    Clock,
    Encrypter,
    Games,
    Lobby,
    LobbyChange,
    Outages,
    RateLimits,
    Ratings,
    Timers,
)
from arbiter.application.republish import Republish
from arbiter.core.early_ends import ended_early_by
from arbiter.core.game import Game, Seat
from arbiter.core.pairing import Player, Pool, after_last_game, without
from arbiter.core.ratings import RatedGame
from arbiter.core.replies import (
    GameEnded,
    GameStarted,
    MovePlayed,
    Rejected,
    RematchAgreed,
    Reply,
    StateShown,
)
from arbiter.core.rules import Rules
from arbiter.dialects.base import Dialect, PreviousResult
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import VerifiedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """``replies`` are to be told, in the dialect ``asked_in`` where they concern only the author
    of ``cause``.

    ``status`` is one machine word for the log and the counters; ``republish`` is None when nothing
    need be repeated; ``rated`` is what the games that ended did to the ratings. ``heard`` is the
    event that is answered and ``via`` the socket that it came over, if any; ``repeated`` is what
    came of it before. ``elsewhere`` are the players (64 hex) who have begun another game since, and
    ``for_relays`` says that the sockets have been told already.
    """

    status: str
    replies: tuple[Reply, ...] = ()
    event_key: str = ""
    asked_in: str = ""
    republish: Republish | None = None
    game_id: str | None = None
    rated: tuple[RatedGame, ...] = ()
    via: str | None = None
    heard: VerifiedEvent | None = field(default=None, repr=False)
    previous: PreviousResult | None = None
    elsewhere: frozenset[str] = frozenset()
    for_relays: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterDeps:
    """What the arbiter judges with. ``server`` is its own pubkey (64 hex), which players name in a
    ``p`` tag; ``bridge`` is that of the bridge to Scuttlebutt, if there is one. ``pairing_key`` is
    the secret by which colours and game ids are drawn. Where there are no relays there are no
    ``outages`` of them.
    """

    games: Games
    lobby: Lobby
    ratings: Ratings
    timers: Timers
    clock: Clock
    rules: Rules
    server: str
    pairing_key: bytes = field(repr=False)
    bridge: str | None = None
    encrypter: Encrypter | None = None
    rate_limits: RateLimits | None = None
    outages: Outages | None = None


class Contended(Exception):
    """Others kept writing first. The record is retried; nothing was changed."""


def hand_to_mover(bench: ArbiterDeps, game: Game, at_ms: int) -> None:
    """Have the clock looked at behind what the side to move has said: there alone its flag falls,
    so that a move in time that still waits in the queue is decided first. Raises like `wind`.
    """
    due_ms = at_ms if game.timer_at_ms is None else min(at_ms, game.timer_at_ms)
    mover = game.seat(game.turn).player
    bench.timers.set(game.id, game.ply, due_ms, bench.clock.now_ms(), mover)


def schedule_timer(bench: ArbiterDeps, game: Game | None) -> None:
    """Set the timer that the game says it has. Raises when none can be set: the record that failed
    comes again, and winds again.
    """
    if game is not None and game.outcome is None and game.timer_at_ms is not None:
        bench.timers.set(game.id, game.ply, game.timer_at_ms, bench.clock.now_ms())


def wind_if_overdue(bench: ArbiterDeps, game: Game | None) -> None:
    """Set again a timer that should have come by now. It may never have been set: whoever had to
    died, and the record that would bring it again was dropped since the key was exchanged. Raises
    like `wind`.
    """
    if game is not None and (game.timer_at_ms or 0) <= bench.clock.now_ms():
        schedule_timer(bench, game)


@dataclass(frozen=True, slots=True)
class LobbyResult:
    """``status`` is one machine word for the log; without a ``change`` nothing is written."""

    status: str
    replies: tuple[Reply, ...]
    change: LobbyChange | None = None
    game: Game | None = None


def slot_of(seat: Seat) -> str:
    """The id (64 hex) of this seat's place in the lobby, by the rules of its dialect."""
    return DIALECTS[seat.dialect].slot(seat)


def named_game(bench: ArbiterDeps, of: str | Seat) -> Game | None:
    """The game of this id, or the one that this seat's place in the lobby leads to; None if there
    is none.
    """
    game_id = of if isinstance(of, str) else bench.lobby.player(slot_of(of)).game_id
    return bench.games.load(game_id) if game_id else None


def with_last_game(bench: ArbiterDeps, player: Player, last: Game | None, now_ms: int) -> Player:
    """The player with what follows from their ``last`` game. The one before it is read only if they
    may be to blame for an early end.
    """
    before = None
    if last and player.former_game_id and ended_early_by(last) is not None:
        before = bench.games.load(player.former_game_id)
    return after_last_game(player, last, now_ms, before)


def leave_pool(lobby: Lobby, player: Player) -> tuple[tuple[Pool, Pool], ...]:
    """The pool in which this player waits, before and after he leaves it; nothing if in none."""
    if player.waits_in is None:
        return ()
    pool = lobby.pool(player.waits_in)
    return ((pool, without(pool, player.id)),)


def leave_pools(lobby: Lobby, one: Player, other: Player) -> tuple[tuple[Pool, Pool], ...]:
    """The pools in which two players wait, before and after they leave; one pool only once."""
    if one.waits_in is not None and one.waits_in == other.waits_in:
        pool = lobby.pool(one.waits_in)
        return ((pool, without(without(pool, one.id), other.id)),)
    return (*leave_pool(lobby, one), *leave_pool(lobby, other))


def current_replies(game: Game) -> tuple[Reply, ...]:
    """What there is to say of a game as it stands: replies are derived from the state, so they can
    be derived again.
    """
    if game.outcome is not None:
        return (GameEnded(game),)
    return (GameStarted(game),) if game.ply == 0 else (MovePlayed(game),)


def status_of(replies: tuple[Reply, ...]) -> str:
    """One machine word for the log, by the last of these replies; ``held`` if there are none."""
    match replies[-1] if replies else None:
        case None:
            return "held"
        case Rejected() as rejected:
            return rejected.reason
        case GameEnded(game) if game.outcome is not None:
            return game.outcome.termination
        case StateShown():
            return "shown"
        case GameStarted() | RematchAgreed():
            return "paired"
        case _:
            return "played"


def answer_about(
    status: str, game: Game | None, replies: tuple[Reply, ...], event_id: str, dialect: Dialect
) -> Result:
    """The answer to this event in its dialect; without a game nothing need be said again."""
    return Result(
        status=status,
        replies=replies,
        event_key=event_id,
        asked_in=dialect.name,
        game_id=game.id if game else None,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms) if game else None,
    )
