"""A game of the NIP-100 draft, and what is said because of an event."""

from dataclasses import replace

from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.dialects.base import ReplyContext
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, an_event

AT = NOW_MS // 1000
CONNECT = an_event(ALICE, 5000, "connect", (("p", SERVER.pubkey),))
THEIR_CONNECT = an_event(BOB, 5000, "connect")
MOVE = an_event(ALICE, 5001, "e2e4")

GAME = replace(
    a_game(),
    white=Seat(ALICE.pubkey, "nip100", CONNECT.id),
    black=Seat(BOB.pubkey, "nip100", THEIR_CONNECT.id),
)
MOVED = after(GAME, "e4")
MATE = after(GAME, "f3 e5 g4 Qh4#")


def because(event: VerifiedEvent) -> ReplyContext:
    """Both are told, in answer to this event."""
    return ReplyContext(
        colors=frozenset({WHITE, BLACK}),
        event_key=event.id,
        at=AT,
        answered_at=AT,
        server=SERVER.pubkey,
        event=event,
    )
