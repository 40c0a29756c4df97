"""Items, and what they weigh by DynamoDB's own rules."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.items.attributes import pack_moves, unpack_moves
from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.adapters.items.lobby import (
    challenge_of_item,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_of_item,
    pool_of_item,
)
from arbiter.adapters.items.ratings import (
    item_of_rated_game,
    item_of_standing,
    rated_game_of_item,
    standing_of_item,
)
from arbiter.core.clocks import (
    DAY_MS,
    MAX_BASE_SECONDS,
    MAX_DAYS,
    MAX_INCREMENT_SECONDS,
    Clocks,
    Speed,
    TimeControl,
)
from arbiter.core.commands import (
    Ends,
    MakeOffer,
    MoveClaims,
    OfferKind,
    PendingCommand,
    PlayMove,
    Resign,
    line_key,
)
from arbiter.core.early_ends import EarlyEnd
from arbiter.core.game import (
    BLACK,
    EARLIER_VERSIONS_KEPT,
    REFUSED_IDS_PER_SEAT,
    WHITE,
    Game,
    GamePlace,
    Offer,
    Outcome,
    Seat,
    StateVersion,
    Termination,
    Vacation,
    Variant,
)
from arbiter.core.pairing import CHALLENGES_AT_ONCE, REQUESTS_REMEMBERED, Player, Pool
from arbiter.core.ratings import (
    MAX_VALUE,
    MAX_VOLATILITY,
    MIN_DEVIATION,
    MIN_VALUE,
    MIN_VOLATILITY,
    RATED_GAMES_OF_A_PAIR,
    START_DEVIATION,
    RatedGame,
    Rating,
    Standing,
)
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN, ColorPreference, Terms
from bench.counted_table import item_bytes
from tests.builders import ALICE, BOB, NOW_MS, a_game
from tests.contract.full_game import a_full_game, random_moves

CAPACITY_UNIT_BYTES = 1024


def test_a_rated_game_of_55_plies_with_all_it_can_remember_fits_into_one_write_unit() -> None:
    full = a_full_game(55)
    full = replace(
        full,
        white=replace(full.white, name="Swift Knight 42"),
        black=replace(full.black, name="House, level 3"),
    )
    blitz = TimeControl(base_ms=180_000, increment_ms=2000)
    rated = replace(
        full,
        outcome=None,
        rated=True,
        clocks=Clocks(blitz, 175_301, 98_767, NOW_MS + 1_234_567),
        spent_s=(127,) * full.ply,
        state_version=78,
        offer=Offer(OfferKind.DRAW, WHITE),
        earlier_versions=(StateVersion(77, NOW_MS + 1_234_567),),
        white_offered_at=24,
        black_offered_at=65,
        timer_at_ms=NOW_MS + 1_412_867,
    )

    for game in (full, rated):
        assert len(game.white_refused_ids) == len(game.black_refused_ids) == REFUSED_IDS_PER_SEAT
        assert item_bytes(item_of_game(game)) < CAPACITY_UNIT_BYTES


def test_names_are_kept_with_seats_and_seeks() -> None:
    seat = replace(a_game().white, name="Zoë")
    seek = Seek("ab" * 32, seat, NOW_MS)
    player = Player(ALICE.pubkey, sought=seek)

    game = game_of_item(item_of_game(replace(a_game(), white=seat)))
    pool = pool_of_item(item_of_pool(Pool("q", (seek,), 1)))
    challenge = challenge_of_item(item_of_challenge(Challenge(seek)))
    sought = player_of_item(item_of_player(player, NOW_MS)).sought

    assert (game.white.name, game.black.name) == ("Zoë", "")
    assert [pool.waiting[0].seat.name, challenge.seek.seat.name] == ["Zoë"] * 2
    assert sought is not None
    assert sought.seat.name == "Zoë"


def a_hot_seat_game(plies: int) -> Game:
    """A game whose wire tells when each move was made, and that remembers no event."""
    times = tuple(NOW_MS + 1_234 * ply for ply in range(plies))
    return replace(a_full_game(plies), applied_ids=(), moved_at_ms=times)


@pytest.mark.parametrize(("game_of", "count"), [(a_full_game, 10), (a_hot_seat_game, 7)])
def test_each_ply_more_costs_so_many_bytes(game_of: Callable[[int], Game], count: int) -> None:
    sizes = [item_bytes(item_of_game(game_of(plies))) for plies in (65, 66)]

    assert sizes[1] - sizes[0] == count


def test_when_each_move_was_made_is_read_back_to_the_millisecond() -> None:
    game = replace(a_hot_seat_game(3), moved_at_ms=(NOW_MS, NOW_MS + 1, NOW_MS + 34 * 365 * DAY_MS))

    assert game_of_item(item_of_game(game)) == game


CAUSES = st.lists(st.binary(min_size=8, max_size=8), max_size=12).map(tuple)
HEX_64 = st.binary(min_size=32, max_size=32).map(bytes.hex)
NAMES = st.one_of(HEX_64, HEX_64.map(str.upper), st.text(st.characters(codec="utf-8"), min_size=1))
TIMES = st.integers(0, 2**53)
SEATS = st.builds(
    Seat,
    NAMES,
    st.sampled_from(["native", "nip100"]),
    st.one_of(st.just(""), NAMES),
    at_gateway=st.booleans(),
    name=st.just("") | st.text(st.characters(codec="utf-8"), min_size=1, max_size=32),
    left_ms=st.none() | TIMES,
)
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
LINKS = st.binary(min_size=32, max_size=32)
EDITIONS = st.builds(StateVersion, st.integers(1, 2**31), TIMES, OFFERS, LINKS)
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
PLACES = st.builds(
    GamePlace,
    GAME_IDS,
    round=st.integers(1, 5_000),
    board=st.integers(1, 500),
    no_show_s=st.integers(0, 90_000),
    draws_from_ply=st.integers(0, 120),
    title=st.text(st.characters(codec="utf-8"), max_size=80),
)
VACATIONS = st.builds(Vacation, st.booleans(), TIMES, st.integers(1, 60), st.integers(1, 9_999))
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
    from_pool=st.booleans(),
    tournament=st.none() | PLACES,
    timer_at_ms=st.one_of(st.none(), TIMES),
    challenge=st.none() | GAME_IDS,
    chain=st.just(b"") | LINKS,
    vacations=st.lists(VACATIONS, max_size=3).map(tuple),
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
    assert asdict(game_of_item(item_of_game(game))) == asdict(game)


@given(
    st.builds(
        Player,
        id=NAMES,
        game_id=st.one_of(st.none(), GAME_IDS),
        former_game_id=st.one_of(st.none(), GAME_IDS),
        set_aside=st.lists(GAME_IDS, max_size=8).map(tuple),
        slow_games=st.lists(GAME_IDS, max_size=50).map(tuple),
        sought=st.none() | SEEKS,
        waits_in=st.one_of(st.none(), TERMS.map(lambda terms: terms.pool)),
        challenges=st.lists(GAME_IDS, max_size=CHALLENGES_AT_ONCE).map(tuple),
        requests=st.lists(REQUESTS, max_size=REQUESTS_REMEMBERED).map(tuple),
        refused=CAUSES,
        early_ends=st.lists(EARLY_ENDS, max_size=16).map(tuple),
        item_version=st.integers(1, 2**31),
    )
)
def test_a_player_comes_back_from_an_item_unchanged(player: Player) -> None:
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


def test_a_first_move_before_the_game_waits_with_its_seek() -> None:
    move = PlayMove(
        player=ALICE.pubkey,
        uci="e2e4",
        made_at_ms=NOW_MS,
        received_at_ms=NOW_MS,
        ply=1,
        claims=MoveClaims(san="e4"),
        line=line_key(()),
    )
    seat = Seat(ALICE.pubkey, "jester", f"{'a' * 64} host w")
    kept = PendingCommand(bytes(32), move)
    seek = Seek("b" * 64, seat, NOW_MS, slot_id="c" * 64, first_move=kept)

    assert pool_of_item(item_of_pool(Pool("standard", (seek,), 1))).waiting == (seek,)


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


def test_a_game_that_is_over_is_not_filed_as_live_and_former_releases_kept_no_aborter() -> None:
    aborted = replace(a_game(), outcome=Outcome(Termination.ABORTED, None, aborted_by=BLACK))
    item = item_of_game(aborted)
    assert ("l" in item_of_game(a_game()), "l" in item) == (True, False)

    del item["ab"]

    assert game_of_item(item).outcome == Outcome(Termination.ABORTED, None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        *[({"moves": (chess.Move.from_uci(uci),)}, "packed") for uci in ("0000", "Q@e4")],
        *[({"applied_ids": (id_,)}, "8 bytes") for id_ in (b"", b"1234567", b"123456789")],
        ({"id": "mine"}, "32"),
    ],
)
def test_what_could_not_be_read_back_is_not_packed(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        item_of_game(replace(a_game(), **change))


AUTHORS = st.sampled_from([ALICE.pubkey, BOB.pubkey])
TEXTS = st.none() | st.text(st.characters(codec="utf-8"), max_size=9)
PENDING_COMMANDS = st.one_of(
    st.builds(
        PlayMove,
        player=AUTHORS,
        uci=st.sampled_from(["e7e8q", "d8h4"]),
        made_at_ms=st.integers(0, 1),
        received_at_ms=st.just(1),
        ply=st.integers(0, 999),
        ends=st.none() | st.sampled_from(Ends),
        claims=st.builds(MoveClaims, TEXTS, TEXTS, st.none() | st.booleans()),
        line=st.none() | st.just(line_key(["e2e4"])),
        offers_draw=st.booleans(),
    ),
    st.builds(Resign, AUTHORS, loser=st.none() | st.booleans()),
    st.builds(MakeOffer, AUTHORS, st.just(OfferKind.DRAW), st.just(NOW_MS)),
)
KEYS = st.binary(min_size=32, max_size=32)


@given(st.lists(st.builds(PendingCommand, KEYS, PENDING_COMMANDS), max_size=4).map(tuple))
def test_pending_commands_come_back_with_all_that_their_authors_claimed(
    pending: tuple[PendingCommand, ...],
) -> None:
    game = replace(a_game(), pending=pending)

    assert game_of_item(item_of_game(game)) == game
    assert ("hd" in item_of_game(game)) == bool(pending)


def test_the_address_of_an_offered_rematch_is_kept_and_of_a_former_offer_is_not() -> None:
    offer = Offer(OfferKind.REMATCH, WHITE, "@feed, %root host")
    former = (StateVersion(1, NOW_MS, offer),)
    game = replace(a_game(), offer=offer, earlier_versions=former)

    read = game_of_item(item_of_game(game))

    assert read.offer is not None
    assert read.offer.address == "@feed, %root host"
    assert read.earlier_versions == (StateVersion(1, NOW_MS, Offer(OfferKind.REMATCH, WHITE)),)


RATINGS = st.builds(
    Rating,
    value=st.floats(MIN_VALUE, MAX_VALUE),
    deviation=st.floats(MIN_DEVIATION, START_DEVIATION),
    volatility=st.floats(MIN_VOLATILITY, MAX_VOLATILITY),
    rated_at_ms=st.integers(0, 2**53),
)
COUNTS = st.integers(0, 10**6)
FULL = Rating(
    value=1234.5678901234567,
    deviation=123.45678901234567,
    volatility=0.07123456789012345,
    rated_at_ms=NOW_MS,
)


OPPONENTS = st.none() | st.lists(st.binary(min_size=8, max_size=8), max_size=4).map(tuple)


@given(NAMES, st.sampled_from(Speed), RATINGS, COUNTS, OPPONENTS)
def test_a_rating_comes_out_as_it_went_in(
    player: str, speed: Speed, rating: Rating, games: int, opponents: tuple[bytes, ...] | None
) -> None:
    standing = Standing(player, speed, rating, games, opponents)

    item = item_of_standing(standing)

    assert standing_of_item(item) == standing
    assert standing_of_item(item).opponents == opponents
    assert ("ladder" in item) == (rating.deviation < 110)


def test_a_rating_of_a_former_release_is_one_of_a_player_who_is_known() -> None:
    item = item_of_standing(Standing("a1" * 32, Speed.BLITZ, FULL, 7, (b"8 octets",)))
    del item["op"]

    assert standing_of_item(item).opponents is None
    assert Standing("b2" * 32, Speed.BLITZ).share_against(standing_of_item(item)) == 1.0


@given(
    st.lists(NAMES, min_size=2, max_size=2, unique=True),
    st.sampled_from(Speed),
    st.integers(0, 2 * RATED_GAMES_OF_A_PAIR),
    st.data(),
)
def test_a_rated_game_comes_out_as_it_went_in(
    players: list[str], speed: Speed, of_pair: int, data: st.DataObject
) -> None:
    changes = []
    for player in players:
        games = data.draw(COUNTS)
        before = Standing(player, speed, data.draw(RATINGS), games)
        after = Standing(player, speed, data.draw(RATINGS), games + 1)
        changes.append((before, after if of_pair <= RATED_GAMES_OF_A_PAIR else before))
    day = NOW_MS // DAY_MS if of_pair else 0
    rated = RatedGame(
        game_id="ab" * 16, white=changes[0], black=changes[1], of_pair=of_pair, day=day
    )

    assert rated_game_of_item(item_of_rated_game(rated)) == rated


def test_a_rating_and_a_rated_game_are_small_and_those_of_former_releases_are_read() -> None:
    before = [Standing(name * 32, Speed.CORRESPONDENCE, FULL, 99_999) for name in ("a1", "b2")]
    after = [Standing(it.player, it.speed, FULL, 100_000) for it in before]
    rated = RatedGame(game_id="ab" * 16, white=(before[0], after[0]), black=(before[1], after[1]))
    item = item_of_rated_game(rated)
    former = {{"sp": "c", "wh": "w", "bl": "b"}.get(name, name): it for name, it in item.items()}

    met = replace(after[0], opponents=4 * (b"8 octets",))
    assert item_bytes(item_of_standing(met)) < 200
    assert item_bytes(item) < CAPACITY_UNIT_BYTES / 2
    assert rated_game_of_item(former) == rated


@pytest.mark.parametrize(
    "other", ["", "e2e4", "e2e4 e7e5", "e2e4 e7e5 e1e2", "d2d4 e7e5 g1f3 a7a8q"]
)
def test_moves_that_go_on_from_packed_ones_or_do_not_are_packed_as_a_whole(other: str) -> None:
    earlier, moves = ([*map(chess.Move.from_uci, it.split())] for it in (other, "e2e4 e7e5 g1f3"))
    packed = pack_moves(tuple(moves), tuple(earlier), pack_moves(tuple(earlier)))

    assert packed == pack_moves(tuple(moves))
    assert [*unpack_moves(packed)] == moves
