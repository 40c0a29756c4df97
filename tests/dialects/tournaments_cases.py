"""Cases of tournaments: what is written, for tests/golden/tournaments.jsonl."""

from arbiter.core.game import Seat
from arbiter.core.replies import Reason, Rejected, Reply, RequestRefused
from arbiter.dialects.base import ReplyContext
from tests.builders import ALICE, NOW_MS, SERVER

CAUSE = "c" * 64
CONTEXT = ReplyContext(
    colors=frozenset(),
    event_key=CAUSE,
    at=NOW_MS // 1000,
    answered_at=NOW_MS // 1000,
    server=SERVER.pubkey,
)
_TOO_MANY = "too many events at once: wait some seconds, and sign this anew"
_NONE: Reply = Rejected(ALICE.pubkey, Reason.UNKNOWN_GAME, "there is no such event")

ENCODED = {
    "20301-no-such-event": ("Nothing is known of it.", (_NONE,), CONTEXT),
    "20301-too-many": (
        "Beyond a rate of the relays.",
        (RequestRefused(Seat(ALICE.pubkey, "native"), Reason.RATE_LIMITED, _TOO_MANY),),
        CONTEXT,
    ),
}
