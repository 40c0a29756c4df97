"""What one command does to a game: refusals, strikes, dates, and each end that chess has."""

from dataclasses import replace
from typing import Any

import chess
import pytest

from arbiter.core.commands import AnsweredState, MoveClaims, PlayMove, Unrecognized
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Outcome, Termination
from arbiter.core.replies import ClaimRejected, GameEnded, Reason, Rejected
from arbiter.core.rules import Rules
from tests.builders import ALICE, EVE, NOW_MS, a_game, after, decided, move, table
from tests.core.words import ROUND, comes_to, told

MATE = "f3 e5 g4 Qh4#"
COMMANDS = f"""
Black moves in White's turn           | B:e7e5                  | not-your-turn
White resigns                         | e4 W:resign             | 0-1 resignation
Black resigns                         | e4 B:resign             | 1-0 resignation
a stranger resigns nothing            | E:resign                | not-a-player
aborts nothing                        | E:abort                 | not-a-player
quits nothing                         | E:quit                  | not-a-player
and is not read                       | E:what?                 | not-a-player
White aborts before a move            | W:abort                 | * aborted by White
Black too                             | B:abort                 | * aborted by Black
and before the reply                  | e4 W:abort              | * aborted by White
by Black                              | e4 B:abort              | * aborted by Black
to quit is to abort                   | W:quit                  | * aborted by White
for Black                             | B:quit                  | * aborted by Black
after one ply                         | e4 W:quit               | * aborted by White
by either                             | e4 B:quit               | * aborted by Black
after two plies an abort is too late  | e4 e5 W:abort           | too-late
and to quit is to resign              | e4 e5 W:quit            | 0-1 resignation
after the end no move                 | {MATE} W:e2e4           | game-over
no resignation                        | {MATE} W:resign         | game-over
no abort                              | {MATE} B:abort          | game-over
nor quitting                          | {MATE} B:quit           | game-over
nor anything else                     | {MATE} B:what?          | game-over
what cannot be read is no strike      | W:what? W:e2e5          | illegal-move 1-0
an illegal move is a strike           | W:e2e5 W:e2e5           | illegal-move 2-0
the third loses | W:e2e5 W:e2e5 W:e2e5 | illegal-move 3-0, 0-1 illegal-moves
strikes are counted apart             | W:e2e5 e4 B:e7e4        | illegal-move 1-1
an old move is stale                  | W:e2e4@-60001           | stale
a clock a little slow still moves     | W:e2e4@-60000           | ply 1
far in the future is a wrong clock    | W:e2e4@900001           | bad-time
a quarter of an hour is forgiven      | W:e2e4@900000           | ply 1
a late copy is illegal, not counted   | W:e2e5@-2000            | illegal-move
one of the same second counts         | +500 W:e2e5@-500        | illegal-move 1-0
three weeks later is in time          | +1814400000 e4          | ply 1
castling as the king taking the rook  | e4 e5 Nf3 Nc6 Bc4 Bc5 W:e1h1 | ply 7
the third time nothing ends by itself | {ROUND} {ROUND}         | ply 8
the fifth time it is drawn | {ROUND} {ROUND} {ROUND} {ROUND} | 1/2-1/2 fivefold-repetition
"""


@pytest.mark.parametrize(("why", "line", "expected"), table(COMMANDS))
def test_a_command_comes_to(why: str, line: str, expected: str) -> None:
    assert comes_to(line) == expected, why


def test_a_stranger_learns_nothing_of_the_game() -> None:
    refusal = Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game")

    assert told("E:resign").replies == (refusal,)


@pytest.mark.parametrize("line", ["B:what?", "B:e7e5", "W:e2e4@-60001", "W:e2e5"])
def test_what_a_player_is_refused_names_the_game(line: str) -> None:
    *_, refusal = told(line).replies

    assert isinstance(refusal, Rejected)
    assert refusal.game is not None
    assert refusal.is_strike is (refusal.reason is Reason.ILLEGAL_MOVE)


def test_an_illegal_move_is_refused_with_the_count_and_changes_no_time() -> None:
    texts, game = [], a_game()
    for count in (1, 2, 3):
        decision = told(f"+{5000 * count} W:e2e5", game, rules=Rules(illegal_moves_to_lose=4))
        texts += [it.text for it in decision.replies if isinstance(it, Rejected)]
        game = decision.game
        assert game.changed_at_ms == NOW_MS

    assert texts == [f"e2e5 is not legal here ({count} of 4)" for count in (1, 2, 3)]


def test_what_is_said_of_a_command_that_came_just_now_names_no_other() -> None:
    refused = decide(a_game(), Unrecognized(ALICE.pubkey), NOW_MS)
    disputed = decide(
        a_game(), replace(move(a_game(), "e2e4"), claims=MoveClaims(san="e3")), NOW_MS
    )

    said = [*refused.replies, *disputed.replies]
    assert [it.about for it in said if isinstance(it, Rejected | ClaimRejected)] == ["", ""]


def test_the_last_illegal_move_is_refused_with_the_game_that_it_lost() -> None:
    refusal, ended = (decision := told("W:e2e5 W:e2e5 W:e2e5")).replies

    assert isinstance(refusal, Rejected)
    assert refusal.game == decision.game
    assert ended == GameEnded(decision.game)


def test_the_number_of_illegal_moves_that_lose_is_the_operators_choice() -> None:
    one, never = Rules(illegal_moves_to_lose=1), Rules(illegal_moves_to_lose=0)
    many = replace(a_game(), white_strikes=9)

    assert comes_to("W:e2e5", rules=one) == "illegal-move 1-0, 0-1 illegal-moves"
    assert comes_to("W:e2e5", many, rules=never) == "illegal-move"
    assert Rules().illegal_moves_to_lose == 3


@pytest.mark.parametrize(
    "fen", ["7k/8/8/8/8/8/Q7/K7 w - - 0 1", "7k/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/K7 w - - 0 1"]
)
def test_illegal_moves_draw_when_the_opponent_could_never_mate(fen: str) -> None:
    """FIDE 7.5.5: drawn if the opponent cannot checkmate by any series of legal moves."""
    game = replace(a_game(fen), white_strikes=2)

    assert decided(game, "a2h1").game.outcome == Outcome(Termination.ILLEGAL_MOVES, None)


@pytest.mark.parametrize(
    ("uci", "off_ms", "answers", "expected"),
    [
        ("e2e5", 0, AnsweredState.OLDER, "stale"),
        ("e2e4", -61_000, AnsweredState.LATEST, "ply 1"),
        ("e2e5", -2000, AnsweredState.LATEST, "illegal-move 1-0"),
    ],
)
def test_a_move_that_names_its_state_is_judged_by_it_and_not_by_its_date(
    uci: str, off_ms: int, answers: AnsweredState, expected: str
) -> None:
    made: Any = {"made_at_ms": NOW_MS + off_ms, "received_at_ms": NOW_MS, "answers": answers}
    decision = decide(a_game(), PlayMove(player=ALICE.pubkey, uci=uci, **made), NOW_MS)

    *_, reply = decision.replies
    found = f"ply {decision.game.ply}"
    if isinstance(reply, Rejected):
        found = (
            f"{reply.reason} {decision.game.white_strikes}-0" if reply.is_strike else reply.reason
        )
    assert found == expected


def test_a_date_ahead_of_its_receipt_stays_refused_when_its_hour_has_come() -> None:
    ahead = PlayMove(
        player=ALICE.pubkey, uci="e2e4", made_at_ms=NOW_MS + 960_000, received_at_ms=NOW_MS
    )

    (refusal,) = decide(a_game(), ahead, NOW_MS + 1_200_000).replies
    assert isinstance(refusal, Rejected)
    assert refusal.reason is Reason.BAD_TIME


@pytest.mark.parametrize("word", ["W:e2e4", "B:resign", "B:abort", "W:quit"])
def test_a_state_is_of_the_time_when_it_was_decided_and_never_before_the_last(word: str) -> None:
    assert told(f"+5000 {word}").game.changed_at_ms == NOW_MS + 5000
    # The worker that decided the state before may have a clock that is ahead.
    assert told(word, a_game(), NOW_MS - 2500).game.changed_at_ms == NOW_MS


def test_a_game_that_was_decided_on_still_shows_its_own_position() -> None:
    """The replayed board goes along with the newer game; the older one replays again."""
    game = after(a_game(), "e4")
    fen = game.board().fen()

    one, other = decided(game, "e7e5").game, decided(game, "c7c5").game

    assert game.board().fen() == fen
    assert [g.board().move_stack[-1].uci() for g in (one, other)] == ["e7e5", "c7c5"]
    assert replace(one, moves=game.moves).board().fen() == fen


def test_who_comes_after_the_end_is_told_how_it_ended() -> None:
    (refusal,) = told("B:resign W:e2e4").replies

    assert isinstance(refusal, Rejected)
    assert refusal.text == "the game is over: 1-0, resignation"


def test_the_winner_and_the_position_are_those_of_the_board() -> None:
    over, played = told(MATE).game, told("e4").game

    assert (over.outcome, over.result) == (Outcome(Termination.CHECKMATE, BLACK), "0-1")
    assert played.board().fen() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert told("e4 e5 Nf3 Nc6 Bc4 Bc5 W:e1h1").game.moves[-1].uci() == "e1g1"


ENDS = """
mate                                  | 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1     | f7g7 | 1-0 checkmate
stalemate                             | 7k/8/5KQ1/8/8/8/8/8 w - - 0 1      | g6f7 | 1/2-1/2 stalemate
a pawn may yet mate                   | 8/8/8/8/8/2k5/1p6/1K6 w - - 0 1    | b1a2 | ply 1
kings alone: FIDE 5.2.2               | 8/8/8/8/8/3k4/1q6/1K6 w - - 0 1    | b1b2 | dead
a lone knight                         | 8/8/8/8/3k4/8/1q5N/1K6 w - - 0 1   | b1b2 | dead
a lone bishop                         | 8/8/8/8/3k4/8/1q5B/1K6 w - - 0 1   | b1b2 | dead
two knights may mate                  | 8/8/8/8/3k4/8/1q4NN/1K6 w - - 0 1  | b1b2 | ply 1
bishops of one colour never           | 5b2/8/8/8/3k4/8/1q5B/1K6 w - - 0 1 | b1b2 | dead
of both they may                      | 2b5/8/8/8/3k4/8/1q5B/1K6 w - - 0 1 | b1b2 | ply 1
a wall of pawns that lock each other  | 4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3/8 w - - 0 1 | e2e3 | dead
a rook may take it from behind        | 4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K2R/8 w - - 0 1 | e2e3 | ply 1
a king may walk around a lesser one   | 4k3/8/4p3/3pP3/3P4/8/4K3/8 w - - 0 1 | e2e3 | ply 1
stalemate and too little material     | 8/8/8/8/8/5k2/7p/7K w - - 0 1      | h1h2 | dead
seventy-five moves without progress   | 7k/8/8/8/8/8/R7/K7 w - - 149 200   | a2b2 | 1/2-1/2 seventyfive-moves
FIDE 9.6.2: mate takes precedence     | 7k/R7/6K1/8/8/8/8/8 w - - 149 200  | a7a8 | 1-0 checkmate
fifty moves end nothing by themselves | 7k/8/8/8/8/8/R7/K7 w - - 99 200    | a2b2 | ply 1
"""  # noqa: E501 - one position a line


@pytest.mark.parametrize(("why", "fen", "uci", "expected"), table(ENDS))
def test_a_position_ends_or_not_as_fide_has_it(why: str, fen: str, uci: str, expected: str) -> None:
    assert chess.Move.from_uci(uci) in chess.Board(fen).legal_moves, "the case itself is wrong"

    dead = "1/2-1/2 insufficient-material"
    assert comes_to(f"W:{uci}", a_game(fen)) == expected.replace("dead", dead), why


def test_an_en_passant_square_that_cannot_be_used_does_not_make_another_position() -> None:
    """FIDE 9.2.3: the capture would be illegal, so the positions are the same."""
    start = a_game("8/8/8/8/4p3/8/R2P3k/K7 w - - 0 37")
    game = after(start, "d2d4 h2h3 a2a3 h3h2 a3a2 h2h1 a2a3 h1h2 a3a2")

    assert game.board().is_repetition(3)


@pytest.mark.parametrize("piece", "qrbn")
def test_a_pawn_is_promoted_to_each_piece(piece: str) -> None:
    decision = decided(a_game("8/P6k/8/8/8/8/7p/K7 w - - 0 1"), f"a7a8{piece}")

    assert decision.game.board().piece_at(chess.A8) == chess.Piece.from_symbol(piece.upper())


PROMOTION = "8/P6k/8/8/8/8/7p/K7 w - - 0 1"
ILLEGAL: dict[str, tuple[str, ...]] = {
    "r3k2r/8/8/8/8/8/8/R2QK2R w KQkq - 0 1": ("e1c1",),  # a queen is between
    "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1": ("e1g1",),  # out of check
    "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1": ("e1g1",),  # through check
    "4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1": ("e1g1",),  # into check
    "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1": ("e1g1",),  # the right is gone
    "1b1k4/8/8/1rPpK3/8/8/8/8 w - d6 0 1": ("c5d6",),  # both pawns shield the king
    PROMOTION: ("a7a8", "a7a8k", "a1b1q"),  # no piece, no such piece, no pawn
    # Null moves as python-chess has them, a drop, and moves of nothing or of another.
    chess.STARTING_FEN: ("0000", "--", "Q@e4", "a1a1", "e2e5", "e7e5", "", "e2e4" * 1000),
}


@pytest.mark.parametrize("fen", ILLEGAL)
def test_what_is_not_legal_is_refused(fen: str) -> None:
    for uci in ILLEGAL[fen]:
        assert decided(a_game(fen), uci).game.moves == (), uci


def test_a_stranger_s_word_leaves_the_very_same_game() -> None:
    game: Any = a_game()

    for word in ("E:resign", "B:e7e5", "W:what?", "W:e2e4@-60001"):
        assert told(word, game).game is game
    assert game.turn == WHITE
