"""Cases of Scuttlebutt: what is written, for tests/golden/ssb.jsonl."""

from dataclasses import replace
from typing import Any

import chess

from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination
from arbiter.core.replies import (
    Cancelled,
    ChatMessage,
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
from arbiter.dialects.base import PreviousResult, ReplyContext
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.messages import read_envelope
from arbiter.nostr.event import VerifiedEvent
from tests.builders import BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.envelopes import US, Content, a_feed, a_message, an_envelope

SUE, TOM, MAL = a_feed("sue"), a_feed("tom"), a_feed("mallory")
ROOT, OTHER_ROOT = a_message("root"), a_message("another root")
AT = NOW_MS // 1000
FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

TO_US: Content = {"type": "chess_invite", "inviting": US, "myColor": "white"}
BY_US: Content = {**TO_US, "inviting": SUE, "myColor": "black", "root": OTHER_ROOT}
TO_TOM: Content = {"type": "chess_invite", "inviting": TOM, "myColor": "black"}
_SQUARES: Content = {"orig": "e2", "dest": "e4", "pgnMove": "e4", "fen": FEN}
MOVE: Content = {"type": "chess_move", "root": ROOT, "branch": ROOT, "ply": 1, **_SQUARES}
_MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
_LAST: Content = {"ply": 4, "orig": "d8", "dest": "h4", "pgnMove": "Qh4#", "fen": _MATED}
MATE: Content = {"type": "chess_game_end", "root": ROOT, "status": "mate", **_LAST}


def hosted(content: Content, author: str = SUE, **more: Any) -> VerifiedEvent:
    """A message of the game to which Sue invited us."""
    return an_envelope(
        author, a_message(f"{author} {content}"), content, (ROOT, SUE, TO_US), **more
    )


def guested(content: Content, author: str = SUE) -> VerifiedEvent:
    """A message of the game to which we invited Sue."""
    return an_envelope(author, a_message(f"{author} {content}"), content, (ROOT, US, BY_US))


def judged(content: Content, author: str = SUE, **more: Any) -> VerifiedEvent:
    """A message of the game to which Sue invited Tom."""
    return an_envelope(
        author, a_message(f"{author} {content}"), content, (ROOT, SUE, TO_TOM), **more
    )


def asked(**more: object) -> VerifiedEvent:
    """Sue's invitation of us."""
    return an_envelope(SUE, ROOT, {**TO_US, **more})


CHAT: Content = {"type": "chess_chat", "root": ROOT, "msg": "hello"}
DRAW: Content = {"type": "chess_game_end", "root": ROOT, "status": "draw"}
RESIGNED: Content = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}
ACCEPT: Content = {"type": "chess_invite_accept", "root": ROOT, "branch": ROOT}

SEATS = {
    color: seat_of(SERVER.pubkey, SUE, ROOT, Role.HOST, color) for color in (chess.WHITE, BLACK)
}
NATIVE = Seat(BOB.pubkey, "native")
GAME = replace(a_game(), white=SEATS[WHITE], black=NATIVE)
"""Sue has White and invited us; Bob plays on relays."""

AS_BLACK = replace(a_game(), white=NATIVE, black=SEATS[BLACK])
OF_TWO = replace(GAME, black=seat_of(SERVER.pubkey, TOM, OTHER_ROOT, Role.HOST, BLACK))
"""Both on Scuttlebutt, each under their own root."""

JUDGED = replace(
    a_game(),
    white=seat_of(SERVER.pubkey, SUE, ROOT, Role.REFEREED, WHITE),
    black=seat_of(SERVER.pubkey, TOM, ROOT, Role.REFEREED, BLACK),
)


def told(game: Game, heard: VerifiedEvent | None = None, **more: Any) -> ReplyContext:
    """The players of Scuttlebutt in this game are told, in answer to this envelope."""
    ours = frozenset(color for color in (WHITE, BLACK) if game.seat(color).dialect == "ssb")
    envelope = read_envelope(heard) if heard else None
    key = envelope.event_key if envelope else "ab" * 32
    return ReplyContext(
        colors=ours, event_key=key, at=AT, answered_at=AT, server=SERVER.pubkey, event=heard, **more
    )


def over(game: Game, termination: Termination, winner: chess.Color | None) -> Game:
    """This game, ended like this."""
    return replace(game, outcome=Outcome(termination, winner))


MOVED = after(GAME, "e4")
ANSWERED = after(GAME, "e4 e5")
MATED = after(GAME, "f3 e5 g4 Qh4#")
MATES = after(AS_BLACK, "f3 e5 g4 Qh4#")
PROMOTED = after(AS_BLACK, "a4 b5 axb5 a6 bxa6 Bb7 axb7 Nc6 bxa8=N")

HER = SEATS[WHITE]
GIVEN_UP, OF_TWO_GIVEN_UP = (over(game, Termination.RESIGNATION, BLACK) for game in (MOVED, OF_TWO))
_AS_TOM = seat_of(SERVER.pubkey, TOM, a_message("new"), Role.HOST, BLACK).address
_HIS = AS_BLACK.black.player
_Told = tuple[str, tuple[Reply, ...], ReplyContext]


def case(note: str, reply: Reply, game: Game = GAME, *heard: VerifiedEvent, **more: Any) -> _Told:
    """The messages for this reply in this game, in answer to an envelope."""
    return note, (reply,), told(game, *heard, **more)


def ended(game: Game, termination: Termination, winner: chess.Color | None) -> GameEnded:
    return GameEnded(over(game, termination, winner))


def offered(game: Game, kind: OfferKind, color: chess.Color, **more: Any) -> GameChanged:
    return GameChanged(replace(game, offer=Offer(kind, color), **more))


def refused(player: str, reason: Reason, text: str, game: Game | None = GAME) -> Rejected:
    return Rejected(player, reason, text, game)


_GUEST = replace(GAME, white=seat_of(SERVER.pubkey, SUE, ROOT, Role.GUEST, WHITE))
_CASTLED = MovePlayed(after(AS_BLACK, "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O"))
_BY_TOM = Offer(OfferKind.REMATCH, BLACK, _AS_TOM)
_WHITE = frozenset({WHITE})
_LUCK = ChatMessage(GAME, BOB.pubkey, "good luck", is_private=True, colors=_WHITE)
_WATCHED = ChatMessage(GAME, EVE.pubkey, "what a game", is_private=False, colors=_WHITE)
_SAID_DRAW = hosted({**CHAT, "msg": "/draw"}, is_private=True)
_D4: Content = {**MOVE, "pgnMove": "d4"}
_ILLEGAL = refused(HER.player, Reason.ILLEGAL_MOVE, "e2e5 is not legal here")
_MALFORMED = refused(HER.player, Reason.MALFORMED, "?")
_STRANGER = refused("ab" * 32, Reason.NOT_A_PLAYER, "you have no seat in this game", None)
_TOO_MANY = refused(HER.player, Reason.RATE_LIMITED, "one offer in twenty plies")
_HELD = replace(refused(_HIS, Reason.ILLEGAL_MOVE, "not legal", AS_BLACK), about="cd" * 32)
_OVER = refused(MATES.black.player, Reason.GAME_OVER, "the game is over", MATES)
_WRITTEN_E4 = ClaimRejected(MOVED, HER.player, "the move is written e4")
_JUDGED_E4 = ClaimRejected(after(JUDGED, "e4"), JUDGED.white.player, "the move is written e4")

ENCODED: dict[str, _Told] = {
    "queued": case("She waits.", Queued(HER)),
    "queued-for-one": case("The challenged player was told.", Queued(HER, "ab" * 16)),
    "cancelled": case("She waits no more.", Cancelled(HER)),
    "request-refused": case("Why not.", RequestRefused(HER, Reason.BAD_TERMS, "name one opponent")),
    "started": case("We accept, and say who it is.", GameStarted(GAME)),
    "started-as-guest": case("She has accepted, so we need not.", GameStarted(_GUEST)),
    "started-of-two": case("Each under their own root.", GameStarted(OF_TWO), OF_TWO),
    "judged-started": case("They have told each other.", GameStarted(JUDGED), JUDGED),
    "judged-moved": case("As before.", MovePlayed(after(JUDGED, "e4")), JUDGED),
    "judged-mate": case(
        "How it ended, for a player who believed in another end.",
        GameEnded(after(JUDGED, "f3 e5 g4 Qh4#")),
        JUDGED,
        judged(MATE, TOM),
    ),
    "judged-resigned": case(
        "The same, whichever of them is answered.",
        ended(JUDGED, Termination.RESIGNATION, BLACK),
        JUDGED,
    ),
    "moved": case("The opponent's move.", MovePlayed(ANSWERED)),
    "moved-herself": case("She knows.", MovePlayed(MOVED), GAME, hosted(MOVE)),
    "moved-herself-held": case(
        "Her answer came before the move it answers.",
        MovePlayed(after(AS_BLACK, "e4 e5")),
        AS_BLACK,
    ),
    "moved-promotion": case("With its piece.", MovePlayed(PROMOTED), AS_BLACK),
    "moved-castling": case("King's squares.", _CASTLED, AS_BLACK),
    "moved-of-two": case(
        "To the other under their own root.", MovePlayed(after(OF_TWO, "e4")), OF_TWO, hosted(MOVE)
    ),
    "mate": case("The move comes with the end.", GameEnded(MATED)),
    "mated-herself": case(
        "She has said so, and we agree; our word of mate would be our win.",
        GameEnded(MATES),
        MATES,
        hosted(MATE),
    ),
    "resigned": case(
        "We give up in the opponent's name.", ended(ANSWERED, Termination.RESIGNATION, WHITE)
    ),
    "resigned-herself": case("She said so.", GameEnded(GIVEN_UP), GAME, hosted(RESIGNED)),
    "agreed": case(
        "Whichever of them agreed, the log ends with it.", ended(MOVED, Termination.AGREEMENT, None)
    ),
    "claimed": case("The opponent claimed.", ended(MOVED, Termination.FIFTY_MOVES, None)),
    "aborted": case("There is no word for it.", ended(GAME, Termination.ABORTED, None)),
    "illegal-moves": case("The opponent lost so.", ended(MOVED, Termination.ILLEGAL_MOVES, WHITE)),
    "draw-offered": case(
        "In private, and how to agree.", offered(MOVED, OfferKind.DRAW, BLACK, black_offered_at=1)
    ),
    "draw-offered-by-her": case("She knows.", offered(MOVED, OfferKind.DRAW, WHITE)),
    "draw-offered-by-an-end": case(
        "Her program takes the game for over, and it is not.",
        offered(MOVED, OfferKind.DRAW, WHITE, white_offered_at=1),
        GAME,
        hosted(DRAW),
    ),
    "declined": case("The opponent plays on.", GameChanged(replace(MOVED, state_version=3))),
    "takeback-offered": case(
        "Of this the wire knows nothing.", offered(MOVED, OfferKind.TAKEBACK, BLACK)
    ),
    "rematch-offered": case("We invite her.", offered(GIVEN_UP, OfferKind.REMATCH, BLACK)),
    "rematch-offered-by-tom": case(
        "We invite her, and the author has the colour that they asked for.",
        GameChanged(replace(OF_TWO_GIVEN_UP, offer=_BY_TOM)),
        OF_TWO,
    ),
    "illegal": case("Named in public.", _ILLEGAL, GAME, hosted(MOVE)),
    "malformed": case("With what is wrong.", _MALFORMED, GAME, hosted({**MOVE, "ply": "1"})),
    "not-a-player": case(
        "All strangers together are answered once.", _STRANGER, GAME, hosted(MOVE, MAL)
    ),
    "refused-in-private": case("As it was said.", _TOO_MANY, GAME, _SAID_DRAW),
    "refused-held": case("It names the message that waited.", _HELD, AS_BLACK),
    "agreed-too-late": case("It is true anyway.", _OVER, MATES, hosted(MATE)),
    "too-late": case("It is not.", _OVER, MATES, hosted(DRAW)),
    "disputed": case("The move is played, the claim named.", _WRITTEN_E4, GAME, hosted(_D4)),
    "judged-disputed": case("Under the root that both have.", _JUDGED_E4, JUDGED, judged(_D4)),
    "shown-again": case(
        "What may not have been told.",
        StateShown(ANSWERED, WHITE),
        GAME,
        asked(),
        previous=PreviousResult.ACCEPTED,
    ),
    "chat-private": case("For her alone.", _LUCK),
    "chat-public": case("For readers of our log, with its author.", _WATCHED),
}

# When a player who says how a game ended, and says it too late, is contradicted.
_DRAWN = over(MOVED, Termination.AGREEMENT, None)
_WAS_GIVEN = over(MOVED, Termination.RESIGNATION, WHITE)
_LATE_BLACK = replace(GIVEN_UP, white=AS_BLACK.white, black=AS_BLACK.black)
_FIFTY_MOVES = over(MOVED, Termination.FIFTY_MOVES, None)
_TIMEOUT = over(MOVED, Termination.TIMEOUT, BLACK)
_STALEMATE: Content = {**MATE, "status": "stalemate"}
_LATE: list[tuple[str, str, Game, chess.Color, Content]] = [
    ("a draw of a draw", "It is so.", _DRAWN, WHITE, DRAW),
    ("a draw of fifty moves", "It is so.", _FIFTY_MOVES, WHITE, DRAW),
    ("a stalemate of a draw", "It is so.", _DRAWN, WHITE, _STALEMATE),
    ("a resignation of a resignation", "It is so.", GIVEN_UP, WHITE, RESIGNED),
    ("a mate of theirs", "The mate is the opponent's.", MATED, WHITE, MATE),
    ("a resignation of theirs", "It is the opponent's.", _WAS_GIVEN, WHITE, RESIGNED),
    ("a resignation of white", "It is the opponent's.", _LATE_BLACK, BLACK, RESIGNED),
    ("a mate of a draw", "It is not.", _DRAWN, WHITE, MATE),
    ("a draw of a resignation", "It is not.", GIVEN_UP, WHITE, DRAW),
    ("a resignation of a mate", "It is not.", MATED, WHITE, RESIGNED),
    ("a resignation of a lost flag", "It is not.", _TIMEOUT, WHITE, RESIGNED),
    ("a move of a draw", "It is no end.", _DRAWN, WHITE, MOVE),
    ("a line of a draw", "It is no end.", _DRAWN, WHITE, CHAT),
]
_OVER_NOW = over(JUDGED, Termination.RESIGNATION, BLACK)
_NO_MATE = refused(HER.player, Reason.WRONG_RESULT, "that is no mate", MOVED)
_NO_GAME = refused("ab" * 32, Reason.UNKNOWN_GAME, "no such game", None)
_OF_HERSELF = an_envelope(SUE, ROOT, {**TO_TOM, "inviting": SUE})


def _goes_on(author: str, feed: str, reason: Reason = Reason.GAME_OVER) -> _Told:
    note = "The end may not have been told to the players."
    late = refused(author, reason, "no", _OVER_NOW)
    return case(note, late, _OVER_NOW, judged(MOVE, feed))


ENCODED |= {
    **{
        f"late: {name}": case(
            note,
            refused(game.seat(color).player, Reason.GAME_OVER, "the game is over", game),
            game,
            hosted(content),
        )
        for name, note, game, color, content in _LATE
    },
    "no-mate": case("Said where her message was.", _NO_MATE, GAME, hosted(MATE)),
    "move-in-private": case("Said in private.", _MALFORMED, GAME, hosted(MOVE, is_private=True)),
    "refused-held-in-private": case(
        "All heard the move that waited.", _HELD, AS_BLACK, hosted(CHAT, is_private=True)
    ),
    "invites-herself": case("Not answered.", _NO_GAME, GAME, _OF_HERSELF),
    **{
        f"no-game-for-{name}": case("Neither has a seat yet.", _NO_GAME, GAME, judged(MOVE, feed))
        for name, feed in (("sue", SUE), ("tom", TOM), ("a-stranger", MAL))
    },
    "judged-goes-on": _goes_on(JUDGED.white.player, SUE),
    "judged-goes-on-stale": _goes_on(JUDGED.white.player, SUE, Reason.STALE),
    "judged-goes-on-stranger": _goes_on("ab" * 32, MAL),
}
