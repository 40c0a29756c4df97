"""The answer to a player who asks: games, own requests, challenges to them, a rematch."""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.lobby.challenged import of_level, waiting_for
from arbiter.application.lobby.challenges import told_of, waiting_replies
from arbiter.application.play.places import (
    has_many_games,
    in_order,
    latest_game,
    may_read_all,
    with_event_games,
    with_slow_games,
)
from arbiter.application.results import LobbyResult
from arbiter.core.commands import OfferKind
from arbiter.core.game import WHITE, Game, Seat
from arbiter.core.offers import open_offer
from arbiter.core.pairing import Player
from arbiter.core.replies import (
    Blocked,
    Challenged,
    GamesListed,
    Queued,
    Reason,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.dialects.base import QueryStatus


def inbox(
    deps: ArbiterDeps, asked: QueryStatus, player: Player, last: Game | None, now_ms: int
) -> tuple[Player, LobbyResult]:
    """The answer to a player who asks: their games, if their protocol names games, and what waits
    for them; and the player without slow games that ended. ``last`` is the game in their one place.
    """
    seat, names = asked.seat, has_many_games(deps, asked.seat)
    may_read = names and may_read_all(deps, player, now_ms)
    slow = latest_game(deps, player) if names and not may_read else ()
    if may_read:
        player, slow = with_slow_games(deps, player)
    player, of_events = with_event_games(deps, player) if may_read else (player, ())
    one = (last,) if last and last.outcome is None and last.id not in player.slow_games else ()
    games = in_order((*one, *slow, *of_events), seat.player)
    number = len(games) if may_read else len(one) + len(player.slow_games)
    own = [reply for reply in waiting_replies(deps, player) if isinstance(reply, Queued)]
    nowhere = RequestRefused(seat, Reason.UNKNOWN_GAME, "you neither play nor wait")
    replies: tuple[Reply, ...] = (
        *(shown(game, seat.player) for game in (games if may_read else games[:1])),
        *own,
        *(() if number or own else (nowhere,)),
        *waiting_challenges(deps, seat, now_ms),
        *_rematch(last, now_ms),
        *((Blocked(seat, player.blocked),) if names and player.blocked else ()),
        *((GamesListed(seat, number),) if names else ()),
    )
    return player, LobbyResult("shown", replies, game=next(iter(games), None))


def shown(game: Game, player_id: str) -> StateShown:
    color = game.color_of(player_id)
    return StateShown(game, WHITE if color is None else color)


def waiting_challenges(deps: ArbiterDeps, seat: Seat, now_ms: int) -> tuple[Challenged, ...]:
    """The challenges to a player, as they were told, each with the question named."""
    return tuple(
        Challenged(seat, challenge)
        for player in of_level(deps, seat.player)
        for challenge, _ in waiting_for(deps, player, now_ms)
        if any(isinstance(reply, Challenged) for reply in told_of(challenge))
    )


def _rematch(last: Game | None, now_ms: int) -> tuple[Reply, ...]:
    if last is None or last.outcome is None or last.next_game_id is not None:
        return ()
    offer = open_offer(last, now_ms)
    is_offered = offer is not None and offer.kind is OfferKind.REMATCH
    # Without a colour nothing says that a game has started.
    return (StateShown(last, None),) if is_offered else ()
