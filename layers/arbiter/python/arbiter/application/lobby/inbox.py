"""All that waits for a player who asks: their own requests, challenges to them, and a rematch."""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.lobby.challenged import of_level, waiting_for
from arbiter.application.lobby.challenges import told_of, waiting_replies
from arbiter.application.results import LobbyResult
from arbiter.core.commands import OfferKind
from arbiter.core.game import Game, Seat
from arbiter.core.offers import open_offer
from arbiter.core.pairing import Player
from arbiter.core.replies import Challenged, Queued, Reason, Reply, RequestRefused, StateShown
from arbiter.dialects.base import QueryStatus


def inbox(
    deps: ArbiterDeps, asked: QueryStatus, player: Player, last: Game | None, now_ms: int
) -> LobbyResult:
    """The answer to a player who plays no game: all that waits for them. ``last`` is the game that
    they played. Whom they have challenged is told nothing: they did not ask, and this player may
    ask often.
    """
    seat = asked.seat
    own = [reply for reply in waiting_replies(deps, player) if isinstance(reply, Queued)]
    nowhere = RequestRefused(seat, Reason.UNKNOWN_GAME, "you neither play nor wait")
    theirs = waiting_challenges(deps, seat, now_ms)
    return LobbyResult("shown", (*(own or (nowhere,)), *theirs, *_rematch(last, now_ms)))


def waiting_challenges(deps: ArbiterDeps, seat: Seat, now_ms: int) -> tuple[Challenged, ...]:
    """The challenges to a player, also to one who plays, as they were told. Each names the
    question: a relay drops a copy of what it has, and it may have been told this very second.
    """
    return tuple(
        Challenged(seat, challenge)
        for player in of_level(deps, seat.player)
        for challenge, _ in waiting_for(deps, player, now_ms)
        if any(isinstance(reply, Challenged) for reply in told_of(challenge))
    )


def _rematch(last: Game | None, now_ms: int) -> tuple[Reply, ...]:
    """The last game, if a rematch of it is offered."""
    if last is None or last.outcome is None or last.next_game_id is not None:
        return ()
    offer = open_offer(last, now_ms)
    is_offered = offer is not None and offer.kind is OfferKind.REMATCH
    # Without a colour nothing says that a game has started.
    return (StateShown(last, None),) if is_offered else ()
