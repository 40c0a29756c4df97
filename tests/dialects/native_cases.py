"""Cases of the native protocol: what is written, for tests/golden/native.jsonl."""

from dataclasses import replace

import chess

from arbiter.core.clocks import DAY_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import OfferKind, Quit
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, GamePlace, Offer, Outcome, Termination, Variant
from arbiter.core.replies import (
    Cancelled,
    Challenged,
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
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import ColorPreference, Terms
from arbiter.dialects.base import ReplyContext
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after, an_event

GAME = a_game()
STATE_ID = "5" * 64
CAUSE = "c" * 64
AT = NOW_MS // 1000

V2_TAGS = (("d", GAME.id), ("p", SERVER.pubkey), ("p", ALICE.pubkey), ("p", BOB.pubkey))

MATE = after(GAME, "f3 e5 g4 Qh4#")
RESIGNED = decide(after(GAME, "e4 e5"), Quit(ALICE.pubkey), NOW_MS).game
PROMOTED = after(a_game("8/P6k/8/8/8/8/7p/K7 w - - 0 1"), "a8=Q")

_CALLED_OFF = decide(GAME, Quit(BOB.pubkey), NOW_MS).game
_TOO_OLD = "created_at is more than two minutes off"
_ILLEGAL = Rejected(ALICE.pubkey, Reason.ILLEGAL_MOVE, "e2e5 is not legal here (1 of 3)", GAME)
_NO_SEAT = Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game")
REPLIES: dict[str, tuple[str, Reply]] = {
    "20301-queued": ("Waiting for an opponent.", Queued(GAME.white)),
    "20301-error": (
        "A request that is refused.",
        RequestRefused(GAME.white, Reason.STALE, _TOO_OLD),
    ),
    "20301-started": (
        "Each player gets their own colour and opponent; the first state comes after.",
        GameStarted(GAME),
    ),
    **{
        f"20301-shown-to-{name.lower()}": (
            f"Resync of the player with {name}.",
            StateShown(after(GAME, "e4"), color),
        )
        for name, color in (("White", WHITE), ("Black", BLACK))
    },
    "20302-move": ("After a move.", MovePlayed(after(GAME, "e4 e5 Nf3"))),
    "20302-promotion": ("After a promotion, from a given position.", MovePlayed(PROMOTED)),
    "20302-mate": ("The final state of a game that was won.", GameEnded(MATE)),
    "20302-resigned": ("The final state of a game that was given up.", GameEnded(RESIGNED)),
    "20302-aborted": ("The final state of a game that was called off.", GameEnded(_CALLED_OFF)),
    "20304-of-a-player": (
        "The game is known and the author plays in it: both are told.",
        replace(_ILLEGAL, is_strike=True),
    ),
    "20304-of-a-stranger": ("Otherwise only the author is told.", _NO_SEAT),
}

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
TIMED = replace(
    after(GAME, "e4 e5"),
    rated=True,
    clocks=Clocks(BLITZ, 175_300, 180_000, NOW_MS),
    state_version=17,
)
CHESS960 = replace(
    a_game(chess.Board.from_chess960_pos(1).fen()), variant=Variant.CHESS960, item_version=9
)
CHALLENGE = Challenge(
    Seek(
        "ab" * 32,
        GAME.white,
        NOW_MS,
        Terms(
            time=BLITZ,
            variant=Variant.CHESS960,
            color=ColorPreference.BLACK,
            is_bot=True,
            start_fen="1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1",
            opponent=BOB.pubkey,
        ),
    )
)

REPLIES |= {
    "20301-queued-challenge": (
        "A challenge is open, and this is its id.",
        Queued(GAME.white, CHALLENGE.id),
    ),
    "20301-challenged": ("Who challenges, and on which terms.", Challenged(GAME.black, CHALLENGE)),
    "20301-challenged-rated": (
        "Terms that are as usual are not told.",
        Challenged(
            GAME.black, Challenge(replace(CHALLENGE.seek, terms=Terms(time=BLITZ, rated=True)))
        ),
    ),
    "20301-cancelled": ("Waiting no more.", Cancelled(GAME.white)),
    "20301-withdrawn": ("A challenge to White is taken back.", Cancelled(GAME.white, "c" * 32)),
    "20301-declined": (
        "A challenge that was declined.",
        RequestRefused(GAME.white, Reason.DECLINED, "noBot", CHALLENGE.id),
    ),
    "20301-started-of-a-challenge": (
        "The game of a challenge names it.",
        GameStarted(replace(GAME, challenge=CHALLENGE.id)),
    ),
    "20302-clocks": ("A rated game with clocks.", MovePlayed(TIMED)),
    "20302-clocks-before-the-first-move": (
        "The first move has half a minute.",
        MovePlayed(replace(GAME, clocks=start_clocks(BLITZ, NOW_MS))),
    ),
    "20302-days": (
        "So many days for each move.",
        MovePlayed(replace(GAME, clocks=start_clocks(TimeControl(move_ms=3 * DAY_MS), NOW_MS))),
    ),
    "20302-offer-of-white": (
        "White offers a draw.",
        GameChanged(replace(TIMED, offer=Offer(OfferKind.DRAW, WHITE))),
    ),
    "20302-offer-of-black": (
        "Black asks for a takeback.",
        GameChanged(replace(TIMED, offer=Offer(OfferKind.TAKEBACK, BLACK))),
    ),
    "20302-offer-of-an-end": (
        "White offers to call the game off.",
        GameChanged(replace(TIMED, offer=Offer(OfferKind.ABORT, WHITE))),
    ),
    "20302-chess960": ("Chess960, and where it starts.", MovePlayed(CHESS960)),
    "20302-timeout": (
        "Lost on time: no clock runs any more.",
        GameEnded(replace(TIMED, outcome=Outcome(Termination.TIMEOUT, BLACK))),
    ),
    "20302-rematch-offered": (
        "A rematch is offered.",
        GameChanged(replace(MATE, offer=Offer(OfferKind.REMATCH, WHITE))),
    ),
    "20302-rematch-begun": (
        "The rematch has begun, and this is its id.",
        GameEnded(replace(MATE, next_game_id="ab" * 16)),
    ),
    "20301-challenged-by-a-name": (
        "Who challenges, and what they call themselves.",
        Challenged(
            GAME.black, Challenge(replace(CHALLENGE.seek, seat=replace(GAME.white, name="Zoë")))
        ),
    ),
    "20302-names": (
        "One of the players has told a name.",
        MovePlayed(replace(TIMED, black=replace(GAME.black, name="Zoë"))),
    ),
    "20304-refused-offer": (
        "An offer that may not be made.",
        Rejected(ALICE.pubkey, Reason.RATE_LIMITED, "one offer of a draw in twenty plies", GAME),
    ),
}

OF_A_TOURNAMENT = replace(TIMED, tournament=GamePlace("f" * 32, 3, 5, 60, title="Club evening"))
REPLIES |= {
    "20301-started-in-an-event": (
        "Response and state name the event, and round and board.",
        GameStarted(OF_A_TOURNAMENT),
    ),
    "20301-shown-of-an-event": ("The same after a restart.", StateShown(OF_A_TOURNAMENT, WHITE)),
    "claim-rejected": (
        "Of claims this wire knows nothing.",
        ClaimRejected(GAME, ALICE.pubkey, "the move gives no check"),
    ),
    **{
        f"20302-against-{dialect}": (
            "Black has no key.",
            StateShown(replace(GAME, black=replace(GAME.black, dialect=dialect)), None),
        )
        for dialect in ("ssb", "hot_seat")
    },
}

BOTH = ReplyContext(
    colors=frozenset({WHITE, BLACK}), event_key=CAUSE, at=AT, answered_at=AT, server=SERVER.pubkey
)
LONG = replace(GAME, moves=after(GAME, "Nf3 Nf6 Ng1 Ng8").moves * 501)
ENCODED = {case: (note, (reply,), BOTH) for case, (note, reply) in REPLIES.items()}
ENCODED["20301-started-for-black"] = (
    "White is on another wire.",
    (GameStarted(GAME),),
    replace(BOTH, colors=frozenset({BLACK})),
)
ENCODED["20302-shown-to-a-spectator"] = (
    "Anybody may ask, and no relay brings the answer to the players.",
    (StateShown(TIMED, None),),
    replace(BOTH, colors=frozenset(), event=an_event(EVE, 20303, "state")),
)
