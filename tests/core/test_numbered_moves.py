"""Moves of wires on which each says which half-move it is, how it ends the game and what it leads
to.
"""

from typing import Any

import chess
import pytest

from arbiter.core.commands import Ends, MoveClaims, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game
from arbiter.core.replies import ClaimRejected, MovePlayed
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS, a_game, after

TO_FOOLS_MATE = "f3 e5 g4"
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def numbered(
    key: SecretKey, uci: str, ply: int, ends: Ends | None = None, claims: MoveClaims | None = None
) -> PlayMove:
    own: dict[str, Any] = {"ply": ply, "ends": ends, "claims": claims}
    return PlayMove(player=key.pubkey, uci=uci, made_at_ms=NOW_MS, received_at_ms=NOW_MS, **own)


def disputes(game: Game, command: PlayMove) -> tuple[str, ...]:
    decision = decide(game, command, NOW_MS)
    assert decision.game.ply == game.ply + 1
    found = [reply for reply in decision.replies if isinstance(reply, ClaimRejected)]
    assert {reply.about for reply in found} <= {""}
    return tuple(reply.text for reply in found)


@pytest.mark.parametrize(
    "claims",
    [
        MoveClaims(),
        MoveClaims(AFTER_E4, "e4"),
        MoveClaims(AFTER_E4.replace(" - ", " e3 ")),
        MoveClaims(AFTER_E4.rsplit(" ", 2)[0]),
        MoveClaims(AFTER_E4.rsplit(" ", 3)[0]),
        MoveClaims(AFTER_E4.replace(" 0 1", " 7 1")),
    ],
)
def test_what_programs_write_differently_in_good_faith_is_no_dispute(claims: MoveClaims) -> None:
    assert disputes(a_game(), numbered(ALICE, "e2e4", 1, claims=claims)) == ()


@pytest.mark.parametrize(
    ("claims", "named"),
    [
        (MoveClaims(san="e3"), "written e4"),
        (MoveClaims(san="nonsense"), "written e4"),
        (MoveClaims(san="e4X"), "written e4"),
        (MoveClaims(san="e4+"), "not check"),
        (MoveClaims(san="e4#"), "not mate"),
        (MoveClaims(AFTER_E4.replace("4P3", "3P4")), "'s pieces differ"),
        (MoveClaims(AFTER_E4.replace(" b ", " w ")), "'s side to move differ"),
        (MoveClaims(AFTER_E4.replace("KQkq", "KQ")), "'s castling rights differ"),
        (MoveClaims(AFTER_E4.replace(" - ", " d3 ")), "en-passant"),
        (MoveClaims(AFTER_E4.replace(" 0 1", " 0 2")), "move number"),
        (MoveClaims("x"), "pieces"),
        (MoveClaims(""), "invalid"),
        (MoveClaims(winner=WHITE), "did not win"),
    ],
)
def test_a_false_claim_is_named_and_the_move_is_played(claims: MoveClaims, named: str) -> None:
    command = numbered(ALICE, "e2e4", 1, claims=claims)

    (text,) = disputes(a_game(), command)

    assert named in text
    assert isinstance(decide(a_game(), command, NOW_MS).replies[-1], MovePlayed)


@pytest.mark.parametrize(("winner", "disputed"), [(BLACK, 0), (None, 0), (WHITE, 1)])
def test_who_mates_may_name_the_winner(winner: chess.Color | None, disputed: int) -> None:
    mate = numbered(BOB, "d8h4", 4, claims=MoveClaims(winner=winner))

    assert len(disputes(after(a_game(), TO_FOOLS_MATE), mate)) == disputed


@pytest.mark.parametrize("san", ["Nf3", "Ngf3", "N1f3", "Ng1f3", "Ng1-f3"])
def test_a_rank_or_a_file_may_be_named_and_castling_have_zeros(san: str) -> None:
    assert disputes(a_game(), numbered(ALICE, "g1f3", 1, claims=MoveClaims(san=san))) == ()
    game = after(a_game(), "e4 e5 Nf3 Nc6 Bc4 Bc5")
    assert disputes(game, numbered(ALICE, "e1g1", 7, claims=MoveClaims(san="0-0"))) == ()


def test_an_en_passant_square_that_a_pawn_can_use_may_be_claimed_or_left_out() -> None:
    game = after(a_game(), "a3 d5 a4 d4")
    fen = after(game, "e4").board().fen()
    assert " e3 " in fen

    for claimed in (fen, fen.replace(" e3 ", " - ")):
        assert disputes(game, numbered(ALICE, "e2e4", 5, claims=MoveClaims(claimed))) == ()
