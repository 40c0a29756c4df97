"""Bugs of the way in: what is let through, what is kept, and in which line it waits."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

from arbiter.adapters.relays import ingest, protocol
from arbiter.adapters.relays.ingest import Ingester
from arbiter.adapters.relays.protocol import RelayProtocol
from arbiter.adapters.relays.sender import Sender
from arbiter.adapters.relays.stranger_limiter import StrangerLimiter
from arbiter.adapters.relays.token_buckets import Rate
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application import handle_event, routing
from arbiter.application.gateway import events
from arbiter.application.player_cache import PlayerCache
from arbiter.nostr.event import NostrEvent, VerifiedEvent
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, Make, always, then


def _believed(_: Any) -> Any:
    def verify(event: NostrEvent) -> VerifiedEvent:
        names = NostrEvent.__dataclass_fields__
        return VerifiedEvent(**{name: getattr(event, name) for name in names})

    return verify


def _known_before_verified(real: Any) -> Any:
    def offer(gate: Any, event: NostrEvent, *rest: Any) -> Any:
        is_known = event.id in gate._seen
        found = real(gate, event, *rest)
        if not is_known:
            gate._seen.add(event)
        return found

    return offer


def _by_the_authors_clock(real: Any) -> Any:
    def queue_entry(event: Any, at: Any, received_at_ms: int, *via: Any) -> Any:
        del received_at_ms
        return real(event, at, event.created_at * 1000, *via)

    return queue_entry


def _whoever_it_is_for(real: Any) -> Any:
    def screened(event: NostrEvent, wanted: Any, server: str) -> Any:
        found = real(event, wanted, server)
        return routing.route(event) if found == ingest.Drop.NOT_FOR_US else found

    return screened


def _of_the_game(real: Any) -> Any:
    return lambda game_id, _pubkey: real(game_id, "")


def _of_its_body(entry: Any) -> Any:
    return replace(entry, dedup_id=sha256(entry.body.encode()).hexdigest())


def _lost(real: Any) -> Any:
    def failed(sender: Any, batch: Any) -> Any:
        real(sender, batch)
        return ()

    return failed


def _taken_whatever_came(real: Any) -> Any:
    def send(queue: Any, batch: Any) -> Any:
        real(queue, batch)
        return ()

    return send


def _new_events_only(real: Any) -> Any:
    return lambda one, *args: real(one, *args) if one._is_new_to_come else ()


def _since_now(*, first: bool) -> Make:
    """A REQ asks for nothing that is older than itself: the first, or each that is made anew."""

    def make(real: Any) -> Any:
        def subscribed(one: Any, now: float, limit: int | None = None) -> Any:
            if first != (limit is None):
                return real(one, now, limit)
            module = vars(protocol)
            kept, module["MAX_AGE_SECONDS"] = module["MAX_AGE_SECONDS"], 0
            try:
                return real(one, now, limit)
            finally:
                module["MAX_AGE_SECONDS"] = kept

        return subscribed

    return make


def _the_authors_game(real: Any) -> Any:
    def play(bench: Any, dialect: Any, asked: Any, *rest: Any) -> Any:
        playing = bench.lobby.player(asked.command.player).game_id
        return real(bench, dialect, replace(asked, game_id=playing or asked.game_id), *rest)

    return play


def _unread_is_no_game(real: Any) -> Any:
    def learn(strangers: Any, players: Any, now: float) -> Any:
        found = {game_id: two or frozenset() for game_id, two in players.items()}
        return real(strangers, found, now)

    return learn


def _two_a_minute(real: Any) -> Any:
    return lambda _rate, most: real(Rate(per_second=1 / 60, burst=2.0), most)


BUGS = (
    Bug(
        "nobody-verifies",
        "No signature is looked at.",
        (
            (ingest, "verify", _believed),
            (events, "verify", _believed),
            (handle_event, "verify", _believed),
        ),
        needs=frozenset({"meddlers", "H04"}),
    ),
    Bug(
        "listener-verifies-nothing",
        "The listener passes forged events on.",
        ((ingest, "verify", _believed),),
        needs=frozenset({"meddlers", "H01"}),
    ),
    Bug(
        "known-before-verified",
        "A forged copy that comes first hides the genuine event.",
        ((Ingester, "offer", _known_before_verified),),
        needs=frozenset({"meddlers", "H01"}),
    ),
    Bug(
        "time-by-the-author",
        "An event was received when its author says he signed it.",
        ((ingest, "queue_entry", _by_the_authors_clock),),
    ),
    Bug(
        "p-tag-not-read",
        "What was signed for another arbiter is passed on.",
        ((ingest, "screened", _whoever_it_is_for),),
        scene=scenes.STRAYS,
    ),
    Bug(
        "expiration-not-read",
        "An event that has expired is answered (NIP-40).",
        ((handle_event, "is_expired", always(value=False)),),
        needs=frozenset({"careless", "expired"}),
    ),
    Bug(
        "one-line-for-all",
        "Whoever names a game waits in one line with its players.",
        ((routing, "players_group", _of_the_game),),
    ),
    Bug(
        "known-by-its-body",
        "The queue knows an entry by its body, and two listeners write two.",
        ((ingest, "queue_entry", then(_of_its_body)),),
    ),
    Bug(
        "deaf-until-eose",
        "What a relay has stored, and brings before its EOSE, is not looked at.",
        ((RelayProtocol, "_event_received", _new_events_only),),
    ),
    Bug(
        "first-req-without-overlap",
        "The first REQ on a connection asks for nothing that came while nobody listened.",
        ((RelayProtocol, "_subscribed", _since_now(first=True)),),
        scene=scenes.LOSSES,
    ),
    Bug(
        "new-req-without-overlap",
        "A REQ made anew asks for nothing that the one before may have missed.",
        ((RelayProtocol, "_subscribed", _since_now(first=False)),),
        scene=scenes.LOSSES,
    ),
    Bug(
        "send-not-repeated",
        "What the queue did not take is dropped.",
        ((Sender, "_failed", _lost),),
        scene=scenes.UNREACHABLE_QUEUE,
    ),
    Bug(
        "ok-before-queued",
        "Our own relay says OK though the queue took nothing.",
        ((SqsEventQueue, "send", _taken_whatever_came),),
        needs=frozenset({"gateway", "F30"}),
    ),
    Bug(
        "game-not-read",
        "A word is for the game that its author plays, whichever it names.",
        ((handle_event, "play", _the_authors_game),),
        needs=frozenset({"meddlers", "F13", "two games"}),
    ),
    Bug(
        "players-are-strangers",
        "While strangers flood a game its players are heard no more than they are.",
        ((PlayerCache, "plays", always(value=False)),),
        scene=scenes.FLOODS,
    ),
    Bug(
        "unread-is-no-game",
        "Whoever plays a game that cannot be read now is taken for a stranger.",
        ((StrangerLimiter, "learn", _unread_is_no_game),),
        scene=scenes.FLOODS,
    ),
    Bug(
        "held-and-forgotten",
        "What waits until it is known who plays its game is dropped when that is known.",
        ((Ingester, "_release", always(None)),),
        scene=scenes.FLOODS,
    ),
    Bug(
        "share-of-two",
        "An author may send two events, and then one a minute.",
        ((ingest, "TokenBuckets", _two_a_minute),),
    ),
)
