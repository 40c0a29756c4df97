"""Replies into events: each seat is told in its own dialect, and every game that was played is
published as NIP-64.
"""

from arbiter.application.answer import Answer
from arbiter.application.timestamps import date_state
from arbiter.core.model import BLACK, WHITE, Game, Termination
from arbiter.core.replies import (
    Cancelled,
    Challenged,
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
from arbiter.core.standings import RatedGame
from arbiter.dialects import nip64, ratings
from arbiter.dialects.dialect import Telling
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import EventTemplate

PLIES_IN_A_NOTE = 5000
"""A longer game is not published as a note. Twelve bytes a ply at most are 60 KB, and relays refuse
an event over 64 KiB for good.
"""

BOTH = frozenset({WHITE, BLACK})


def speak(answer: Answer, server: str, now_ms: int) -> tuple[EventTemplate, ...]:
    """The events that tell this answer's replies, in order, yet to be signed by ``server`` (64-hex
    pubkey).
    """
    return tuple(
        event for reply in answer.replies for event in _tell(reply, answer, server, now_ms)
    )


def _tell(reply: Reply, answer: Answer, server: str, now_ms: int) -> tuple[EventTemplate, ...]:
    now = now_ms // 1000
    match reply:
        case Queued(seat) | Challenged(seat) | Cancelled(seat) | RequestRefused(seat):
            return DIALECTS[seat.dialect].encode(
                reply, Telling(colors=frozenset(), cause=answer.cause, at=now, answered_at=now)
            )
        case Rejected():
            return DIALECTS[answer.asked_in].encode(
                reply, Telling(colors=BOTH, cause=answer.cause, at=now, answered_at=now)
            )
        case StateShown(game, color) if color is not None:
            return _tell_seats(reply, game, frozenset({color}), answer.cause, now_ms)
        case StateShown(game):
            at = date_state(game.changed_at_ms, now_ms)
            telling = Telling(colors=frozenset(), cause=answer.cause, at=at, answered_at=now)
            return DIALECTS[answer.asked_in].encode(reply, telling)
        case GameStarted(game) | MovePlayed(game) | GameChanged(game) | RematchAgreed(game):
            return _tell_seats(reply, game, BOTH, answer.cause, now_ms)
        case GameEnded(game):
            told = _tell_seats(reply, game, BOTH, answer.cause, now_ms)
            noted = (nip64.encode(game, server, answer.rated),) if _is_noted(game) else ()
            return (*told, *noted, *_ratings(answer.rated, game))


def _tell_seats(
    reply: Reply, game: Game, colors: frozenset[bool], cause: str, now_ms: int
) -> tuple[EventTemplate, ...]:
    """Tell these seats, each dialect once."""
    at = date_state(game.changed_at_ms, now_ms)
    names = dict.fromkeys(game.seat(color).dialect for color in sorted(colors, reverse=True))
    return tuple(
        event
        for name in names
        for event in DIALECTS[name].encode(
            reply,
            Telling(
                colors=frozenset(c for c in colors if game.seat(c).dialect == name),
                cause=cause,
                at=at,
                answered_at=now_ms // 1000,
            ),
        )
    )


def _ratings(rated: RatedGame | None, game: Game) -> tuple[EventTemplate, ...]:
    return ratings.encode(rated, game.end_ms // 1000) if rated else ()


def _is_noted(game: Game) -> bool:
    played = game.outcome is not None and game.outcome.termination is not Termination.ABORTED
    return played and game.ply <= PLIES_IN_A_NOTE
