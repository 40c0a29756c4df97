"""The board that goes along with a game must never be another game's."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.clocks import LAG_MS, SETTLE_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import OfferKind, PendingCommand, Resign
from arbiter.core.game import Game, Offer, Outcome, StateVersion, Termination, is_game_id
from arbiter.core.offers import end_game
from arbiter.core.timers import with_timer
from tests.builders import ALICE, NOW_MS, a_game, after

ROUND = "Nf3 Nf6 Ng1 Ng8"


def replayed(game: Game) -> str:
    board = chess.Board(game.start_fen)
    for move in game.moves:
        board.push(move)
    return board.fen()


def test_a_board_is_never_taken_for_another_games() -> None:
    """After a round of knights the last move is the same one, four plies later."""
    older, short = after(a_game(), ROUND), after(a_game(), ROUND)
    newer = after(older, ROUND)
    one, other = after(a_game(), "e4 e5"), after(a_game(), "e4 c5")

    assert older.moves[-1] == newer.moves[-1]
    others = replace(short, moves=newer.moves), replace(one, moves=other.moves)
    for game in (older, newer, *others):
        assert game.board().fen() == replayed(game)


def test_what_a_game_told_of_its_position_is_never_told_of_another() -> None:
    """Each asks the same board, or one that another game asked before."""
    game = after(a_game(), "e4 e5 Nf3")
    assert game.fen() == replayed(game)
    played = after(game, "Nc6")
    other = replace(played, moves=after(game, "Nf6").moves)
    back = after(game, "d6").taken_back(1, NOW_MS)

    for one in (game, played, after(game, "Nc6"), other, game, back, after(back, "Nf6"), game):
        told = one.fen(), [*one.uci_moves()]
        assert told == (replayed(one), [move.uci() for move in one.moves])


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, "7k/8/8/8/8/8/R7/K7 b - - 0 60"])
def test_whose_turn_it_is_follows_from_the_start_and_the_plies(fen: str) -> None:
    game = a_game(fen)
    for _ in range(4):
        assert game.turn == game.board().turn
        game = game.after(next(iter(game.board().legal_moves)), game.changed_at_ms, None)


def test_a_game_knows_what_it_played_refused_to_either_and_holds_and_nothing_else() -> None:
    """By eight bytes: what an older edition of this program stored is known to a newer one."""
    less, played, refused_white, refused_black, held, more = (bytes([n]) * 32 for n in range(6))
    game = replace(
        a_game(),
        applied_ids=(played[:8],),
        white_refused_ids=(refused_white[:8],),
        black_refused_ids=(refused_black[:8],),
        pending=(PendingCommand(held, Resign(ALICE.pubkey)),),
    )

    known = [played, refused_white, refused_black, held]
    assert [game.remembers(it) for it in (*known, less, more)] == [True] * 4 + [False] * 2
    assert not a_game().remembers(more)
    assert [game.refused(it) for it in known] == [False, True, True, False]


@pytest.mark.parametrize(
    ("timer_ms", "fired_ms", "paused_ms", "next_ms"),
    [
        # A timer that found the clock paused does not look again at once.
        (0, 60_000, 1, 65_000),
        (0, 60_000, 0, 0),
        (0, 0, 20_000, 20_000),
        (None, None, 20_000, 20_000),
        # One is kept while it comes no later than the flag may be called.
        (0, None, 0, None),
        (0, -1, 0, None),
        (1, None, 0, 0),
        (-1, -1, 0, 0),
    ],
)
def test_the_next_timer_is_when_the_flag_may_be_called(
    timer_ms: int | None, fired_ms: int | None, paused_ms: int, next_ms: int | None
) -> None:
    """All times are relative to that moment without a pause; no next one: the timer is kept."""
    clocks = start_clocks(TimeControl(base_ms=1000), NOW_MS)
    due_ms = NOW_MS + 1000 + LAG_MS + SETTLE_MS

    def at(ms: int | None) -> int | None:
        return None if ms is None else due_ms + ms

    game = replace(after(a_game(), "e4 e5"), clocks=clocks, timer_at_ms=at(timer_ms))

    after_it = with_timer(game, at(fired_ms), paused_ms)

    assert after_it.timer_at_ms == at(timer_ms if next_ms is None else next_ms)
    assert (after_it is game) == (next_ms is None)


@pytest.mark.parametrize(
    ("white_s", "black_s", "thought_s", "paused_s", "next_s"),
    [
        (100, 100, 0, 0, 100),
        # It comes in time for Black, who may be asked to think at any moment from now on.
        (100, 60, 0, 0, 60),
        (100, 60, 30, 0, 90),
        (100, 60, 50, 0, 100),
        # Not for so little that it would look at this one thought again and again.
        (100, 10, 0, 0, 100),
        (100, 10, 80, 0, 90),
        (100, 20, 10, 0, 100),
        (100, 20, 11, 0, 31),
        # A paused clock is looked at for its own sake.
        (100, 60, 0, 20, 120),
    ],
)
def test_one_timer_serves_both(
    white_s: int, black_s: int, thought_s: int, paused_s: int, next_s: int
) -> None:
    """White is to move; all seconds but what is left count from when they began to think."""
    clocks = Clocks(TimeControl(base_ms=100_000), white_s * 1000, black_s * 1000, NOW_MS)
    game = replace(after(a_game(), "e4 e5"), clocks=clocks, timer_at_ms=None)
    timed = with_timer(game, NOW_MS + thought_s * 1000, paused_s * 1000)
    assert timed.timer_at_ms == NOW_MS + next_s * 1000 + LAG_MS + SETTLE_MS


def test_each_change_that_players_see_is_the_next_edition() -> None:
    game = a_game()
    moved = game.after(chess.Move.from_uci("e2e4"), NOW_MS + 1, None)
    offered = moved.with_offer(Offer(OfferKind.DRAW, chess.WHITE), NOW_MS + 2)
    undone = offered.taken_back(1, NOW_MS + 3)
    over = end_game(offered, Outcome(Termination.AGREEMENT, None), NOW_MS + 4).game

    assert [it.state_version for it in (game, moved, offered, undone, over)] == [1, 2, 3, 4, 4]
    assert offered.earlier_versions == (StateVersion(2, NOW_MS + 1),)
    assert [(it.offer, it.earlier_versions) for it in (undone, over)] == [(None, ())] * 2
    assert [it.changed_at_ms - NOW_MS for it in (moved, offered, undone, over)] == [1, 2, 3, 4]
    assert over.ended_at_ms == over.end_ms == NOW_MS + 4
    asked = over.with_offer(Offer(OfferKind.REMATCH, chess.WHITE), NOW_MS + 9)
    assert (asked.changed_at_ms, asked.end_ms) == (NOW_MS + 9, NOW_MS + 4)
    # One that was stored when a game did not say so yet.
    assert replace(over, ended_at_ms=None).end_ms == NOW_MS + 4
    for one in (offered, offered.with_offer(None, NOW_MS + 3)):
        assert one.position_since_ms == NOW_MS + 1
    replied = offered.after(chess.Move.from_uci("e7e5"), NOW_MS + 5, offered.offer)
    assert (replied.earlier_versions, replied.position_since_ms) == ((), NOW_MS + 5)


def test_a_game_is_called_by_32_lower_case_hex_digits() -> None:
    assert is_game_id("0123456789abcdef" * 2)
    for text in ("", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "g" * 32):
        assert not is_game_id(text)
