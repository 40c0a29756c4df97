"""Our own relay, as clients see it: a socket is opened, a frame is answered, a socket is closed.

Invariant: every frame is answered. A stranger's bytes never raise, are never logged, and never come
back but for an id. Our own faults are answered with ``error:``. Frames of one socket are handled
side by side, so nothing relies on their order.
"""

import contextlib
from dataclasses import replace
from typing import assert_never

from arbiter.application.connections import Connection, network_of
from arbiter.application.gateway.address_frames import Excess
from arbiter.application.gateway.budget import why_spent
from arbiter.application.gateway.deps import (
    RATE_SECONDS,
    FrameResult,
    GatewayDeps,
    ParsedFrame,
    event_id_of,
    game_id_of,
    refusal,
    say,
)
from arbiter.application.gateway.events import answer_auth, answer_event
from arbiter.application.gateway.subscriptions import answer_request
from arbiter.nostr import client_messages
from arbiter.nostr.event import ParseError, ParseErrorCode

__all__ = ["FrameResult", "GatewayDeps", "admit", "answer_frame", "forget"]

FRAMES_COUNTED_AS_ONE = 10
"""An address is counted at every tenth frame that a process hears of it: one that sends fewer in
ten seconds is a person at a board, and counting each frame would cost as much as the move in it. On
however many sockets, an address has at most nine frames uncounted in each process.
"""

GARBAGE_SECONDS = 600

_OF_CODE = {ParseErrorCode.TOO_LARGE: "message_bytes", ParseErrorCode.TOO_MANY_FILTERS: "filters"}
"""The limit that a message which was not read exceeds."""


def admit(deps: GatewayDeps, connection_id: str, address: str) -> bool:
    """Let in a socket from this IP address, unless it came too often. Raises for infrastructure."""
    now_ms, network = deps.clock.now_ms(), network_of(address)
    limit = deps.limits.address_connections_per_minute
    if not deps.rate_limits.take(f"opened:{network}", limit, 60, now_ms):
        return False
    connection = Connection(
        id=connection_id, address=network, challenge=deps.new_challenge(), opened_at_ms=now_ms
    )
    deps.connections.add(connection, now_ms)
    return True


def answer_frame(
    deps: GatewayDeps, connection_id: str, frame: str | bytes, received_at_ms: int | None = None
) -> FrameResult:
    """Answer one frame, received then (unix ms) or now. Never raises: a fault is in the result."""
    said = client_messages.parse_client_message(
        frame, deps.limits.message_bytes, deps.limits.filters
    )
    try:
        answered = _answer(deps, connection_id, said, received_at_ms)
    except Exception as failure:  # noqa: BLE001 - the client has to be told, whatever it is
        with contextlib.suppress(Exception):
            say(deps, connection_id, refusal(said, "error: a fault of ours: send it again"))
        answered = FrameResult("failed", event_id_of(said), failure)
    if answered.game_id or not (game_id := game_id_of(said)):
        return answered
    return replace(answered, game_id=game_id)


def forget(deps: GatewayDeps, connection_id: str) -> None:
    """Forget a socket that is closed. Raises for infrastructure; what is left expires."""
    deps.connections.remove(connection_id)


def _answer(
    deps: GatewayDeps, connection_id: str, said: ParsedFrame, received_at_ms: int | None
) -> FrameResult:
    now_ms = deps.clock.now_ms()
    connection = deps.connections.count_frame(connection_id, now_ms)
    if connection is None:
        # Forgotten: it lived too long, or was taken for gone. Nothing could be delivered to it.
        _disconnect(deps, connection_id, refusal(said, "error: reconnect"))
        return FrameResult("unknown-connection", event_id_of(said))
    limit, excess = _exceeded_rate(deps, connection, now_ms)
    if excess is Excess.HUNG_UP:
        _disconnect(deps, connection_id, refusal(said, "rate-limited: far too fast"))
        return FrameResult("hung-up-rate-limited", event_id_of(said), limit=limit)
    if excess is Excess.REFUSED:
        say(deps, connection_id, refusal(said, "rate-limited: slow down"))
        return FrameResult("refused-rate-limited", event_id_of(said), limit=limit)
    if text := why_spent(deps, connection, said):
        say(deps, connection_id, refusal(said, text))
        return FrameResult("refused-spent", event_id_of(said))
    return _answer_message(deps, connection, said, now_ms, received_at_ms)


def _answer_message(
    deps: GatewayDeps,
    connection: Connection,
    said: ParsedFrame,
    now_ms: int,
    received_at_ms: int | None,
) -> FrameResult:
    match said:
        case client_messages.EventMessage(event):
            at_ms = now_ms if received_at_ms is None else received_at_ms
            return answer_event(deps, connection, event, now_ms, at_ms)
        case client_messages.AuthMessage(event):
            return answer_auth(deps, connection, event, now_ms)
        case client_messages.ReqMessage():
            return answer_request(deps, connection, said, now_ms)
        case client_messages.CloseMessage(subscription_id):
            deps.connections.unsubscribe(connection.id, subscription_id)
            return FrameResult("unsubscribed")
        case client_messages.InvalidMessage():
            return _malformed(deps, connection.id, said)
        case ParseError():
            return _garbage(deps, connection, said, now_ms)
        case _:
            assert_never(said)


def _exceeded_rate(deps: GatewayDeps, connection: Connection, now_ms: int) -> tuple[str, Excess]:
    """The name of the limit on frames that is exceeded, and by how much; empty if none is."""
    of_connection = deps.limits.frames_per_ten_seconds
    if connection.frames > of_connection:
        is_far = connection.frames > 2 * of_connection
        return "frames_per_ten_seconds", Excess.HUNG_UP if is_far else Excess.REFUSED
    excess = _excess(deps, connection.address, now_ms)
    return "address_frames_per_ten_seconds" if excess else "", excess


def _excess(deps: GatewayDeps, address: str, now_ms: int) -> Excess:
    """Count a frame for its address. Who goes on at twice the limit is shut out for a minute."""
    heard = deps.frames.count(address, now_ms)
    if heard % FRAMES_COUNTED_AS_ONE:
        return deps.frames.excess(address)
    take, key = deps.rate_limits.take, f"frames:{address}"
    most = deps.limits.address_frames_per_ten_seconds // FRAMES_COUNTED_AS_ONE
    if take(key, most, RATE_SECONDS, now_ms):
        return Excess.NONE
    excess = Excess.REFUSED if take(key, 2 * most, RATE_SECONDS, now_ms, 0) else Excess.HUNG_UP
    if excess is Excess.HUNG_UP and deps.frames.excess(address) is not Excess.HUNG_UP:
        limit = deps.limits.address_connections_per_minute
        for at_ms in (now_ms, now_ms + 60_000):
            take(f"opened:{address}", limit, 60, at_ms, limit)
    deps.frames.learn(address, excess)
    return excess


def _malformed(
    deps: GatewayDeps, connection_id: str, said: client_messages.InvalidMessage
) -> FrameResult:
    if said.verb is client_messages.Verb.REQ:
        # NIP-01: a REQ of the same id replaces the older subscription, so that is over too.
        deps.connections.unsubscribe(connection_id, said.name)
    limit = _OF_CODE.get(said.why.code, "")
    prefix = "restricted" if limit == "filters" else "invalid"
    say(deps, connection_id, refusal(said, f"{prefix}: {said.why.text}"))
    return FrameResult(f"malformed-{said.why.code}", event_id_of(said), limit=limit)


def _garbage(
    deps: GatewayDeps, connection: Connection, why: ParseError, now_ms: int
) -> FrameResult:
    """A frame that is no message. A client with a fault is told a few times, then disconnected."""
    key, limit = f"garbage:{connection.id}", _OF_CODE.get(why.code, "")
    if deps.rate_limits.take(key, deps.limits.garbage, GARBAGE_SECONDS, now_ms):
        say(deps, connection.id, client_messages.notice_text(f"invalid: {why.text}"))
    else:
        text, limit = "invalid: too many frames that are no messages", "garbage"
        _disconnect(deps, connection.id, client_messages.notice_text(text))
    return FrameResult(f"malformed-{why.code}", limit=limit)


def _disconnect(deps: GatewayDeps, connection_id: str, text: str) -> None:
    if say(deps, connection_id, text):
        deps.sockets.close(connection_id)
        deps.connections.remove(connection_id)
