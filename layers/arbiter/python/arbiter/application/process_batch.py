"""One batch of records, from the queue to the relays.

The law: one sick game never delays another. A record that fails takes the later ones of its own
group with it, and nobody else's; what could not be posted takes the later ones of its game. All
that was decided is published together, and what no relay took is queued to be said again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.follow_up import rating_of_end
from arbiter.application.handle_event import handle_event
from arbiter.application.lobby import slots_of
from arbiter.application.publish import Posting, post, publish_batches, text_of
from arbiter.application.queue_messages import (
    Malformed,
    PlayerEvent,
    Republish,
    TimerFired,
    parse,
    republish_body,
)
from arbiter.application.render_replies import render_replies
from arbiter.application.results import Result, current_replies
from arbiter.application.tick import tick
from arbiter.core.game import Game
from arbiter.dialects.base import EncryptedEvent, SocketEvent, SocketMessage, SsbMessage
from arbiter.nostr.event import EventTemplate, VerifiedEvent

PUBLISH_SECONDS = 3.0
"""How long a batch waits for the relays; the queue's visibility leaves room for six times the
whole function.
"""

REPUBLISH_ATTEMPTS = 100
"""About a day of tries, a quarter of an hour apart; then the record goes to the dead letters, with
an alarm.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One SQS record: its message id, its group (its own id where the queue has none) and its
    body.
    """

    id: str
    group: str
    body: str


@dataclass(frozen=True, slots=True)
class Processed:
    """What came of one record: an answer, or the exception that keeps it in the queue (None: it
    waits behind a failed one).
    """

    record: Record
    answer: Result | None = None
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """What there is to publish, to post, and to utter elsewhere."""

    events: tuple[VerifiedEvent, ...] = ()
    postings: tuple[Posting, ...] = ()
    utterances: tuple[SsbMessage, ...] = ()


class NoRelayAccepted(Exception):
    """No relay took a publication for about a day."""


class WrongKey(Exception):
    """The signer's key is no longer the one that players know: what it signs they do not hear."""


def process_batch(
    deps: ArbiterDeps, records: Sequence[Record], log: Callable[[Processed], None]
) -> tuple[str, ...]:
    """Process a batch; the ids of the records that must be delivered again.

    Never raises: whatever goes wrong with one record is that record's failure. ``log`` is told of
    each record once.
    """
    done: list[Processed] = []
    failed_groups: set[str] = set()
    for record in records:
        one = Processed(record) if record.group in failed_groups else _judge(deps, record)
        if one.answer is None:
            failed_groups.add(record.group)
        done.append(one)
    done = _publish(deps, done)
    for one in done:
        log(one)
    return tuple(one.record.id for one in done if one.answer is None)


def _judge(deps: ArbiterDeps, record: Record) -> Processed:
    try:
        return Processed(record, _answer(deps, record.body))
    except Exception as failure:  # noqa: BLE001 - any fault of ours keeps the record; a player's mistake never raises
        return Processed(record, failure=failure)


def _answer(deps: ArbiterDeps, body: str) -> Result:
    match parse(body):
        case PlayerEvent() as received:
            return handle_event(deps, received)
        case TimerFired() as fired:
            return tick(deps, fired)
        case Republish() as again:
            return _say_again(deps, again)
        case Malformed(status):
            return Result(status=status)


def _say_again(deps: ArbiterDeps, again: Republish) -> Result:
    """The replies to the present state, unless a later one has been published since."""
    if again.game_id is not None:
        game = deps.games.load(again.game_id)
        if game is None or not _is_present(game, again.changed_at_ms):
            return Result(status="superseded")
        following = deps.games.load(game.next_game_id) if game.next_game_id else None
        games = (following, game) if following else (game,)
        return Result(
            status="said-again",
            replies=tuple(reply for one in games for reply in current_replies(one)),
            game_id=game.id,
            republish=again,
            rated=tuple(rated for one in games for rated in rating_of_end(deps, one)),
            for_relays=True,
        )
    player = deps.lobby.player(again.player_id or "")
    waiting = slots_of(deps, player)
    return Result(
        status="said-again" if waiting else "superseded",
        replies=waiting,
        republish=again,
        for_relays=True,
    )


def _is_present(game: Game, changed_at_ms: int) -> bool:
    """Whether the state of that time is still what there is to say. An end is, with its note,
    though a rematch was offered since.
    """
    ended = game.outcome is not None and game.position_since_ms == changed_at_ms
    return ended or game.changed_at_ms == changed_at_ms


def _publish(deps: ArbiterDeps, done: list[Processed]) -> list[Processed]:
    """Post and publish all answers; then see to it that what no relay took is said again.

    What could not be posted takes the later ones of its group and its game along, though they are
    done: a socket and a log would hear them first, and of what came before the last move nothing is
    said again.
    """
    now_ms = deps.clock.now_ms()
    spoken: list[tuple[VerifiedEvent, ...]] = []
    unposted: set[str] = set()
    for at, one in enumerate(done):
        events: tuple[VerifiedEvent, ...] = ()
        try:
            if one.answer:
                said = _signed(deps, one.answer, now_ms)
                events = said.events
                if unposted & {one.record.group, _game_of(one)}:
                    done[at] = Processed(one.record)
                else:
                    _send(deps, one.answer, said)
        except Exception as failure:  # noqa: BLE001 - the state is committed: a later delivery says it again
            unposted |= {one.record.group, _game_of(one)}
            done[at] = Processed(one.record, failure=failure)
        # Though no socket could be reached, others wait for it on the relays.
        spoken.append(events)
    try:
        taken = _offer(deps, publish_batches(spoken))
    except Exception as failure:  # noqa: BLE001 - no trouble with relays, but a fault of ours
        return [
            Processed(one.record, failure=failure) if events else one
            for one, events in zip(done, spoken, strict=True)
        ]
    return [
        one if all(event.id in taken for event in events) else _later(deps, one)
        for one, events in zip(done, spoken, strict=True)
    ]


def _game_of(one: Processed) -> str:
    """The game whose news this is; its group where it is none's."""
    return (one.answer and one.answer.game_id) or one.record.group


def _send(deps: ArbiterDeps, answer: Result, said: _Said) -> None:
    """Post and utter, each though the other failed. Raises for infrastructure. What is said again
    because no relay took it has gone these ways before.
    """
    if answer.for_relays:
        return
    try:
        if deps.outbox is not None and said.utterances:
            deps.outbox.send(said.utterances)
    finally:
        if deps.connections is not None and deps.sockets is not None:
            post(deps.connections, deps.sockets, answer.via, said.postings)


def _offer(deps: ArbiterDeps, waves: tuple[tuple[VerifiedEvent, ...], ...]) -> set[str]:
    """Publish one wave after the other; the ids that some relay took."""
    taken: set[str] = set()
    for wave in waves:
        report = deps.publisher.publish(wave, PUBLISH_SECONDS / len(waves))
        taken |= {event.id for event in wave if report.taken(event.id)}
    return taken


def _signed(deps: ArbiterDeps, answer: Result, now_ms: int) -> _Said:
    """What tells the answer, with our signature where it needs one."""
    events: list[VerifiedEvent] = []
    postings: list[Posting] = []
    utterances: dict[str, SsbMessage] = {}
    for said in render_replies(answer, deps.server, now_ms):
        match said:
            case EventTemplate():
                events.append(_sign(deps, said))
            case SocketMessage(to, SocketEvent(label, EventTemplate() as template)):
                signed = SocketEvent(label, _sign(deps, template))
                postings.append(Posting(to, text_of(signed)))
            case SocketMessage(to, content):
                postings.append(Posting(to, text_of(content)))
            case EncryptedEvent(to, template):
                if sealed := _seal(deps, to, template, answer.event_key):
                    events.append(_sign(deps, sealed))
            case SsbMessage():
                utterances[said.id] = said
    return _Said(tuple(events), tuple(postings), tuple(utterances.values()))


def _seal(
    deps: ArbiterDeps, to: str, template: EventTemplate, event_key: str
) -> EventTemplate | None:
    """The event with its content sealed; None where nothing can be sealed for this player."""
    sealer = deps.encrypter
    content = sealer.encrypt(to, template.content, event_key) if sealer else None
    return None if content is None else replace(template, content=content)


def _sign(deps: ArbiterDeps, template: EventTemplate) -> VerifiedEvent:
    event = deps.signer.sign(template)
    if event.pubkey != deps.server:
        raise WrongKey
    return event


def _later(deps: ArbiterDeps, one: Processed) -> Processed:
    if one.answer is None or one.answer.republish is None:
        return one
    again = replace(one.answer.republish, attempt=one.answer.republish.attempt + 1)
    if again.attempt > REPUBLISH_ATTEMPTS:
        # It was tried once more: whoever gives dead letters back means them to be said.
        return Processed(one.record, failure=NoRelayAccepted())
    try:
        deps.republish.later(republish_body(again), min(900, 2**again.attempt))
    except Exception as failure:  # noqa: BLE001 - so the record itself stays
        return Processed(one.record, failure=failure)
    return one
