"""Cases of jester: what is read and what is written, for tests/golden/jester.jsonl. The events are
spelled as jesterui (a642202), Amethyst (10149d7) and nostr.blue write them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

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
from arbiter.dialects.jester.encode import invited
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.jester import START, private_reference
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after, an_event

AT = NOW_MS // 1000
TO_US = ("p", SERVER.pubkey)
OPEN = ("e", START)
PRIVATE = ("e", private_reference(SERVER.pubkey))
FEN = chess.STARTING_FEN


def start(*tags: tuple[str, ...], key: SecretKey = ALICE, **content: Any) -> VerifiedEvent:
    """A start; without content as jesterui writes it."""
    fields = content or {"history": [], "nonce": "abcdef42"}
    return _event(key, {"version": "0", "kind": 0, **fields}, *tags)


def _event(key: SecretKey, content: Mapping[str, Any], *tags: tuple[str, ...]) -> VerifiedEvent:
    return an_event(key, 30, json.dumps(content, separators=(",", ":")), tags)


AMETHYST: dict[str, Any] = {"fen": FEN, "history": [], "nonce": "abcdef42", "playerColor": "black"}
JESTERUI_START = start(PRIVATE)
GAME_ID = JESTERUI_START.id
HEAD = "d" * 64


def said(
    history: Sequence[str],
    /,
    *tags: tuple[str, ...],
    key: SecretKey = ALICE,
    tags_of_game: tuple[tuple[str, ...], ...] = (("e", GAME_ID), ("e", HEAD)),
    **fields: Any,
) -> VerifiedEvent:
    """A move as jesterui writes it, changed in these fields (None: left out)."""
    board = chess.Board()
    for san in history:
        board.push_san(san)
    fen = board.fen(en_passant="fen")
    content = {"version": "0", "kind": 1, "fen": fen, "move": history[-1] if history else None}
    content |= {"history": [*history], **fields}
    kept = {name: value for name, value in content.items() if value is not None}
    return _event(key, kept, *tags_of_game, *tags)


_CASTLING = ["e4", "e5", "Nf3", "Nf6", "Bc4", "Bc5", "O-O"]
_OPERA = ["e4", "e5", "Nf3", "d6", "d4", "Bg4", "dxe5"]
_AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"

DECODED: dict[str, tuple[str, VerifiedEvent]] = {
    "start-jesterui": ("One private reference, no p tag; White.", JESTERUI_START),
    "start-amethyst": ("Asks for Black.", start(OPEN, TO_US, **AMETHYST)),
    "start-nostr-blue": (
        "The colour under the other name, and an alt tag.",
        start(OPEN, TO_US, ("alt", "chess"), history=[], nonce="x", player_color="white"),
    ),
    "start-open": ("For anybody, where the operator has it.", start(OPEN)),
    "start-refereed": ("Names an opponent and us.", start(OPEN, ("p", BOB.pubkey), TO_US)),
    "start-refereed-black": (
        "In the other order, and the starter has Black.",
        start(OPEN, TO_US, ("p", BOB.pubkey), **AMETHYST),
    ),
    "start-fetched": ("A move named us, and the start was read.", start(OPEN, ("p", BOB.pubkey))),
    "start-for-another": (
        "A private reference of a player who is not named.",
        start(("e", private_reference(BOB.pubkey)), TO_US, key=EVE),
    ),
    "start-for-a-stranger": ("Of no game of ours.", start(("e", "e" * 64))),
    "start-three-players": ("Whom?", start(TO_US, ("p", BOB.pubkey), ("p", EVE.pubkey))),
    "start-against-oneself": ("The author is no opponent.", start(TO_US, ("p", ALICE.pubkey))),
    "start-with-history": ("No start for jesterui.", start(TO_US, history=["e4"])),
    "start-without-history": ("No start for jesterui.", start(TO_US, nonce="x")),
    "start-elsewhere": ("Only the usual position.", start(TO_US, history=[], fen=_AFTER_E4)),
    "start-fen-is-a-number": ("No text.", start(TO_US, history=[], fen=7)),
    "start-no-color": ("No colour.", start(TO_US, history=[], playerColor="red")),
    "start-two-colors": (
        "Which?",
        start(TO_US, history=[], playerColor="white", player_color="black"),
    ),
    "start-color-is-a-list": ("No text.", start(TO_US, history=[], playerColor=["white"])),
    "move-jesterui": ("Two e tags, the whole history.", said(["e4"])),
    "move-amethyst": ("And a p tag.", said(["e4", "e5"], TO_US, key=BOB)),
    "move-annotated": ("A sign of PGN.", said(["e4"], history=["e4!?"])),
    "move-zeros": ("As some programs castle.", said(_CASTLING, history=[*_CASTLING[:-1], "0-0"])),
    "move-castling": ("With letters.", said(_CASTLING)),
    "move-castling-doubled": (
        "White castled; the position says that Black did not.",
        said(_CASTLING, history=[*_CASTLING, "O-O"]),
    ),
    "move-castling-both": ("Black castled too.", said([*_CASTLING, "O-O"], key=BOB)),
    "move-doubled": ("The last SAN twice is one move.", said(["e4"], history=["e4", "e4"])),
    "move-doubled-without-fen": (
        "It is not legal twice.",
        said(["e4"], history=["e4", "e4"], fen=None),
    ),
    "move-promotion": (
        "With a piece.",
        said(["a4", "b5", "axb5", "a6", "bxa6", "Bb7", "axb7", "h6", "bxa8=Q"]),
    ),
    "move-doubled-legal": (
        "The double is a move of Black's; the position says that it was not made.",
        said(_OPERA, TO_US, history=[*_OPERA, "dxe5"]),
    ),
    "move-doubled-played": (
        "The position says that it was made.",
        said([*_OPERA, "dxe5"], TO_US, key=BOB),
    ),
    "move-doubled-legal-without-fen": (
        "Nothing says that it was not made.",
        said(_OPERA, TO_US, history=[*_OPERA, "dxe5"], fen=None),
    ),
    "move-after-a-reload": (
        "The history since the page was opened: not a game's from the start.",
        said(["e4", "e5"], TO_US, key=BOB, history=["e5", "e5"]),
    ),
    "resign-after-a-reload": (
        "A resignation needs no history.",
        said(
            ["e4"],
            TO_US,
            key=BOB,
            history=["e5", "e5"],
            result="1-0",
            termination="resignation",
        ),
    ),
    "move-illegal": ("No such move.", said(["e4"], history=["e4", "Ke6"], move="Ke6")),
    "move-illegal-before": ("History of no game.", said(["e4"], history=["e5", "e4"])),
    "move-false-fen": ("A claim, to be compared.", said(["e4"], fen=FEN)),
    "move-without-history": ("Nothing to follow.", said(["e4"], history=None)),
    "move-without-fen": ("Nothing to compare.", said(["e4"], fen=None)),
    "move-long-fen": ("No FEN is so long.", said(["e4"], fen="8/" * 100)),
    "move-history-is-a-text": ("No list.", said(["e4"], history="e4")),
    "move-history-of-numbers": ("No SAN.", said(["e4"], history=[4])),
    "move-too-long": ("Longer than any game.", said(["e4"], history=["Nf3"] * 601)),
    "move-newline": ("No SAN.", said(["e4"], history=["e4\n"])),
    "move-markup": ("No SAN.", said(["e4"], history=["<script>"])),
    "move-null": ("python-chess would pass the turn.", said(["e4"], history=["--"])),
    "move-of-no-game": ("No e tag.", said(["e4"], tags_of_game=())),
    "move-of-a-short-id": ("No id.", said(["e4"], tags_of_game=(("e", "12"), ("e",)))),
    "move-one-reference": (
        "No parent, as none but jesterui minds.",
        said(["e4"], tags_of_game=(("e", GAME_ID),)),
    ),
    "nothing-said": ("No move and no end.", said([])),
    "resign-amethyst": (
        "No move; White says that White lost.",
        said(["e4", "e5"], TO_US, move=None, result="0-1", termination="resignation"),
    ),
    "resign-nostr-blue": (
        "The last move twice.",
        said(["e4"], TO_US, history=["e4", "e4"], result="0-1", termination="resignation"),
    ),
    "resign-at-once": (
        "Before any move.",
        said([], move=None, result="0-1", termination="resignation"),
    ),
    "resign-nostr-blue-at-once": (
        "A last move that is not there.",
        said([], TO_US, move="", history=[""], result="0-1", termination="resignation"),
    ),
    "draw-offered-at-once": (
        "A last move that is not there.",
        said([], TO_US, move="", history=[""], draw_offered=True),
    ),
    "draw-agreed-by-moving": (
        "A move and an offer, also where nobody offered.",
        said(["e4", "e5"], TO_US, result="1/2-1/2", termination="draw_agreement"),
    ),
    "draw-offered": ("With a move.", said(["e4"], TO_US, draw_offered=True)),
    "draw-agreed": (
        "The last move twice.",
        said(
            ["e4"],
            TO_US,
            history=["e4", "e4"],
            result="1/2-1/2",
            termination="draw_agreement",
        ),
    ),
    "abandonment-claimed": (
        "Time is ours to judge.",
        said(["e4"], TO_US, move=None, result="1-0", termination="abandonment"),
    ),
    "mate": (
        "The rules say how it ended.",
        said(["f3", "e5", "g4", "Qh4#"], key=BOB, result="0-1", termination="checkmate"),
    ),
    "chat": ("A kind that Amethyst names and nobody writes.", _event(ALICE, {"kind": 2}, TO_US)),
    "kind-is-true": ("No number.", _event(ALICE, {"kind": True, "history": []}, TO_US)),
    "kind-missing": ("No kind.", _event(ALICE, {"history": []}, ("e", GAME_ID))),
    "no-object": ("A list.", an_event(ALICE, 30, "[]", (("e", GAME_ID),))),
    "no-json": ("No JSON.", an_event(ALICE, 30, "e4", (("e", GAME_ID),))),
    "too-deep": ("No content has such depth.", an_event(ALICE, 30, "[" * 99, (TO_US,))),
}

WHITE_HERE = replace(
    a_game(),
    white=seat_of(ALICE.pubkey, GAME_ID, Role.HOST, WHITE),
    black=Seat(BOB.pubkey, "dilger"),
)
BLACK_HERE = replace(
    a_game(),
    black=seat_of(BOB.pubkey, GAME_ID, Role.HOST, BLACK),
    white=Seat(ALICE.pubkey, "dilger"),
)
GUEST = replace(BLACK_HERE, black=invited(BLACK_HERE, BLACK, SERVER.pubkey))
REFEREED = replace(
    a_game(),
    white=seat_of(ALICE.pubkey, GAME_ID, Role.REFEREED, WHITE),
    black=seat_of(BOB.pubkey, GAME_ID, Role.REFEREED, BLACK),
)
BOTH = ReplyContext(colors=frozenset({WHITE, BLACK}), event_key="c" * 64, at=AT, answered_at=AT)
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
    "invited": ("Our start, in all spellings.", (GameStarted(GUEST),), TO_BLACK),
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
    "abandoned": ("Closed.", (over(REFEREED, Termination.ABORTED, None),), BOTH),
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
        replace(BOTH, event=DECODED["move-without-history"][1]),
    ),
    "disputed": (
        "The move counts.",
        (ClaimRejected(REFEREED, ALICE.pubkey, "the claimed FEN's move number is wrong"),),
        BOTH,
    ),
}
