"""Who plays in a world, over which ways, and what each of them has come for."""

from typing import TYPE_CHECKING

from tests.simulation.bad_habits import Careless
from tests.simulation.client_connections import GATEWAY
from tests.simulation.native_player import NativePlayer, Plan
from tests.simulation.policy import Blocker, Operator

if TYPE_CHECKING:
    from tests.simulation.world import World

NEAR_THE_END = (
    "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "7k/8/8/8/8/8/R7/K7 w - - 148 120",
)
"""Mate, promotion, castling and the seventy-five-move rule are a few random moves away."""


def seat_players(world: "World") -> None:
    settings = world.settings
    natives = [_native(world, number) for number in range(settings.natives)]
    if settings.challenges:
        _challenge(world, natives)
    world.actors += natives
    if world.operator is not None:
        world.actors.append(Operator(world, world.operator, natives))
    for player in natives:
        _give_habits(world, player, natives)


def _native(world: "World", number: int) -> NativePlayer:
    settings = world.settings
    ways = [*world.relays]
    if number in settings.at_one_relay and ways:
        ways = [world.chance.choice([one for one in ways if not world.relays[one].is_dead])]
    if number in settings.at_gateway or not ways:
        ways = world.chance.choice(([GATEWAY], [GATEWAY, *ways]))
    plan = Plan(settings.games, settings.plies, settings.times[number % 2])
    return NativePlayer(world, f"native {number + 1}", ways, plan)


def _give_habits(world: "World", player: NativePlayer, natives: list[NativePlayer]) -> None:
    chance, settings, after = world.chance, world.settings, world.scheduler.after
    if chance.random() < settings.slips:
        after(chance.random() * 5, Careless(world, player).start)
    others = [
        it.hand.pubkey for it in natives if it is not player and it.plan.time == player.plan.time
    ]
    if others and settings.blocks and chance.random() < settings.blocks:
        Blocker(world, player, chance.choice(others)).start()


def _challenge(world: "World", natives: list[NativePlayer]) -> None:
    for one, other in zip(natives[::2], natives[1::2], strict=False):
        fen = world.chance.choice((None, *NEAR_THE_END))
        one.plan = Plan(one.plan.games, 60, opponent=other.hand.pubkey, start_fen=fen)
        other.plan = Plan(other.plan.games, 60, waits=True)
