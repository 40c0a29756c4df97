"""Faults that are planned: when they begin, what they do, and how they end.

Each is drawn when the world begins, from the seed alone. What is healed in the end is healed here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.simulation.faults import PLANNED

if TYPE_CHECKING:
    from tests.simulation.world import World

_HOUR_SECONDS = 3600.0


def plan_faults(world: "World") -> None:
    for kind, (mean, _) in PLANNED.items():
        if kind not in world.faults.enabled:
            continue
        if kind == "F48":
            _lose_for_good(world)
            continue
        for _ in range(sum(world.chance.random() < mean / 3 for _ in range(3))):
            at = 3.0 + world.chance.random() * world.settings.seconds * 0.8
            world.scheduler.at(at, _unless_healed(world, kind, _STRIKES[kind]))


def _unless_healed(
    world: "World", kind: str, strike: "Callable[[World], str | None]"
) -> Callable[[], None]:
    def do() -> None:
        if world.faults.allows(kind) and (where := strike(world)) is not None:
            world.faults.note(kind, where)

    return do


def _kill(world: "World") -> str | None:
    world.serving.kill()
    return "server"


def _end(world: "World") -> str | None:
    world.serving.end()
    return "server"


def _repeat(world: "World") -> str | None:
    count = sum(relay.repeat(20) for relay in world.relays.values())
    return f"{count} events" if count else None


def _slow_disk(world: "World") -> str | None:
    world.disk.is_slow = True

    def stop() -> None:
        world.disk.is_slow = False

    world.scheduler.after(world.chance.choice((5.0, 30.0)), stop)
    return None  # each commit is counted


def _full_disk(world: "World") -> str | None:
    world.disk.is_full = True

    def stop() -> None:
        world.disk.is_full = False

    world.scheduler.after(world.chance.choice((0.5, 5.0, 60.0)), stop)
    return None  # each commit is counted


def _shut(world: "World") -> str | None:
    def shut(is_shut: bool) -> None:  # noqa: FBT001 - a switch
        for relay in world.relays.values():
            relay.is_shut = is_shut

    shut(True)
    world.scheduler.after(world.chance.choice((60.0, 300.0)), lambda: shut(False))
    return None  # each refusal is counted


def _lose_all(world: "World") -> str | None:
    seconds = world.chance.choice((5.0, 30.0, 90.0, 600.0))
    for name in world.relays:
        _lose(world, name, seconds)
    return f"for {seconds:.0f} s" if world.relays else None


def _lose_one(world: "World") -> str | None:
    if not world.relays:
        return None
    name = world.chance.choice([*world.relays])
    _lose(world, name, world.chance.choice((2.0, 10.0, 60.0)))
    return name


def _lose(world: "World", name: str, seconds: float) -> None:
    relay = world.relays[name]
    relay.go_down(forgets=world.chance.random() < 0.5)
    world.scheduler.after(seconds, relay.come_back)


def _lose_for_good(world: "World") -> None:
    names = [*world.relays]
    if len(names) > 1:
        relay = world.relays[world.chance.choice(names)]
        relay.is_dead, relay.is_up = True, False
        world.faults.note("F48", relay.name)


def _part(world: "World") -> str | None:
    if not world.relays:
        return None
    who = world.chance.choice([world.serving.process.name, *(it.name for it in world.actors)])
    relay = world.chance.choice([*world.relays])
    world.part(who, relay)
    seconds = world.chance.choice((3.0, 20.0, 60.0))
    world.scheduler.after(seconds, lambda: world.join(who, relay))
    return f"{who} and {relay}"


def _step_clock(world: "World") -> str | None:
    skew_ms = world.settings.skew_ms
    world.skew_ms = world.chance.randint(-skew_ms, skew_ms) // 2
    world.serving.process.skew_ms = world.skew_ms
    return f"{world.skew_ms} ms"


def _night(world: "World") -> str | None:
    # A relay pings and is pinged all night.
    hours = world.chance.choice((0.3, 1.2) if world.relays else (1, 9, 50))
    world.go_away(hours * _HOUR_SECONDS)
    return f"{hours} h"


_STRIKES: "dict[str, Callable[[World], str | None]]" = {
    "F04 while": _shut,
    "F13": _repeat,
    "F23": _slow_disk,
    "F32": _kill,
    "F36": _lose_all,
    "F36 one": _lose_one,
    "F37": _part,
    "F40 step": _step_clock,
    "F44": _end,
    "disk full": _full_disk,
    "night": _night,
}
