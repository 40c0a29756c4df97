"""The chessgame-backend API of a whole arbiter, by a client that knows the original alone."""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

from bench.http_long_game import long_game
from clients.probes.chessgame_client import ChessgameClient, Loaded, Moved, Refused, refused
from clients.probes.chessgame_games import (
    BEFORE_PROMOTION,
    CASTLING_LONG_AND_SHORT,
    CASTLING_SHORT_AND_LONG,
    EN_PASSANT,
    INVALID_MOVE,
    TO_A8,
    Browse,
    check_board,
    play,
    replayed,
    started,
)
from clients.probes.matches import FOOLS_MATE, OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.nip100_matches import STALEMATE

pytestmark = pytest.mark.slow

_GAME_ROUTES = ("/load-game", "/legal-moves/e2", "/make-move/e2/e4")
_PAIRS_EACH = 20
# More than two pages.
_LONG_PLIES = 210


@pytest.fixture
def browse(arbiter: ArbiterRun) -> Iterator[Browse]:
    """Opens browsers, and closes them after the test."""
    with contextlib.ExitStack() as opened:

        def new(browser_id: str | None = None) -> ChessgameClient:
            browser = ChessgameClient(arbiter.endpoints.http, browser_id)
            opened.callback(browser.http.close)
            return browser

        yield new


def test_the_api_says_that_it_is_ok(browse: Browse) -> None:
    assert browse().root() == {"message": "Api OK!"}


def test_a_new_game_shows_the_first_position_and_nobody_has_moved(browse: Browse) -> None:
    browser = browse()
    new = browser.new_game()
    assert not isinstance(new, Refused)
    game, row = new
    check_board(row, chess.Board(), Counter())
    loaded = browser.load_game()
    assert isinstance(loaded, Loaded)
    assert (loaded.board.game_id, loaded.moves) == (game.id, ())
    check_board(loaded.board, chess.Board(), Counter())


def test_every_new_game_has_ids_of_its_own(browse: Browse) -> None:
    games = []
    for _ in range(4):
        new = browse().new_game()
        assert not isinstance(new, Refused)
        games.append(new[0])
    assert len({game.id for game in games}) == len(games)
    assert len({game.browser_id for game in games}) == len(games)


def test_a_page_may_choose_its_browser_id_but_not_one_that_is_taken(browse: Browse) -> None:
    chosen = f"a-page-of-{random.getrandbits(64):x}"
    browser = browse()
    new = browser.new_game(chosen)
    assert not isinstance(new, Refused)
    assert new[0].browser_id == chosen
    assert isinstance(browser.make_move("e2", "e4"), Moved)
    again = browse().new_game(chosen)
    assert isinstance(again, Refused)
    assert again.status == 409
    assert replayed(browser.load_game()).peek().uci() == "e2e4"


def test_of_pages_that_choose_one_id_at_once_exactly_one_has_it(browse: Browse) -> None:
    pages = [browse() for _ in range(4)]
    chosen = f"many-pages-of-{random.getrandbits(64):x}"
    with ThreadPoolExecutor(len(pages)) as all_of_them:
        answers = list(all_of_them.map(lambda page: page.new_game(chosen), pages))
    begun = [answer for answer in answers if not isinstance(answer, Refused)]
    assert [a.status for a in answers if isinstance(a, Refused)] == [409] * (len(pages) - 1)
    loaded = browse(chosen).load_game()
    assert isinstance(loaded, Loaded)
    assert [game.id for game, _ in begun] == [loaded.board.game_id]


@pytest.mark.parametrize("body", [b"", b"{}", b'{"browser_id": ""}', b'{"other": 1}'])
def test_a_new_game_needs_no_body_and_no_id(browse: Browse, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = browse().request("POST", "/new-game", headers, body)
    assert answer.status == 200
    assert answer.json()["game"]["browser_id"]


@pytest.mark.parametrize("path", _GAME_ROUTES)
def test_without_a_browser_id_there_is_no_game(browse: Browse, path: str) -> None:
    assert refused(browse().get(path)) == Refused(400, "No browser id")


@pytest.mark.parametrize("path", _GAME_ROUTES)
def test_an_unknown_browser_id_has_no_game(browse: Browse, path: str) -> None:
    stranger = browse("nobody-started-a-game-here")
    assert refused(stranger.get(path)) == Refused(400, "Game not found!")


@pytest.mark.parametrize("square", ["e9", "i1", "e", "e22", "E2", "0", "é2", "%", "e2 "])
def test_what_is_no_square_is_an_invalid_position(browse: Browse, square: str) -> None:
    browser = started(browse)
    assert browser.legal_moves(square) == Refused(400, "Invalid position!")
    assert browser.make_move(square, "e4") == Refused(400, "Invalid position")
    assert browser.make_move("e2", square) == Refused(400, "Invalid position")


def test_legal_moves_are_those_of_the_piece_on_the_square(browse: Browse) -> None:
    browser = started(browse)
    assert browser.legal_moves("e2") == ("e3", "e4")
    assert browser.legal_moves("e5") == ()
    assert browser.legal_moves("a1") == ()
    assert browser.legal_moves("e7") == (), "it is not his turn"
    assert _sorted(browser.legal_moves("g1")) == ["f3", "h3"]
    play(browser, ("e2e4",))
    assert _sorted(browser.legal_moves("e7")) == ["e5", "e6"]
    assert browser.legal_moves("d2") == ()


def test_legal_moves_know_castling_en_passant_and_promotion(browse: Browse) -> None:
    castling, en_passant, promotion = started(browse), started(browse), started(browse)
    play(castling, CASTLING_SHORT_AND_LONG[:6])
    assert _sorted(castling.legal_moves("e1")) == ["f1", "g1"]
    play(en_passant, EN_PASSANT[:4])
    assert _sorted(en_passant.legal_moves("e5")) == ["d6", "e6"]
    play(promotion, BEFORE_PROMOTION)
    assert promotion.legal_moves("a7") == ("b8",)


@pytest.mark.parametrize(
    ("script", "from_square", "to_square"),
    [
        ((), "e2", "e5"),
        ((), "e7", "e5"),
        ((), "e5", "e6"),
        ((), "a1", "a1"),
        (("e2e4", "e7e5"), "e8", "e7"),
        (("e2e4", "f7f6", "d1h5"), "a7", "a6"),
    ],
    ids=["no-such-move", "not-his-turn", "empty", "nowhere", "not-his-king", "still-in-check"],
)
def test_a_move_against_the_rules_is_refused_and_changes_nothing(
    browse: Browse, script: tuple[str, ...], from_square: str, to_square: str
) -> None:
    browser = started(browse)
    board = play(browser, script)
    assert browser.make_move(from_square, to_square) == INVALID_MOVE
    assert replayed(browser.load_game()).fen() == board.fen()


def test_any_number_of_refused_moves_loses_nothing(browse: Browse) -> None:
    browser = started(browse)
    for _ in range(5):
        assert browser.make_move("e2", "e5") == INVALID_MOVE
    play(browser, ("e2e4",))


def test_a_page_of_another_origin_may_ask_with_the_header(browse: Browse) -> None:
    for path in ("/new-game", *_GAME_ROUTES):
        asked = {
            "Access-Control-Request-Method": "POST" if path == "/new-game" else "GET",
            "Access-Control-Request-Headers": "browser_id,content-type",
        }
        answer = browse().request("OPTIONS", path, asked)
        assert answer.status == 204
        assert answer.body == b""
        methods = answer.headers["access-control-allow-methods"].replace(" ", "").split(",")
        assert asked["Access-Control-Request-Method"] in methods
        headers = answer.headers["access-control-allow-headers"].lower().replace(" ", "")
        assert {"browser_id", "content-type"} <= set(headers.split(","))


def test_the_opera_game_is_won_by_mate_and_nothing_can_be_played_after_it(browse: Browse) -> None:
    browser = started(browse)
    board = play(browser, OPERA_GAME)
    assert board.is_checkmate()
    assert browser.make_move("b8", "c8") == INVALID_MOVE
    assert browser.make_move("e8", "d8") == INVALID_MOVE
    assert browser.legal_moves("e8") == ()
    loaded = browser.load_game()
    assert replayed(loaded).fen() == board.fen()


def test_black_mates(browse: Browse) -> None:
    browser = started(browse)
    assert play(browser, FOOLS_MATE).is_checkmate()
    assert browser.make_move("e1", "f2") == INVALID_MOVE


def test_stalemate_ends_a_game(browse: Browse) -> None:
    browser = started(browse)
    assert play(browser, STALEMATE).is_stalemate()
    assert browser.make_move("g6", "h6") == INVALID_MOVE


@pytest.mark.parametrize(
    "script",
    [CASTLING_SHORT_AND_LONG, CASTLING_LONG_AND_SHORT, EN_PASSANT, TO_A8],
    ids=["castling-short-and-long", "castling-long-and-short", "en-passant", "to-a8"],
)
def test_the_rules_that_the_original_lacked(browse: Browse, script: tuple[str, ...]) -> None:
    browser = started(browse)
    board = play(browser, script)
    assert replayed(browser.load_game()).fen() == board.fen()


def test_a_pawn_becomes_a_queen_unless_another_piece_is_asked_for(browse: Browse) -> None:
    for query, letter in (("", "Q"), ("?promotion=n", "N"), ("?promotion=q", "Q")):
        browser = started(browse)
        board = play(browser, BEFORE_PROMOTION)
        moved = browser.make_move("a7", "b8", query)
        assert isinstance(moved, Moved)
        board.push_uci(f"a7b8{letter.lower()}")
        assert moved.board.placement == board.board_fen()
        assert (moved.move.piece, moved.move.flag) == ("P", "x")


def test_no_pawn_becomes_a_king_or_nothing(browse: Browse) -> None:
    browser = started(browse)
    play(browser, BEFORE_PROMOTION)
    for wrong in ("k", "p", "x", "qq"):
        refusal = browser.make_move("a7", "b8", f"?promotion={wrong}")
        assert isinstance(refusal, Refused)
        assert refusal.status == 400
    assert isinstance(browser.make_move("a7", "b8"), Moved)


def test_a_browser_that_comes_back_plays_on(browse: Browse) -> None:
    before = started(browse)
    play(before, OPERA_GAME[:10])
    again = browse(before.browser_id)
    board = replayed(again.load_game())
    assert [move.uci() for move in board.move_stack] == list(OPERA_GAME[:10])
    moved = again.make_move(OPERA_GAME[10][:2], OPERA_GAME[10][2:4])
    assert isinstance(moved, Moved)
    assert moved.board.move_number == 11


@pytest.mark.e2e_slow
def test_a_long_game_is_loaded_in_pages_and_the_first_looks_as_ever(browse: Browse) -> None:
    browser = started(browse)
    script = long_game(_LONG_PLIES)
    play(browser, script)
    pages = []
    query = ""
    while True:
        page = browser.load_game(query)
        assert isinstance(page, Loaded)
        assert page.moves
        pages.append(page)
        if page.extra["next"] is None:
            break
        query = f"?before={page.extra['next']}"
    assert len(pages) > 2
    assert [page for page in pages if page.board != pages[0].board] == []
    moves = [move for page in pages for move in page.moves]
    assert [move.move_number for move in moves] == list(range(_LONG_PLIES, 0, -1))
    assert [f"{move.from_square}{move.to_square}" for move in reversed(moves)] == list(script)


def test_of_two_moves_at_once_exactly_one_is_made(browse: Browse) -> None:
    with ThreadPoolExecutor(2) as both:
        winners = _winners_of_pairs(browse, random.Random(0), both)

    assert winners == [1] * _PAIRS_EACH


@pytest.mark.e2e_slow
def test_of_two_moves_at_once_exactly_one_is_made_two_hundred_times(browse: Browse) -> None:
    with ThreadPoolExecutor(2) as both:
        winners = [_winners_of_pairs(browse, random.Random(seed), both) for seed in range(1, 11)]

    assert winners == [[1] * _PAIRS_EACH] * 10


def _sorted(squares: tuple[str, ...] | Refused) -> list[str]:
    assert not isinstance(squares, Refused), squares
    return sorted(squares)


def _winners_of_pairs(browse: Browse, chance: random.Random, both: ThreadPoolExecutor) -> list[int]:
    """A game in which two pages of one browser make every move, each its own, at one moment: how
    many of each two were played.
    """
    winners: list[int] = []
    pages = [started(browse)]
    pages.append(browse(pages[0].browser_id))
    board = chess.Board()
    together = threading.Barrier(2)

    def make(page: ChessgameClient, move: chess.Move) -> Moved | Refused:
        together.wait()
        return page.make_move(
            chess.square_name(move.from_square), chess.square_name(move.to_square)
        )

    for _ in range(_PAIRS_EACH):
        # Promotions are left out, so that two squares say which move it was.
        legal = [move for move in board.legal_moves if move.promotion is None]
        wanted = [chance.choice(legal), chance.choice(legal)]
        answers = list(both.map(make, pages, wanted))
        won = [n for n, answer in enumerate(answers) if isinstance(answer, Moved)]
        assert len(won) == 1, answers
        assert answers[1 - won[0]] == INVALID_MOVE
        winners.append(len(won))
        board.push(wanted[won[0]])
    assert replayed(pages[0].load_game()).fen() == board.fen()
    return winners
