"""REQ at our own relay: file it, then show what stands, then EOSE.

The law: **a subscription is filed before anything is read for it.** What changes after the reading
is delivered, what changed before it was read, and what changed between the two comes twice, which a
client knows by its version. The other order would lose it.
"""

from collections.abc import Sequence

from arbiter.application.gateway.carried import is_carried
from arbiter.application.gateway.desk import RATE_SECONDS, FrameResult, GatewayDeps, say
from arbiter.application.gateway.present import snapshot
from arbiter.application.gateway.topics import topics_of_filter, topics_of_filters
from arbiter.application.socket_ports import Connection, Subscriber
from arbiter.nostr.client_messages import (
    ReqMessage,
    closed_text,
    delivery_text,
    eose_text,
    event_text,
)
from arbiter.nostr.filters import Filter, filter_to_json
from arbiter.nostr.strict_json import write_json


def answer_request(
    desk: GatewayDeps, connection: Connection, said: ReqMessage, now_ms: int
) -> FrameResult:
    """Open a subscription, or say in a CLOSED why not."""
    filters = tuple(wanted for wanted in said.filters if is_carried(wanted))
    topics = topics_of_filters(filters)
    if text := _objection(desk, connection, said, filters, topics, now_ms):
        if said.subscription_id in connection.subscriptions:
            # NIP-01: a REQ of the same id replaces the older subscription, so that is over too.
            desk.connections.unsubscribe(connection.id, said.subscription_id)
        say(desk, connection.id, closed_text(said.subscription_id, text))
        return FrameResult("closed-" + text.partition(":")[0])
    subscriber = Subscriber(
        connection.id, said.subscription_id, filters, address=connection.address
    )
    desk.connections.subscribe(connection.id, subscriber, topics, now_ms)
    shown = (
        delivery_text(said.subscription_id, event_text(event))
        for event in snapshot(desk, filters, now_ms)
    )
    say(desk, connection.id, *shown, eose_text(said.subscription_id))
    return FrameResult("subscribed")


def _objection(
    desk: GatewayDeps,
    connection: Connection,
    said: ReqMessage,
    carried: tuple[Filter, ...],
    topics: Sequence[str],
    now_ms: int,
) -> str | None:
    limits = desk.limits
    if not _within_rate(desk, connection, now_ms):
        return "rate-limited: slow down"
    if len(said.filters) > limits.filters:
        return f"restricted: more than {limits.filters} filters"
    if len(connection.subscriptions | {said.subscription_id}) > limits.subscriptions:
        return f"restricted: more than {limits.subscriptions} subscriptions: close one first"
    if not carried:
        return "restricted: only chess is told here"
    if not all(topics_of_filter(wanted) for wanted in carried):
        return "restricted: name ids, authors, kinds, #d, #e or #p"
    if len(topics) > limits.topics:
        return f"restricted: more than {limits.topics} values to be told of"
    if (
        len(write_json([filter_to_json(wanted) for wanted in carried]).encode())
        > limits.filter_bytes
    ):
        return f"restricted: more than {limits.filter_bytes} bytes of filters"
    # One that takes an older one's place may be filed there already.
    most = limits.of_an_address + (said.subscription_id in connection.subscriptions)
    if desk.connections.is_crowded(topics, connection.address, most):
        return f"restricted: more than {limits.of_an_address} subscriptions of your address to this"
    return None


def _within_rate(desk: GatewayDeps, connection: Connection, now_ms: int) -> bool:
    """REQs are dear, so there may be fewer of them than of other frames. Nobody who sent so few
    frames can have sent more REQs, so only of the others is a count kept.
    """
    limit = desk.limits.requests_per_ten_seconds
    if connection.frames <= limit:
        return True
    return desk.rate_limits.take(f"requests:{connection.id}", limit, RATE_SECONDS, now_ms)
