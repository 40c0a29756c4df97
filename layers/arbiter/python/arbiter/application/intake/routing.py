"""The kinds that are taken at each entrance, and the queue and group in which each event waits.

A group is a game and an author, hashed: SQS keeps the order of one player's events in one game, and
the condition of a commit orders the game (docs/decisions/0025-a-line-for-each-player-of-a-game.md).
Requests to play have a queue of their own.
"""

import hashlib
from dataclasses import dataclass, replace

from arbiter.application.intake.queue_messages import queue_entry, timer_fired_body
from arbiter.application.records import (
    LINES,
    NOTICE,
    TOURNAMENT,
    NoticeAsked,
    QueueEntry,
    QueueName,
    Timer,
    TimerFired,
    TournamentDue,
)
from arbiter.application.tournaments.messages import tournament_group
from arbiter.core.game import is_game_id
from arbiter.dialects import arbiter_events, tournaments
from arbiter.dialects.base import PEOPLE
from arbiter.dialects.chat import CHAT_KINDS
from arbiter.dialects.native import game_tag, is_question
from arbiter.dialects.registry import BY_KIND, DIALECTS, SEEK_KINDS
from arbiter.nostr.event import NostrEvent, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import GIFT_WRAP

_PLAYED_KINDS = tuple(
    sorted(kind for kind, dialect in BY_KIND.items() if dialect.wire.is_on_relays)
)

LIST_KIND = PEOPLE
"""NIP-51's sets of keys, by which an operator says who may play, and an organiser who may join."""

REPORT_KIND = 1984
"""NIP-56's reports, which are for the operator."""

MEMBERS_KIND = 39002
"""NIP-29's lists of a group's members, by its relay."""

OPERATORS_KINDS = frozenset({LIST_KIND, REPORT_KIND, MEMBERS_KIND})

LISTENED_KINDS = (*_PLAYED_KINDS, *sorted(OPERATORS_KINDS))
"""Kinds of players on relays, lists and reports; messages have a filter of their own."""

HANDLED_KINDS = (*_PLAYED_KINDS, arbiter_events.PGN_NOTE)
"""Kinds that players may send us on relays, and that of the resulting notes (NIP-89)."""

SOCKET_KINDS = frozenset(kind for kind, dialect in BY_KIND.items() if dialect.socket)
"""Answered on their socket, and not subscribed to: elsewhere they mean other things."""

ENTRY_KINDS = tournaments.DIALECT.kinds
"""Commands about tournaments: entries are most of them."""

PRESENCE_KINDS = (
    arbiter_events.PROFILE,
    arbiter_events.RELAY_LIST,
    arbiter_events.MESSAGE_RELAYS,
    arbiter_events.HANDLER,
)

PUBLISHED_KINDS = frozenset(kind for kind, dialect in BY_KIND.items() if not dialect.bridge)
"""Kinds that any key may publish at our gateway."""

ARBITER_KINDS = frozenset(
    {
        *(kind for dialect in DIALECTS.values() for kind in dialect.arbiter_kinds),
        arbiter_events.PGN_NOTE,
        arbiter_events.RATING,
        *PRESENCE_KINDS,
    }
)
"""Kinds that the arbiter alone publishes."""

SUBSCRIBED_KINDS = PUBLISHED_KINDS - SOCKET_KINDS | ARBITER_KINDS
"""Kinds that can be subscribed to at our gateway."""

CARRIED_KINDS = tuple(sorted(PUBLISHED_KINDS | ARBITER_KINDS))
"""All of them, for the gateway's own description (NIP-11)."""

SEEK_GROUPS = 4
"""The number of groups for requests to play, each player's always in the same one. In a single
group everyone who asks for their status would wait for all others; in very many, those who meet in
one pool would write it at the same time, and all but one would retry.
"""


@dataclass(frozen=True, slots=True)
class Route:
    """The place where an event waits. ``group_id`` is 64 hex digits; ``is_of_all``: of any author.
    ``game_id`` is that of the game that it names, if any; ``questions_key`` is `questions_key`'s.
    """

    queue: QueueName
    group_id: str
    is_of_all: bool = False
    game_id: str | None = None
    questions_key: str | None = None


def route(event: NostrEvent | VerifiedEvent, live_game_id: str | None = None) -> Route | None:
    """The place where this event waits, or None; ``live_game_id`` for wires that name no game."""
    if event.kind in OPERATORS_KINDS:
        return Route("moves", _group("policy", event.pubkey))
    if event.kind == GIFT_WRAP:
        return Route("moves", _group("messages", event.pubkey))
    dialect = BY_KIND.get(event.kind)
    if dialect is None or dialect.bridge:
        return None
    if event.kind in SEEK_KINDS:
        number = int(event.pubkey[:2], 16) % SEEK_GROUPS
        return Route("seeks", _group("seeks", str(number)))
    named = game_tag(event)
    ours = named if named and is_game_id(named) else None
    if dialect.chain:
        # One group for a game, so that its start comes first: it is not known who plays.
        began = dialect.chain.begun_by(event) or event.pubkey
        return Route("moves", _group("start", began), is_of_all=True, game_id=ours)
    game_id = live_game_id if dialect.socket else named
    if event.kind in CHAT_KINDS:
        # No move waits for chat.
        group_id = _group("chat", game_id or event.pubkey)
    elif game_id is None:
        # A move of no game is answered to its author, so only its author need wait for it: in one
        # group for all of them a flood would delay honest mistakes.
        group_id = _group("author", event.pubkey)
    else:
        group_id = players_group(game_id, event.pubkey)
    return Route("moves", group_id, game_id=ours, questions_key=questions_key(event))


def questions_key(event: NostrEvent | VerifiedEvent) -> str | None:
    """The key (64 hex) by which all questions about one game are counted; None for others."""
    game_id = game_tag(event) if is_question(event) else None
    return None if game_id is None else _group("questions", game_id)


def timer_entry(timer: Timer, received_at_ms: int) -> QueueEntry:
    """A timer that fired, as the queue of moves carries it; two of one timer have one id."""
    player = timer.player
    if player == TOURNAMENT:
        return QueueEntry(
            queue="moves",
            body=timer_fired_body(timer, received_at_ms),
            group_id=tournament_group(timer.game_id),
            dedup_id=timer.name,
            message=TournamentDue(timer.game_id, received_at_ms),
        )
    if player and player.startswith(NOTICE):
        return QueueEntry(
            queue="moves",
            body=timer_fired_body(timer, received_at_ms),
            group_id=_group("notices", player),
            dedup_id=timer.name,
            message=NoticeAsked(player.removeprefix(NOTICE)),
        )
    return QueueEntry(
        queue="moves",
        body=timer_fired_body(timer, received_at_ms),
        group_id=timers_group(timer.game_id)
        if player in (None, LINES)
        else players_group(timer.game_id, player),
        # An id is one within its group, but not everywhere (docs/stand-ins.md).
        dedup_id=f"{timer.name}-{player[:16]}" if player else timer.name,
        message=TimerFired(timer.game_id, timer.ply, received_at_ms, player),
    )


def bridged_entry(event: VerifiedEvent, received_at_ms: int) -> QueueEntry | None:
    """An event of the bridge in the queue, or None; one group a root, one dedup id a message."""
    dialect = BY_KIND.get(event.kind)
    message = dialect.bridge.message(event) if dialect and dialect.bridge else None
    if dialect is None or message is None:
        return None
    queue: QueueName = "seeks" if message.asks else "moves"
    entry = queue_entry(event, queue, _group(dialect.name, message.root), received_at_ms)
    return replace(entry, dedup_id=hashlib.sha256(message.key.encode()).hexdigest())


def players_group(game_id: str, pubkey: str) -> str:
    return _group("game", f"{game_id}:{pubkey}")


def is_carried(wanted: Filter) -> bool:
    """Whether a filter can match anything that passes our gateway."""
    return not wanted.kinds or not SUBSCRIBED_KINDS.isdisjoint(wanted.kinds)


def timers_group(game_id: str) -> str:
    return _group("timer", game_id)


def _group(what: str, name: str) -> str:
    return hashlib.sha256(f"{what}:{name}".encode()).hexdigest()
