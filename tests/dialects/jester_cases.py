"""Cases of jester: what is written, for tests/golden/jester.jsonl. The events that are read, there,
are spelled as jesterui (a642202), Amethyst (10149d7) and nostr.blue write them.
"""

from dataclasses import replace

import chess

from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.replies import (
    Cancelled,
    ClaimRejected,
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
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.jester.address import Role, after_move, seat_of
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.dialects.golden import events

AT = NOW_MS // 1000
READ = {case: event for case, (_, event) in events("jester").items()}
GAME_ID = READ["start-jesterui"].id
HEAD = "d" * 64

WHITE_HERE = replace(
    a_game(),
    white=seat_of(ALICE.pubkey, GAME_ID, Role.HOST, WHITE),
    black=Seat(BOB.pubkey, "native"),
)
BLACK_HERE = replace(
    a_game(),
    black=seat_of(BOB.pubkey, GAME_ID, Role.HOST, BLACK),
    white=Seat(ALICE.pubkey, "native"),
)
GUEST = replace(BLACK_HERE, black=seat_of(BOB.pubkey, "e" * 64, Role.GUEST, BLACK))
"""By a start of ours, as former releases wrote it."""
REFEREED = replace(
    a_game(),
    white=seat_of(ALICE.pubkey, GAME_ID, Role.REFEREED, WHITE),
    black=seat_of(BOB.pubkey, GAME_ID, Role.REFEREED, BLACK),
)
BOTH = ReplyContext(
    colors=frozenset({WHITE, BLACK}),
    event_key="c" * 64,
    at=AT,
    answered_at=AT,
    server=SERVER.pubkey,
)
TO_WHITE, TO_BLACK = (replace(BOTH, colors=frozenset({color})) for color in (WHITE, BLACK))
ANSWERED_LATE, ANSWERED_VERY_LATE = (
    after(
        replace(WHITE_HERE, white=after_move(WHITE_HERE.white, HEAD, AT - days * 86_400)), "e4 e5"
    )
    for days in (2, 4)
)
ANSWERED = after(replace(WHITE_HERE, white=after_move(WHITE_HERE.white, HEAD, AT)), "e4 e5")
OFFERED = replace(ANSWERED, black_offered_at=1)


def over(game: Game, termination: Termination, winner: chess.Color | None) -> Reply:
    return GameEnded(replace(game, outcome=Outcome(termination, winner)))


_MATED = after(replace(WHITE_HERE, white=after_move(WHITE_HERE.white, HEAD, AT)), "f3 e5 g4 Qh4#")
_NO_WORD = Rejected(ALICE.pubkey, Reason.MALFORMED, "neither a move", ANSWERED)

ENCODED: dict[str, tuple[str, tuple[Reply, ...], ReplyContext]] = {
    "waiting": ("There is no word for it.", (Queued(WHITE_HERE.white),), BOTH),
    "cancelled": ("There is no word for it.", (Cancelled(WHITE_HERE.white),), BOTH),
    "started": ("The first move says so.", (GameStarted(WHITE_HERE),), TO_WHITE),
    "shown": ("There is no word for it.", (StateShown(ANSWERED, WHITE),), TO_WHITE),
    "refused-request": (
        "In the game that does not begin.",
        (RequestRefused(WHITE_HERE.white, Reason.BAD_TERMS, "games begin in the usual position"),),
        BOTH,
    ),
    "first-move": ("It answers the start.", (MovePlayed(after(BLACK_HERE, "e4")),), TO_BLACK),
    "invited": ("They were sent a start.", (GameStarted(GUEST),), TO_BLACK),
    "invited-move": ("It answers our start.", (MovePlayed(after(GUEST, "e4")),), TO_BLACK),
    "move": ("It answers the player's own move.", (MovePlayed(ANSWERED),), TO_WHITE),
    "move-after-days": (
        "It is still before the player's own.",
        (MovePlayed(ANSWERED_LATE),),
        TO_WHITE,
    ),
    "move-after-very-many-days": (
        "A date so early is not asked for.",
        (MovePlayed(ANSWERED_VERY_LATE),),
        TO_WHITE,
    ),
    "move-with-offer": ("Offered before the move.", (MovePlayed(OFFERED),), TO_WHITE),
    "own-move": ("They know it.", (MovePlayed(after(WHITE_HERE, "e4")),), TO_WHITE),
    "move-in-a-refereed-game": ("Never ours.", (MovePlayed(after(REFEREED, "e4")),), BOTH),
    "offer": (
        "No move, so no kind 30.",
        (GameChanged(replace(ANSWERED, offer=Offer(OfferKind.DRAW, BLACK))),),
        TO_WHITE,
    ),
    "own-offer": (
        "They know it.",
        (GameChanged(replace(ANSWERED, offer=Offer(OfferKind.DRAW, WHITE))),),
        TO_WHITE,
    ),
    "mate": ("The move says it.", (GameEnded(_MATED),), TO_WHITE),
    "own-mate": ("They know it.", (GameEnded(after(BLACK_HERE, "f3 e5 g4 Qh4#")),), TO_BLACK),
    "resigned": (
        "The longest history, and one e tag.",
        (over(ANSWERED, Termination.RESIGNATION, WHITE),),
        TO_WHITE,
    ),
    "own-resignation": (
        "They know it.",
        (over(ANSWERED, Termination.RESIGNATION, BLACK),),
        TO_WHITE,
    ),
    "agreed": ("To both.", (over(ANSWERED, Termination.AGREEMENT, None),), TO_WHITE),
    "threefold": (
        "In our word.",
        (over(ANSWERED, Termination.THREEFOLD_REPETITION, None),),
        TO_WHITE,
    ),
    "abandoned": ("Closed.", (over(after(REFEREED, "e4 e5"), Termination.ABORTED, None),), BOTH),
    "abandoned-by-one": (
        "The other may never have heard of it.",
        (over(after(REFEREED, "e4"), Termination.ABORTED, None),),
        BOTH,
    ),
    "refereed-end": (
        "The PGN note says it.",
        (over(REFEREED, Termination.RESIGNATION, WHITE),),
        BOTH,
    ),
    "illegal": (
        "To its author.",
        (Rejected(ALICE.pubkey, Reason.ILLEGAL_MOVE, "Ke6 is not legal here", REFEREED),),
        BOTH,
    ),
    "repeated": (
        "A move that comes twice is no mistake.",
        (Rejected(ALICE.pubkey, Reason.STALE, "half-move 1 has been played", REFEREED),),
        BOTH,
    ),
    "stranger": (
        "They have no seat.",
        (Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game"),),
        BOTH,
    ),
    "stranger-named": (
        "To both players.",
        (Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game", REFEREED),),
        BOTH,
    ),
    "of-a-native-player": (
        "Not here.",
        (Rejected(BOB.pubkey, Reason.ILLEGAL_MOVE, "e7e4 is not legal here", ANSWERED),),
        BOTH,
    ),
    "malformed": (
        "What is wrong with it.",
        (_NO_WORD,),
        replace(BOTH, event=READ["move-without-history"]),
    ),
    "disputed": (
        "The move counts.",
        (ClaimRejected(REFEREED, ALICE.pubkey, "the claimed FEN's move number is wrong"),),
        BOTH,
    ),
}
