"""Messages and games of Scuttlebutt."""

from dataclasses import replace
from typing import Any

import chess

from arbiter.core.game import BLACK, WHITE, Game, Seat
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.messages import read_envelope
from arbiter.nostr.event import VerifiedEvent
from tests.builders import BOB, NOW_MS, SERVER, a_game, after
from tests.envelopes import US, Content, a_feed, a_message, an_envelope

SUE, TOM = a_feed("sue"), a_feed("tom")
ROOT, OTHER_ROOT = a_message("root"), a_message("another root")
AT = NOW_MS // 1000
FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"

TO_US: Content = {"type": "chess_invite", "inviting": US, "myColor": "white"}
BY_US: Content = {**TO_US, "inviting": SUE, "myColor": "black", "root": OTHER_ROOT}
TO_TOM: Content = {"type": "chess_invite", "inviting": TOM, "myColor": "black"}
_SQUARES: Content = {"orig": "e2", "dest": "e4", "pgnMove": "e4", "fen": FEN}
MOVE: Content = {"type": "chess_move", "root": ROOT, "branch": ROOT, "ply": 1, **_SQUARES}


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


MOVED = after(GAME, "e4")
MATED = after(GAME, "f3 e5 g4 Qh4#")
