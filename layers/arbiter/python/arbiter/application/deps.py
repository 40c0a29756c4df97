"""What the arbiter function works with."""

from dataclasses import dataclass, field

from arbiter.application.connections import Connections, Sockets
from arbiter.application.ports import (
    Clock,
    Encrypter,
    Games,
    Lobby,
    Outages,
    Outbox,
    Publisher,
    RateLimits,
    Ratings,
    RepublishQueue,
    Signer,
    Timers,
)
from arbiter.core.game import Game
from arbiter.core.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterDeps:
    """``server`` is the arbiter's own pubkey (64 hex), which players name in a ``p`` tag;
    ``bridge`` is that of the bridge to Scuttlebutt, if there is one. ``pairing_key`` is the secret
    by which colours and game ids are drawn. An arbiter without relays has no ``outages``, one
    without a gateway no ``connections`` and ``sockets``, one without a bridge no ``encrypter`` and
    ``outbox``.
    """

    games: Games
    lobby: Lobby
    ratings: Ratings
    timers: Timers
    clock: Clock
    rules: Rules
    server: str
    pairing_key: bytes = field(repr=False)
    signer: Signer
    publisher: Publisher
    republish: RepublishQueue
    bridge: str | None = None
    encrypter: Encrypter | None = None
    rate_limits: RateLimits | None = None
    outages: Outages | None = None
    connections: Connections | None = None
    sockets: Sockets | None = None
    outbox: Outbox | None = None


class Contended(Exception):
    """Others kept writing first. The record is retried; nothing was changed."""


def hand_to_mover(deps: ArbiterDeps, game: Game, at_ms: int) -> None:
    """Have the clock looked at behind what the side to move has said: there alone its flag falls,
    so that a move in time that still waits in the queue is decided first. Raises like `wind`.
    """
    due_ms = at_ms if game.timer_at_ms is None else min(at_ms, game.timer_at_ms)
    mover = game.seat(game.turn).player
    deps.timers.set(game.id, game.ply, due_ms, deps.clock.now_ms(), mover)


def schedule_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set the timer that the game says it has. Raises when none can be set: the record that failed
    comes again, and winds again.
    """
    if game is not None and game.outcome is None and game.timer_at_ms is not None:
        deps.timers.set(game.id, game.ply, game.timer_at_ms, deps.clock.now_ms())


def schedule_overdue_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set again a timer that should have come by now. It may never have been set: whoever had to
    died, and the record that would bring it again was dropped since the key was exchanged. Raises
    like `wind`.
    """
    if game is not None and (game.timer_at_ms or 0) <= deps.clock.now_ms():
        schedule_timer(deps, game)
