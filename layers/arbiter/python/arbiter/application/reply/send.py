"""A result's replies on their way out: signed, then sent to sockets and the bridge, for whom the
state is committed by then, and to relays, which may take seconds.
"""

import logging
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import assert_never

from arbiter.application.answers import remember_shown
from arbiter.application.connections import Connections, SocketBusy, Sockets, send_frame
from arbiter.application.deps import ArbiterDeps
from arbiter.application.reply.house_questions import house_requests
from arbiter.application.reply.render import render_replies
from arbiter.application.results import Result
from arbiter.dialects.outgoing import (
    EncryptedEvent,
    Outgoing,
    SocketEvent,
    SocketMessage,
    SsbMessage,
)
from arbiter.nostr.client_messages import labelled_text, ok_text
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import OkMessage

_log = logging.getLogger("arbiter")

PUBLISH_SECONDS = 3.0
"""Longest wait of a batch for the relays, within the queue's visibility."""

SOCKETS_TOLD = 16
"""Sockets of a player that are sent each frame; other games wait for the last."""

SOCKETS_TRIED = 64


class NoRelayAccepted(Exception):
    """No relay accepted what there is to publish."""


class WrongKey(Exception):
    """The signer's key is not the one that players know, who would ignore what it signs."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A text for all sockets of the player ``to`` (64 hex), or that of the event (None)."""

    to: str | None
    text: str


@dataclass(frozen=True, slots=True)
class SignedReplies:
    """The events and messages of one result: for relays, for sockets, and for the bridge."""

    events: tuple[VerifiedEvent, ...] = ()
    frames: tuple[Frame, ...] = ()
    messages: tuple[SsbMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class Sent:
    """The events of a result yet to publish, and why it could not be sent directly, if so."""

    events: tuple[VerifiedEvent, ...] = ()
    failure: Exception | None = None


def send(deps: ArbiterDeps, result: Result, now_ms: int, *, directly: bool = True) -> Sent:
    """Render and sign a result's replies, and send sockets, house and bridge theirs, if it is its
    turn (``directly``). Answers are dated ``now_ms``, before the game was read. Never raises.
    """
    events: tuple[VerifiedEvent, ...] = ()
    try:
        replies = render_replies(result, deps.server, now_ms, deps.pgns)
        signed = sign_replies(deps, replies, result.event_key)
        events = signed.events
        if directly:
            send_direct(deps, result, signed)
    except Exception as failure:  # noqa: BLE001 - events that are signed can be published anyway
        return Sent(events, failure)
    return Sent(events)


def sign_replies(deps: ArbiterDeps, replies: Iterable[Outgoing], event_key: str) -> SignedReplies:
    """The replies to this event as they are sent. Raises ``WrongKey``, and as the signer."""
    events: list[VerifiedEvent] = []
    frames: list[Frame] = []
    messages: dict[str, SsbMessage] = {}
    for outgoing in replies:
        match outgoing:
            case EventTemplate():
                events.append(event := _sign(deps, outgoing))
                remember_shown(deps, event)
            case SocketMessage(to, SocketEvent(label, EventTemplate() as template)):
                signed = SocketEvent(label, _sign(deps, template))
                frames.append(Frame(to, frame_text(signed)))
            case SocketMessage(to, content):
                frames.append(Frame(to, frame_text(content)))
            case EncryptedEvent(to, template, prefix):
                if encrypted := _encrypt(deps, to, template, prefix, event_key):
                    events.append(_sign(deps, encrypted))
            case SsbMessage():
                messages[outgoing.id] = outgoing
    return SignedReplies(tuple(events), tuple(frames), tuple(messages.values()))


def send_direct(deps: ArbiterDeps, result: Result, signed: SignedReplies) -> None:
    """Send to bridge, house and sockets, each if another failed. Raises for infrastructure."""
    if result.relays_only:
        return
    with ExitStack() as each:  # what is put in last is done first
        if deps.connections is not None and deps.sockets is not None:
            each.callback(send_frames, deps.connections, deps.sockets, result.via, signed.frames)
        if deps.house_queue is not None and (asked := house_requests(result, deps.house_levels)):
            each.callback(deps.house_queue.send, asked)
        if deps.outbox is not None and signed.messages:
            each.callback(deps.outbox.send, signed.messages)


def publish_events(deps: ArbiterDeps, results: Sequence[Sequence[VerifiedEvent]]) -> set[str]:
    """Publish the events of all results; the ids that some relay accepted."""
    accepted: set[str] = set()
    batches = publish_batches(results)
    for batch in batches:
        report = deps.publisher.publish(batch, PUBLISH_SECONDS / len(batches))
        accepted |= {event.id for event in batch if report.is_accepted(event.id)}
    return accepted


def publish_batches(
    results: Sequence[Sequence[VerifiedEvent]],
) -> tuple[tuple[VerifiedEvent, ...], ...]:
    """The events of all results, each once, in batches one after the other: one a kind, the last
    event last.

    Relays do not keep the order of events: of 40 games sent at once, 16 showed a state before the
    response. "Initially it should come after the response to request to play", says the native
    protocol.
    """
    batches: list[dict[str, VerifiedEvent]] = []
    for events in results:
        kinds = [*dict.fromkeys(event.kind for event in events)]
        for event in events:
            is_behind = event is events[-1] and event.kind != kinds[-1]
            number = len(kinds) if is_behind else kinds.index(event.kind)
            batches += [{} for _ in range(number + 1 - len(batches))]
            batches[number][event.id] = event
    return tuple(tuple(batch.values()) for batch in batches)


def send_frames(
    connections: Connections, sockets: Sockets, via: str | None, frames: Iterable[Frame]
) -> None:
    """Send each frame in order, once. Raises for infrastructure, after all others; not for a socket
    that is gone, whose player asks for the state when they reconnect.
    """
    readers: dict[str | None, tuple[str, ...]] = {None: () if via is None else (via,)}
    failed: set[str] = set()
    failure: Exception | None = None
    for frame in frames:
        if frame.to not in readers:
            readers[frame.to] = ()
            try:
                readers[frame.to] = connections.sockets_of(frame.to or "")[:SOCKETS_TRIED]
            except Exception as trouble:  # noqa: BLE001 - raised once all others are sent theirs
                failure = trouble
        sent: list[str] = []
        for connection_id in readers[frame.to]:
            # A frame that is missing would make nonsense of those after it.
            if connection_id in failed:
                continue
            if len(sent) == SOCKETS_TOLD:
                break
            told = _tell(connections, sockets, connection_id, frame.text)
            if told is True:
                sent.append(connection_id)
                continue
            failure = told or failure
            failed.add(connection_id)
        readers[frame.to] = tuple(sent)
    if failure is not None:
        raise failure


def _tell(
    connections: Connections, sockets: Sockets, connection_id: str, text: str
) -> Exception | bool:
    """Whether this frame was sent; a failure of the infrastructure."""
    try:
        return send_frame(connections, sockets, connection_id, text)
    except SocketBusy:
        _log.warning({"status": "undelivered", "connection": connection_id})
        return False
    except Exception as trouble:  # noqa: BLE001 - raised once all others are sent theirs
        return trouble


def frame_text(content: OkMessage | SocketEvent) -> str:
    """The frame's text. TypeError for an event that is not signed."""
    match content:
        case OkMessage(event_id, accepted, text):
            return ok_text(event_id, accepted, text)
        case SocketEvent(label, VerifiedEvent() as event):
            return labelled_text(label, event)
        case SocketEvent():
            raise TypeError("sign it first")
        case _:
            assert_never(content)


def _sign(deps: ArbiterDeps, template: EventTemplate) -> VerifiedEvent:
    event = deps.signer.sign(template)
    if event.pubkey != deps.server:
        raise WrongKey
    return event


def _encrypt(
    deps: ArbiterDeps, to: str, template: EventTemplate, prefix: str, event_key: str
) -> EventTemplate | None:
    """The event with its content encrypted; None where that cannot be done for this player."""
    encrypter = deps.encrypter
    content = encrypter.encrypt(to, template.content, event_key) if encrypter else None
    return None if content is None else replace(template, content=prefix + content)
