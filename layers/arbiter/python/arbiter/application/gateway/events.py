"""EVENT and AUTH at our own relay: their checks, and the text of each refusal.

Invariant: cheap checks come before the signature, and that before anything is counted or read.
``OK`` is true only once the event cannot be lost; that of a dialect on sockets is the arbiter's.
"""

from collections.abc import Iterable, Iterator

from arbiter.application.connections import Connection
from arbiter.application.door import APART, are_apart, restricted
from arbiter.application.gateway.deps import RATE_SECONDS, FrameResult, GatewayDeps, Objection, say
from arbiter.application.intake.queue_messages import queue_entry
from arbiter.application.intake.routing import (
    ENTRY_KINDS,
    LIST_KIND,
    OPERATORS_KINDS,
    PUBLISHED_KINDS,
    REPORT_KIND,
    SOCKET_KINDS,
    questions_key,
    route,
)
from arbiter.core.game import is_game_id
from arbiter.core.pairing import clock_objection
from arbiter.dialects.base import RSVP, CancelRequests, has_key
from arbiter.dialects.chat import CHAT_KINDS, PLAYERS_CHAT
from arbiter.dialects.registry import BY_KIND, SEEK_KINDS
from arbiter.nostr.client_messages import challenge_text, ok_text
from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    VerifiedEvent,
    all_tags,
    first_tag,
    is_expired,
    verify,
)
from arbiter.nostr.nip42 import auth_objection

DELIVER_SECONDS = 2.0
"""Time in which a player's event is delivered to others; it is in the queue by then."""

FRAMES_UNCOUNTED = 9
"""The moves and words in so many frames of a connection in ten seconds are not counted: that is a
person at a board, and counting would cost as much as the move. On all sockets that an address may
open they are fewer than the frames that it may send, and strangers to the game are counted anyway.
"""

COUNTED_FREELY = 20
"""Events of a key in ten seconds that are only counted: to find copies is a write more."""

COPIES_COUNTED = 2
"""An event that the queue did not take may be sent again."""

TOO_MANY_KEYS = "restricted: too many keys on one connection"
CONNECT_FIRST = "restricted: this socket does not speak for you: connect first"
SLOW_DOWN = "rate-limited: slow down"
NOT_TAKEN = "error: the queue did not take this: send it again"


def answer_event(
    deps: GatewayDeps, connection: Connection, event: NostrEvent, now_ms: int, received_at_ms: int
) -> FrameResult:
    """Take an event, or refuse it; then deliver it. Clocks go by ``received_at_ms``."""
    if objection := _cheap_objection(deps, event, now_ms):
        return _refused(deps, connection, event, *objection)
    if event.pubkey not in connection.pubkeys and (text := _why_authenticate(deps, event)):
        say(deps, connection.id, challenge_text(connection.challenge))
        return _refused(deps, connection, event, text)
    if objection := _objection_of_socket(deps, connection, event, now_ms):
        return _refused(deps, connection, event, *objection)
    verified = verify(event)
    if isinstance(verified, ParseError):
        return _refused(deps, connection, event, f"invalid: {verified.text}")
    if text := _restricted(deps, verified, now_ms):
        return _refused(deps, connection, event, text)
    if _is_foreign_withdrawal(connection, verified):
        return _refused(deps, connection, event, CONNECT_FIRST)
    # A forged event takes nothing of its author's share.
    if limit := _exceeded_share(deps, connection, verified, now_ms):
        return _refused(deps, connection, event, SLOW_DOWN, limit)
    if verified.kind in CHAT_KINDS:
        return _pass_on_chat(deps, connection, verified, now_ms, received_at_ms)
    return _queue(deps, connection, verified, now_ms, received_at_ms)


def answer_auth(
    deps: GatewayDeps, connection: Connection, event: NostrEvent, now_ms: int
) -> FrameResult:
    """Authenticate a client, or refuse it; one may prove several pubkeys (NIP-42)."""
    if text := auth_objection(event, connection.challenge, deps.relay_url, now_ms // 1000):
        return _refused(deps, connection, event, f"invalid: {text}")
    if _has_too_many_keys(deps, connection, event):
        return _refused(deps, connection, event, TOO_MANY_KEYS, "pubkeys")
    verified = verify(event)
    if isinstance(verified, ParseError):
        return _refused(deps, connection, event, f"invalid: {verified.text}")
    deps.connections.authenticate(connection.id, verified.pubkey)
    say(deps, connection.id, ok_text(verified.id, True))
    return FrameResult("authenticated", verified.id)


def _cheap_objection(deps: GatewayDeps, event: NostrEvent, now_ms: int) -> Objection | None:
    limits = deps.limits
    age_seconds = now_ms // 1000 - event.created_at
    is_list = event.kind == LIST_KIND and event.pubkey == deps.policy.operator
    if event.kind not in PUBLISHED_KINDS and not is_list and event.kind != REPORT_KIND:
        return Objection("blocked: only chess is played here")
    if event.pubkey == deps.server:
        return Objection("blocked: the arbiter does not publish here")
    if not -limits.future_seconds <= age_seconds <= limits.past_seconds:
        where = "behind" if age_seconds > 0 else "ahead of"
        text = f"invalid: created_at is {abs(age_seconds)} s {where} our clock: set your clock"
        return Objection(text, "past_seconds" if age_seconds > 0 else "future_seconds")
    if len(event.tags) > limits.event_tags:
        return Objection(f"invalid: more than {limits.event_tags} tags", "event_tags")
    if len(event.content) > limits.content_chars:
        text = f"invalid: more than {limits.content_chars} characters"
        return Objection(text, "content_chars")
    if is_expired(event, now_ms):
        # NIP-40: "Relays SHOULD drop any events that are published to them if they are expired."
        return Objection("invalid: this has expired")
    elsewhere = _objection_of_address(deps.server, event)
    return Objection(elsewhere) if elsewhere else None


def _objection_of_address(server: str, event: NostrEvent) -> str | None:
    """Why an event is neither for this arbiter nor about a game that could be ours, if so."""
    if event.kind in CHAT_KINDS:
        games = all_tags(event, "d")
        if len(games) != 1 or not is_game_id(games[0][1] if len(games[0]) > 1 else ""):
            return "invalid: name one game in a d tag, by its 32 lower-case hex digits"
        return None
    named = _named(event)
    if event.kind == RSVP and BY_KIND[RSVP].is_for(event, server):
        return None
    if server not in named and (named or event.kind not in SOCKET_KINDS):
        return f"blocked: no p tag names this arbiter, {server}"
    return None


def _restricted(deps: GatewayDeps, event: VerifiedEvent, now_ms: int) -> str | None:
    """The refusal of a key that the policy keeps out; a closed arbiter answers in each protocol."""
    text = deps.policy.why_not(event.pubkey, now_ms)
    dialect = BY_KIND.get(event.kind) if text else None
    if text is None or dialect is None:
        return None
    decoded = dialect.decode(event, now_ms, deps.server)
    is_kept_out = restricted(deps.policy, decoded, event.pubkey, now_ms)
    return f"restricted: {text}" if is_kept_out else None


def _named(event: NostrEvent | VerifiedEvent) -> list[str]:
    return [tag[1] for tag in all_tags(event, "p") if len(tag) > 1]


def _why_authenticate(deps: GatewayDeps, event: NostrEvent) -> str | None:
    """Why this event is taken only from its author's socket (NIP-42), if so."""
    if first_tag(event, "-"):
        # NIP-70: "MUST first require that the client perform the NIP-42 AUTH flow".
        return "auth-required: this may only be published by its author"
    if _is_untagged_seek(event) and not deps.limits.untagged_connect_seconds:
        return "auth-required: name this arbiter in a p tag, or authenticate"
    return None


def _is_untagged_seek(event: NostrEvent | VerifiedEvent) -> bool:
    """Whether this request is signed for any server, so that another could bring it here
    (docs/decisions/0035-the-nip-100-draft-as-written.md). A ``["p"]`` names none.
    """
    return event.kind in SOCKET_KINDS & SEEK_KINDS and not _named(event)


def _objection_of_socket(
    deps: GatewayDeps, connection: Connection, event: NostrEvent, now_ms: int
) -> Objection | None:
    """Why this socket may not speak for the author: such an event names no game, so any client that
    has seen it could send it again. A request to play opens the socket, once.
    """
    if event.kind not in SOCKET_KINDS or event.pubkey in connection.pubkeys:
        return None
    if event.kind not in SEEK_KINDS:
        return Objection(CONNECT_FIRST)
    if _has_too_many_keys(deps, connection, event):
        return Objection(TOO_MANY_KEYS, "pubkeys")
    allowed_ms = deps.limits.untagged_connect_seconds * 1000
    text = clock_objection(event.created_at * 1000, now_ms, allowed_ms)
    if text is None or not _is_untagged_seek(event):
        return None
    text = f"invalid: {text} without a p tag that names this arbiter"
    return Objection(text, "untagged_connect_seconds")


def _is_foreign_withdrawal(connection: Connection, event: VerifiedEvent) -> bool:
    """Whether a socket that did not begin the author's search would end it."""
    return (
        event.pubkey not in connection.pubkeys
        and _is_untagged_seek(event)
        and isinstance(BY_KIND[event.kind].decode(event, 0, ""), CancelRequests)
    )


def _has_too_many_keys(deps: GatewayDeps, connection: Connection, event: NostrEvent) -> bool:
    return len(connection.pubkeys | {event.pubkey}) > deps.limits.pubkeys


def _exceeded_share(
    deps: GatewayDeps, connection: Connection, event: VerifiedEvent, now_ms: int
) -> str:
    """The rate limit that author, address or game exceeds, or "". Others may bring copies, so the
    author's limit is for authenticated sockets; elsewhere it is the key's at this address. A move
    writes nothing, as long as there are few.
    """
    limits, rates = deps.limits, deps.rate_limits
    what, limit, free = "events", limits.events_per_ten_seconds, COUNTED_FREELY
    if event.kind in CHAT_KINDS:
        what, limit, free = "chats", limits.chats_per_ten_seconds, 0
    if name := _first_exceeded(deps, _shares_by_kind(connection.address, event), now_ms):
        return name
    if free and event.kind not in SEEK_KINDS and connection.frames <= FRAMES_UNCOUNTED:
        return ""
    by = "" if event.pubkey in connection.pubkeys else f"@{connection.address}"
    free = min(free, limit)
    if free and rates.take(f"{what}:{event.pubkey}{by}", free, RATE_SECONDS, now_ms):
        return ""
    old_seconds = limits.past_seconds + limits.future_seconds
    is_within = rates.take(
        f"event:{event.id}{by}", COPIES_COUNTED, old_seconds, now_ms
    ) and rates.take(f"more-{what}:{event.pubkey}{by}", limit - free, RATE_SECONDS, now_ms)
    return "" if is_within else f"{what}_per_ten_seconds"


def _shares_by_kind(address: str, event: VerifiedEvent) -> Iterator[tuple[str, str]]:
    """The counts in which an event of its kind is one, and the names of their limits."""
    if event.kind in SEEK_KINDS:
        yield f"events-from:{address}", "address_seeks_per_ten_seconds"
    if event.kind in CHAT_KINDS:
        yield f"chats-from:{address}", "address_chats_per_ten_seconds"
    if event.kind in ENTRY_KINDS:
        yield f"entries-from:{address}", "address_entries_per_ten_seconds"
        yield "entries", "all_entries_per_ten_seconds"
    if asked := questions_key(event):
        yield f"questions:{asked}", "questions_per_ten_seconds"


def _first_exceeded(deps: GatewayDeps, shares: Iterable[tuple[str, str]], now_ms: int) -> str:
    for key, name in shares:
        if not deps.rate_limits.take(key, getattr(deps.limits, name), RATE_SECONDS, now_ms):
            return name
    return ""


def _exceeded_as_stranger(
    deps: GatewayDeps, connection: Connection, author: str, game_id: str | None, now_ms: int
) -> str:
    """The exceeded limit on non-players, or "" for players and where that is not known."""
    if game_id is not None and _plays(deps, author, game_id, now_ms) is not False:
        return ""
    shares = [
        (f"strangers-from:{connection.address}", "address_strangers_per_ten_seconds"),
        ("strangers", "all_strangers_per_ten_seconds"),
    ]
    if game_id is not None:
        shares.insert(1, (f"strangers-in:{game_id}", "strangers_per_ten_seconds"))
    return _first_exceeded(deps, shares, now_ms)


def _plays(deps: GatewayDeps, author: str, game_id: str, now_ms: int) -> bool | None:
    """Whether this author plays this game, by at most one read for each game; None if unread."""
    known, now_seconds = deps.players, now_ms / 1000
    if (plays := known.plays(author, game_id, now_seconds)) is None:
        try:
            game = deps.games.load(game_id)
        except Exception:  # noqa: BLE001 - for a table that fails no event is refused
            return None
        players = frozenset((game.white.player, game.black.player)) if game else frozenset[str]()
        known.learn(game_id, players, now_seconds)
        plays = author in players
    return plays


def _pass_on_chat(
    deps: GatewayDeps,
    connection: Connection,
    event: VerifiedEvent,
    now_ms: int,
    received_at_ms: int,
) -> FrameResult:
    """Deliver a line to the game's subscribers, and queue it if the arbiter is to carry it on."""
    game = deps.games.load(all_tags(event, "d")[0][1])
    if game is None:
        return _refused(deps, connection, event, "restricted: no such game is played here")
    color = game.color_of(event.pubkey)
    if event.kind == PLAYERS_CHAT:
        if color is None:
            return _refused(deps, connection, event, "restricted: only its players talk there")
        seat = game.seat(not color)
        reader = seat.player if has_key(seat) else deps.server
        if [tag[1:2] for tag in all_tags(event, "p")] != [(reader,)]:
            return _refused(deps, connection, event, "invalid: one p tag names your opponent")
        if are_apart(deps.lobby, event.pubkey, seat.player):
            return _refused(deps, connection, event, f"restricted: {APART}")
    if any(tag[1:2] == (deps.server,) for tag in all_tags(event, "p")):
        if limit := _exceeded_as_stranger(deps, connection, event.pubkey, game.id, now_ms):
            return _refused(deps, connection, event, SLOW_DOWN, limit)
        if _is_not_queued(deps, event, received_at_ms):
            return _refused(deps, connection, event, NOT_TAKEN)
    say(deps, connection.id, ok_text(event.id, True))
    _deliver(deps, connection, event, now_ms)
    return FrameResult("chat", event.id)


def _deliver(deps: GatewayDeps, connection: Connection, event: VerifiedEvent, now_ms: int) -> None:
    """Deliver an event, counted for its address: beyond its share to a few, players first."""

    def may_reach(number: int) -> bool:
        most = deps.limits.address_deliveries_per_ten_seconds
        key = f"deliveries-from:{connection.address}"
        try:
            return deps.rate_limits.take(key, most, RATE_SECONDS, now_ms, number)
        except Exception:  # noqa: BLE001 - as above
            return True

    deps.fanout.publish([event], DELIVER_SECONDS, may_reach)


def _is_not_queued(deps: GatewayDeps, event: VerifiedEvent, received_at_ms: int) -> bool:
    target = route(event)
    if target is None:
        return True
    entry = queue_entry(event, target.queue, target.group_id, received_at_ms)
    return bool(deps.queue.send([entry]))


def _queue(
    deps: GatewayDeps,
    connection: Connection,
    event: VerifiedEvent,
    now_ms: int,
    received_at_ms: int,
) -> FrameResult:
    by_socket = event.kind in SOCKET_KINDS
    known = connection.authors
    if event.pubkey not in known and len(known) < deps.limits.pubkeys:
        deps.connections.meet(connection.id, event.pubkey)
    # The group is that of what they say in the game they play. If it ends meanwhile the arbiter
    # looks again.
    live = by_socket and event.kind not in SEEK_KINDS
    player = deps.lobby.player(event.pubkey) if live else None
    game_id = (player.event_games[-1:] or (player.game_id,))[0] if player else None
    target = route(event, game_id)
    if target is None:
        return _refused(deps, connection, event, "blocked: only chess is played here")
    if (
        target.queue == "moves"
        and game_id is None
        and (limit := _exceeded_as_stranger(deps, connection, event.pubkey, target.game_id, now_ms))
    ):
        return _refused(deps, connection, event, SLOW_DOWN, limit)
    via = connection.id if by_socket else None
    entry = queue_entry(
        event,
        target.queue,
        target.group_id,
        received_at_ms,
        via,
        connection.frames,
        at_gateway=True,
    )
    if deps.queue.send([entry]):
        return _refused(deps, connection, event, NOT_TAKEN)
    queued = FrameResult("queued", event.id, group=target.group_id, game_id=target.game_id or "")
    if by_socket:
        return queued
    if event.id in deps.taken:
        # The queue drops it. It came over a socket that is not its author's, and no subscriber
        # needs it again: a client that sends what it receives would never end.
        say(deps, connection.id, ok_text(event.id, True, "duplicate: this was taken before"))
        return FrameResult("duplicate", event.id)
    deps.taken.add(event.id)
    say(deps, connection.id, ok_text(event.id, True))
    if event.kind not in OPERATORS_KINDS:
        _deliver(deps, connection, event, now_ms)
    return queued


def _refused(
    deps: GatewayDeps,
    connection: Connection,
    event: NostrEvent | VerifiedEvent,
    text: str,
    limit: str = "",
) -> FrameResult:
    say(deps, connection.id, ok_text(event.id, False, text))
    return FrameResult("refused-" + text.partition(":")[0], event.id, limit=limit)
