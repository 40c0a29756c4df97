"""Terms that players may ask for, and pairs of terms that suit each other."""

from dataclasses import replace
from itertools import product

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import FIRST_MOVE_MS, SETTLE_MS, TimeControl, start_clocks
from arbiter.core.game import Game, Seat, Variant
from arbiter.core.new_games import new_game, rematch
from arbiter.core.pairing import Pool, opponents
from arbiter.core.seeks import RELAY_WAIT_MS, Seek
from arbiter.core.terms import (
    OPEN,
    PLAIN,
    ColorPreference,
    Terms,
    flaw,
    flaw_of_position,
    spelled,
    suit,
)
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, a_game, after
from tests.core.test_pairing import a_seek

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
RATED = Terms(time=BLITZ, rated=True)
ENDGAME = "8/P6k/8/8/8/8/7p/K7 w - - 0 1"
KEY = bytes(range(32))
WHITE, BLACK, ANY = ColorPreference


def asked(key: SecretKey, terms: Terms, number: int = 1, at_ms: int = NOW_MS) -> Seek:
    return a_seek(key, number, at_ms, terms)


@pytest.mark.parametrize(
    ("suited", "terms"),
    [
        *((True, it) for it in (PLAIN, RATED, Terms(time=BLITZ), Terms(variant=Variant.CHESS960))),
        *((True, replace(RATED, opponent=BOB.pubkey, color=it)) for it in (ANY, WHITE)),
        *((True, Terms(time=BLITZ, color=BLACK, opponent=it)) for it in (None, OPEN)),
        *((True, Terms(rating_range=it)) for it in ((1400, 1800), (1500, 1500))),
        (True, Terms(opponent=OPEN, start_fen=ENDGAME)),
        (True, Terms(opponent=BOB.pubkey, start_fen=ENDGAME, time=BLITZ)),
        *((False, it) for it in (Terms(rated=True), replace(RATED, variant=Variant.CHESS960))),
        *((False, it) for it in (Terms(rating_range=(1800, 1400)), Terms(start_fen=ENDGAME))),
        (False, Terms(opponent=OPEN, start_fen="nonsense")),
        *((False, replace(RATED, color=it)) for it in (WHITE, BLACK)),
        *((False, replace(RATED, opponent=OPEN, color=it)) for it in (WHITE, BLACK)),
        (False, replace(RATED, opponent=OPEN, start_fen=ENDGAME)),
    ],
)
def test_terms_can_be_played_or_contradict_themselves(*, suited: bool, terms: Terms) -> None:
    assert (flaw(terms) is None) == suited


SHREDDER = "1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"
ROOK = "4k3/8/8/8/8/8/8/4K2R w K - {}"


@pytest.mark.parametrize(
    "fen",
    [
        *("", "nonsense", "8/8/8/8/8/8/8/8 w - - 0 1", "8/" * 10_000, "/" * 1_000, " " * 1_000),
        *("4k3/8/8/8/8/8/8/4K2K w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1"),
        "QQQQQQQQ/QQQQQQQQ/8/8/4k3/8/8/4K3 b - - 0 1",
        *("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1"),
        *("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K e6 0 1"),
        *(ROOK.format(it) for it in ("1000000000000 1", "0 1000000000000", "-1 1", "0 -1")),
        *(ROOK.format(it) for it in ("9" * 5000 + " 1", "0 1 more", "150 1000", "149 1001")),
        *(ROOK.replace("w", "x").format("0 1"), ROOK.replace("4k3", "9").format("0 1")),
        *("4k3/8/8/8/8/8/8/8/4K3 w - - 0 1", "4k4/8/8/8/8/8/8/4K3 w - - 0 1"),
        # The game would be over before it begins.
        *("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        *("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 w Q - 150 200"),
    ],
)
def test_a_position_that_no_game_could_start_from_is_refused(fen: str) -> None:
    for variant in Variant:
        assert flaw_of_position(fen, variant)


def test_a_position_may_be_as_old_as_a_game_can_become_and_chess960_has_rights_of_its_own() -> None:
    for variant in Variant:
        assert flaw_of_position(ROOK.format("149 1000"), variant) is None
    assert flaw_of_position(SHREDDER, Variant.CHESS960) is None
    assert flaw_of_position(SHREDDER, Variant.STANDARD)


@given(st.text(max_size=100))
def test_no_text_whatever_raises_as_a_position_or_is_one(text: str) -> None:
    assert flaw_of_position(text, Variant.STANDARD)


STRANGE_SPELLINGS = [
    *(ROOK.partition(" w")[0] + rest for rest in (" w", "", "\tw\tK\t-\t0\t1", "\nw\nK - 0 1")),
    *(ROOK.format("\u0660 \u0661"), "  " + ROOK.replace(" ", "   ").format("0 1  ")),
    *("4k3/8/8/8/8/8/8/4K2R b K - 0 1", "4k3/8/8/8/8/8/8/4K2R\tb\tK - 0 1"),
]
"""python-chess reads all of these."""


@pytest.mark.parametrize("fen", STRANGE_SPELLINGS)
def test_a_given_position_is_refused_or_played_in_its_one_spelling(fen: str) -> None:
    """The turn is read from the text; and the text goes into a tag of a PGN."""
    terms = Terms(opponent=OPEN, start_fen=fen)
    if flaw(terms):
        return

    game = new_game(asked(ALICE, spelled(terms)), asked(BOB, Terms(), 2), NOW_MS, KEY)

    assert game.start_fen == chess.Board(fen).fen()
    assert game.turn == game.board().turn


def test_the_pool_is_named_by_what_must_be_equal() -> None:
    assert PLAIN.pool == "standard:unlimited:casual"
    assert RATED.pool == "standard:180+2:rated"
    assert Terms(variant=Variant.CHESS960, time=TimeControl(move_ms=86_400_000)).pool == (
        "chess960:1d:casual"
    )
    alike = Terms(color=WHITE, rating_range=(1, 2), is_bot=True, welcomes_bots=True)
    assert alike.pool == PLAIN.pool


@pytest.mark.parametrize(("one", "other"), [*product(product((False, True), repeat=2), repeat=2)])
def test_programs_meet_who_welcomes_them(one: tuple[bool, bool], other: tuple[bool, bool]) -> None:
    """Of both it is said whether it is a program, and whether it welcomes programs."""
    wishes = [Terms(is_bot=is_bot, welcomes_bots=welcomes) for is_bot, welcomes in (one, other)]
    expected = (not one[0] or other[1]) and (not other[0] or one[1])

    assert suit(wishes[0], 1500, wishes[1], 1500) == expected
    assert suit(PLAIN, 1500, PLAIN, 1500)


def test_both_ranges_must_hold_and_who_has_no_rating_is_met_as_1500() -> None:
    one, other = Terms(rating_range=(1400, 1800)), Terms(rating_range=(2000, 2200))

    assert [suit(one, a, other, b) for a, b in ((1500, 1500), (2100, 2100), (2100, 1500))] == [
        *(False, False, True)
    ]
    seek = Seek("ab" * 32, Seat(ALICE.pubkey, "native"), NOW_MS)
    assert suit(Terms(rating_range=(1500, 1500)), 2000, PLAIN, seek.rating)


def test_the_longest_waiting_who_suits_comes_first() -> None:
    unsuited = asked(EVE, Terms(color=WHITE), 3, NOW_MS - 9000)
    longest, latest = asked(BOB, PLAIN, 4, NOW_MS - 5000), asked(SERVER, PLAIN, 5, NOW_MS - 1000)
    pool = Pool(PLAIN.pool, (unsuited, longest, latest))

    white = asked(ALICE, Terms(color=WHITE))

    assert next(opponents(pool, white, NOW_MS), None) is longest
    assert next(opponents(pool, asked(ALICE, PLAIN), NOW_MS), None) is unsuited
    assert next(opponents(pool, white, NOW_MS + RELAY_WAIT_MS - 4000), None) is latest
    assert next(opponents(pool, white, NOW_MS + RELAY_WAIT_MS), None) is None


def test_a_chess960_game_starts_from_one_of_its_positions_and_the_same_for_the_same_two() -> None:
    terms = Terms(variant=Variant.CHESS960)
    other = asked(BOB, terms, 99)
    games = [new_game(asked(ALICE, terms, n), other, NOW_MS, KEY) for n in range(30)]

    for game in games:
        assert game.board().chess960_pos() is not None
        assert game.board().chess960
    assert len({game.start_fen for game in games}) > 20
    assert new_game(other, asked(ALICE, terms, 0), NOW_MS, KEY) == games[0]


def test_a_rematch_swaps_the_colours_and_keeps_the_terms() -> None:
    played = replace(
        after(a_game(), "f3 e5 g4 Qh4#"),
        rated=True,
        clocks=replace(start_clocks(BLITZ, NOW_MS), white_ms=5),
        white_strikes=2,
        white_offered_at=1,
        state_version=9,
    )

    again = rematch(played, played.black, played.white, "ab" * 32, NOW_MS + 1000, KEY)

    assert (again.white, again.black) == (played.black, played.white)
    assert again == replace(
        a_game(),
        id=again.id,
        white=played.black,
        black=played.white,
        created_at_ms=NOW_MS + 1000,
        changed_at_ms=NOW_MS + 1000,
        rated=True,
        clocks=start_clocks(BLITZ, NOW_MS + 1000),
        timer_at_ms=NOW_MS + 1000 + FIRST_MOVE_MS + SETTLE_MS,
        chain=again.chain,
    )
    assert again.id != played.id
    assert rematch(played, played.black, played.white, "cd" * 32, NOW_MS, KEY).id != again.id


def test_a_rematch_from_a_given_position_starts_there_and_of_chess960_somewhere_else() -> None:
    given = replace(a_game(ENDGAME), id="cd" * 16)
    shuffled = replace(a_game(chess.Board.from_chess960_pos(1).fen()), variant=Variant.CHESS960)

    def again(game: Game, number: int) -> str:
        return rematch(game, game.black, game.white, f"{number:064x}", NOW_MS, KEY).start_fen

    assert again(given, 1) == ENDGAME
    assert len({again(shuffled, number) for number in range(9)}) > 5


def test_a_position_is_spelled_with_its_castling_rights() -> None:
    terms = Terms(opponent=OPEN, variant=Variant.CHESS960, start_fen=SHREDDER)

    assert spelled(terms).start_fen == SHREDDER.replace("Bb", "Qq")
    standard = spelled(replace(terms, variant=Variant.STANDARD))
    assert standard.start_fen == SHREDDER.replace("Bb", "-")
    assert spelled(RATED) is RATED
