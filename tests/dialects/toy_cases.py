"""Cases of the toy dialect: what is read and what is written, for tests/golden/toy.jsonl."""

from dataclasses import replace

from arbiter.core import replies
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Offer, Seat
from arbiter.dialects.base import ReplyContext
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, an_event
from tests.dialects.toy import ASK, MOVE, NAME

AT = NOW_MS // 1000
GAME = replace(a_game(), white=Seat(ALICE.pubkey, NAME), black=Seat(BOB.pubkey, NAME))
MOVED = after(GAME, "e4")
IN_GAME = (("p", SERVER.pubkey), ("d", GAME.id))


def ask(text: str) -> VerifiedEvent:
    return an_event(ALICE, ASK, text, IN_GAME[:1])


def say(text: str, *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(ALICE, MOVE, text, tags or IN_GAME)


DECODED: dict[str, tuple[str, VerifiedEvent]] = {
    "play": ("Ask for a game.", ask("play")),
    "cancel": ("Ask no more.", ask("cancel")),
    "ask-otherwise": ("No word of this wire.", ask("Play")),
    "move": ("SAN for people, squares for the rules.", say("Nf3 g1f3")),
    "promotion": ("With a sign of check.", say("e8=Q+ e7e8q")),
    "castling": ("The king's squares.", say("O-O e1g1")),
    "san-alone": ("No squares, no move.", say("Nf3")),
    "squares-alone": ("No SAN, no move.", say("g1f3")),
    "null-move": ("python-chess would pass the turn.", say("-- 0000")),
    "newline": ("A newline is no part of a move.", say("Nf3 g1f3\n")),
    "arabic-digits": ("Digits are ASCII.", say("e٤ e٢e٤")),
    "draw": ("Offer a draw, or accept it.", say("draw")),
    "resign": ("Give up.", say("resign")),
    "no-game": ("A move of no game.", say("Nf3 g1f3", ("p", SERVER.pubkey))),
    "two-games": ("Which of them?", say("Nf3 g1f3", *IN_GAME, ("d", "1" * 32))),
    "strange-game": ("No id of ours.", say("Nf3 g1f3", ("d", "x"))),
    "tag-without-value": ("As if it had none.", say("Nf3 g1f3", ("d",))),
}

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
