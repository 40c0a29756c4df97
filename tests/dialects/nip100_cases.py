"""Cases of the NIP-100 draft: what is written, for tests/golden/nip100.jsonl."""

from dataclasses import replace

import chess

from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.replies import (
    Cancelled,
    GameChanged,
    GameEnded,
    GameStarted,
    MovePlayed,
    Queued,
    Reason,
    Rejected,
    Reply,
    RequestRefused,
    StateShown,
)
from arbiter.dialects.base import PreviousResult, ReplyContext
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after, an_event

AT = NOW_MS // 1000
CONNECT = an_event(ALICE, 5000, "connect", (("p", SERVER.pubkey),))
THEIR_CONNECT = an_event(BOB, 5000, "connect")
CANCEL = an_event(ALICE, 5000, "cancelsearch")
MOVE = an_event(ALICE, 5001, "e2e4")
REPLY = an_event(BOB, 5001, "e7e5")
OFFER = an_event(ALICE, 5002, "offer")
RESIGN = an_event(ALICE, 5003, "resign")

GAME = replace(
    a_game(),
    white=Seat(ALICE.pubkey, "nip100", CONNECT.id),
    black=Seat(BOB.pubkey, "nip100", THEIR_CONNECT.id),
)
MOVED = after(GAME, "e4")
_ID = bytes.fromhex(MOVE.id)[:8]
MATE = after(GAME, "f3 e5 g4 Qh4#")
OFFERED = replace(MOVED, offer=Offer(OfferKind.DRAW, WHITE))

BOTH = ReplyContext(
    colors=frozenset({WHITE, BLACK}), event_key="", at=AT, answered_at=AT, server=SERVER.pubkey
)


def because(event: VerifiedEvent, repeated: PreviousResult | None = None) -> ReplyContext:
    """Both are told, in answer to this event."""
    return replace(BOTH, event_key=event.id, event=event, previous=repeated)


def over(termination: Termination, winner: chess.Color | None) -> tuple[Reply, ...]:
    """After 1. e4 the game ended like this."""
    return (GameEnded(replace(MOVED, outcome=Outcome(termination, winner))),)


_STRIKE = Rejected(ALICE.pubkey, Reason.ILLEGAL_MOVE, "e2e5 is not legal here (2 of 2)", MOVED)
_TAKEBACK = replace(MOVED, offer=Offer(OfferKind.TAKEBACK, WHITE))
_NOT_THEIR_TURN = Rejected(ALICE.pubkey, Reason.NOT_YOUR_TURN, "it is your opponent's turn", MOVED)
_WAITED = (RequestRefused(GAME.black, Reason.STALE, "no opponent came"), Queued(GAME.white))
_CASTLED = after(GAME, "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O")
_REPLY_ID = bytes.fromhex(REPLY.id)[:8]
_TOO_MANY = RequestRefused(GAME.white, Reason.RATE_LIMITED, "too many requests to play")
_WORK = RequestRefused(GAME.white, Reason.POW, "20")
_ELSEWHERE = replace(MOVED, white=Seat(ALICE.pubkey, "native"))
TO_WHITE, TO_BLACK = (replace(BOTH, colors=frozenset({color})) for color in (WHITE, BLACK))
_Told = tuple[str, tuple[Reply, ...], ReplyContext]


def case(note: str, event: VerifiedEvent, *replies: Reply) -> _Told:
    return note, replies, because(event)


def moved(*ids: bytes, game: Game = MOVED) -> tuple[Reply, ...]:
    """A move, in a game that has heard of these events."""
    return (MovePlayed(replace(game, applied_ids=ids)),)


ENCODED: dict[str, _Told] = {
    "searching": case("No other player waits yet.", CONNECT, Queued(GAME.white)),
    "cancelled": case("Searching no more.", CANCEL, Cancelled(GAME.white)),
    "found": case("Both hear who it is and which colour they have.", CONNECT, GameStarted(GAME)),
    "move": case("The mover's own event, whole.", MOVE, MovePlayed(MOVED)),
    "move-of-a-native-player": (
        "Ours, since the player signed none of this draft.",
        (MovePlayed(MOVED),),
        TO_BLACK,
    ),
    "castling-as-960-spells-it": case(
        "Ours, since the reader of it may know one spelling only.",
        an_event(ALICE, 5001, "e1h1"),
        MovePlayed(_CASTLED),
    ),
    "offer": case("To the one who may accept it.", OFFER, GameChanged(OFFERED)),
    "takeback": ("Of this the draft knows nothing.", (GameChanged(_TAKEBACK),), BOTH),
    "resigned": case("The opponent is told.", RESIGN, *over(Termination.RESIGNATION, BLACK)),
    "mate": case(
        "The last move, then the end, to both.", an_event(BOB, 5001, "d8h4"), GameEnded(MATE)
    ),
    "stalemate": case("A draw that the last move made.", MOVE, *over(Termination.STALEMATE, None)),
    "agreed": case("A draw that no move made.", OFFER, *over(Termination.AGREEMENT, None)),
    "illegal-moves": case(
        "The draft has no word for such a loss.",
        an_event(ALICE, 5001, "e2e5"),
        _STRIKE,
        *over(Termination.ILLEGAL_MOVES, BLACK),
    ),
    "aborted": ("A native opponent called it off.", over(Termination.ABORTED, None), TO_WHITE),
    "resumed": case(
        "Their colour, the move they missed, the offer they may accept.",
        THEIR_CONNECT,
        StateShown(OFFERED, BLACK),
    ),
    "resumed-from-a-ply": case(
        "Every move after the one they know.",
        an_event(ALICE, 5000, "connect", (("ply", "2"),)),
        StateShown(MATE, WHITE),
    ),
    "cancelsearch-in-a-game": case("Too late for that.", CANCEL, StateShown(MOVED, WHITE)),
    "begun-elsewhere": case("A native game goes on.", CONNECT, StateShown(_ELSEWHERE, WHITE)),
    "refused": case("With a prefix of NIP-01.", MOVE, _NOT_THEIR_TURN),
    "refused-too-many": case("With another prefix.", CONNECT, _TOO_MANY),
    "refused-work": case("NIP-13's prefix.", CONNECT, _WORK),
    "waited-too-long": case(
        "Told by their connect when the next one comes, who waits now.", CONNECT, *_WAITED
    ),
    "again-accepted": ("The same again.", moved(_ID), because(MOVE, PreviousResult.ACCEPTED)),
    "again-answered": (
        "The opponent has moved since, so they have heard of it.",
        moved(_ID, _REPLY_ID, game=after(MOVED, "e5")),
        because(MOVE, PreviousResult.ACCEPTED),
    ),
    "again-refused": ("Refused again.", moved(), because(MOVE, PreviousResult.REFUSED)),
}


def connect(*ply: str) -> ReplyContext:
    """White asks again, knowing so many plies."""
    return because(an_event(ALICE, 5000, "connect", (("ply", *ply),) if ply else ()))


ENCODED |= {
    "move-to-a-native-player": (
        "White made it, and Black is on another wire.",
        (MovePlayed(MOVED),),
        TO_WHITE,
    ),
    "offer-to-a-native-player": (
        "White made it, and Black is on another wire.",
        (GameChanged(OFFERED),),
        TO_WHITE,
    ),
    "aborted-by-white": (
        "White hears that it is over, and Black that White resigned.",
        over(Termination.ABORTED, None),
        because(an_event(ALICE, 20303, "abort")),
    ),
    "found-by-a-dated-request": (
        "The date is no part of the request's id.",
        (GameStarted(replace(GAME, black=replace(GAME.black, address=f"{'b' * 64}@1800000000"))),),
        because(CONNECT),
    ),
    "again-accepted-last-of-three": (
        "Nothing was done since.",
        moved(b"first of", b"these...", _ID),
        because(MOVE, PreviousResult.ACCEPTED),
    ),
    "again-accepted-second-of-three": (
        "Something was done since.",
        moved(b"first of", _ID, b"these..."),
        because(MOVE, PreviousResult.ACCEPTED),
    ),
    "shown-to-a-native-player": (
        "Not here.",
        (StateShown(replace(MOVED, black=Seat(BOB.pubkey, "native")), BLACK),),
        BOTH,
    ),
    "shown-to-a-spectator": ("Not here.", (StateShown(MOVED, None),), BOTH),
    "shown-to-black": ("The move that Black missed.", (StateShown(MOVED, BLACK),), BOTH),
    **{
        f"resumed-{name}": (note, (StateShown(after(GAME, moves), color),), connect())
        for name, note, moves, color in (
            ("answered", "The answer to White's last move.", "e4 e5 Nf3 Nc6", WHITE),
            ("on-the-opponents-turn", "Black missed nothing.", "e4 e5 Nf3 Nc6", BLACK),
            ("on-the-own-turn", "White's last move.", "e4 e5 Nf3", BLACK),
        )
    },
    **{
        f"resumed-knowing-{ply}-of-2": (
            note,
            (StateShown(after(GAME, "e4 e5"), WHITE),),
            connect(ply),
        )
        for ply, note in (
            ("1", "The second move."),
            ("2", "Nothing is missing."),
            ("3", "Those were another game's: this one from its start."),
        )
    },
}
