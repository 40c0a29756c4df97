"""What came of one record, for the shell to publish, to retry and to log."""

from dataclasses import dataclass, field

from arbiter.application.ports import (
    Clock,
    Encrypter,
    Games,
    Lobby,
    Outages,
    RateLimits,
    Ratings,
    Timers,
)
from arbiter.application.republish import Republish
from arbiter.core.game import Game
from arbiter.core.ratings import RatedGame
from arbiter.core.replies import Reply
from arbiter.core.rules import Rules
from arbiter.dialects.base import PreviousResult
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
