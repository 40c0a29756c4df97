"""Moves of wires on which each says which half-move it is, how it ends the game and what it leads
to.
"""

from typing import Any

import chess
import pytest

from arbiter.core.commands import Abort, Ends, MoveClaims, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Termination
from arbiter.core.replies import ClaimRejected, GameEnded, MovePlayed, Reason, Rejected, StateShown
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS, a_game, after
from tests.core.words import reason, summary

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
    return tuple(reply.text for reply in decision.replies if isinstance(reply, ClaimRejected))


@pytest.mark.parametrize(
    ("key", "uci", "ply", "why"),
    [
        (ALICE, "g1f3", 4, Reason.EARLY),
        (ALICE, "e2e4", 1, Reason.STALE),
        (ALICE, "d2d4", 1, Reason.FORKED),
        (ALICE, "e7e5", 2, Reason.NOT_YOUR_TURN),
        (ALICE, "e2e4", 0, Reason.NOT_YOUR_TURN),
        (BOB, "g8f6", 3, Reason.NOT_YOUR_TURN),
    ],
)
def test_a_number_tells_where_a_move_is_for(
    key: SecretKey, uci: str, ply: int, why: Reason
) -> None:
    decision = decide(after(a_game(), "e4 e5"), numbered(key, uci, ply), NOW_MS)

    assert reason(decision) is why


def test_a_numbered_move_may_be_signed_long_before_it_is_received() -> None:
    old = PlayMove(player=BOB.pubkey, uci="e7e5", made_at_ms=0, received_at_ms=NOW_MS, ply=2)

    assert decide(after(a_game(), "e4"), old, NOW_MS).game.ply == 2


TO_REPETITION = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1"


@pytest.mark.parametrize(
    ("moves", "uci", "ends", "expected"),
    [
        (TO_FOOLS_MATE, "d8h4", Ends.CHECKMATE, "0-1 checkmate"),
        (TO_FOOLS_MATE, "d8h4", Ends.DRAW, "wrong-result"),
        ("e4", "e7e5", Ends.CHECKMATE, "wrong-result"),
        ("e4", "e7e5", Ends.DRAW, "wrong-result"),
        ("e4", "d8h4", Ends.CHECKMATE, "illegal-move 0-1"),
        (TO_REPETITION, "f6g8", Ends.CHECKMATE, "wrong-result"),
        (TO_REPETITION, "f6g8", Ends.DRAW, "1/2-1/2 threefold-repetition"),
    ],
)
def test_a_wrong_claim_of_the_end_plays_nothing(
    moves: str, uci: str, ends: Ends, expected: str
) -> None:
    game = after(a_game(), moves)

    decision = decide(game, numbered(BOB, uci, game.ply + 1, ends), NOW_MS)

    assert summary(decision) == expected
    if expected == "wrong-result":
        assert decision.game is game
        assert game.board().ply() == game.ply, "the refused move is not left on the board"


def test_a_draw_that_comes_by_itself_needs_no_claim() -> None:
    game = a_game("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")

    decision = decide(game, numbered(ALICE, "g6f7", 1, Ends.DRAW), NOW_MS)

    assert decision.game.outcome == Outcome(Termination.STALEMATE, None)
    assert decision.replies == (GameEnded(decision.game),)


def test_to_say_the_end_once_more_is_no_fault() -> None:
    over = after(a_game(), f"{TO_FOOLS_MATE} Qh4#")
    short = after(a_game("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"), "f7g7")

    for game, again in ((over, (BOB, "d8h4", 4)), (short, (ALICE, "f7g7", 1))):
        decision = decide(game, numbered(*again, Ends.CHECKMATE), NOW_MS)
        assert decision.game is game
        assert decision.replies == (StateShown(game, game.color_of(again[0].pubkey)),)
    other = decide(over, numbered(BOB, "d8h4", 4, Ends.DRAW), NOW_MS)
    assert reason(other) is Reason.GAME_OVER
    aborted = decide(a_game(), Abort(ALICE.pubkey), NOW_MS).game
    for ply in (0, 1):
        said = decide(aborted, numbered(BOB, "e7e5", ply, Ends.CHECKMATE), NOW_MS)
        assert reason(said) is Reason.GAME_OVER


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


def test_who_is_too_early_is_told_which_move_is_next() -> None:
    decision = decide(after(a_game(), "e4"), numbered(ALICE, "g1f3", 5), NOW_MS)

    (refusal,) = decision.replies
    assert isinstance(refusal, Rejected)
    assert refusal.text == "half-move 5 came before half-move 2"
