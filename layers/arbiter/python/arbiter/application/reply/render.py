"""Replies into events and messages: each seat in its dialect, every played game as NIP-64. A state
that was asked for is dated anew (docs/decisions/0008-an-answer-is-dated-when-it-is-given.md).
"""

from dataclasses import replace

import chess

from arbiter.application.reply.tournament_news import render_news
from arbiter.application.results import Result
from arbiter.core import replies
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import BLACK, WHITE, Game, Seat, Termination
from arbiter.core.pgn_cache import Pgns
from arbiter.dialects import arbiter_events, chat, native
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.outgoing import Outgoing, SocketMessage
from arbiter.dialects.registry import DIALECTS, is_by_correspondence

PLIES_IN_A_NOTE = 5000
"""A longer game has no note: at twelve bytes a ply relays would refuse it (64 KiB)."""

TOLD_ANEW_AFTER_MS = 60_000
"""strfry refuses an ephemeral event that is older than a minute."""

BOTH = frozenset({WHITE, BLACK})

DATED_AS_HEARD_SECONDS = 300
"""A line of chat keeps its own date unless that is further off, for relays refuse such."""


def date_answer(changed_at_ms: int, now_ms: int) -> int:
    """The date of a state that was asked for: now, as a relay sends no event twice."""
    return max(changed_at_ms, now_ms) // 1000


def date_change(changed_at_ms: int, now_ms: int) -> int:
    """The date of a state: its commit's, so that a retry is the same event, or now if later."""
    if now_ms - changed_at_ms > TOLD_ANEW_AFTER_MS:
        return date_answer(changed_at_ms, now_ms)
    return changed_at_ms // 1000


def render_replies(
    result: Result, server: str, now_ms: int, kept: Pgns | None = None
) -> tuple[Outgoing, ...]:
    """Render this result's replies, in order, the acknowledgement first: events for ``server`` (64
    hex) to sign, messages for sockets and the bridge. A note's text is ``kept``.
    """
    now = now_ms // 1000
    context = ReplyContext(
        colors=frozenset(),
        event_key=result.event_key,
        at=now,
        answered_at=now,
        server=server,
        event=result.event,
        previous=result.previous,
    )
    told = (
        said for reply in result.replies for said in _render(reply, result, context, now_ms, kept)
    )
    news = render_news(result.news, result.event_key, server, now)
    anew = (arbiter_events.standing_event(*one, now) for one in result.standings)
    return (*_acknowledgement(result, context), *told, *news, *anew)


def _acknowledgement(result: Result, context: ReplyContext) -> tuple[SocketMessage, ...]:
    if result.event is None or result.dialect not in DIALECTS:
        return ()
    socket = DIALECTS[result.dialect].socket
    return socket.acknowledge(result.replies, context) if socket else ()


def _render(
    reply: replies.Reply, result: Result, context: ReplyContext, now_ms: int, kept: Pgns | None
) -> tuple[Outgoing, ...]:
    """One reply; ``context`` is that of an answer which is dated now, for neither colour."""
    match reply:
        case (
            replies.Queued(seat)
            | replies.Challenged(seat)
            | replies.Cancelled(seat)
            | replies.GamesListed(seat)
            | replies.Blocked(seat)
            | replies.NoticesChanged(seat)
            | replies.RequestRefused(seat)
        ):
            return DIALECTS[seat.dialect].encode(reply, context)
        case replies.Rejected() | replies.ClaimRejected():
            wire = _dialect_of_author(reply) or result.dialect
            return DIALECTS[wire].encode(reply, replace(context, colors=BOTH))
        case replies.LinesTold():
            return native.encode(reply, context)
        case replies.StateShown(game, color):
            # A question is answered in the dialect it was asked in, not in the seat's.
            at = date_answer(game.changed_at_ms, now_ms)
            colors = frozenset() if color is None else frozenset({color})
            return DIALECTS[result.dialect].encode(reply, replace(context, colors=colors, at=at))
        case replies.ChatMessage():
            return _chat_line(reply, result, context)
        case (
            replies.GameStarted(game)
            | replies.MovePlayed(game)
            | replies.GameChanged(game)
            | replies.RematchAgreed(game)
        ):
            return _for_seats(reply, game, result, context, now_ms)
        case replies.GameEnded(game):
            told = _for_seats(reply, game, result, context, now_ms)
            rated = next((one for one in result.rated if one.game_id == game.id), None)
            ratings = arbiter_events.rating_event(rated, game.end_ms // 1000) if rated else ()
            if not has_pgn_note(game):
                return (*told, *ratings)
            return (*told, arbiter_events.note_event(game, context.server, rated, kept), *ratings)


def _chat_line(
    said: replies.ChatMessage, result: Result, context: ReplyContext
) -> tuple[Outgoing, ...]:
    """A line of chat for the seats that could not read it and, if public elsewhere, for spectators.
    Dated as its event, so that it is the same when it is sent again.
    """
    names: dict[str, set[chess.Color]] = {}
    if not said.is_private and DIALECTS[result.dialect].bridge:
        names[chat.NAME] = set()
    for color in said.colors:
        dialect = DIALECTS[said.game.seat(color).dialect]
        if dialect.socket is None:
            name = dialect.name if dialect.bridge else chat.NAME
            names.setdefault(name, set()).add(color)
    now = context.answered_at
    at = result.event.created_at if result.event else now
    at = at if abs(now - at) <= DATED_AS_HEARD_SECONDS else now
    return tuple(
        line
        for name, colors in names.items()
        for line in DIALECTS[name].encode(said, replace(context, colors=frozenset(colors), at=at))
    )


def _dialect_of_author(reply: replies.Rejected | replies.ClaimRejected) -> str | None:
    """The dialect of a pending command's author; None for the answered event's."""
    color = reply.game.color_of(reply.author) if reply.about and reply.game else None
    return None if color is None or reply.game is None else reply.game.seat(color).dialect


def _for_seats(
    reply: replies.Reply, game: Game, result: Result, context: ReplyContext, now_ms: int
) -> tuple[Outgoing, ...]:
    """A reply for both seats, each dialect once, and in the native one for spectators."""
    at = date_change(game.changed_at_ms, now_ms)
    told = [color for color in (WHITE, BLACK) if not _is_elsewhere(game, color, result)]
    names = dict.fromkeys(game.seat(color).dialect for color in told)
    if any(_is_off_relays(game.seat(color)) for color in (WHITE, BLACK)):
        names |= {native.NAME: None}
    readers = {
        name: frozenset(color for color in told if game.seat(color).dialect == name)
        for name in names
    }
    return tuple(
        said
        for name, colors in readers.items()
        for said in DIALECTS[name].encode(reply, replace(context, colors=colors, at=at))
    )


def _is_off_relays(seat: Seat) -> bool:
    """Whether this seat's messages are not on relays, where spectators could see them."""
    return not DIALECTS[seat.dialect].wire.is_on_relays


def _is_refereed(seat: Seat) -> bool:
    chain = DIALECTS[seat.dialect].chain
    return chain is not None and chain.is_refereed(seat)


def _is_elsewhere(game: Game, color: chess.Color, result: Result) -> bool:
    """Whether this player plays another game by now, and could not tell the two apart."""
    seat = game.seat(color)
    has_left = game.next_game_id is not None or seat.player in result.in_other_game
    return has_left and DIALECTS[seat.dialect].socket is not None


def has_pgn_note(game: Game) -> bool:
    """Whether a note is published: played, or closed after both moved, and not too long."""
    played = game.outcome is not None and game.outcome.termination is not Termination.ABORTED
    if is_by_correspondence(game) and game.ply >= OPENING_PLIES:
        # "abandoned" is a value of PGN's Termination tag.
        played = game.outcome is not None
    elif all(map(_is_refereed, (game.white, game.black))):
        # One of the two may know of nothing: anybody can begin a game that names them, and resign.
        played = False
    return played and game.ply <= PLIES_IN_A_NOTE
