"""Items, and what they weigh by DynamoDB's own rules.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.lobby_records import (
    item_of_player,
    item_of_pool,
    player_of_item,
    pool_of_item,
)
from arbiter.adapters.records import Item, game_of_item, is_game_id, item_of_game
from arbiter.core.model import WHITE, Game, Outcome, Seat, Termination
from arbiter.core.pairing import REQUESTS_REMEMBERED, Player, Pool, Seek
from tests.builders import NOW_MS, a_game, after
from tests.contract.full_game import a_full_game, random_moves

CAPACITY_UNIT_BYTES = 1024


def size_of(value: dict[str, Any]) -> int:
    """Bytes of one attribute's value; numbers by the upper end of what AWS says of them."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            digits = len(Decimal(content).normalize().as_tuple().digits)
            return (digits + 1) // 2 + 1
        case "L":
            return 3 + sum(1 + size_of(member) for member in content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + size_of(one) for name, one in content.items())
        case _:
            raise AssertionError(kind)


def item_size(item: Item) -> int:
    return sum(len(name.encode()) + size_of(value) for name, value in item.items())


def test_a_game_of_65_plies_fits_into_one_write_unit() -> None:
    assert item_size(item_of_game(a_full_game(65))) < CAPACITY_UNIT_BYTES


def test_each_ply_more_costs_ten_bytes() -> None:
    sizes = [item_size(item_of_game(a_full_game(plies))) for plies in (65, 66)]

    assert sizes[1] - sizes[0] == 10


def test_the_longest_game_there_can_be_fits_into_an_item() -> None:
    move, cause = chess.Move.from_uci("g1f3"), bytes(8)
    longest = replace(a_full_game(65), moves=(move,) * 17_697, applied=(cause,) * 17_800)

    assert item_size(item_of_game(longest)) < 200 * 1024


CAUSES = st.lists(st.binary(min_size=8, max_size=8), max_size=12).map(tuple)
HEX_64 = st.binary(min_size=32, max_size=32).map(bytes.hex)
NAMES = st.one_of(HEX_64, HEX_64.map(str.upper), st.text(st.characters(codec="utf-8"), min_size=1))
SEATS = st.builds(Seat, NAMES, st.sampled_from(["dilger", "nip100"]), st.one_of(st.just(""), NAMES))
TIMES = st.integers(0, 2**53)
OUTCOMES = st.builds(
    Outcome, st.sampled_from(Termination), st.sampled_from([chess.WHITE, chess.BLACK, None])
)
GAMES = st.builds(
    Game,
    id=st.binary(min_size=16, max_size=16).map(bytes.hex),
    white=SEATS,
    black=SEATS,
    created_at_ms=TIMES,
    changed_at_ms=TIMES,
    start_fen=st.sampled_from([chess.STARTING_FEN, "8/P6k/8/8/8/8/8/K7 w - - 0 1"]),
    moves=st.builds(random_moves, st.integers(0, 2**32), st.integers(0, 80)),
    outcome=st.one_of(st.none(), OUTCOMES),
    white_strikes=st.integers(0, 9),
    black_strikes=st.integers(0, 9),
    applied=CAUSES,
    white_answered=CAUSES,
    black_answered=CAUSES,
    version=st.integers(1, 2**31),
)
SEEKS = st.builds(Seek, HEX_64, SEATS, TIMES)
REQUESTS = st.tuples(st.binary(min_size=8, max_size=8), TIMES)


@given(GAMES)
def test_a_game_comes_back_from_its_item_as_it_was(game: Game) -> None:
    assert game_of_item(item_of_game(game)) == game


@given(
    st.builds(
        Player,
        id=NAMES,
        game_id=st.one_of(st.none(), st.binary(min_size=16, max_size=16).map(bytes.hex)),
        requests=st.lists(REQUESTS, max_size=REQUESTS_REMEMBERED).map(tuple),
        version=st.integers(1, 2**31),
    )
)
def test_a_player_comes_back_from_his_item_as_he_was(player: Player) -> None:
    assert player_of_item(item_of_player(player, NOW_MS)) == player


@given(
    st.builds(
        Pool,
        name=st.sampled_from(["standard", "blitz"]),
        waiting=st.lists(SEEKS, max_size=4).map(tuple),
        version=st.integers(1, 2**31),
    )
)
def test_a_pool_comes_back_from_its_item_as_it_was(pool: Pool) -> None:
    assert pool_of_item(item_of_pool(pool)) == pool


def test_every_move_there_is_can_be_packed() -> None:
    plain = {chess.Move(a, b) for a in chess.SQUARES for b in chess.SQUARES if a != b}
    promotions = {
        chess.Move(chess.square(file, 6), chess.square(to, 7), piece)
        for file in range(8)
        for to in range(8)
        for piece in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    }
    game = replace(a_game(), moves=(*plain, *promotions))

    assert game_of_item(item_of_game(game)).moves == game.moves


def test_an_item_in_play_says_what_the_docstring_says() -> None:
    game = replace(after(a_game(), "e4"), applied=(b"\x01" * 8,), white_strikes=1)

    assert item_of_game(game) == {
        "pk": {"S": "g#0123456789abcdef0123456789abcdef"},
        "s": {"N": "1"},
        "v": {"N": "2"},
        "c": {"N": "1800000000000"},
        "u": {"N": "1800000000000"},
        "w": {"B": bytes.fromhex(game.white.player)},
        "wd": {"S": "dilger"},
        "b": {"B": bytes.fromhex(game.black.player)},
        "bd": {"S": "dilger"},
        "m": {"B": (chess.E2 << 9 | chess.E4 << 3).to_bytes(2, "big")},
        "ws": {"N": "1"},
        "e": {"B": b"\x01" * 8},
    }


def test_an_end_is_kept_with_its_winner() -> None:
    won = replace(a_game(), outcome=Outcome(Termination.RESIGNATION, WHITE))
    drawn = replace(a_game(), outcome=Outcome(Termination.STALEMATE, None))

    assert (item_of_game(won)["o"], item_of_game(won)["x"]) == ({"S": "resignation"}, {"S": "w"})
    assert "x" not in item_of_game(drawn)


@pytest.mark.parametrize("uci", ["0000", "Q@e4"])
def test_what_is_no_move_of_ours_is_not_packed(uci: str) -> None:
    with pytest.raises(ValueError, match="packed"):
        item_of_game(replace(a_game(), moves=(chess.Move.from_uci(uci),)))


@pytest.mark.parametrize("cause", [b"", b"1234567", b"123456789"])
def test_a_cause_of_another_length_would_shift_all_others_and_is_refused(cause: bytes) -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        item_of_game(replace(a_game(), applied=(cause,)))


def test_a_game_is_never_keyed_by_anything_but_an_id() -> None:
    assert is_game_id("0123456789abcdef" * 2)
    assert not any(map(is_game_id, ("", "0" * 31, "0" * 33, "A" * 32, "0" * 32 + "\n", "g" * 32)))
    with pytest.raises(ValueError, match="32"):
        item_of_game(replace(a_game(), id="mine"))
