from dataclasses import replace

from arbiter.core.commands import MakeOffer, OfferKind, PendingCommand, Resign
from arbiter.core.decide import buffer, pop_ready
from arbiter.core.game import BLACK, Game, Outcome, Termination
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS, a_game
from tests.core.test_numbered_moves import numbered

CAUSE = bytes(range(32))


def held(game: Game, key: SecretKey, uci: str, ply: int) -> Game:
    kept = buffer(game, numbered(key, uci, ply), ply.to_bytes(32, "big"))
    assert kept is not None
    return kept


def freed(game: Game) -> tuple[Game, PendingCommand]:
    found = pop_ready(game)
    assert found is not None
    return found


def test_a_player_has_a_hundred_held_and_the_other_neither_waits_nor_loses_a_place() -> None:
    game = held(a_game(), BOB, "e7e5", 2)
    for command in (Resign(ALICE.pubkey), MakeOffer(ALICE.pubkey, OfferKind.DRAW, NOW_MS)):
        assert buffer(game, command, CAUSE) is None
    for number in range(1, 100):
        game = held(game, BOB, "e7e5", 2 * number + 2)

    assert buffer(game, numbered(BOB, "e7e5", 1000), CAUSE) is None
    assert buffer(game, numbered(ALICE, "e2e4", 999), CAUSE) is not None


def test_all_that_is_held_is_free_when_the_game_is_over() -> None:
    game = held(held(a_game(), BOB, "e7e5", 2), BOB, "d7d5", 4)
    over = replace(game, outcome=Outcome(Termination.RESIGNATION, BLACK))

    assert freed(freed(over)[0])[0].pending == ()
    assert buffer(over, numbered(ALICE, "d2d4", 9), CAUSE) is None
