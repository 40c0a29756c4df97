"""Cases of the native protocol: what is read and what is written, for tests/golden/dilger.jsonl."""

from dataclasses import replace

import chess

from arbiter.core.clocks import DAY_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import OfferKind, Quit
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Offer, Outcome, Termination, Variant
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
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after, an_event, table

GAME = a_game()
STATE_ID = "5" * 64
CAUSE = "c" * 64
AT = NOW_MS // 1000

V2_TAGS = (("d", GAME.id), ("p", SERVER.pubkey), ("p", ALICE.pubkey), ("p", BOB.pubkey))
V1_TAGS = (("d", GAME.id), ("e", STATE_ID), *V2_TAGS[1:])

MATE = after(GAME, "f3 e5 g4 Qh4#")
RESIGNED = decide(after(GAME, "e4 e5"), Quit(ALICE.pubkey), NOW_MS).game
PROMOTED = after(a_game("8/P6k/8/8/8/8/7p/K7 w - - 0 1"), "a8=Q")

WORDS_V2 = """
20303-move-v2              | A move without an e tag.                         | e2e4
20303-promotion-upper-case | Both versions spell the promotion in upper case. | e7e8Q
20303-promotion-lower-case | UCI's spelling.                                  | b7b8n
20303-quit                 | The only signal that the texts name.             | quit
20303-resign               | A signal of ours.                                | resign
20303-abort                | A signal of ours.                                | abort
20303-null-move            | python-chess would pass the turn.                | 0000
20303-null-move-dashes     | As 0000.                                         | --
20303-drop                 | python-chess would read a drop.                  | Q@e4
20303-san                  | Moves are squares, not SAN.                      | Nf3
20303-arabic-digits        | Digits are ASCII.                                | e٢e٤
20303-promotion-to-king    | No such promotion.                               | e7e8K
"""


def say(note: str, content: str, *tags: tuple[str, ...]) -> tuple[str, VerifiedEvent]:
    """Something that Alice says in a game."""
    return note, an_event(ALICE, 20303, content, tags)


DECODED: dict[str, tuple[str, VerifiedEvent]] = {
    **{case: say(note, text, *V2_TAGS) for case, note, text in table(WORDS_V2)},
    "20300-request": (
        "Request to play, as both versions have it.",
        an_event(ALICE, 20300, "", (("p", SERVER.pubkey),)),
    ),
    "20300-with-content": (
        "Neither version gives the content a meaning.",
        an_event(ALICE, 20300, "hello", (("p", SERVER.pubkey),)),
    ),
    "20303-move-v1": say("A move naming the state it answers.", "e2e4", *V1_TAGS),
    "20303-newline": say("A newline is not part of a move.", "e2e4\n", *V2_TAGS),
    "20303-no-game": say("No d tag.", "e2e4", *V2_TAGS[1:]),
    "20303-two-games": say("Which of the two?", "e2e4", ("d", "f" * 32), *V2_TAGS),
    "20303-strange-game-id": say(
        "No game of ours has such an id.", "e2e4", ("d", "../../etc"), *V2_TAGS[1:]
    ),
    "20303-two-states": say("Which of the two?", "e2e4", ("e", "6" * 64), *V1_TAGS),
    "20303-strange-state": say("An e tag holds an event id.", "e2e4", ("e", "abc"), *V2_TAGS),
}

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

P_SERVER = ("p", SERVER.pubkey)
ALL_TAGS = (
    *(("time", "180+2"), ("mode", "rated"), ("color", "white"), ("rating", "1400", "1800")),
    *(("variant", "standard"), ("bot", "true"), ("bots", "welcome")),
)
_OF_960 = ("start", "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1")
CHALLENGE_ID = "0123456789abcdef" * 2


def asked(note: str, content: str, *tags: tuple[str, ...]) -> tuple[str, VerifiedEvent]:
    """A request of Alice's."""
    return note, an_event(ALICE, 20300, content, (P_SERVER, *tags))


DECODED |= {
    "20300-terms": asked("Every tag of the terms that a pool takes.", "", *ALL_TAGS),
    "20300-days": asked("So many days for each move.", "", ("time", "3d"), ("mode", "casual")),
    "20300-challenge": asked(
        "Only this opponent, from a given position of Chess960.",
        "",
        *(("challenge", BOB.pubkey), ("variant", "chess960"), _OF_960, ("color", "black")),
    ),
    "20300-challenge-dialect": asked(
        "To a player of another wire.", "", ("challenge", BOB.pubkey), ("dialect", "jester")
    ),
    "20300-challenge-open": asked("The first to answer.", "", ("challenge", "open")),
    "20300-bad-time": asked("No time control of ours.", "", ("time", "5")),
    "20300-two-times": asked("Which of the two?", "", ("time", "60+0"), ("time", "180+2")),
    "20300-tag-without-value": asked("Nothing is asked for.", "", ("variant",)),
    "20300-cancel": asked("Stop waiting.", "cancel"),
    "20300-accept": asked("Play this challenge.", f"accept:{CHALLENGE_ID}"),
    "20300-decline": asked("With a reason that is known.", f"decline:{CHALLENGE_ID}:noBot"),
    "20300-decline-rudely": asked(
        "A player's own text is not passed on.", f"decline:{CHALLENGE_ID}:<script>"
    ),
    "20300-accept-nonsense": asked("No id of a challenge: a plain request.", "accept:me"),
}

WORDS = {
    "draw": "Offer a draw, or accept the one that is offered.",
    "draw-decline": "Turn it down.",
    "claim": "The position is a draw.",
    "takeback": "Ask for one's last move back, or agree.",
    "takeback-decline": "Turn it down.",
    "abort-decline": "Turn it down.",
    "rematch": "After the end.",
    "rematch-decline": "Turn it down.",
    "flag": "The opponent's time is up.",
    "state": "Show the present state.",
    "draw-decline-decline": "No word of ours.",
    "DRAW": "Words are in lower case.",
}
DECODED |= {
    f"20303-{name}": (note, an_event(ALICE, 20303, name, V1_TAGS)) for name, note in WORDS.items()
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
            GAME.black,
            Challenge(replace(CHALLENGE.seek, terms=Terms(time=BLITZ, rated=True))),
        ),
    ),
    "20301-cancelled": ("Waiting no more.", Cancelled(GAME.white)),
    "20301-declined": (
        "A challenge that was declined.",
        RequestRefused(GAME.white, Reason.DECLINED, "noBot", CHALLENGE.id),
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
    "20302-shown-to-a-spectator": ("Anybody may ask.", StateShown(TIMED, None)),
    "20304-refused-offer": (
        "An offer that may not be made.",
        Rejected(ALICE.pubkey, Reason.RATE_LIMITED, "one offer of a draw in twenty plies", GAME),
    ),
}

_ASK = (("p", SERVER.pubkey),)
_TAILS = (("newline", "\n"), ("digit", "0"), ("blank", " "))
DECODED |= {
    "20300-state": ("Asks where they are, and for no game.", an_event(ALICE, 20300, "state", _ASK)),
    **{
        f"20300-{word}-unnamed": (
            "A challenge is named by its 32 hex digits.",
            an_event(ALICE, 20300, word, _ASK),
        )
        for word in ("accept", "decline", "accept:1", "decline:x:later")
    },
    **{
        f"20300-{name}-{value}": (
            "Only `true` says it.",
            an_event(ALICE, 20300, "", ((name, value),)),
        )
        for name, value in (("bot", "false"), ("bot", "TRUE"), ("bots", "no"))
    },
    "20300-plain": (
        "The defaults, in words, and a tag of another's.",
        an_event(
            ALICE,
            20300,
            "",
            (("mode", "casual"), ("color", "random"), ("variant", "standard"), ("t", "chess")),
        ),
    ),
    "20303-e-without-value": say("It names no state.", "e2e4", *V2_TAGS, ("e",)),
    "20303-d-without-value": say("The other one names the game.", "e2e4", *V2_TAGS, ("d",)),
    "20303-d-alone-without-value": say("It names no game.", "e2e4", ("d",)),
    **{
        f"20303-game-id-and-{name}": say("An id is read to its end.", "e2e4", ("d", GAME.id + tail))
        for name, tail in _TAILS
    },
    **{
        f"20303-state-id-and-{name}": say(
            "An id is read to its end.", "e2e4", ("e", STATE_ID + tail), *V2_TAGS
        )
        for name, tail in _TAILS
    },
}
REPLIES |= {
    "claim-rejected": (
        "Of claims this wire knows nothing.",
        ClaimRejected(GAME, ALICE.pubkey, "the move gives no check"),
    ),
    **{
        f"20302-against-{dialect}": (
            "Black has no key.",
            StateShown(replace(GAME, black=replace(GAME.black, dialect=dialect)), None),
        )
        for dialect in ("ssb", "rest")
    },
}

BOTH = ReplyContext(colors=frozenset({WHITE, BLACK}), event_key=CAUSE, at=AT, answered_at=AT)
LONG = replace(GAME, moves=after(GAME, "Nf3 Nf6 Ng1 Ng8").moves * 501)
ENCODED = {case: (note, (reply,), BOTH) for case, (note, reply) in REPLIES.items()}
ENCODED["20301-started-for-black"] = (
    "White is on another wire.",
    (GameStarted(GAME),),
    replace(BOTH, colors=frozenset({BLACK})),
)
