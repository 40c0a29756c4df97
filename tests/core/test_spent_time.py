import io
from dataclasses import replace

import chess.pgn

from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.core.clocks import read_time, start_clocks
from arbiter.core.commands import Command, MakeOffer, OfferKind
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.pgn import MAX_PLIES_WITH_CLOCKS, pgn
from arbiter.core.spent_time import seconds_left
from tests.builders import ALICE, BOB, NOW_MS, a_game, move


class Table:
    """A game in which each player thinks for so many milliseconds, and their words."""

    def __init__(self, time: str) -> None:
        control = read_time(time)
        assert control
        self.now_ms = NOW_MS
        self.game = replace(a_game(), clocks=start_clocks(control, NOW_MS))

    def play(self, *moves: tuple[str, int]) -> None:
        for uci, thought_ms in moves:
            self.now_ms += thought_ms
            self.say(move(self.game, uci, at_ms=self.now_ms))

    def say(self, command: Command) -> None:
        before = self.game
        self.game = decide(self.game, command, self.now_ms).game
        assert self.game is not before, command
        self.game = game_of_item(item_of_game(self.game))


def clocks_in(game: Game) -> list[float | None]:
    text = pgn(game, white="w", black="b", site="-")
    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    assert not read.errors
    return [node.clock() for node in read.mainline()]


def a_table(time: str = "180+2") -> Table:
    table = Table(time)
    # A second of each thought is forgiven, and first moves are free.
    table.play(("e2e4", 9_000), ("e7e5", 9_000), ("g1f3", 11_400), ("b8c6", 61_000))
    return table


def test_a_pgn_has_the_time_that_was_left_after_each_move() -> None:
    table = a_table()

    assert table.game.clocks is not None
    assert (table.game.clocks.white_ms, table.game.clocks.black_ms) == (171_600, 122_000)
    assert clocks_in(table.game) == [180, 180, 171, 122]


def test_rounding_does_not_add_up() -> None:
    table = a_table()
    for _ in range(3):
        table.play(("f3g1", 1_900), ("c6b8", 2_600), ("g1f3", 1_400), ("b8c6", 1_999))
        clocks = table.game.clocks
        assert clocks is not None
        assert seconds_left(table.game)[-2:] == [clocks.white_ms // 1000, clocks.black_ms // 1000]


def test_after_a_takeback_the_times_are_those_of_the_moves_that_count() -> None:
    table = a_table()
    table.play(("f1c4", 31_000))
    table.say(MakeOffer(ALICE.pubkey, OfferKind.TAKEBACK, table.now_ms))
    table.say(MakeOffer(BOB.pubkey, OfferKind.TAKEBACK, table.now_ms))
    table.play(("f1b5", 5_000))

    # 171.6 s, less 30 and less 4, and two for the move.
    assert clocks_in(table.game) == [180, 180, 171, 122, 139]


def test_without_a_live_clock_there_are_no_times() -> None:
    table = a_table("3d")

    assert table.game.spent_s == ()
    assert clocks_in(table.game) == [None] * 4


def test_a_game_that_began_before_its_times_were_kept_has_none() -> None:
    table = a_table()
    table.game = replace(table.game, spent_s=())
    table.play(("f1c4", 5_000))

    assert table.game.spent_s == ()
    assert clocks_in(table.game) == [None] * 5


def test_a_thought_of_hours_is_kept_and_a_very_long_game_is_written_without_times() -> None:
    table = a_table("10800+180")
    table.play(("f1c4", 10_000_000), ("g8f6", 1))
    assert clocks_in(table.game)[4] == table.game.clocks.white_ms // 1000  # type: ignore[union-attr]

    table.play(*[("c4f1", 1), ("f6g8", 1), ("f1c4", 1), ("g8f6", 1)] * 1)
    shuffled = table.game.moves[-4:] * (MAX_PLIES_WITH_CLOCKS // 4)
    long = replace(table.game, moves=table.game.moves + shuffled, cached_board=None)
    long = replace(long, spent_s=(0,) * long.ply)
    assert len(pgn(long, white="w", black="b", site="-")) < 16 * long.ply
