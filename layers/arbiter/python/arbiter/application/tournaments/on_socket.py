"""Tournaments for players on sockets: a request to play that names one enters it.

Invariant: the latest request counts: an older one changes nothing and binds no socket.
"""

from collections.abc import Callable
from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.lobby.inbox import shown
from arbiter.application.play.places import game_without_name
from arbiter.application.results import Result
from arbiter.application.tournaments.commands import command_tournament, refuse_command
from arbiter.core.game import Seat
from arbiter.core.replies import Reason, RequestRefused
from arbiter.core.tournaments.commands import Join
from arbiter.core.tournaments.replies import CommandRefused
from arbiter.dialects.base import Dialect, TournamentAsked
from arbiter.nostr.event import VerifiedEvent


def command_on_socket(
    deps: ArbiterDeps,
    dialect: Dialect,
    asked: TournamentAsked,
    event: VerifiedEvent,
    bind: Callable[[], None] | None,
) -> Result:
    """The result of a player's command, with the game that they are to play, if one goes on."""
    tournament = deps.tournaments.load(asked.tournament_id or "")
    entry = tournament.entry_of(event.pubkey) if tournament else None
    entered_at = _date_of(dialect, entry.seat) if entry else 0
    if isinstance(asked.command, Join) and entered_at > event.created_at:
        older = CommandRefused(event.pubkey, Reason.STALE, "you have connected since")
        result = refuse_command(older, asked.tournament_id, event.id)
    else:
        result = command_tournament(deps, asked, event)
    told = result.news.told if result.news else ()
    refused = next((one for one in told if isinstance(one, CommandRefused)), None)
    if refused is not None:
        seat = Seat(event.pubkey, dialect.name)
        reply = RequestRefused(seat, refused.reason, refused.text)
        return replace(result, replies=(reply,), dialect=dialect.name, news=None)
    news = result.news and replace(result.news, told=())
    if not isinstance(asked.command, Join):
        return replace(result, dialect=dialect.name, news=news)
    if bind and entered_at < event.created_at:
        bind()
    game_id = game_without_name(deps, deps.lobby.player(event.pubkey), dialect.name)
    game = deps.games.load(game_id) if game_id else None
    is_of_one = game is not None and game.tournament is not None and game.outcome is None
    replies = (shown(game, event.pubkey),) if game is not None and is_of_one else ()
    return replace(result, replies=replies, dialect=dialect.name, news=news)


def _date_of(dialect: Dialect, seat: Seat) -> int:
    """The date (unix seconds) of the request by which the seat was taken here, or 0."""
    is_here = dialect.socket is not None and seat.dialect == dialect.name
    return dialect.socket.asked_at(seat) if dialect.socket and is_here else 0
