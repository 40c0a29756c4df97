"""Two players at one browser, with the decisions and conditional writes of every other game.

Invariant: a move belongs to the position that was on the screen: one that lost a race is refused,
so of two parallel moves exactly one is played. There is no key here: an ended game is put into the
republish queue.
"""

import logging
from dataclasses import dataclass, replace

import chess

from arbiter.application.intake.queue_messages import republish_body
from arbiter.application.ports import Browsers, Clock, Conflict, Games, RateLimits, RepublishQueue
from arbiter.application.records import Republish
from arbiter.core.commands import PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import EVENT_KEY_BYTES, GAME_ID_BYTES, Game
from arbiter.core.rules import Rules
from arbiter.dialects import hot_seat

_RULES = Rules(illegal_moves_to_lose=0)
"""A browser offers legal moves only, so an illegal one is its bug, not a strike."""

_EVENT_KEYS_KEPT = 4
"""Enough to recognise one's own write after its answer was lost and others followed."""

_QUEUED_AGAIN_SECONDS = 3600

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HotSeatDeps:
    """The dependencies of hot seats. ``server`` is the arbiter's own pubkey (64 hex)."""

    games: Games
    browsers: Browsers
    republish: RepublishQueue
    rate_limits: RateLimits
    clock: Clock
    server: str


@dataclass(frozen=True, slots=True)
class RequestedMove:
    """A move as a browser names it; ``promotion`` is a piece."""

    origin: chess.Square
    target: chess.Square
    promotion: chess.PieceType = chess.QUEEN


def new_game(deps: HotSeatDeps, browser_id: str, entropy: bytes) -> Game | None:
    """A new game of these 16 bytes; None if the browser id is taken. Raises for infrastructure."""
    if len(entropy) != GAME_ID_BYTES:
        raise ValueError("a game id is made of 16 bytes")
    now_ms = deps.clock.now_ms()
    white, black = hot_seat.seats_of(entropy.hex(), deps.server)
    game = Game(
        id=entropy.hex(), white=white, black=black, created_at_ms=now_ms, changed_at_ms=now_ms
    )
    return game if deps.browsers.start(browser_id, game) else None


def load(deps: HotSeatDeps, browser_id: str) -> Game | None:
    game_id = deps.browsers.game_of(browser_id)
    game = deps.games.load(game_id) if game_id else None
    if game is not None and game.outcome is not None:
        _queue_end(deps, game)
    return game


def make_move(
    deps: HotSeatDeps, game: Game, requested: RequestedMove, entropy: bytes
) -> Game | None:
    """The game, as loaded for this request, with the move; None if refused, or late. By ``entropy``
    (8 bytes) this write is recognised among equal ones. Raises for infrastructure.
    """
    if len(entropy) != EVENT_KEY_BYTES:
        raise ValueError("entropy is 8 bytes")
    asked = _move(game, requested)
    now_ms = deps.clock.now_ms()
    player = game.seat(game.turn).player
    command = PlayMove(player=player, uci=asked.uci(), made_at_ms=now_ms, received_at_ms=now_ms)
    decided = decide(game, command, now_ms, _RULES).game
    # Castling is the king's own two squares here; the core would take the rook's square as well.
    if decided is game or decided.moves[-1] != asked:
        return None
    after = replace(
        decided,
        applied_ids=(*game.applied_ids, entropy)[-_EVENT_KEYS_KEPT:],
        moved_at_ms=(*game.moved_at_ms, decided.changed_at_ms),
        item_version=game.item_version + 1,
    )
    written = deps.games.commit(game, after)
    if isinstance(written, Conflict) and not _is_ours(written, entropy):
        return None
    if after.outcome is not None:
        _queue_end(deps, after)
    return after


def _is_ours(conflict: Conflict, entropy: bytes) -> bool:
    """Whether the conflicting game is our own write, whose answer was lost on the way."""
    return conflict.game is not None and entropy in conflict.game.applied_ids


def _move(game: Game, requested: RequestedMove) -> chess.Move:
    """The move; only a pawn that reaches the last rank is promoted."""
    is_pawn = game.board().piece_type_at(requested.origin) == chess.PAWN
    gets_there = is_pawn and chess.square_rank(requested.target) in (0, 7)
    return chess.Move(
        requested.origin, requested.target, requested.promotion if gets_there else None
    )


def _queue_end(deps: HotSeatDeps, game: Game) -> None:
    """Have the arbiter publish this end; again, once an hour, as the process may have died."""
    try:
        now_ms = deps.clock.now_ms()
        if deps.rate_limits.take(f"told#{game.id}", 1, _QUEUED_AGAIN_SECONDS, now_ms):
            again = Republish(game_id=game.id, changed_at_ms=game.changed_at_ms)
            deps.republish.send(republish_body(again), 1)
    except Exception:  # noqa: BLE001 - whatever failed, the next load tells it
        _log.exception("the end of game %s is not queued to be told", game.id)
