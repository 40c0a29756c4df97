"""Cases of Scuttlebutt: what is read and what is written, for tests/golden/ssb.jsonl."""

from collections.abc import Mapping
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
from arbiter.nostr.nip19 import encode_npub
from tests.builders import BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.letters import US, Content, a_feed, a_letter, a_message

SUE, TOM, MAL = a_feed("sue"), a_feed("tom"), a_feed("mallory")
ROOT, OTHER_ROOT = a_message("root"), a_message("another root")
AT = NOW_MS // 1000
FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

TO_US: Content = {"type": "chess_invite", "inviting": US, "myColor": "white"}
BY_US: Content = {
    "type": "chess_invite",
    "inviting": SUE,
    "myColor": "black",
    "root": OTHER_ROOT,
}
TO_TOM: Content = {"type": "chess_invite", "inviting": TOM, "myColor": "black"}
MOVE: Content = {
    "type": "chess_move",
    "root": ROOT,
    "branch": ROOT,
    "ply": 1,
    "orig": "e2",
    "dest": "e4",
    "pgnMove": "e4",
    "fen": FEN,
}
MATE: Content = {
    "type": "chess_game_end",
    "root": ROOT,
    "status": "mate",
    "ply": 4,
    "orig": "d8",
    "dest": "h4",
    "pgnMove": "Qh4#",
    "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
}


def hosted(content: Content, author: str = SUE, **more: Any) -> VerifiedEvent:
    """A message of the game to which Sue invited us."""
    return a_letter(author, a_message(f"{author} {content}"), content, (ROOT, SUE, TO_US), **more)


def guested(content: Content, author: str = SUE) -> VerifiedEvent:
    """A message of the game to which we invited Sue."""
    return a_letter(author, a_message(f"{author} {content}"), content, (ROOT, US, BY_US))


def judged(content: Content, author: str = SUE, **more: Any) -> VerifiedEvent:
    """A message of the game to which Sue invited Tom."""
    return a_letter(author, a_message(f"{author} {content}"), content, (ROOT, SUE, TO_TOM), **more)


def asked(**more: object) -> VerifiedEvent:
    """Sue's invitation of us."""
    return a_letter(SUE, ROOT, {**TO_US, **more})


def without(content: Mapping[str, object], name: str) -> Content:
    return {field: value for field, value in content.items() if field != name}


CHAT: Content = {"type": "chess_chat", "root": ROOT, "msg": "hello"}
DRAW: Content = {"type": "chess_game_end", "root": ROOT, "status": "draw"}
RESIGNED: Content = {"type": "chess_game_end", "root": ROOT, "status": "resigned"}
ACCEPT: Content = {"type": "chess_invite_accept", "root": ROOT, "branch": ROOT}

DECODED: dict[str, tuple[str, VerifiedEvent]] = {
    "invite": ("She wants an opponent.", asked()),
    "invite-npub": ("She wants this one.", asked(text=f"{encode_npub(BOB.pubkey)}, please")),
    "invite-hex": ("She wants this one.", asked(msg=BOB.pubkey)),
    "invite-two": (
        "One opponent a game.",
        asked(text=f"{BOB.pubkey} or {encode_npub(EVE.pubkey)}"),
    ),
    "invite-bad-npub": ("No key.", asked(text="npub1qqqq")),
    "invite-in-no-colour": ("She asks for a game that cannot be.", asked(myColor="red")),
    "invite-after-no-game": ("Nor can this.", asked(root=["yesterday"])),
    "move-after-no-invitation": (
        "There is no game that it could be of.",
        a_letter(SUE, a_message("move"), MOVE, (ROOT, SUE, {**TO_US, "myColor": "red"})),
    ),
    "judged-invite-in-no-colour": (
        "Two whom we would judge, if this were a game.",
        a_letter(SUE, ROOT, {**TO_TOM, "myColor": "red"}),
    ),
    "invite-ssb-spelling": ("As the README slips elsewhere.", asked(type="ssb_chess_invite")),
    "invite-rematch": (
        "She offers a rematch, and will have the colour she says.",
        asked(root=OTHER_ROOT),
    ),
    "accept-of-ours": ("She agrees to a rematch that her opponent offered.", guested(ACCEPT)),
    "accept-by-the-host": ("She cannot accept for us.", hosted(ACCEPT)),
    "move": ("A move.", hosted(MOVE)),
    "move-as-guest": ("A move in the rematch.", guested(MOVE)),
    "move-ssb-spelling": ("A move.", hosted({**MOVE, "type": "ssb_chess_move"})),
    "move-promotion": (
        "With its piece.",
        hosted({**MOVE, "orig": "e7", "dest": "e8", "pgnMove": "e8=N", "promotion": "n"}),
    ),
    "move-promotion-in-san": (
        "ssb-chess 4.0.2 forgets the field where the game ends.",
        hosted({**MATE, "orig": "e7", "dest": "e8", "pgnMove": "e8=R#"}),
    ),
    "move-bare": ("Nothing is claimed.", hosted(without(without(MOVE, "fen"), "pgnMove"))),
    "move-of-a-stranger": ("He has no seat, but nobody is dropped.", hosted(MOVE, MAL)),
    "move-ply-true": ("JSON's true is no number.", hosted({**MOVE, "ply": True})),
    "move-ply-float": ("No count either.", hosted({**MOVE, "ply": 1.0})),
    "move-ply-text": ("Nor this.", hosted({**MOVE, "ply": "1"})),
    "move-ply-zero": ("Nothing is moved at zero.", hosted({**MOVE, "ply": 0})),
    "move-ply-huge": ("No game is that long.", hosted({**MOVE, "ply": 10**30})),
    "move-no-ply": ("It says nowhere where it belongs.", hosted(without(MOVE, "ply"))),
    "move-square": ("There is no ninth rank.", hosted({**MOVE, "dest": "e9"})),
    "move-square-list": ("A square is a text.", hosted({**MOVE, "orig": ["e2"]})),
    "move-promotion-king": ("Nobody becomes a king.", hosted({**MOVE, "promotion": "k"})),
    "move-long-fen": ("A position is short.", hosted({**MOVE, "fen": "8/" * 100})),
    "move-drop": ("No drops.", hosted({**MOVE, "orig": "Q@", "dest": "e4"})),
    "mate": ("The move that mates is in the end.", hosted(MATE)),
    "mate-winner": ("She says who has won.", hosted({**MATE, "winner": SUE})),
    "mate-winner-is-us": ("She says that we have.", hosted({**MATE, "winner": US})),
    "mate-without-a-move": ("A mate is a move.", hosted({**RESIGNED, "status": "mate"})),
    "stalemate": (
        "As ssb-chess 4.0.2 writes it.",
        hosted({**MATE, "status": "stalemate", "pgnMove": "Qh4"}),
    ),
    "draw-with-a-move": ("A claim about a move.", hosted({**MATE, "status": "draw"})),
    "draw": ("She offers, or agrees.", hosted(DRAW)),
    "resigned": ("She gives up.", hosted(RESIGNED)),
    "resigned-ssb-spelling": (
        "As the README has it.",
        hosted({**RESIGNED, "type": "ssb_chess_game_end"}),
    ),
    "resigned-with-a-move": ("The last move again is no move.", hosted({**MATE, **RESIGNED})),
    "end-winner": ("No feed.", hosted({**RESIGNED, "winner": "me"})),
    "end-status": ("A word that nobody knows.", hosted({**RESIGNED, "status": "aborted"})),
    "chat-private": ("For her opponent.", hosted(CHAT, is_private=True)),
    "chat-public": ("For whoever watches.", hosted({**CHAT, "type": "ssb_chess_chat"})),
    "chat-draw": ("A draw in the chat.", hosted({**CHAT, "msg": " /Draw"}, is_private=True)),
    "chat-draw-public": ("Said to all, it is talk.", hosted({**CHAT, "msg": "/draw"})),
    "chat-number": ("A text is a text.", hosted({**CHAT, "msg": 7})),
    "other-type": ("No message of chess.", hosted({"type": "post", "text": "e2e4"})),
    "no-type": ("Nothing.", hosted({})),
    "fork": (
        "The second of two messages of one number.",
        hosted(MOVE, fork={"sequence": 7, "known": a_message("the first")}),
    ),
    "judged-invite": ("Sue and Tom begin.", a_letter(SUE, ROOT, TO_TOM)),
    "judged-accept": ("Sue and Tom begin.", judged(ACCEPT, TOM)),
    "judged-accept-of-a-stranger": ("Not his to accept.", judged(ACCEPT, MAL)),
    "judged-move": ("A move of a game that we judge.", judged(MOVE, TOM)),
    "judged-chat": ("What they say there.", judged(CHAT)),
    "judged-fork": ("A fork there.", judged(MOVE, fork={"sequence": 7, "known": ROOT})),
    "invites-herself": (
        "Nobody plays himself.",
        a_letter(SUE, ROOT, {**TO_TOM, "inviting": SUE}),
    ),
}

SEATS = {
    color: seat_of(SERVER.pubkey, SUE, ROOT, Role.HOST, color) for color in (chess.WHITE, BLACK)
}
NATIVE = Seat(BOB.pubkey, "dilger")
GAME = replace(a_game(), white=SEATS[WHITE], black=NATIVE)
"""Sue has White and invited us; Bob plays on relays."""

AS_BLACK = replace(a_game(), white=NATIVE, black=SEATS[BLACK])
OF_TWO = replace(GAME, black=seat_of(SERVER.pubkey, TOM, OTHER_ROOT, Role.HOST, BLACK))
"""Both on Scuttlebutt, each under a root of his own."""

JUDGED = replace(
    a_game(),
    white=seat_of(SERVER.pubkey, SUE, ROOT, Role.REFEREED, WHITE),
    black=seat_of(SERVER.pubkey, TOM, ROOT, Role.REFEREED, BLACK),
)


def told(game: Game, heard: VerifiedEvent | None = None, **more: Any) -> ReplyContext:
    """The players of Scuttlebutt in this game are told, in answer to this letter."""
    ours = frozenset(color for color in (WHITE, BLACK) if game.seat(color).dialect == "ssb")
    letter = read_envelope(heard) if heard else None
    cause = letter.event_key if letter else "ab" * 32
    return ReplyContext(colors=ours, event_key=cause, at=AT, answered_at=AT, event=heard, **more)


def over(game: Game, termination: Termination, winner: chess.Color | None) -> Game:
    """This game, ended like this."""
    return replace(game, outcome=Outcome(termination, winner))


MOVED = after(GAME, "e4")
ANSWERED = after(GAME, "e4 e5")
MATED = after(GAME, "f3 e5 g4 Qh4#")
MATES = after(AS_BLACK, "f3 e5 g4 Qh4#")
PROMOTED = after(AS_BLACK, "a4 b5 axb5 a6 bxa6 Bb7 axb7 Nc6 bxa8=N")

ENCODED: dict[str, tuple[str, tuple[Reply, ...], ReplyContext]] = {
    "queued": ("She waits.", (Queued(SEATS[WHITE]),), told(GAME)),
    "queued-for-one": ("Somebody was told.", (Queued(SEATS[WHITE], "ab" * 16),), told(GAME)),
    "cancelled": ("She waits no more.", (Cancelled(SEATS[WHITE]),), told(GAME)),
    "request-refused": (
        "Why not.",
        (RequestRefused(SEATS[WHITE], Reason.BAD_TERMS, "name one opponent"),),
        told(GAME),
    ),
    "started": ("We accept, and say who it is.", (GameStarted(GAME),), told(GAME)),
    "started-as-guest": (
        "She has accepted, so we need not.",
        (
            GameStarted(
                replace(GAME, white=seat_of(SERVER.pubkey, SUE, ROOT, Role.GUEST, WHITE)),
            ),
        ),
        told(GAME),
    ),
    "started-of-two": ("Each under his own root.", (GameStarted(OF_TWO),), told(OF_TWO)),
    "judged-started": ("They have told each other.", (GameStarted(JUDGED),), told(JUDGED)),
    "judged-moved": ("As before.", (MovePlayed(after(JUDGED, "e4")),), told(JUDGED)),
    "judged-mate": (
        "How it ended, for whoever believed in another end.",
        (GameEnded(after(JUDGED, "f3 e5 g4 Qh4#")),),
        told(JUDGED, judged(MATE, TOM)),
    ),
    "judged-resigned": (
        "The same, whoever is answered.",
        (GameEnded(over(JUDGED, Termination.RESIGNATION, BLACK)),),
        told(JUDGED),
    ),
    "moved": ("The opponent's move.", (MovePlayed(ANSWERED),), told(GAME)),
    "moved-herself": ("She knows.", (MovePlayed(MOVED),), told(GAME, hosted(MOVE))),
    "moved-herself-held": (
        "Her answer came before the move it answers.",
        (MovePlayed(after(AS_BLACK, "e4 e5")),),
        told(AS_BLACK),
    ),
    "moved-promotion": ("With its piece.", (MovePlayed(PROMOTED),), told(AS_BLACK)),
    "moved-castling": (
        "King's squares.",
        (MovePlayed(after(AS_BLACK, "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O")),),
        told(AS_BLACK),
    ),
    "moved-of-two": (
        "To the other under his own root.",
        (MovePlayed(after(OF_TWO, "e4")),),
        told(OF_TWO, hosted(MOVE)),
    ),
    "mate": ("The move comes with the end.", (GameEnded(MATED),), told(GAME)),
    "mated-herself": (
        "She has said so, and we agree; our word of mate would be our win.",
        (GameEnded(MATES),),
        told(MATES, hosted(MATE)),
    ),
    "resigned": (
        "We give up in his name.",
        (GameEnded(over(ANSWERED, Termination.RESIGNATION, WHITE)),),
        told(GAME),
    ),
    "resigned-herself": (
        "She said so.",
        (GameEnded(over(MOVED, Termination.RESIGNATION, BLACK)),),
        told(GAME, hosted(RESIGNED)),
    ),
    "agreed": (
        "Whoever agreed, the log ends with it.",
        (GameEnded(over(MOVED, Termination.AGREEMENT, None)),),
        told(GAME),
    ),
    "claimed": (
        "The opponent claimed.",
        (GameEnded(over(MOVED, Termination.FIFTY_MOVES, None)),),
        told(GAME),
    ),
    "aborted": (
        "There is no word for it.",
        (GameEnded(over(GAME, Termination.ABORTED, None)),),
        told(GAME),
    ),
    "illegal-moves": (
        "The opponent lost so.",
        (GameEnded(over(MOVED, Termination.ILLEGAL_MOVES, WHITE)),),
        told(GAME),
    ),
    "draw-offered": (
        "In private, and how to agree.",
        (
            GameChanged(
                replace(MOVED, offer=Offer(OfferKind.DRAW, BLACK), black_offered_at=1),
            ),
        ),
        told(GAME),
    ),
    "draw-offered-by-her": (
        "She knows.",
        (GameChanged(replace(MOVED, offer=Offer(OfferKind.DRAW, WHITE))),),
        told(GAME),
    ),
    "draw-offered-by-an-end": (
        "Her program takes the game for over, and it is not.",
        (GameChanged(replace(MOVED, offer=Offer(OfferKind.DRAW, WHITE), white_offered_at=1)),),
        told(GAME, hosted(DRAW)),
    ),
    "declined": (
        "The opponent plays on.",
        (GameChanged(replace(MOVED, state_version=3)),),
        told(GAME),
    ),
    "takeback-offered": (
        "Of this the wire knows nothing.",
        (GameChanged(replace(MOVED, offer=Offer(OfferKind.TAKEBACK, BLACK))),),
        told(GAME),
    ),
    "rematch-offered": (
        "We invite her.",
        (
            GameChanged(
                replace(
                    over(MOVED, Termination.RESIGNATION, BLACK),
                    offer=Offer(OfferKind.REMATCH, BLACK),
                )
            ),
        ),
        told(GAME),
    ),
    "rematch-offered-by-tom": (
        "We invite her, and he has the colour that he asked for.",
        (
            GameChanged(
                replace(
                    over(OF_TWO, Termination.RESIGNATION, BLACK),
                    offer=Offer(
                        OfferKind.REMATCH,
                        BLACK,
                        seat_of(SERVER.pubkey, TOM, a_message("new"), Role.HOST, BLACK).address,
                    ),
                )
            ),
        ),
        told(OF_TWO),
    ),
    "illegal": (
        "Named in public.",
        (Rejected(SEATS[WHITE].player, Reason.ILLEGAL_MOVE, "e2e5 is not legal here", GAME),),
        told(GAME, hosted(MOVE)),
    ),
    "malformed": (
        "With what is wrong.",
        (Rejected(SEATS[WHITE].player, Reason.MALFORMED, "?", GAME),),
        told(GAME, hosted({**MOVE, "ply": "1"})),
    ),
    "not-a-player": (
        "All strangers together are answered once.",
        (Rejected("ab" * 32, Reason.NOT_A_PLAYER, "you have no seat in this game"),),
        told(GAME, hosted(MOVE, MAL)),
    ),
    "refused-in-private": (
        "As it was said.",
        (Rejected(SEATS[WHITE].player, Reason.RATE_LIMITED, "one offer in twenty plies", GAME),),
        told(GAME, hosted({**CHAT, "msg": "/draw"}, is_private=True)),
    ),
    "refused-held": (
        "It names the message that waited.",
        (
            Rejected(
                AS_BLACK.black.player, Reason.ILLEGAL_MOVE, "not legal", AS_BLACK, about="cd" * 32
            ),
        ),
        told(AS_BLACK),
    ),
    "agreed-too-late": (
        "It is true anyway.",
        (Rejected(MATES.black.player, Reason.GAME_OVER, "the game is over", MATES),),
        told(MATES, hosted(MATE)),
    ),
    "too-late": (
        "It is not.",
        (Rejected(MATES.black.player, Reason.GAME_OVER, "the game is over", MATES),),
        told(MATES, hosted(DRAW)),
    ),
    "disputed": (
        "The move is played, the claim named.",
        (ClaimRejected(MOVED, SEATS[WHITE].player, "the move is written e4"),),
        told(GAME, hosted({**MOVE, "pgnMove": "d4"})),
    ),
    "judged-disputed": (
        "Under the root that both have.",
        (ClaimRejected(after(JUDGED, "e4"), JUDGED.white.player, "the move is written e4"),),
        told(JUDGED, judged({**MOVE, "pgnMove": "d4"})),
    ),
    "shown-again": (
        "What may not have been told.",
        (StateShown(ANSWERED, WHITE),),
        told(GAME, asked(), previous=PreviousResult.ACCEPTED),
    ),
    "chat-private": (
        "For her alone.",
        (ChatMessage(GAME, BOB.pubkey, "good luck", is_private=True, colors=frozenset({WHITE})),),
        told(GAME),
    ),
    "chat-public": (
        "For whoever reads our log, with its author.",
        (
            ChatMessage(
                GAME, EVE.pubkey, "what a game", is_private=False, colors=frozenset({WHITE})
            ),
        ),
        told(GAME),
    ),
}

_OURS = {name: value for name, value in BY_US.items() if name != "root"}
DECODED |= {
    "invite-inside-a-game": ("Only its own root invites us.", hosted(TO_US)),
    "accept-of-her-own-invitation": ("Only whom we invited accepts.", hosted(ACCEPT)),
    "accept-by-another": ("Only whom we invited accepts.", guested(ACCEPT, TOM)),
    "accept-of-no-rematch": (
        "We make no such invitation, so no game came of it.",
        a_letter(SUE, a_message("accepted"), ACCEPT, (ROOT, US, _OURS)),
    ),
    **{
        f"{name}-in-private": ("A game is played in public.", at(content, is_private=True))
        for what, content in (
            ("move", MOVE),
            ("mate", MATE),
            ("draw", DRAW),
            ("resigned", RESIGNED),
        )
        for name, at in ((what, hosted), (f"judged-{what}", judged))
    },
    **{
        f"judged-mate-by-{by}-for-{winner}": (
            "Sue invited Tom, and took Black.",
            judged({**MATE, "winner": feeds[winner]}, feeds[by]),
        )
        for feeds in ({"sue": SUE, "tom": TOM},)
        for by, winner in (("sue", "sue"), ("tom", "tom"), ("tom", "sue"))
    },
}
