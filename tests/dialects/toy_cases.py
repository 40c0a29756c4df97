"""Cases of the toy dialect: what is written, for tests/golden/toy.jsonl."""

from dataclasses import replace

from arbiter.core import replies
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Offer, Seat
from arbiter.dialects.base import ReplyContext
from tests.builders import ALICE, BOB, NOW_MS, a_game, after
from tests.dialects.toy import NAME

AT = NOW_MS // 1000
GAME = replace(a_game(), white=Seat(ALICE.pubkey, NAME), black=Seat(BOB.pubkey, NAME))
MOVED = after(GAME, "e4")


BOTH = ReplyContext(colors=frozenset({WHITE, BLACK}), event_key="c" * 64, at=AT, answered_at=AT)

REPLIES: dict[str, tuple[str, replies.Reply]] = {
    "waiting": ("Waiting for an opponent.", replies.Queued(GAME.white)),
    "cancelled": ("Waiting no more.", replies.Cancelled(GAME.white)),
    "refused": (
        "A request that is refused.",
        replies.RequestRefused(
            GAME.white, replies.Reason.STALE, "created_at is more than two minutes off"
        ),
    ),
    "started": ("To each its own colour.", replies.GameStarted(GAME)),
    "move": ("SAN alone.", replies.MovePlayed(MOVED)),
    "shown": ("Before the first move.", replies.StateShown(GAME, WHITE)),
    "offer": (
        "Black may accept.",
        replies.GameChanged(replace(MOVED, offer=Offer(OfferKind.DRAW, WHITE))),
    ),
    "mate": ("The last move and the result.", replies.GameEnded(after(GAME, "f3 e5 g4 Qh4#"))),
    "illegal": (
        "To the author of the move.",
        replies.Rejected(ALICE.pubkey, replies.Reason.ILLEGAL_MOVE, "e2e5 is not legal here", GAME),
    ),
    "no-game": (
        "Of no game.",
        replies.Rejected(ALICE.pubkey, replies.Reason.MALFORMED, "name one game"),
    ),
}
ENCODED = {case: (note, (reply,), BOTH) for case, (note, reply) in REPLIES.items()} | {
    "started-for-white": (
        "Black is on another wire.",
        (replies.GameStarted(GAME),),
        replace(BOTH, colors=frozenset({WHITE})),
    )
}
