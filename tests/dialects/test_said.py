"""Words that are said seldom, and what a wire passes over."""

import json
from dataclasses import replace

import chess
import pytest

from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Offer, Outcome, Seat, Termination, Variant
from arbiter.core.replies import (
    ClaimRejected,
    GameChanged,
    MovePlayed,
    Reason,
    Rejected,
    RequestRefused,
)
from arbiter.core.terms import Terms
from arbiter.dialects import native, nip100
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.jester.address import Role, after_move, seat_of
from arbiter.dialects.jester.encode import encode as jester_encode
from arbiter.dialects.ssb.encode import encode as ssb_encode
from arbiter.dialects.ssb.verdicts import is_agreed
from arbiter.dialects.terms_tags import tags_of
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.relay_messages import OkMessage
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after
from tests.dialects import nip100_cases, ssb_cases
from tests.dialects.ssb_cases import ROOT, hosted, told
from tests.envelopes import Content

AT = NOW_MS // 1000
TO_WHITE = ReplyContext(
    colors=frozenset({WHITE}), event_key="c" * 64, at=AT, answered_at=AT, server=SERVER.pubkey
)
AT_JESTER = replace(
    a_game(),
    white=after_move(seat_of(ALICE.pubkey, "e" * 64, Role.HOST, WHITE), "d" * 64, AT),
    black=Seat(BOB.pubkey, "native"),
)


def test_a_newcomer_on_a_socket_is_asked_for_work_in_the_words_of_nip_13() -> None:
    refused = RequestRefused(nip100_cases.GAME.white, Reason.POW, "20")

    (frame,) = nip100.acknowledge((refused,), nip100_cases.because(nip100_cases.CONNECT))

    assert isinstance(frame.content, OkMessage)
    assert frame.content.text == "pow: 20 bits of work (NIP-13) are asked of newcomers"


def test_of_claims_the_native_wire_knows_nothing() -> None:
    assert native.encode(ClaimRejected(a_game(), ALICE.pubkey, "no check"), TO_WHITE) == ()


def test_terms_tell_a_variant_a_position_and_a_program() -> None:
    fen = "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"
    tags = tags_of(Terms(variant=Variant.CHESS960, start_fen=fen, is_bot=True))

    assert {*tags} == {("variant", "chess960"), ("start", fen), ("bot", "true")}


def test_a_move_of_kind_30_says_that_a_draw_was_offered_with_it() -> None:
    moved = replace(after(AT_JESTER, "e4 e5"), black_offered_at=1)

    (said,) = jester_encode(MovePlayed(moved), TO_WHITE)

    assert isinstance(said, EventTemplate)
    assert json.loads(said.content)["draw_offered"] is True


def test_what_a_native_player_does_wrong_is_no_note_of_kind_30() -> None:
    refused = Rejected(BOB.pubkey, Reason.ILLEGAL_MOVE, "no", after(AT_JESTER, "e4"))

    assert jester_encode(refused, TO_WHITE) == ()


def test_who_writes_an_end_for_a_draw_hears_on_ssb_that_it_takes_two() -> None:
    end = hosted({"type": "chess_game_end", "root": ROOT, "status": "draw"})
    offer = Offer(OfferKind.DRAW, WHITE)
    game = replace(ssb_cases.MOVED, offer=offer, white_offered_at=1)

    (said,) = ssb_encode(GameChanged(game), told(game, end))

    text = "Arbiter: A draw takes two: the game goes on unless your opponent agrees."
    assert said.content["msg"] == text


@pytest.mark.parametrize(
    ("status", "termination", "winner", "agreed"),
    [
        ("resigned", Termination.RESIGNATION, BLACK, True),
        ("resigned", Termination.RESIGNATION, WHITE, False),
        ("resigned", Termination.TIMEOUT, BLACK, False),
        ("draw", Termination.AGREEMENT, None, True),
        ("draw", Termination.RESIGNATION, BLACK, False),
        ("mate", Termination.CHECKMATE, WHITE, True),
        ("mate", Termination.CHECKMATE, BLACK, False),
        (None, Termination.AGREEMENT, None, False),
    ],
)
def test_an_end_that_is_said_too_late_is_agreed_with_where_it_is_so(
    status: str | None, termination: Termination, winner: chess.Color | None, *, agreed: bool
) -> None:
    over = replace(ssb_cases.MOVED, outcome=Outcome(termination, winner))
    end: Content = {"type": "chess_game_end", "root": ROOT, "status": status}
    end |= {"orig": "d8", "dest": "h4", "ply": 4, "pgnMove": "Qh4#"} if status == "mate" else {}
    heard = hosted(end if status else ssb_cases.MOVE)
    late = Rejected(over.white.player, Reason.GAME_OVER, "the game is over", over)

    assert is_agreed(late, told(over, heard)) is agreed
