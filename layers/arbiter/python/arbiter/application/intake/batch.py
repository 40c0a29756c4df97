"""One batch of records: each is handled, then everything is published together.

Invariant: a record that fails keeps the later ones of its group in the queue; what could not be
sent to a socket or to the bridge keeps the later ones of its game. No other waits.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.event import handle_event
from arbiter.application.intake.queue_messages import parse, republish_body
from arbiter.application.lobby.back_in_pool import with_players_back
from arbiter.application.lobby.challenges import waiting_replies
from arbiter.application.lobby.unit_of_work import commit_together, may_be_batched
from arbiter.application.notices.asked import ask_notices
from arbiter.application.play.ends import settle_end
from arbiter.application.play.expelled import end_games_of
from arbiter.application.play.tick import tick
from arbiter.application.play.transcripts import keep_signed
from arbiter.application.records import (
    GamesToEnd,
    Malformed,
    NoticeAsked,
    PlayerEvent,
    QueueMessage,
    RatingToTell,
    Republish,
    TimerFired,
)
from arbiter.application.reply.send import NoRelayAccepted, publish_events, send
from arbiter.application.results import Result, TournamentNews, current_replies
from arbiter.application.tournaments.progress import progress
from arbiter.core.game import Game
from arbiter.nostr.event import VerifiedEvent

_log = logging.getLogger(__name__)

UNPUBLISHED_ATTEMPTS = 11
"""After so many a reply has been accepted by no relay for half an hour: the operator is told."""

REPUBLISH_ATTEMPTS = 106
"""A day of attempts; then the record becomes a dead letter, and an alarm rings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One SQS record: message id, group (its own id without one), body, ``message`` if known."""

    id: str
    group: str
    body: str
    message: QueueMessage | None = None


@dataclass(frozen=True, slots=True)
class Processed:
    """A record with its result, or why it stays in the queue (None: behind a failed one)."""

    record: Record
    result: Result | None = None
    failure: Exception | None = None

    @property
    def game_id(self) -> str:
        """The game that the result is about; the record's group where it is about none."""
        return (self.result and self.result.game_id) or self.record.group


def process_batch(
    deps: ArbiterDeps, records: Sequence[Record], log: Callable[[Processed], None]
) -> tuple[str, ...]:
    """Process a batch; the ids to deliver again. Calls ``log`` for each record. Never raises."""
    # Answers are dated by this time, when no game has been read yet: no later date shows an earlier
    # version, so a client that goes by dates never returns to one.
    now_ms = deps.clock.now_ms()
    records = [replace(record, message=record.message or parse(record.body)) for record in records]
    done = _publish(deps, _together(deps, records) or _one_by_one(deps, records), now_ms)
    for processed in done:
        log(processed)
    ask_notices(deps, [processed.result for processed in done if processed.result])
    return tuple(processed.record.id for processed in done if processed.result is None)


def _together(deps: ArbiterDeps, records: Sequence[Record]) -> list[Processed]:
    """Handle requests to play in one transaction; an empty list if that was not possible."""
    requests = [record.message for record in records if isinstance(record.message, PlayerEvent)]
    if len(requests) < len(records) or not may_be_batched(requests):
        return []
    done: list[Processed] = []

    def handle(unit_deps: ArbiterDeps) -> bool:
        done[:] = (handle_record(unit_deps, record) for record in records)
        return all(processed.result for processed in done)

    try:
        is_written = commit_together(deps, {request.event.pubkey for request in requests}, handle)
    except Exception as failure:  # noqa: BLE001 - each by itself meets it again, if it lasts
        _log.warning({"status": "not-together", "error": type(failure).__name__})
        return []
    return done if is_written else []


def _one_by_one(deps: ArbiterDeps, records: Sequence[Record]) -> list[Processed]:
    done: list[Processed] = []
    failed_groups: set[str] = set()
    for record in records:
        processed = (
            Processed(record) if record.group in failed_groups else handle_record(deps, record)
        )
        if processed.result is None:
            failed_groups.add(record.group)
        done.append(processed)
    return done


def handle_record(deps: ArbiterDeps, record: Record) -> Processed:
    try:
        result = _handle(deps, record.message or parse(record.body))
        keep_signed(deps, result)
        return Processed(record, result)
    except Exception as failure:  # noqa: BLE001 - any fault of ours keeps the record; a player's mistake never raises
        return Processed(record, failure=failure)


def _handle(deps: ArbiterDeps, message: QueueMessage) -> Result:
    match message:
        case PlayerEvent() as received:
            return with_players_back(deps, handle_event(deps, received))
        case TimerFired() as fired:
            return with_players_back(deps, tick(deps, fired))
        case Republish() as again:
            return _republish(deps, again)
        case Malformed(status):
            return Result(status=status)
        case GamesToEnd(player):
            return with_players_back(deps, end_games_of(deps, player))
        case RatingToTell(player, speed, game_id):
            standing = deps.ratings.standing(player, speed)
            return Result(status="rating-told", standings=((standing, game_id),))
        case NoticeAsked() as due:
            return Result(status="notice-due", notices=(due,))
        case about_tournament:
            return progress(deps, about_tournament)


def _republish(deps: ArbiterDeps, again: Republish) -> Result:
    """The replies to the present state, unless a later one has been published since."""
    if again.tournament_id is not None:
        tournament = deps.tournaments.load(again.tournament_id)
        return Result(
            status="published-again" if tournament else "superseded",
            republish=(again,),
            relays_only=True,
            news=TournamentNews(
                again.tournament_id, after=tournament, since=again.changed_at_ms // 1000
            ),
        )
    if again.game_id is not None:
        game = deps.games.load(again.game_id)
        if game is None or not _is_present(game, again.changed_at_ms):
            return Result(status="superseded")
        following = deps.games.load(game.next_game_id) if game.next_game_id else None
        games = (following, game) if following else (game,)
        return Result(
            status="published-again",
            replies=tuple(reply for game in games for reply in current_replies(game)),
            game_id=game.id,
            republish=(again,),
            rated=tuple(rated for game in games for rated in settle_end(deps, game)),
            relays_only=True,
        )
    player = deps.lobby.player(again.player_id or "")
    waiting = waiting_replies(deps, player)
    return Result(
        status="published-again" if waiting else "superseded",
        replies=waiting,
        republish=(again,),
        relays_only=True,
    )


def _is_present(game: Game, changed_at_ms: int) -> bool:
    """Whether the state of that time is to be published; an end is, despite a rematch's offer."""
    ended = game.outcome is not None and game.position_since_ms == changed_at_ms
    return ended or game.changed_at_ms == changed_at_ms


def _publish(deps: ArbiterDeps, done: list[Processed], now_ms: int) -> list[Processed]:
    """Send and publish all results, and queue what no relay accepted. What could not be sent
    directly keeps later results of its group and game in the queue: a socket and a log need the
    order.
    """
    signed_events: list[tuple[VerifiedEvent, ...]] = []
    unsent: set[str] = set()
    for at, processed in enumerate(done):
        if processed.result is None:
            signed_events.append(())
            continue
        behind = unsent & {processed.record.group, processed.game_id}
        sent = send(deps, processed.result, now_ms, directly=not behind)
        if sent.failure:
            unsent |= {processed.record.group, processed.game_id}
        if sent.failure or behind:
            # The state is committed: a later delivery sends it.
            done[at] = Processed(processed.record, failure=sent.failure)
        # Although no socket was reached, others wait for these on the relays.
        signed_events.append(sent.events)
    try:
        accepted = publish_events(deps, signed_events)
    except Exception as failure:  # noqa: BLE001 - no trouble with relays, but a fault of ours
        return [
            Processed(processed.record, failure=failure) if events else processed
            for processed, events in zip(done, signed_events, strict=True)
        ]
    return [
        processed
        if all(event.id in accepted for event in events)
        else publish_later(deps, processed)
        for processed, events in zip(done, signed_events, strict=True)
    ]


def publish_later(deps: ArbiterDeps, processed: Processed) -> Processed:
    """Queue the result's republish orders; a failure keeps the record itself."""
    for order in processed.result.republish if processed.result else ():
        again = replace(order, attempt=order.attempt + 1)
        if again.attempt > UNPUBLISHED_ATTEMPTS:
            # Each attempt is a record of its own, so no age of a record in the queue tells this.
            _log.warning(
                {"status": "unpublished", "game": again.game_id, "attempts": again.attempt - 1}
            )
        if again.attempt > REPUBLISH_ATTEMPTS:
            # Published once more: an operator who redrives dead letters wants them published.
            return Processed(processed.record, failure=NoRelayAccepted())
        try:
            deps.republish.send(republish_body(again), min(900, 2**again.attempt))
        except Exception as failure:  # noqa: BLE001 - so the record itself stays
            return Processed(processed.record, failure=failure)
    return processed
