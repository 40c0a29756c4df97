"""Two players at one browser: starting, moving, losing a race, and the note at the end."""

import json
import logging

import chess
import pytest

from arbiter.application.hot_seat import HotSeatDeps, RequestedMove, load, make_move, new_game
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game
from tests.application.words import end_word
from tests.application.world import World
from tests.builders import NOW_MS, SERVER
from tests.contract.race import race
from tests.fakes.clock import FakeClock
from tests.fakes.faults import Crash, Hook, crash_at, quiet
from tests.fakes.queue import FakeRepublishQueue
from tests.fakes.rate_limits import FakeRateLimits
from tests.fakes.stores import FakeBrowsers, FakeGames

MINE = "my browser"
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"


class Screen:
    """One browser, and what is behind it."""

    def __init__(self, games: FakeGames | None = None, republishing: Hook = quiet) -> None:
        self.games = games or FakeGames()
        self.clock = FakeClock(NOW_MS)
        self.republish = FakeRepublishQueue(republishing)
        self.deps = HotSeatDeps(
            games=self.games,
            browsers=FakeBrowsers(self.games),
            republish=self.republish,
            rate_limits=FakeRateLimits(),
            clock=self.clock,
            server=SERVER.pubkey,
        )
        self.moves = 0
        game = new_game(self.deps, MINE, bytes(range(16)))
        assert game
        self.game: Game = game

    def stored(self) -> Game:
        game = self.games.load(self.game.id)
        assert game
        return game

    def move(self, uci: str, *, seen: Game | None = None) -> Game | None:
        """Make this move in the present game, or as it was when it was seen."""
        self.moves += 1
        self.clock.advance(1)
        promotion = chess.PIECE_SYMBOLS.index(uci[4]) if uci[4:] else chess.QUEEN
        squares = (chess.parse_square(uci[:2]), chess.parse_square(uci[2:4]))
        wish, event_key = RequestedMove(*squares, promotion), self.moves.to_bytes(8, "big")
        return make_move(self.deps, seen or self.stored(), wish, event_key)

    def play(self, moves: str) -> Game | None:
        return [self.move(uci) for uci in moves.split()][-1]


def test_a_browser_id_has_one_game_for_ever_named_by_entropy() -> None:
    screen = Screen()
    assert screen.game.id == bytes(range(16)).hex()
    assert screen.game.white.player != screen.game.black.player
    assert new_game(screen.deps, MINE, bytes(16)) is None
    assert load(screen.deps, MINE) == screen.game == screen.stored()
    assert load(screen.deps, "another browser") is None


@pytest.mark.parametrize("size", [0, 15, 17])
def test_a_game_id_of_too_little_entropy_is_a_bug_and_says_so(size: int) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        new_game(Screen().deps, "x", bytes(size))


def test_moves_are_made_by_the_side_to_move_and_each_has_its_time() -> None:
    screen = Screen()
    assert screen.play("e2e4 c7c5 g1f3") == screen.stored()
    assert [move.uci() for move in screen.stored().moves] == ["e2e4", "c7c5", "g1f3"]
    assert screen.stored().moved_at_ms == (NOW_MS + 1000, NOW_MS + 2000, NOW_MS + 3000)


def test_a_refused_move_leaves_the_very_same_game_and_is_no_strike() -> None:
    screen = Screen()
    for uci in ("e2e5", "e7e5", "e4e5", "e1e2", "a1a1", "b1d2") * 2:
        assert screen.move(uci) is None
    assert screen.stored() == screen.game


def test_castling_is_the_two_squares_of_the_king_and_not_the_rooks_square() -> None:
    screen = Screen()
    screen.play("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5")
    assert screen.move("e1h1") is None
    assert screen.move("e1g1")


@pytest.mark.parametrize(("asked", "made"), [("h7g8", "q"), ("h7g8n", "n"), ("h7g8r", "r")])
def test_a_pawn_becomes_a_queen_unless_something_else_is_asked_for(asked: str, made: str) -> None:
    screen = Screen()
    screen.play(f"h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8 {asked}")
    assert screen.stored().moves[-1].uci() == f"h7g8{made}"


def test_the_loser_of_a_race_is_refused_even_where_the_move_would_be_legal_now() -> None:
    screen = Screen()
    seen = screen.stored()
    screen.play("g1f3 g8f6")
    assert screen.move("b1c3", seen=seen) is None  # legal again, and not what was on the screen
    assert screen.stored().ply == 2


def test_a_commit_whose_answer_was_lost_is_known_again() -> None:
    """After a lost answer botocore tries once more, and meets its own write."""

    class Stutter(FakeGames):
        def commit(self, before: Game, after: Game) -> Committed | Conflict:
            assert super().commit(before, after) == Committed()
            return super().commit(before, after)

    screen = Screen(Stutter())
    assert screen.play("e2e4 e7e5") == screen.stored()


def test_the_very_same_move_asked_for_twice_at_once_is_made_once() -> None:
    screen = Screen()
    seen, made = screen.stored(), []

    def move() -> None:
        made.append(screen.move("e2e4", seen=seen))

    race(move, move)
    assert sorted(after is not None for after in made) == [False, True]
    assert screen.stored().ply == 1


def test_a_move_that_could_not_be_written_is_not_made() -> None:
    screen = Screen(FakeGames(hook=crash_at("games.commit")))
    with pytest.raises(Crash):
        screen.move("e2e4")
    assert screen.stored().ply == 0
    assert screen.move("e2e4")


def test_an_end_is_queued_once_and_then_again_once_an_hour_when_it_is_loaded() -> None:
    screen = Screen()
    ended = screen.play(FOOLS_MATE)
    assert ended
    assert end_word(ended) == "0-1 checkmate"
    ((body, _),) = screen.republish.waiting
    order = {"game_id": ended.id, "changed_at_ms": ended.changed_at_ms}
    assert json.loads(body) == {"republish": order | {"player_id": None, "attempt": 0}}
    for hours in range(4):
        for _ in range(20):
            load(screen.deps, MINE)
        assert len(screen.republish.waiting) == hours + 1
        screen.clock.advance(3600)


def test_the_arbiter_makes_a_note_of_what_was_queued() -> None:
    screen, world = Screen(), World()
    ended = screen.play(FOOLS_MATE)
    assert ended
    world.games.by_id[ended.id] = ended
    assert world.deliver(world.record(screen.republish.bodies[0])) == ()
    (note,) = world.publisher.taken_events
    assert note.kind == 64
    assert note.content.endswith("1. f3 e5 2. g4 Qh4# 0-1\n\n")
    players = [tag[1] for tag in note.tags if tag[0] == "p"]
    assert players == [ended.white.player, ended.black.player]


@pytest.mark.parametrize(
    ("moves", "end"),
    [(FOOLS_MATE, "0-1 checkmate"), ("g1f3 g8f6 f3g1 f6g8 " * 4, "1/2-1/2 fivefold-repetition")],
)
def test_no_move_is_made_after_the_end(moves: str, end: str) -> None:
    screen = Screen()
    ended = screen.play(moves)
    assert screen.move("a2a3") is None
    assert screen.stored() == ended
    assert end_word(screen.stored()) == end


def test_an_end_that_could_not_be_queued_is_queued_by_a_later_load(
    caplog: pytest.LogCaptureFixture,
) -> None:
    screen = Screen(republishing=crash_at("republish.send"))
    with caplog.at_level(logging.ERROR):
        ended = screen.play(FOOLS_MATE)
    assert (screen.stored(), screen.republish.waiting) == (ended, [])
    assert screen.game.id in caplog.text
    screen.clock.advance(3600)
    load(screen.deps, MINE)
    assert len(screen.republish.waiting) == 1


def test_a_clock_that_went_back_dates_no_move_before_the_one_it_follows() -> None:
    screen = Screen()
    screen.move("e2e4")
    screen.clock.advance(-10)
    screen.move("e7e5")
    assert screen.stored().moved_at_ms == (NOW_MS + 1000, NOW_MS + 1000)
