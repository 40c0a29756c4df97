"""One player's event: authenticated, decoded by its dialect and applied. It is answered, dropped
because it is malformed or not for us, or a failure is raised for the queue to retry. The queue is
no trust boundary: what comes out of one is verified again.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from arbiter.application.deps import ArbiterDeps
from arbiter.application.door import restricted
from arbiter.application.intake.routing import LIST_KIND, MEMBERS_KIND, OPERATORS_KINDS, REPORT_KIND
from arbiter.application.lobby.correspondence import begin, keep_first_move
from arbiter.application.lobby.requests import request_game
from arbiter.application.notices.change import change_notices
from arbiter.application.operator_lists import is_dated_ahead, take_list, take_members
from arbiter.application.play.command import play
from arbiter.application.play.places import game_without_name
from arbiter.application.play.referee import few_notes
from arbiter.application.records import MessageReceived, PlayerEvent
from arbiter.application.reply.chat import carry
from arbiter.application.reports import take_report
from arbiter.application.results import Result, load_named_game
from arbiter.application.tournaments.commands import command_tournament, refuse_command
from arbiter.application.tournaments.on_socket import command_on_socket
from arbiter.core.commands import PlayMove, Resign
from arbiter.core.game import Seat
from arbiter.core.replies import ClaimRejected, Reason, Rejected, Reply, RequestRefused
from arbiter.core.tournaments.replies import CommandRefused
from arbiter.dialects import native
from arbiter.dialects.base import (
    AnswerChallenge,
    BeginGame,
    BlockPlayer,
    CancelRequests,
    ChangeNotices,
    Chat,
    CurrentGameCommand,
    Decoded,
    Dialect,
    ForkDetected,
    GameCommand,
    NoSuchGame,
    QueryStatus,
    RequestToPlay,
    SlotCommand,
    TournamentAsked,
    TournamentFlaw,
)
from arbiter.dialects.chat import CHAT_KINDS
from arbiter.dialects.registry import BY_KIND
from arbiter.nostr.event import ParseError, VerifiedEvent, is_expired, verify
from arbiter.nostr.limits import GIFT_WRAP


def handle_event(  # noqa: C901 - each kind of event that goes another way
    deps: ArbiterDeps, received: PlayerEvent
) -> Result:
    claimed = received.event
    event = claimed if isinstance(claimed, VerifiedEvent) else verify(claimed)
    if isinstance(event, ParseError):
        return Result(status=f"malformed-{event.code}")
    if event.kind in OPERATORS_KINDS:
        if event.kind != REPORT_KIND and is_dated_ahead(deps, event):
            return Result(status="dated-ahead", event_key=event.id)
        take = {LIST_KIND: take_list, MEMBERS_KIND: take_members}.get(event.kind, take_report)
        return take(deps, event)
    if event.kind == GIFT_WRAP:
        return Result(status="message", event_key=event.id, notices=(MessageReceived(event),))
    dialect = BY_KIND.get(event.kind)
    if dialect is None:
        return Result(status="unknown-kind", event_key=event.id)
    if dialect.bridge and event.pubkey != deps.bridge:
        return Result(status="not-by-bridge", event_key=event.id)
    if event.pubkey == deps.server:
        return Result(status="our-own", event_key=event.id)
    if dialect.socket and received.via is None:
        return Result(status="not-by-socket", event_key=event.id)
    if not dialect.is_for(event, deps.server):
        answer = _dropped(dialect, event, "not-for-us", "its p tags name another server")
    elif is_expired(event, received.received_at_ms):
        answer = _dropped(dialect, event, "expired", "it has expired")
    elif received.is_too_many:
        answer = _too_many(dialect, event)
    else:
        answer = _answered(deps, dialect, event, received)
    return replace(answer, event=event, via=received.via)


def _answered(
    deps: ArbiterDeps, dialect: Dialect, event: VerifiedEvent, received: PlayerEvent
) -> Result:
    decoded = dialect.decode(event, received.received_at_ms, deps.server)
    if text := restricted(deps.policy, decoded, event.pubkey, deps.clock.now_ms()):
        return _restricted(deps, dialect, decoded, event, text)
    return _answer(deps, dialect, decoded, event, received)


def _dropped(dialect: Dialect, event: VerifiedEvent, status: str, text: str) -> Result:
    """The result for what is not for us: only on a socket, where a client waits, is it answered."""
    if dialect.socket is None:
        return Result(status=status, event_key=event.id)
    refusal = Rejected(event.pubkey, Reason.MALFORMED, text)
    return Result(status=status, replies=(refusal,), event_key=event.id, dialect=dialect.name)


def _answer(  # noqa: C901, PLR0912 - a case for each thing that an event can be
    deps: ArbiterDeps,
    dialect: Dialect,
    decoded: Decoded,
    event: VerifiedEvent,
    received: PlayerEvent,
) -> Result:
    event_key, at_ms = dialect.wire.event_key(event), received.received_at_ms
    match decoded:
        case GameCommand() as asked:
            return play(
                deps,
                dialect,
                asked,
                event_key,
                at_ms,
                at_gateway=received.at_gateway,
                says_here=native.says_here(event),
            )
        case BeginGame() as asked:
            return begin(deps, dialect, asked, event_key, event.pubkey)
        case SlotCommand() as decoded:
            return _slot_command(deps, dialect, event, at_ms, decoded)
        case ForkDetected(of, author):
            return _forked(deps, dialect, of, author, event_key)
        case Chat() as chat:
            return carry(deps, dialect, chat, event_key)
        case CurrentGameCommand(command):
            player = deps.lobby.player(event.pubkey)
            game_id = game_without_name(deps, player, dialect.name)
            if game_id is None:
                return _nowhere(dialect, event, "you play no game here")
            signed_at = event.created_at
            asked = GameCommand(game_id, command, found_by_author=True, signed_at=signed_at)
            return play(deps, dialect, asked, event.id, at_ms)
        case (
            RequestToPlay() | CancelRequests() | AnswerChallenge() | QueryStatus() | BlockPlayer()
        ) as asked:
            bind = _binding(deps, dialect, event, received.via)
            seat = replace(asked.seat, at_gateway=received.at_gateway)
            return request_game(deps, replace(asked, seat=seat), event, event_key, bind)
        case ChangeNotices() as asked:
            return change_notices(deps, asked, event)
        case TournamentAsked() as asked:
            if dialect.socket is None:
                return command_tournament(deps, asked, event)
            return command_on_socket(
                deps, dialect, asked, event, _binding(deps, dialect, event, received.via)
            )
        case TournamentFlaw(author, reason, text, tournament_id):
            refused = CommandRefused(author, reason, text)
            return refuse_command(refused, tournament_id, event_key)
        case NoSuchGame(_, text):
            return _nowhere(dialect, event, text)


def _restricted(
    deps: ArbiterDeps, dialect: Dialect, decoded: Decoded, event: VerifiedEvent, text: str
) -> Result:
    """The result for what the operator's policy refuses. A line of chat has no answer."""
    status, event_key = f"request-{Reason.RESTRICTED}", dialect.wire.event_key(event)
    match decoded:
        case RequestToPlay(seat) | AnswerChallenge(seat):
            refusal = RequestRefused(seat, Reason.RESTRICTED, text)
        case TournamentAsked(tournament_id) if dialect.socket is None:
            refused = CommandRefused(event.pubkey, Reason.RESTRICTED, text)
            return refuse_command(refused, tournament_id, event_key)
        case TournamentAsked():
            refusal = RequestRefused(Seat(event.pubkey, dialect.name), Reason.RESTRICTED, text)
        case _:
            return Result(status=status, event_key=event_key)
    told = few_notes(deps, dialect, None, (refusal,), deps.clock.now_ms())
    return Result(status=status, replies=told, event_key=event_key, dialect=dialect.name)


def _too_many(dialect: Dialect, event: VerifiedEvent) -> Result:
    """The result for an event beyond a rate of the relays. Chat has no form for it but a move's."""
    text = "too many events at once: wait some seconds, and sign this anew"
    refusal: Reply = Rejected(event.pubkey, Reason.RATE_LIMITED, text)
    if event.kind in dialect.seeks:
        refusal = RequestRefused(Seat(event.pubkey, dialect.name), Reason.RATE_LIMITED, text)
    name = native.NAME if event.kind in CHAT_KINDS else dialect.name
    return Result(status="told-too-many", replies=(refusal,), event_key=event.id, dialect=name)


def _slot_command(
    deps: ArbiterDeps, dialect: Dialect, event: VerifiedEvent, at_ms: int, decoded: SlotCommand
) -> Result:
    """Apply the command at this seat's slot; a resignation before a game withdraws the request."""
    seat, command = decoded.seat, decoded.command
    event_key = dialect.wire.event_key(event)
    player = deps.lobby.player(dialect.wire.slot(seat))
    if player.waits_in and isinstance(command, PlayMove) and command.ply == 1:
        kept = keep_first_move(deps, seat, command, event_key)
        if kept is not None:
            return kept
        player = deps.lobby.player(dialect.wire.slot(seat))
    is_waiting = player.waits_in is not None
    if game_id := player.game_id or (None if is_waiting else decoded.game_id):
        return play(deps, dialect, GameCommand(game_id, command), event_key, at_ms, event)
    if isinstance(command, Resign) and command.player == seat.player:
        return request_game(deps, CancelRequests(seat), event, event_key)
    refusal = Rejected(command.player, Reason.UNKNOWN_GAME, "no game has begun here")
    return Result(
        status="unaddressed", replies=(refusal,), event_key=event_key, dialect=dialect.name
    )


def _forked(
    deps: ArbiterDeps, dialect: Dialect, of: str | Seat, author: str, event_key: str
) -> Result:
    """Name a fork to its author, and leave the game as the first branch has it."""
    game = load_named_game(deps, of)
    if game is None or game.color_of(author) is None:
        return Result(status="forked", event_key=event_key)
    text = "your log is forked: of two messages of one number the first counts"
    disputed = ClaimRejected(game, author, text)
    return Result(status="forked", replies=(disputed,), event_key=event_key, dialect=dialect.name)


def _nowhere(dialect: Dialect, event: VerifiedEvent, text: str) -> Result:
    refusal = Rejected(event.pubkey, Reason.UNKNOWN_GAME, text)
    return Result(
        status="unaddressed",
        replies=(refusal,),
        event_key=dialect.wire.event_key(event),
        dialect=dialect.name,
    )


def _binding(
    deps: ArbiterDeps, dialect: Dialect, event: VerifiedEvent, via: str | None
) -> Callable[[], None] | None:
    """Make this socket speak for the event's author; None where no socket needs to."""
    if dialect.socket is None or via is None or deps.connections is None:
        return None
    return partial(deps.connections.authenticate, via, event.pubkey)
