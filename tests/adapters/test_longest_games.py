"""The largest item of a game, on each wire: it fits into DynamoDB's 400 KB.

The moves are made up, since no item knows the rules. Their number is the greatest that the rules
allow: 17,697 plies until the seventy-five-move rule has ended every game.
"""

from dataclasses import replace

import chess
import pytest

from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.application.play.event_memory import remember
from arbiter.core.clocks import MAX_BASE_SECONDS, MAX_INCREMENT_SECONDS, Clocks, TimeControl
from arbiter.core.commands import Command, Ends, MakeOffer, MoveClaims, OfferKind, PlayMove
from arbiter.core.decide import PENDING_PER_SEAT, buffer, decide
from arbiter.core.game import (
    EARLIER_VERSIONS_KEPT,
    REFUSED_IDS_PER_SEAT,
    WHITE,
    Game,
    Offer,
    Seat,
    StateVersion,
    Variant,
)
from arbiter.core.names import MAX_NAME_CHARS
from arbiter.core.offers import REMEMBERED_BESIDE_MOVES
from arbiter.dialects.ssb.messages import MAX_FEN_CHARS, MAX_PLY, MAX_SAN_CHARS
from bench.counted_table import item_bytes
from tests.builders import ALICE, BOB, NOW_MS, a_game, after, move
from tests.template.source import template

MAX_PLIES = 17_697
ITEM_BYTES = 400 * 1024
# One offer can be under way when the last is refused: its answer, and what that takes back.
ON_THE_WAY = 3
STRIKES = 9
FEED = "@" + "A" * 43 + "=.ed25519"
OTHER_FEED = "@" + "B" * 43 + "=.ed25519"


def causes(count: int) -> tuple[bytes, ...]:
    return tuple(at.to_bytes(8, "big") for at in range(count))


def the_longest_game() -> Game:
    """Every attribute as large as it can be, but for what only single wires have."""
    long = TimeControl(MAX_BASE_SECONDS * 1000, MAX_INCREMENT_SECONDS * 1000)
    return replace(
        a_game(),
        start_fen="/".join(["1p" * 4, "p1" * 4] * 4) + " w HAha - 999 9999",
        white=replace(a_game().white, name="\U0001f984" * MAX_NAME_CHARS),
        moves=(chess.Move.from_uci("g1f3"),) * MAX_PLIES,
        spent_s=(10_800,) * MAX_PLIES,
        applied_ids=causes(MAX_PLIES + REMEMBERED_BESIDE_MOVES + ON_THE_WAY + 2 * STRIKES),
        white_refused_ids=causes(REFUSED_IDS_PER_SEAT),
        black_refused_ids=causes(REFUSED_IDS_PER_SEAT),
        white_strikes=STRIKES,
        black_strikes=STRIKES,
        item_version=99_999,
        variant=Variant.CHESS960,
        clocks=Clocks(long, 99_999_999, 99_999_999, NOW_MS),
        state_version=99_999,
        offer=Offer(OfferKind.TAKEBACK, WHITE, "f" * 64),
        earlier_versions=(StateVersion(99_999, NOW_MS, Offer(OfferKind.TAKEBACK, WHITE)),)
        * EARLIER_VERSIONS_KEPT,
        white_offered_at=MAX_PLIES,
        black_offered_at=MAX_PLIES,
        timer_at_ms=NOW_MS,
    )


def with_all_that_is_held() -> Game:
    """On Scuttlebutt, where both say as much as can be read of moves that are far off."""
    feeds = [Seat(feed, "ssb", address="%" + "C" * 43 + "=.sha256") for feed in (FEED, OTHER_FEED)]
    game = replace(the_longest_game(), white=feeds[0], black=feeds[1])
    for seat in feeds:
        for at in range(PENDING_PER_SEAT + 1):
            # Of what ASCII has, a quotation mark takes most: two bytes.
            claims = MoveClaims('"' * MAX_FEN_CHARS, '"' * MAX_SAN_CHARS, WHITE)
            far = PlayMove(
                player=seat.player,
                uci="a7b8q",
                made_at_ms=NOW_MS,
                received_at_ms=NOW_MS,
                ply=MAX_PLY,
                ends=Ends.CHECKMATE,
                claims=claims,
            )
            game = buffer(game, far, bytes([at] * 32)) or game
    return game


def a_hot_seat_game() -> Game:
    """Over HTTP: when each move was made is kept, and of requests the last few."""
    return replace(
        the_longest_game(),
        applied_ids=causes(4),
        spent_s=(),
        moved_at_ms=tuple(NOW_MS + 1_234 * ply for ply in range(MAX_PLIES)),
    )


@pytest.mark.parametrize(
    ("game", "kilobytes"),
    [(the_longest_game(), 241), (with_all_that_is_held(), 332), (a_hot_seat_game(), 121)],
    ids=["native", "ssb", "hot seat"],
)
def test_the_longest_game_of_each_wire_fits_into_an_item(game: Game, kilobytes: int) -> None:
    item = item_of_game(game)

    assert len(game.pending) in (0, 2 * PENDING_PER_SEAT)
    assert game_of_item(item) == game
    assert item_bytes(item) < ITEM_BYTES
    assert item_bytes(item) // 1024 == kilobytes


def test_no_operator_can_have_a_game_remember_more_illegal_moves_than_that() -> None:
    chosen = template()["Parameters"]["IllegalMovesToLose"]

    assert chosen["MinValue"] == 0  # for never, when none is remembered
    assert chosen["MaxValue"] == STRIKES


def test_two_who_take_back_for_ever_do_not_make_a_game_grow_for_ever() -> None:
    game = replace(after(a_game(), "e4 e5"), applied_ids=causes(2))
    steps: tuple[Command, ...] = (
        move(game, "g1f3"),
        MakeOffer(ALICE.pubkey, OfferKind.TAKEBACK, NOW_MS),
        MakeOffer(BOB.pubkey, OfferKind.TAKEBACK, NOW_MS),
    )
    for number in range(4_000):
        decision = decide(game, steps[number % 3], NOW_MS)
        if decision.game is game:
            break
        game = remember(
            game, decision, steps[number % 3], number.to_bytes(8, "big") * 4, NOW_MS, 1
        ).game
    else:
        raise AssertionError("nothing was refused")

    assert len(game.applied_ids) - game.ply <= REMEMBERED_BESIDE_MOVES + ON_THE_WAY
