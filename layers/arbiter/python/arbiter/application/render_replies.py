"""Replies into events and frames: each seat is told in its own dialect, and every game that was
played is published as NIP-64.
"""

import chess

from arbiter.application.results import Result
from arbiter.application.state_tags import date_answer, date_change
from arbiter.core.game import BLACK, WHITE, Game, Seat, Termination
from arbiter.core.ratings import RatedGame
from arbiter.core.replies import (
    Cancelled,
    Challenged,
    ChatMessage,
    ClaimRejected,
    GameChanged,
    GameEnded,
    GameStarted,
    MovePlayed,
    Queued,
    Rejected,
    RematchAgreed,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.dialects import arbiter_events, chat, dilger
from arbiter.dialects.base import Outgoing, ReplyContext, SocketMessage, Transport
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate

PLIES_IN_A_NOTE = 5000
"""A longer game is not published as a note. Twelve bytes a ply at most are 60 KB, and relays refuse
an event over 64 KiB for good.
"""

BOTH = frozenset({WHITE, BLACK})

DATED_AS_HEARD_SECONDS = 300
"""A line is told under its own date unless that is further off, for relays refuse such."""


def render_replies(answer: Result, server: str, now_ms: int) -> tuple[Outgoing, ...]:
    """What tells this answer's replies, in order: events yet to be signed by ``server`` (64-hex
    pubkey), and frames.

    First the event itself is acknowledged on the wire that it came over, then everybody is told
    what came of it.
    """
    told = tuple(said for reply in answer.replies for said in _tell(reply, answer, server, now_ms))
    return (*_acknowledged(answer, now_ms), *told)


def _acknowledged(answer: Result, now_ms: int) -> tuple[SocketMessage, ...]:
    if answer.heard is None or answer.asked_in not in DIALECTS:
        return ()
    telling = _telling(answer, frozenset(), now_ms // 1000, now_ms)
    return DIALECTS[answer.asked_in].acknowledge(answer.replies, telling)


def _tell(reply: Reply, answer: Result, server: str, now_ms: int) -> tuple[Outgoing, ...]:
    now = now_ms // 1000
    match reply:
        case Queued(seat) | Challenged(seat) | Cancelled(seat) | RequestRefused(seat):
            return DIALECTS[seat.dialect].encode(reply, _telling(answer, frozenset(), now, now_ms))
        case Rejected() | ClaimRejected():
            wire = _wire_of_author(reply) or answer.asked_in
            return DIALECTS[wire].encode(reply, _telling(answer, BOTH, now, now_ms))
        case StateShown(game, color):
            # Whoever asks is answered on the wire that he asks on, whatever he plays the game on.
            at = date_answer(game.changed_at_ms, now_ms)
            colors = frozenset() if color is None else frozenset({color})
            return DIALECTS[answer.asked_in].encode(reply, _telling(answer, colors, at, now_ms))
        case ChatMessage():
            return _tell_line(reply, answer, now_ms)
        case GameStarted(game) | MovePlayed(game) | GameChanged(game) | RematchAgreed(game):
            return _tell_seats(reply, game, answer, now_ms)
        case GameEnded(game):
            told = _tell_seats(reply, game, answer, now_ms)
            rated = next((one for one in answer.rated if one.game_id == game.id), None)
            noted = (arbiter_events.note_event(game, server, rated),) if is_noted(game) else ()
            return (*told, *noted, *_ratings(rated, game))


def _tell_line(said: ChatMessage, answer: Result, now_ms: int) -> tuple[Outgoing, ...]:
    """Carry a line to the seats that could not hear it, and what was said in public on another
    network to everybody on this one. Dated when it was heard, so that it is the same event when it
    is carried again.
    """
    names: dict[str, set[chess.Color]] = {}
    if not said.is_private and DIALECTS[answer.asked_in].transport is Transport.BRIDGE:
        names[chat.NAME] = set()
    for color in said.colors:
        dialect = DIALECTS[said.game.seat(color).dialect]
        if dialect.transport is not Transport.SOCKET:
            name = dialect.name if dialect.transport is Transport.BRIDGE else chat.NAME
            names.setdefault(name, set()).add(color)
    now = now_ms // 1000
    at = answer.heard.created_at if answer.heard else now
    at = at if abs(now - at) <= DATED_AS_HEARD_SECONDS else now
    return tuple(
        line
        for name, colors in names.items()
        for line in DIALECTS[name].encode(said, _telling(answer, frozenset(colors), at, now_ms))
    )


def _wire_of_author(reply: Rejected | ClaimRejected) -> str | None:
    """The dialect of whoever is judged only now, for a command that was held; None for the author
    of the event that is answered.
    """
    color = reply.game.color_of(reply.author) if reply.about and reply.game else None
    return None if color is None or reply.game is None else reply.game.seat(color).dialect


def _tell_seats(reply: Reply, game: Game, answer: Result, now_ms: int) -> tuple[Outgoing, ...]:
    """Tell both seats, each dialect once.

    Whoever watches a game is told in the native dialect, so a game that is played over sockets
    or on another network is told in that too, though neither player listens.
    """
    at = date_change(game.changed_at_ms, now_ms)
    told = [color for color in (WHITE, BLACK) if not _is_elsewhere(game, color, answer)]
    names = dict.fromkeys(game.seat(color).dialect for color in told)
    if any(_is_unseen(game.seat(color)) for color in (WHITE, BLACK)):
        names |= {dilger.NAME: None}
    return tuple(
        said
        for name in names
        for said in DIALECTS[name].encode(
            reply,
            _telling(
                answer,
                frozenset(color for color in told if game.seat(color).dialect == name),
                at,
                now_ms,
            ),
        )
    )


def _is_unseen(seat: Seat) -> bool:
    """Whether what this seat is told is nothing that a spectator could see on a relay."""
    dialect = DIALECTS[seat.dialect]
    return dialect.transport is not Transport.RELAY


def _is_elsewhere(game: Game, color: chess.Color, answer: Result) -> bool:
    """Whether this player plays another game by now, and could not tell the two apart."""
    seat = game.seat(color)
    has_left = game.next_game_id is not None or seat.player in answer.elsewhere
    return has_left and DIALECTS[seat.dialect].transport is Transport.SOCKET


def _telling(answer: Result, colors: frozenset[chess.Color], at: int, now_ms: int) -> ReplyContext:
    return ReplyContext(
        colors=colors,
        event_key=answer.event_key,
        at=at,
        answered_at=now_ms // 1000,
        event=answer.heard,
        previous=answer.previous,
    )


def _ratings(rated: RatedGame | None, game: Game) -> tuple[EventTemplate, ...]:
    return arbiter_events.rating_event(rated, game.end_ms // 1000) if rated else ()


def is_noted(game: Game) -> bool:
    """Whether a note of this game is published: once it was played to its end, if not too long."""
    played = game.outcome is not None and game.outcome.termination is not Termination.ABORTED
    return played and game.ply <= PLIES_IN_A_NOTE
