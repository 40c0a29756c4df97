"""The wire of chessgame-backend: golden files for a person to review, and what holds of all."""

import json
import random
from dataclasses import replace
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.game import Game
from arbiter.core.replies import GameEnded
from arbiter.dialects import hot_seat
from arbiter.dialects.base import NoSuchGame, ReplyContext
from arbiter.dialects.registry import BY_KIND, DIALECTS
from arbiter.nostr.keys import placeholder_key
from tests.builders import ALICE, NOW_MS, SERVER, after, an_event
from tests.dialects import golden

SQUARES = [f"{file}{rank}" for rank in "87654321" for file in "abcdefgh"]

GAME_ID = "0123456789abcdef0123456789abcdef"

MATE = "f3 e5 g4 Qh4#"
STALEMATE = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6"

CASES = {
    "new": ("Before the first move.", ""),
    "move": ("A knight's first move.", "Nf3"),
    "capture": ("A pawn takes a pawn.", "e4 d5 exd5"),
    "en-passant": ("A pawn is taken on a square it is not on.", "e4 a6 e5 d5 exd6"),
    "castling": ("The king's two squares; the rook has jumped.", "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"),
    "promotion": ("A pawn takes and becomes a knight.", "h4 g5 hxg5 h6 gxh6 Nf6 h7 Rg8 hxg8=N"),
    "mate": ("Fool's mate.", MATE),
    "stalemate": ("Sam Loyd's ten moves to stalemate.", STALEMATE),
}


def a_hot_seat_game(moves: str = "") -> Game:
    """These moves (SAN), one each second and a half."""
    white, black = hot_seat.seats_of(GAME_ID, SERVER.pubkey)
    game = Game(id=GAME_ID, white=white, black=black, created_at_ms=NOW_MS, changed_at_ms=NOW_MS)
    game = after(game, moves)
    times = tuple(NOW_MS + 1_500 * number for number in range(1, game.ply + 1))
    return replace(game, moved_at_ms=times)


def rows(board: str) -> str:
    """The 64 squares of a board's text as a FEN has them, but for a dot a vacant square; the text
    itself if it holds anything else.
    """
    squares = json.loads(board)
    letters = [
        (one["piece"] or ".").lower() if one["color"] == "B" else one["piece"] or "."
        for one in squares.values()
    ]
    expected = {
        name: {
            "color": "" if letter == "." else "W" if letter.isupper() else "B",
            "piece": None if letter == "." else letter.upper(),
        }
        for name, letter in zip(SQUARES, letters, strict=True)
    }
    if board != json.dumps(expected, separators=(",", ":")):
        return board
    return "/".join("".join(letters[at : at + 8]) for at in range(0, 64, 8))


def encoded(note: str, moves: str) -> dict[str, Any]:
    """The replies of a game after these moves, and of its last one."""
    game = a_hot_seat_game(moves)
    replies: dict[str, Any] = {"load-game": hot_seat.load_game_reply(game)}
    if moves:
        replies["make-move"] = hot_seat.make_move_reply(game)
    else:
        replies["new-game"] = hot_seat.new_game_reply(game, "the browser's own")
    for reply in replies.values():
        reply["board"] = reply["board"] | {"board": rows(reply["board"]["board"])}
    return {"note": note, "moves": moves, **replies}


def test_what_is_written_is_in_the_golden_file() -> None:
    golden.check("hot_seat", {case: encoded(*CASES[case]) for case in CASES})


@given(st.integers(0, 2**32), st.integers(1, 220))
def test_the_score_is_what_a_count_of_captures_says(seed: int, plies: int) -> None:
    """Counted here move by move, there from what is left."""
    chance, board = random.Random(seed), chess.Board()
    moves: list[chess.Move] = []
    counted = {color: dict.fromkeys("PNBRQK", 0) for color in "WB"}
    while len(moves) < plies and not board.is_game_over():
        move = chance.choice([*board.legal_moves])
        taken = board.piece_at(move.to_square)
        if board.is_en_passant(move):
            taken = chess.Piece(chess.PAWN, not board.turn)
        if taken is not None:
            counted["W" if board.turn else "B"][taken.symbol().upper()] += 1
        board.push(move)
        moves.append(move)

    shown = hot_seat.board_shape(replace(a_hot_seat_game(), moves=tuple(moves)))

    assert json.loads(str(shown["score"])) == counted
    assert shown["fen"] == board.fen()


def shuffled(plies: int) -> Game:
    """Knights out and back: rules aside, as long as anybody likes."""
    dance = [chess.Move.from_uci(uci) for uci in ("g1f3", "g8f6", "f3g1", "f6g8")]
    return replace(a_hot_seat_game(), moves=tuple(dance[at % 4] for at in range(plies)))


@pytest.mark.parametrize("plies", [0, 1, 99, 100, 101, 200, 250])
def test_pages_hold_every_move_once_and_the_newest_first(plies: int) -> None:
    game, seen, before = shuffled(plies), [], None
    for _ in range(3):
        page: Any = hot_seat.load_game_reply(game, before)
        assert len(page["moves"]) <= hot_seat.MOVES_ON_A_PAGE
        assert page["board"] == hot_seat.board_shape(game)
        seen += page["moves"]
        before = page["next"]
        if before is None:
            break

    assert before is None
    assert [move["move_number"] for move in seen] == [*range(plies, 0, -1)]
    assert [move["from"] + move["to"] for move in reversed(seen)] == [
        move.uci() for move in game.moves
    ]


@pytest.mark.parametrize("before", [1, 5, 10**8])
def test_a_page_before_any_number_is_a_page(before: int) -> None:
    page: Any = hot_seat.load_game_reply(shuffled(7), before)

    assert [move["move_number"] for move in page["moves"]] == [*range(min(before - 1, 7), 0, -1)]
    assert page["next"] is None


def test_ids_rise_with_the_moves_and_differ_between_games_and_fit_into_javascript() -> None:
    one, other = shuffled(3), replace(shuffled(3), id="f" * 32)
    pages: list[Any] = [hot_seat.load_game_reply(game) for game in (one, other)]
    ids = [[move["id"] for move in page["moves"]] for page in pages]

    assert [
        (newest, before, first) for newest, before, first in ids if not (newest > before > first)
    ] == []
    assert not {*ids[0]} & {*ids[1]}
    assert max(*ids[0], *ids[1]) < 2**53


@pytest.mark.parametrize(
    ("moves", "square", "expected"),
    [
        ("", "e2", "e3 e4"),
        ("", "e4", ""),
        ("", "e7", ""),
        ("e4 a6 e5 d5", "e5", "d6 e6"),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "e1", "e2 f1 g1"),
        ("h4 g5 hxg5 h6 gxh6 Nf6 h7 Rg8", "h7", "g8 h8"),
        ("e4 f6 Bb5 a6 Qh5", "a6", ""),  # g6 alone saves the king
        ("e4 f6 Bb5 a6 Qh5", "g7", "g6"),
        ("Nf3 Nf6 Ng1 Ng8 " * 4, "e2", ""),  # the game is over
    ],
)
def test_legal_moves_are_the_rules_of_chess(moves: str, square: str, expected: str) -> None:
    shown = hot_seat.legal_moves_reply(a_hot_seat_game(moves), chess.parse_square(square))

    assert shown == expected.split()


def test_no_event_on_nostr_is_of_this_dialect() -> None:
    game = a_hot_seat_game(MATE)
    telling = ReplyContext(
        colors=frozenset({True, False}), event_key="", at=0, answered_at=0, server=SERVER.pubkey
    )

    assert DIALECTS["hot_seat"].encode(GameEnded(game), telling) == ()
    assert not [kind for kind, dialect in BY_KIND.items() if dialect.name == "hot_seat"]
    decoded = hot_seat.DIALECT.decode(an_event(ALICE, 1), NOW_MS, SERVER.pubkey)
    assert isinstance(decoded, NoSuchGame)
    assert not hot_seat.DIALECT.shows(game, "ab" * 32, SERVER.pubkey, [NOW_MS // 1000])


def test_a_seat_is_a_placeholder_that_never_changes() -> None:
    seats = hot_seat.seats_of(GAME_ID, SERVER.pubkey)

    assert {seat.dialect for seat in seats} == {"hot_seat"}
    assert [seat.player for seat in seats] == [
        placeholder_key(SERVER.pubkey, "rest", f"{GAME_ID} {color}") for color in ("white", "black")
    ]


def test_a_square_is_two_lower_case_characters_and_a_promotion_one_letter_in_either_case() -> None:
    squares = [hot_seat.read_square(name) for name in ("a1", "a8", "h8")]
    assert squares == [chess.A1, chess.A8, chess.H8]
    for text in ("", "e", "E2", "e9", "i1", "e2 ", "e22", "11", "-", "é2"):
        assert hot_seat.read_square(text) is None
    pieces = [chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT]
    for letters in ("qrbn", "QRBN"):
        assert [hot_seat.read_promotion(letter) for letter in letters] == pieces
    assert {hot_seat.read_promotion(text) for text in ("k", "p", "", "qq")} == {None}
