"""REQ at our own relay, and the topics under which a subscription is filed and an event looked up.

Invariant: if a filter matches an event, they share a topic, so one read finds an event's
subscribers; a shared topic is a reason to compare. Filters that name ids are filed nowhere. Chat is
found by its game, and 20305 by its reader.

A filter is filed under the values of the constraint that fewest events meet. Every look-up is paid
by every event, so ``#t`` or ``since`` are not worth one. Filters that name nothing which is looked
up, such as ``{}``, are refused: they would cost every move a look-up.

Invariant: a subscription is filed before anything is read for it, so a change in between comes
twice, which a client knows by its version. The other order would lose it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from arbiter.application.connections import Connection, Subscriber
from arbiter.application.gateway.deps import (
    RATE_SECONDS,
    FrameResult,
    GatewayDeps,
    Objection,
    StoredAsked,
    say,
)
from arbiter.application.gateway.snapshot import snapshot
from arbiter.application.intake.routing import is_carried
from arbiter.dialects.chat import CHAT_KINDS, PLAYERS_CHAT, SPECTATORS_CHAT
from arbiter.nostr.client_messages import (
    ReqMessage,
    closed_text,
    delivery_text,
    eose_text,
    event_text,
)
from arbiter.nostr.event import NostrEvent, VerifiedEvent
from arbiter.nostr.filters import Filter, filter_to_json
from arbiter.nostr.strict_json import write_json

ASK_LATER = "rate-limited: this is much to read: ask again in ten seconds"

TAGS_LOOKED_UP = ("e", "d", "a", "p")
"""The most selective first: an event's answers, a game, a tournament, a player."""

_MAX_SELECTIVE_FIRST: tuple[tuple[str, Callable[[Filter], Sequence[str | int]]], ...] = (
    ("e", lambda wanted: wanted.tags.get("e", ())),
    ("d", lambda wanted: wanted.tags.get("d", ())),
    # No address (NIP-01) is a key, which is what the last "a" has.
    ("a", lambda wanted: wanted.tags.get("a", ())),
    ("p", lambda wanted: wanted.tags.get("p", ())),
    ("a", lambda wanted: wanted.authors),
    ("k", lambda wanted: wanted.kinds),
)


def topics_of_filter(wanted: Filter) -> tuple[str, ...]:
    """The topics of a subscription, such as ``d:…``; none if it names ids, or nothing."""
    for letter, values_of in () if wanted.ids else _MAX_SELECTIVE_FIRST:
        if values := values_of(wanted):
            return tuple(f"{letter}:{value}" for value in dict.fromkeys(values))
    return ()


def topics_of_filters(filters: Sequence[Filter]) -> tuple[str, ...]:
    """The topics under which to file a subscription with these filters, each once."""
    return tuple(dict.fromkeys(topic for one in filters for topic in topics_of_filter(one)))


def topics_by_name(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """The topics of its game or tournament, its players, or what it answers; of spectators' chat
    its game alone: its other tags are whatever its author likes.
    """
    letters = ("d",) if event.kind == SPECTATORS_CHAT else TAGS_LOOKED_UP
    tagged = (f"{tag[0]}:{tag[1]}" for tag in event.tags if len(tag) > 1 and tag[0] in letters)
    return tuple(dict.fromkeys(tagged))


def topics_at_large(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """The topics of all of an author's or a kind, which may be crowded; none of chat."""
    if event.kind in CHAT_KINDS:
        return ()
    return (f"a:{event.pubkey}", f"k:{event.kind}")


def answer_request(
    deps: GatewayDeps, connection: Connection, said: ReqMessage, now_ms: int
) -> FrameResult:
    filters = tuple(wanted for wanted in said.filters if is_carried(wanted))
    topics = topics_of_filters(filters)
    if objection := _objection(deps, connection, said, filters, topics, now_ms):
        text, limit = objection
        if said.subscription_id in connection.subscriptions:
            # NIP-01: a REQ of the same id replaces the older subscription, so that is over too.
            deps.connections.unsubscribe(connection.id, said.subscription_id)
        say(deps, connection.id, closed_text(said.subscription_id, text))
        return FrameResult("closed-" + text.partition(":")[0], limit=limit)
    subscriber = Subscriber(
        connection.id, said.subscription_id, filters, address=connection.address
    )
    deps.connections.subscribe(connection.id, subscriber, topics, now_ms)
    keys = (connection.address, *sorted(connection.pubkeys))
    asked = StoredAsked(said.subscription_id, filters, now_ms, keys)
    if not deps.shows_stored:
        return FrameResult("subscribed", asked=asked)
    writing = _Writing(deps, connection.address, now_ms)
    events = stored(deps, asked, writing.take)
    if writing.limit:
        deps.connections.unsubscribe(connection.id, said.subscription_id)
        say(deps, connection.id, closed_text(said.subscription_id, ASK_LATER))
        return FrameResult("closed-rate-limited", limit=writing.limit)
    say(deps, connection.id, *stored_texts(asked.subscription_id, events))
    return FrameResult("subscribed")


@dataclass
class _Writing:
    """The plies of notes that are written for an address, and the limit that they exceed."""

    deps: GatewayDeps
    address: str
    now_ms: int
    limit: str = ""

    def take(self, plies: int) -> bool:
        limits, take = self.deps.limits, self.deps.rate_limits.take
        if not take(
            f"plies:{self.address}", limits.plies_per_ten_seconds, RATE_SECONDS, self.now_ms, plies
        ):
            self.limit = "plies_per_ten_seconds"
        elif not take("plies", limits.all_plies_per_ten_seconds, RATE_SECONDS, self.now_ms, plies):
            self.limit = "all_plies_per_ten_seconds"
        return not self.limit


def stored(
    deps: GatewayDeps, asked: StoredAsked, may_write: Callable[[int], bool] = lambda _: True
) -> tuple[str, ...]:
    """The events that a REQ asks for, as JSON; ``may_write`` as in `snapshot`."""
    return tuple(map(event_text, snapshot(deps, asked.filters, asked.now_ms, may_write)))


def stored_texts(subscription_id: str, events: Iterable[str]) -> tuple[str, ...]:
    shown = (delivery_text(subscription_id, event) for event in events)
    return (*shown, eose_text(subscription_id))


def _objection(
    deps: GatewayDeps,
    connection: Connection,
    said: ReqMessage,
    carried: tuple[Filter, ...],
    topics: Sequence[str],
    now_ms: int,
) -> Objection | None:
    limits = deps.limits
    if not _within_rate(deps, connection, now_ms):
        return Objection("rate-limited: slow down", "requests_per_ten_seconds")
    if len(connection.subscriptions | {said.subscription_id}) > limits.subscriptions:
        text = f"restricted: more than {limits.subscriptions} subscriptions: close one first"
        return Objection(text, "subscriptions")
    if not carried:
        return Objection("restricted: only chess kinds can be subscribed to")
    if not all(wanted.ids or topics_of_filter(wanted) for wanted in carried):
        return Objection("restricted: name ids, authors, kinds, #a, #d, #e or #p")
    if any(map(_wants_all_chat, carried)):
        return Objection("restricted: name a game in #d to hear its chat")
    if len(topics) > limits.topics:
        return Objection(f"restricted: more than {limits.topics} values", "topics")
    if (
        len(write_json([filter_to_json(wanted) for wanted in carried]).encode())
        > limits.filter_bytes
    ):
        text = f"restricted: more than {limits.filter_bytes} bytes of filters"
        return Objection(text, "filter_bytes")
    # One that takes an older one's place may be filed there already.
    is_known = said.subscription_id in connection.subscriptions
    is_full = not is_known and (
        deps.connections.open_subscriptions(connection.address, now_ms)
        >= limits.address_subscriptions
    )
    if is_full:
        text = f"restricted: more than {limits.address_subscriptions} subscriptions of your address"
        return Objection(text, "address_subscriptions")
    most = limits.of_an_address + is_known
    if deps.connections.is_crowded(topics, connection.address, most):
        text = f"restricted: more than {limits.of_an_address} subscriptions of your address to this"
        return Objection(text, "of_an_address")
    return None


def _wants_all_chat(wanted: Filter) -> bool:
    """Whether this filter is for chat alone, and names neither a game nor a reader of it."""
    kinds = {*wanted.kinds}
    names = wanted.ids or wanted.tags.get("d")
    has_reader = kinds == {PLAYERS_CHAT} and wanted.tags.get("p")
    return bool(kinds) and kinds <= CHAT_KINDS and not (names or has_reader)


def _within_rate(deps: GatewayDeps, connection: Connection, now_ms: int) -> bool:
    """There may be fewer REQs than frames; only beyond few frames is a count kept."""
    limit = deps.limits.requests_per_ten_seconds
    if connection.frames <= limit:
        return True
    return deps.rate_limits.take(f"requests:{connection.id}", limit, RATE_SECONDS, now_ms)
