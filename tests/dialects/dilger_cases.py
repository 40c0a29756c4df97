"""What the native protocol says and hears, case by case: the golden files under
tests/golden/dilger are made of these.
"""

from dataclasses import replace

from arbiter.core.commands import Quit
from arbiter.core.decide import decide
from arbiter.core.model import BLACK, WHITE
from arbiter.core.replies import (
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
from arbiter.dialects.dialect import Telling
from arbiter.nostr.event import VerifiedEvent
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after, an_event

GAME = a_game()
STATE_ID = "5" * 64
CAUSE = "c" * 64
AT = NOW_MS // 1000

V2_TAGS = (("d", GAME.id), ("p", SERVER.pubkey), ("p", ALICE.pubkey), ("p", BOB.pubkey))
V1_TAGS = (("d", GAME.id), ("e", STATE_ID), *V2_TAGS[1:])

MATE = after(GAME, "f3 e5 g4 Qh4#")
RESIGNED = decide(after(GAME, "e4 e5"), Quit(ALICE.pubkey), NOW_MS).game
PROMOTED = after(a_game("8/P6k/8/8/8/8/7p/K7 w - - 0 1"), "a8=Q")

HEARD: dict[str, tuple[str, VerifiedEvent]] = {
    "20300-request": (
        "Request to play, as both versions have it.",
        an_event(ALICE, 20300, "", (("p", SERVER.pubkey),)),
    ),
    "20300-with-content": (
        "Neither version gives the content a meaning.",
        an_event(ALICE, 20300, "hello", (("p", SERVER.pubkey),)),
    ),
    "20303-move-v2": ("A move without an e tag.", an_event(ALICE, 20303, "e2e4", V2_TAGS)),
    "20303-move-v1": (
        "A move naming the state it answers.",
        an_event(ALICE, 20303, "e2e4", V1_TAGS),
    ),
    "20303-promotion-upper-case": (
        "Both versions spell the promotion in upper case.",
        an_event(ALICE, 20303, "e7e8Q", V2_TAGS),
    ),
    "20303-promotion-lower-case": ("UCI's spelling.", an_event(ALICE, 20303, "b7b8n", V2_TAGS)),
    "20303-quit": ("The only signal that the texts name.", an_event(ALICE, 20303, "quit", V2_TAGS)),
    "20303-resign": ("A signal of ours.", an_event(ALICE, 20303, "resign", V2_TAGS)),
    "20303-abort": ("A signal of ours.", an_event(ALICE, 20303, "abort", V2_TAGS)),
    "20303-null-move": (
        "python-chess would pass the turn.",
        an_event(ALICE, 20303, "0000", V2_TAGS),
    ),
    "20303-null-move-dashes": ("As 0000.", an_event(ALICE, 20303, "--", V2_TAGS)),
    "20303-drop": ("python-chess would read a drop.", an_event(ALICE, 20303, "Q@e4", V2_TAGS)),
    "20303-san": ("Moves are squares, not SAN.", an_event(ALICE, 20303, "Nf3", V2_TAGS)),
    "20303-newline": (
        "A newline is not part of a move.",
        an_event(ALICE, 20303, "e2e4\n", V2_TAGS),
    ),
    "20303-arabic-digits": ("Digits are ASCII.", an_event(ALICE, 20303, "e٢e٤", V2_TAGS)),
    "20303-promotion-to-king": ("No such promotion.", an_event(ALICE, 20303, "e7e8K", V2_TAGS)),
    "20303-no-game": ("No d tag.", an_event(ALICE, 20303, "e2e4", V2_TAGS[1:])),
    "20303-two-games": (
        "Which of the two?",
        an_event(ALICE, 20303, "e2e4", (("d", "f" * 32), *V2_TAGS)),
    ),
    "20303-strange-game-id": (
        "No game of ours has such an id.",
        an_event(ALICE, 20303, "e2e4", (("d", "../../etc"), *V2_TAGS[1:])),
    ),
    "20303-two-states": (
        "Which of the two?",
        an_event(ALICE, 20303, "e2e4", (("e", "6" * 64), *V1_TAGS)),
    ),
    "20303-strange-state": (
        "An e tag holds an event id.",
        an_event(ALICE, 20303, "e2e4", (("e", "abc"), *V2_TAGS)),
    ),
}

SAID: dict[str, tuple[str, Reply]] = {
    "20301-queued": ("Waiting for an opponent.", Queued(GAME.white)),
    "20301-error": (
        "A request that is refused.",
        RequestRefused(GAME.white, Reason.STALE, "created_at is more than two minutes off"),
    ),
    "20301-started": (
        "Each player gets his own colour and his opponent; the first state comes after.",
        GameStarted(GAME),
    ),
    "20301-shown-to-white": (
        "Resync of the player with White.",
        StateShown(after(GAME, "e4"), WHITE),
    ),
    "20301-shown-to-black": (
        "Resync of the player with Black.",
        StateShown(after(GAME, "e4"), BLACK),
    ),
    "20302-move": ("After a move.", MovePlayed(after(GAME, "e4 e5 Nf3"))),
    "20302-promotion": ("After a promotion, from a given position.", MovePlayed(PROMOTED)),
    "20302-mate": ("The final state of a game that was won.", GameEnded(MATE)),
    "20302-resigned": ("The final state of a game that was given up.", GameEnded(RESIGNED)),
    "20302-aborted": (
        "The final state of a game that was called off.",
        GameEnded(decide(GAME, Quit(BOB.pubkey), NOW_MS).game),
    ),
    "20304-of-a-player": (
        "The game is known and the author plays in it: both are told.",
        Rejected(ALICE.pubkey, Reason.ILLEGAL_MOVE, "e2e5 is not legal here (1 of 3)", GAME),
    ),
    "20304-of-a-stranger": (
        "Otherwise only the author is told.",
        Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game"),
    ),
}

BOTH = Telling(colors=frozenset({WHITE, BLACK}), cause=CAUSE, at=AT, answered_at=AT)
LONG = replace(GAME, moves=after(GAME, "Nf3 Nf6 Ng1 Ng8").moves * 501)
