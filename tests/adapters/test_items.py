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

from arbiter.adapters.dynamodb.game_items import game_of_item, item_of_game
from arbiter.adapters.dynamodb.items import Item
from arbiter.adapters.dynamodb.lobby_items import (
    challenge_of_item,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_of_item,
    pool_of_item,
)
from arbiter.core.clocks import (
    DAY_MS,
    MAX_BASE_SECONDS,
    MAX_DAYS,
    MAX_INCREMENT_SECONDS,
    Clocks,
    TimeControl,
)
from arbiter.core.commands import (
    Claims,
    Ends,
    MakeOffer,
    OfferKind,
    PendingCommand,
    PlayMove,
    Resign,
)
from arbiter.core.early_ends import EarlyEnd
from arbiter.core.game import (
    BLACK,
    EARLIER_VERSIONS_KEPT,
    REFUSED_IDS_PER_SEAT,
    WHITE,
    Game,
    Offer,
    Outcome,
    Seat,
    StateVersion,
    Termination,
    Variant,
)
from arbiter.core.pairing import CHALLENGES_AT_ONCE, REQUESTS_REMEMBERED, Player, Pool
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN, ColorPreference, Terms
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS, a_game, after
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


def a_rated_blitz_game(plies: int, refused: int) -> Game:
    """A game of people, still going on: clocks, offers, and so many refused events of each."""
    blitz = TimeControl(base_ms=180_000, increment_ms=2000)
    full = a_full_game(plies)
    return replace(
        full,
        outcome=None,
        white_refused_ids=full.white_refused_ids[:refused],
        black_refused_ids=full.black_refused_ids[:refused],
        rated=True,
        clocks=Clocks(blitz, 175_301, 98_767, NOW_MS + 1_234_567),
        state_version=78,
        offer=Offer(OfferKind.DRAW, WHITE),
        earlier_versions=(StateVersion(77, NOW_MS + 1_234_567),),
        white_offered_at=24,
        black_offered_at=65,
        timer_at_ms=NOW_MS + 1_412_867,
    )


def test_a_rated_game_of_65_plies_with_clocks_and_offers_fits_into_one_write_unit() -> None:
    """Even if all is remembered that can be of what each player was refused."""
    worst = a_rated_blitz_game(65, refused=REFUSED_IDS_PER_SEAT)
    assert len(worst.white_refused_ids) == len(worst.black_refused_ids) == REFUSED_IDS_PER_SEAT
    assert item_size(item_of_game(worst)) < CAPACITY_UNIT_BYTES


def test_each_ply_more_costs_ten_bytes() -> None:
    sizes = [item_size(item_of_game(a_full_game(plies))) for plies in (65, 66)]

    assert sizes[1] - sizes[0] == 10


def a_hot_seat_game(plies: int) -> Game:
    """A game whose wire tells when each move was made, and that remembers no event."""
    times = tuple(NOW_MS + 1_234 * ply for ply in range(plies))
    return replace(a_full_game(plies), applied_ids=(), moved_at_ms=times)


def test_each_ply_more_of_a_hot_seat_game_costs_seven_bytes() -> None:
    sizes = [item_size(item_of_game(a_hot_seat_game(plies))) for plies in (65, 66)]

    assert sizes[1] - sizes[0] == 7


def test_when_each_move_was_made_is_read_back_to_the_millisecond() -> None:
    game = replace(a_hot_seat_game(3), moved_at_ms=(NOW_MS, NOW_MS + 1, NOW_MS + 34 * 365 * DAY_MS))

    assert game_of_item(item_of_game(game)) == game


CAUSES = st.lists(st.binary(min_size=8, max_size=8), max_size=12).map(tuple)
HEX_64 = st.binary(min_size=32, max_size=32).map(bytes.hex)
NAMES = st.one_of(HEX_64, HEX_64.map(str.upper), st.text(st.characters(codec="utf-8"), min_size=1))
SEATS = st.builds(Seat, NAMES, st.sampled_from(["dilger", "nip100"]), st.one_of(st.just(""), NAMES))
TIMES = st.integers(0, 2**53)
GAME_IDS = st.binary(min_size=16, max_size=16).map(bytes.hex)
CONTROLS = st.one_of(
    st.integers(1, MAX_DAYS).map(lambda days: TimeControl(move_ms=days * DAY_MS)),
    st.builds(
        lambda base, increment: TimeControl(base_ms=base * 1000, increment_ms=increment * 1000),
        st.integers(1, MAX_BASE_SECONDS),
        st.integers(0, MAX_INCREMENT_SECONDS),
    ),
)
CLOCKS = st.builds(Clocks, CONTROLS, TIMES, TIMES, TIMES)
OFFERS = st.one_of(st.none(), st.builds(Offer, st.sampled_from(OfferKind), st.booleans()))
EDITIONS = st.builds(StateVersion, st.integers(1, 2**31), TIMES, OFFERS)
PLIES = st.one_of(st.none(), st.integers(0, 20_000))
RANGES = st.one_of(st.none(), st.tuples(st.integers(0, 9999), st.integers(0, 9999)))
TERMS = st.builds(
    Terms,
    time=st.one_of(st.none(), CONTROLS),
    rated=st.booleans(),
    variant=st.sampled_from(Variant),
    color=st.sampled_from(ColorPreference),
    rating_range=RANGES,
    is_bot=st.booleans(),
    welcomes_bots=st.booleans(),
    link_key=st.none() | st.just("ab" * 32),
    start_fen=st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=90)),
    opponent=st.one_of(st.none(), st.just(OPEN), HEX_64),
)
OUTCOMES = st.builds(
    Outcome,
    st.sampled_from(Termination),
    st.sampled_from([chess.WHITE, chess.BLACK, None]),
    st.sampled_from([chess.WHITE, chess.BLACK, None]),
)
GAMES = st.builds(
    Game,
    id=GAME_IDS,
    white=SEATS,
    black=SEATS,
    created_at_ms=TIMES,
    changed_at_ms=TIMES,
    start_fen=st.sampled_from([chess.STARTING_FEN, "8/P6k/8/8/8/8/8/K7 w - - 0 1"]),
    moves=st.builds(random_moves, st.integers(0, 2**32), st.integers(0, 80)),
    outcome=st.one_of(st.none(), OUTCOMES),
    white_strikes=st.integers(0, 9),
    black_strikes=st.integers(0, 9),
    applied_ids=CAUSES,
    white_refused_ids=CAUSES,
    black_refused_ids=CAUSES,
    item_version=st.integers(1, 2**31),
    rated=st.booleans(),
    variant=st.sampled_from(Variant),
    clocks=st.one_of(st.none(), CLOCKS),
    state_version=st.integers(1, 2**31),
    offer=OFFERS,
    earlier_versions=st.lists(EDITIONS, max_size=EARLIER_VERSIONS_KEPT).map(tuple),
    white_offered_at=PLIES,
    black_offered_at=PLIES,
    next_game_id=st.one_of(st.none(), GAME_IDS),
    timer_at_ms=st.one_of(st.none(), TIMES),
)
AVOIDED = st.tuples(st.binary(min_size=8, max_size=8), TIMES)
SEEKS = st.builds(
    Seek,
    HEX_64,
    SEATS,
    TIMES,
    TERMS,
    st.integers(0, 4000),
    slot_id=st.just("") | HEX_64,
    avoids=st.lists(AVOIDED, max_size=8).map(tuple),
    has_played=st.booleans(),
)
REQUESTS = st.tuples(st.binary(min_size=8, max_size=8), TIMES)
EARLY_ENDS = st.builds(EarlyEnd, TIMES, st.binary(min_size=8, max_size=8), st.booleans())


@given(GAMES)
def test_a_game_comes_back_from_its_item_as_it_was(game: Game) -> None:
    assert game_of_item(item_of_game(game)) == game


@given(
    st.builds(
        Player,
        id=NAMES,
        game_id=st.one_of(st.none(), GAME_IDS),
        former_game_id=st.one_of(st.none(), GAME_IDS),
        set_aside=st.lists(GAME_IDS, max_size=8).map(tuple),
        waits_in=st.one_of(st.none(), TERMS.map(lambda terms: terms.pool)),
        challenges=st.lists(GAME_IDS, max_size=CHALLENGES_AT_ONCE).map(tuple),
        requests=st.lists(REQUESTS, max_size=REQUESTS_REMEMBERED).map(tuple),
        refused=CAUSES,
        early_ends=st.lists(EARLY_ENDS, max_size=16).map(tuple),
        item_version=st.integers(1, 2**31),
    )
)
def test_a_player_comes_back_from_his_item_as_he_was(player: Player) -> None:
    assert player_of_item(item_of_player(player, NOW_MS)) == player


@given(
    st.builds(
        Pool,
        name=st.sampled_from(["standard", "blitz"]),
        waiting=st.lists(SEEKS, max_size=4).map(tuple),
        item_version=st.integers(1, 2**31),
    )
)
def test_a_pool_comes_back_from_its_item_as_it_was(pool: Pool) -> None:
    assert pool_of_item(item_of_pool(pool)) == pool


@given(SEEKS)
def test_a_challenge_comes_back_from_its_item_as_it_was(seek: Seek) -> None:
    assert challenge_of_item(item_of_challenge(Challenge(seek))) == Challenge(seek)


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
    game = replace(after(a_game(), "e4"), applied_ids=(b"\x01" * 8,), white_strikes=1)

    assert item_of_game(game) == {
        "pk": {"S": "g#0123456789abcdef0123456789abcdef"},
        "s": {"N": "1"},
        "v": {"N": "2"},
        "c": {"N": "1800000000000"},
        "u": {"N": "1800000000000"},
        "w": {"B": bytes.fromhex(game.white.player)},
        "b": {"B": bytes.fromhex(game.black.player)},
        "l": {"S": "1"},
        "m": {"B": (chess.E2 << 9 | chess.E4 << 3).to_bytes(2, "big")},
        "ws": {"N": "1"},
        "en": {"N": "2"},
        "e": {"B": b"\x01" * 8},
    }


def test_what_the_players_agreed_to_is_in_the_item_as_the_docstring_says() -> None:
    blitz = TimeControl(base_ms=180_000, increment_ms=2000)
    game = replace(
        after(a_game(), "e4"),
        rated=True,
        variant=Variant.CHESS960,
        clocks=Clocks(blitz, 175_300, 180_000, NOW_MS + 5),
        state_version=7,
        offer=Offer(OfferKind.DRAW, WHITE),
        earlier_versions=(
            StateVersion(5, NOW_MS + 5),
            StateVersion(6, NOW_MS + 6, Offer(OfferKind.TAKEBACK, BLACK)),
        ),
        white_offered_at=0,
        black_offered_at=31,
        next_game_id="ab" * 16,
    )

    item = item_of_game(game)

    assert {name: item[name] for name in item.keys() - item_of_game(a_game()).keys()} == {
        "m": {"B": (chess.E2 << 9 | chess.E4 << 3).to_bytes(2, "big")},
        "r": {"N": "1"},
        "va": {"S": "chess960"},
        "tc": {"S": "180+2"},
        "wc": {"N": "175300"},
        "bc": {"N": "180000"},
        "tn": {"N": "1800000000005"},
        "en": {"N": "7"},
        "of": {"S": "draw w"},
        "fo": {"S": "5,1800000000005,;6,1800000000006,takeback b"},
        "wo": {"N": "0"},
        "bo": {"N": "31"},
        "nx": {"B": b"\xab" * 16},
    }


def test_an_end_is_kept_with_its_winner() -> None:
    won = replace(a_game(), outcome=Outcome(Termination.RESIGNATION, WHITE))
    drawn = replace(a_game(), outcome=Outcome(Termination.STALEMATE, None))

    assert (item_of_game(won)["o"], item_of_game(won)["x"]) == ({"S": "resignation"}, {"S": "w"})
    assert "x" not in item_of_game(drawn)


def test_an_aborted_game_keeps_who_aborted_it_and_an_old_one_does_not_say() -> None:
    aborted = replace(a_game(), outcome=Outcome(Termination.ABORTED, None, aborted_by=BLACK))
    item = item_of_game(aborted)

    assert item["ab"] == {"S": "b"}
    assert game_of_item(item) == aborted
    del item["ab"]
    assert game_of_item(item).outcome == Outcome(Termination.ABORTED, None)


def test_only_a_game_under_way_is_filed_as_live() -> None:
    over = replace(a_game(), outcome=Outcome(Termination.ABORTED, None))

    assert item_of_game(a_game())["l"] == {"S": "1"}
    assert "l" not in item_of_game(over)


@pytest.mark.parametrize("uci", ["0000", "Q@e4"])
def test_what_is_no_move_of_ours_is_not_packed(uci: str) -> None:
    with pytest.raises(ValueError, match="packed"):
        item_of_game(replace(a_game(), moves=(chess.Move.from_uci(uci),)))


@pytest.mark.parametrize("cause", [b"", b"1234567", b"123456789"])
def test_a_cause_of_another_length_would_shift_all_others_and_is_refused(cause: bytes) -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        item_of_game(replace(a_game(), applied_ids=(cause,)))


def test_a_game_is_never_keyed_by_anything_but_an_id() -> None:
    with pytest.raises(ValueError, match="32"):
        item_of_game(replace(a_game(), id="mine"))


def test_what_is_held_survives_with_what_its_author_claimed() -> None:
    claimed = PlayMove(
        player=ALICE.pubkey,
        uci="e7e8q",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=7,
        ends=Ends.DRAW,
        claims=Claims("a fen, with \u2659", None, winner=True),
    )
    plain = PlayMove(
        player=BOB.pubkey,
        uci="e7e5",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=2,
        claims=Claims(),
    )
    held = (
        PendingCommand(bytes(32), claimed),
        PendingCommand(b"1" * 32, plain),
        PendingCommand(b"2" * 32, Resign(BOB.pubkey)),
        PendingCommand(b"3" * 32, MakeOffer(ALICE.pubkey, OfferKind.DRAW, NOW_MS)),
    )
    game = replace(a_game(), pending=held)

    assert game_of_item(item_of_game(game)) == game
    assert "hd" not in item_of_game(a_game())


@pytest.mark.parametrize("author", [ALICE, BOB])
@pytest.mark.parametrize("winner", [WHITE, BLACK, None])
@pytest.mark.parametrize("ends", [*Ends, None])
@pytest.mark.parametrize("text", ["", "Qxf7#", None])
def test_whatever_is_claimed_of_a_held_move_survives_in_either_colour(
    author: SecretKey, *, winner: bool | None, ends: Ends | None, text: str | None
) -> None:
    """Black is False, and an empty text is a claim: neither is the absence of one."""
    move = PlayMove(
        player=author.pubkey,
        uci="d8h4",
        made_at_ms=0,
        received_at_ms=0,
        ply=0,
        ends=ends,
        claims=Claims(text, text, winner),
    )
    game = replace(a_game(), pending=(PendingCommand(bytes(32), move),))

    (held,) = game_of_item(item_of_game(game)).pending

    assert held.command == move


def test_the_address_of_a_rematch_survives_and_that_of_a_former_offer_is_forgotten() -> None:
    offer = Offer(OfferKind.REMATCH, WHITE, "@feed, %root host")
    former = (StateVersion(1, NOW_MS, offer),)
    game = replace(a_game(), offer=offer, earlier_versions=former)

    read = game_of_item(item_of_game(game))

    assert read.offer is not None
    assert read.offer.address == "@feed, %root host"
    assert read.earlier_versions == (StateVersion(1, NOW_MS, Offer(OfferKind.REMATCH, WHITE)),)
