"""Games of players who meet by correspondence, where it differs from the lobby of others.

They have a slot for each request. A player of another dialect may invite one: the game begins at
once, and to move is to accept; White may move before there is an opponent. A timer looks at the
game when it could be closed as abandoned, and is set again after a move.
"""

from arbiter.application.deps import ArbiterDeps, Contended, is_to_be_told, retry_on_conflict
from arbiter.application.play.closing import with_closing_timer
from arbiter.application.play.event_memory import release
from arbiter.application.play.referee import create_game, refused_to_begin
from arbiter.application.ports import Conflict, LobbyChange
from arbiter.application.results import Result, republish_of, slot_of
from arbiter.core.commands import PendingCommand, PlayMove
from arbiter.core.game import Game, Seat
from arbiter.core.pairing import Pairing, Player, with_first_move
from arbiter.core.replies import GameStarted, Reason, Reply, RequestRefused
from arbiter.core.terms import ColorPreference
from arbiter.dialects.base import BeginGame, Dialect, LobbyRequest, RequestToPlay


def begin(
    deps: ArbiterDeps, dialect: Dialect, asked: BeginGame, event_key: str, author: str
) -> Result:
    """The result of this author's message with this event_key (64 hex), by which a game begins."""
    if asked.white.player == asked.black.player:
        return Result(status="against-oneself", event_key=event_key)
    known, now_ms = deps.games.load(asked.game_id), deps.clock.now_ms()
    own = asked.white if asked.white.player == author else asked.black
    if known is None and (refused := refused_to_begin(deps, dialect, asked, own, event_key)):
        return refused
    if known is None and is_one_too_many(deps, author, now_ms):
        return one_too_many(deps, own, event_key, now_ms)
    game = known or create_game(deps, asked)
    if game is None:
        raise Contended
    return Result(
        status="duplicate" if known else "followed",
        # Only while it is new: what came of it since was not asked.
        replies=(GameStarted(game),) if game.ply == 0 and game.outcome is None else (),
        event_key=event_key,
        dialect=dialect.name,
        game_id=game.id,
        republish=(republish_of(game),),
    )


INVITATIONS_OF_ONE, INVITATION_SECONDS = 32, 24 * 60 * 60
"""Requests answered in this time, for logs forget nothing."""


def is_request_flood(deps: ArbiterDeps, asked: LobbyRequest, player: Player, now_ms: int) -> bool:
    """Whether this is one request too many of a player with many slots; withdrawals pass."""
    if player.item_version and not isinstance(asked, RequestToPlay):
        return False
    return is_one_too_many(deps, asked.seat.player, now_ms)


def is_one_too_many(deps: ArbiterDeps, author: str, now_ms: int) -> bool:
    """Whether this author began enough games for a day, with this one."""
    key = f"invitations-of:{author}"
    return deps.rate_limits is not None and not deps.rate_limits.take(
        key, INVITATIONS_OF_ONE, INVITATION_SECONDS, now_ms
    )


def one_too_many(deps: ArbiterDeps, seat: Seat, event_key: str, now_ms: int) -> Result:
    """The result of a request beyond a day's: told once a day, for these networks never forget."""
    text = f"{INVITATIONS_OF_ONE} games begun in a day are the most: ask again tomorrow"
    is_told = is_to_be_told(deps, f"games:{seat.player}", INVITATION_SECONDS, now_ms)
    return Result(
        status="request-flood",
        replies=(RequestRefused(seat, Reason.RATE_LIMITED, text),) if is_told else (),
        event_key=event_key,
        dialect=seat.dialect,
    )


def finish_pairing(
    deps: ArbiterDeps, pairing: Pairing, now_ms: int
) -> tuple[Game | None, tuple[Reply, ...]]:
    """The stored game of a pairing, and replies: with its timer, and an early first move."""
    if pairing.game is None:
        return None, pairing.replies
    game, replies = release(
        with_closing_timer(pairing.game, deps.rules), deps.rules, now_ms, pairing.game.item_version
    )
    return game, (*pairing.replies, *replies)


def keep_first_move(
    deps: ArbiterDeps, seat: Seat, command: PlayMove, event_key: str
) -> Result | None:
    """Keep White's first move for the game to come, or None. Raises ``Contended``."""

    def attempt(_: Conflict | None) -> Result | Conflict | None:
        slot = slot_of(seat)
        player = deps.lobby.player(slot)
        pool = deps.lobby.pool(player.waits_in) if player.waits_in else None
        seek = next((one for one in pool.waiting if one.slot == slot), None) if pool else None
        if pool is None or seek is None or seek.terms.color is not ColorPreference.WHITE:
            return None
        if seek.first_move is None:
            kept = PendingCommand(bytes.fromhex(event_key), command)
            change = LobbyChange(pools=((pool, with_first_move(pool, slot, kept)),))
            if not deps.lobby.commit(change):
                return Conflict(None)
        return Result(status="held", event_key=event_key)

    return retry_on_conflict(attempt)
