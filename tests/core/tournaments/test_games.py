"""Games of a tournament: what they have that others lack, and what they lack."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.clocks import SETTLE_MS, read_time
from arbiter.core.commands import (
    Abort,
    ClaimLeft,
    Command,
    MakeOffer,
    OfferKind,
    PlayMove,
    Quit,
    Resign,
    Tick,
)
from arbiter.core.decide import decide
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import BLACK, WHITE, Game, GamePlace, Outcome, Termination
from arbiter.core.replies import GameEnded, Reason, Rejected
from arbiter.core.tournaments.commands import PlayersWord
from arbiter.core.tournaments.games import game_of_board
from arbiter.core.tournaments.tournament import BoardResult
from tests.builders import ALICE, BOB, NOW_MS, a_game, after
from tests.core.tournaments.play import TERMS, Evening, player


def begun(moves: str = "", *, at_ms: int = NOW_MS) -> Game:
    evening = Evening(replace(TERMS, no_show_s=60, draws_from_ply=4), 2)
    evening.now_ms = at_ms
    evening.begin_round()
    game = game_of_board(evening.tournament, 1, 1, "ab" * 16, at_ms)
    assert game is not None
    return after(replace(game, white=a_game().white, black=a_game().black), moves)


def refusal(game: Game, command: Command) -> tuple[Reason, str]:
    decision = decide(game, command, NOW_MS)
    assert decision.game is game
    (reply,) = decision.replies
    assert isinstance(reply, Rejected), reply
    return reply.reason, reply.text


def test_a_board_begins_as_a_game_of_its_players_on_the_terms_of_the_event() -> None:
    evening = Evening(replace(TERMS, rated=True, no_show_s=90, draws_from_ply=60), 4)
    evening.begin_round()
    game = game_of_board(evening.tournament, 1, 2, "ab" * 16, NOW_MS)
    assert game is not None
    assert (game.white.player, game.black.player) == (player(2), player(3))
    assert game.tournament == GamePlace("e" * 32, 1, 2, 90, 60, "Thursday")
    assert (game.rated, game.clocks and game.clocks.control) == (True, TERMS.time)
    assert game.timer_at_ms == NOW_MS + 90_000 + SETTLE_MS


@pytest.mark.parametrize("board", [0, 1, 3])
def test_a_board_that_is_decided_or_is_not_there_begins_no_game(board: int) -> None:
    evening = Evening(TERMS, 4)
    evening.begin_round()
    evening.end(1, 1, "1-0")
    assert game_of_board(evening.tournament, 1, board, "ab" * 16, NOW_MS) is None


@pytest.mark.parametrize(("moves", "winner"), [("", BLACK), ("e4", WHITE)])
@pytest.mark.parametrize("time", ["180+2", "600+0", "1d"])
def test_who_makes_no_first_move_in_time_forfeits(
    moves: str, winner: chess.Color, time: str
) -> None:
    game = begun()
    control = read_time(time)
    assert game.clocks is not None
    assert control is not None
    game = after(replace(game, clocks=replace(game.clocks, control=control)), moves)
    early = decide(game, Tick(), NOW_MS + 60_000 + SETTLE_MS - 1)
    assert early.game is game, "a moment before the time is over"
    over = decide(game, Tick(), NOW_MS + 60_000 + SETTLE_MS).game
    assert over.outcome == Outcome(Termination.NO_SHOW, winner, aborted_by=not winner)
    assert over.outcome.result == ("1-0" if winner else "0-1")


def test_after_the_first_moves_the_clock_decides() -> None:
    game = begun("e4 e5")
    assert game.ply == OPENING_PLIES
    assert game.clocks is not None
    over = decide(game, Tick(), NOW_MS + game.clocks.white_ms + 10_000).game
    assert over.outcome == Outcome(Termination.TIMEOUT, BLACK)


@pytest.mark.parametrize("moves", ["", "e4 e5"])
@pytest.mark.parametrize(
    "command",
    [
        Abort(ALICE.pubkey),
        MakeOffer(ALICE.pubkey, OfferKind.ABORT, NOW_MS),
        MakeOffer(ALICE.pubkey, OfferKind.TAKEBACK, NOW_MS),
        MakeOffer(ALICE.pubkey, OfferKind.REMATCH, NOW_MS),
        MakeOffer(ALICE.pubkey, OfferKind.DRAW, NOW_MS),
    ],
    ids=["abort", "abort-offer", "takeback", "rematch", "draw"],
)
def test_what_an_event_does_not_offer_is_refused(moves: str, command: Command) -> None:
    assert refusal(begun(moves), command)[0] is Reason.NOT_OFFERED_HERE


def test_nor_is_there_a_rematch_after_the_end() -> None:
    over = decide(begun("e4 e5"), Resign(ALICE.pubkey), NOW_MS).game
    offer = MakeOffer(BOB.pubkey, OfferKind.REMATCH, NOW_MS)
    assert refusal(over, offer)[0] is Reason.NOT_OFFERED_HERE


def test_a_draw_is_agreed_from_the_move_that_the_organiser_chose() -> None:
    game = begun("e4 e5 Nf3 Nc6")
    offered = decide(game, MakeOffer(ALICE.pubkey, OfferKind.DRAW, NOW_MS), NOW_MS).game
    agreed = decide(offered, MakeOffer(BOB.pubkey, OfferKind.DRAW, NOW_MS), NOW_MS).game
    assert agreed.outcome == Outcome(Termination.AGREEMENT, None)


def test_an_offer_within_an_early_move_leaves_the_move_and_drops_the_offer() -> None:
    move = PlayMove(
        player=ALICE.pubkey, uci="e2e4", made_at_ms=NOW_MS, received_at_ms=NOW_MS, offers_draw=True
    )
    decision = decide(begun(), move, NOW_MS)
    assert (decision.game.ply, decision.game.offer) == (1, None)


@pytest.mark.parametrize("moves", ["", "e4", "e4 e5"])
def test_who_quits_loses(moves: str) -> None:
    decision = decide(begun(moves), Quit(ALICE.pubkey), NOW_MS)
    assert decision.game.outcome == Outcome(Termination.RESIGNATION, BLACK)
    assert isinstance(decision.replies[-1], GameEnded)


def test_nobody_is_claimed_to_have_left_before_the_first_move_is_due() -> None:
    claim = ClaimLeft(BOB.pubkey, NOW_MS, away_ms=600_000)
    assert refusal(begun(), claim)[0] is Reason.NOT_OFFERED_HERE


@pytest.mark.parametrize(
    ("result", "gave_a_sign", "expected"),
    [
        ("-/+", 1, BoardResult.BLACK_BY_FORFEIT),
        ("+/-", 1, BoardResult.WHITE_BY_FORFEIT),
        ("-/+", 0, BoardResult.BOTH_FORFEIT),
    ],
)
def test_a_no_show_is_a_forfeit_of_both_where_neither_gave_a_sign(
    result: str, gave_a_sign: int, expected: BoardResult
) -> None:
    evening = Evening(TERMS, 2)
    evening.begin_round()
    if gave_a_sign:
        evening.say(PlayersWord(player(1), "here"))
        evening.say(PlayersWord(player(2), "here"))
    evening.end(1, 1, result)
    assert evening.tournament.rounds[0].boards[0].result is expected
