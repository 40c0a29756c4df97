"""What players say in a game beside their moves, and what it comes to."""

from arbiter.core.commands import ClaimDraw, DeclineOffer, MakeOffer, OfferKind
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.replies import Decision, Reason, Rejected, StateShown
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, NOW_MS

DRAW, TAKEBACK, REMATCH, ABORT = OfferKind


def offer(game: Game, key: SecretKey, kind: OfferKind = DRAW, now_ms: int = NOW_MS) -> Decision:
    return decide(game, MakeOffer(key.pubkey, kind, now_ms), now_ms)


def decline(game: Game, key: SecretKey, kind: OfferKind = DRAW, now_ms: int = NOW_MS) -> Decision:
    return decide(game, DeclineOffer(key.pubkey, kind, now_ms), now_ms)


def claim(game: Game, key: SecretKey = ALICE) -> Decision:
    return decide(game, ClaimDraw(key.pubkey, NOW_MS), NOW_MS)


def reason(decision: Decision) -> Reason:
    """Why a command was refused, when nothing else is said of it."""
    *shown, reply = decision.replies
    assert isinstance(reply, Rejected)
    # Whoever answers an older state has missed the present one, and is shown it.
    assert shown == ([StateShown(decision.game, None)] if reply.reason is Reason.STALE else [])
    return reply.reason
