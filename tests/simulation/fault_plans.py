"""Faults that are planned: when they begin, what they do, and how they end.

Each is drawn when the world begins, from the seed alone, and is written down when it
strikes. What is healed in the end is healed here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from arbiter.nostr.keys import SecretKey
from tests.simulation.faults import PLANNED
from tests.simulation.history import Queued, of_kind

if TYPE_CHECKING:
    from tests.simulation.world import World

_DAY_SECONDS = 86_400.0
FORGOTTEN_MS = 300_000

# Past the queue's five minutes, past a request's two, past an hour, past what a queue keeps.
_LATER_SECONDS = (301.0, 601.0, 3660.0, _DAY_SECONDS, 14 * _DAY_SECONDS)


def plan_faults(world: "World") -> None:
    strikes: dict[str, Callable[[World], None]] = {
        "F28": forget_and_deliver,
        "F32": lose_listener,
        "F35": overlap_listeners,
        "F36": lose_all_relays,
        "F36 one": lose_one_relay,
        "F37": part,
        "F39": lambda world: stop_taking(world, "moves.fifo"),
        "F40 step": step_clock,
        "F43": exchange_key,
        "F44 deploy": deploy,
        "F45": lambda world: stop_taking(world, "republish"),
        "long pause": pause,
        "redrive": redrive,
    }
    for kind, (mean, _) in PLANNED.items():
        if kind not in world.faults.enabled:
            continue
        if kind == "F48":
            if world.chance.random() < mean:
                lose_for_good(world)
            continue
        count = sum(world.chance.random() < mean / 3 for _ in range(3))
        for _ in range(count):
            at = 3.0 + world.chance.random() * world.settings.seconds * 0.8
            world.scheduler.at(at, _unless_healed(world, kind, strikes[kind]))
    if "long outage" in world.faults.enabled:
        strike = _unless_healed(world, "long outage", lose_all_relays_for_hours)
        world.scheduler.at(0.4 * world.settings.seconds, strike)


def _unless_healed(
    world: "World", kind: str, strike: Callable[["World"], None]
) -> Callable[[], None]:
    def do() -> None:
        if world.faults.allows(kind):
            strike(world)

    return do


def deliver_again(world: "World") -> None:
    before_ms = world.now_ms() - FORGOTTEN_MS
    taken = [one for one in of_kind(world.happenings, Queued) if one.status == "taken"]
    old = [one for one in taken if one.at_ms < before_ms and one.queue.endswith(".fifo")]
    if not old:
        return
    # The latest may still come true, if it was refused.
    old = old[-world.chance.choice((8, len(old))) :]
    for one in world.chance.sample(old, min(5, len(old))):
        world.faults.note("F28", f"{one.queue} {one.dedup_id[:8]}")
        world.cloud.sqs.send_message(
            QueueUrl=world.cloud.urls[one.queue],
            MessageBody=one.body,
            MessageGroupId=one.group,
            MessageDeduplicationId=one.dedup_id,
        )


def forget_and_deliver(world: "World") -> None:
    world.go_away(FORGOTTEN_MS / 1000 + 10.0)
    world.scheduler.after(FORGOTTEN_MS / 1000 + 15.0, lambda: deliver_again(world))


def lose_listener(world: "World") -> None:
    alive = world.listeners.alive()
    count = world.chance.choice((1, len(alive)))
    for process in alive[:count]:
        world.faults.note("F32", process.name)
        world.kill(process)


def overlap_listeners(world: "World") -> None:
    process = world.listeners.start()
    world.faults.note("F35", process.name)


def lose_all_relays(world: "World") -> None:
    seconds = world.chance.choice((5.0, 30.0, 90.0))
    world.faults.note("F36", f"for {seconds:.0f} s")
    for name in world.relays:
        _lose(world, name, seconds)


def lose_all_relays_for_hours(world: "World") -> None:
    hours = world.chance.choice((3, 5))
    world.faults.note("long outage", f"for {hours} h")
    for relay in world.relays.values():
        relay.go_down(forgets=False)
        world.scheduler.after(hours * 3600.0, relay.come_back)
    # What was received is decided meanwhile, and said to no one.
    world.scheduler.after(2.0, lambda: world.go_away(hours * 3600.0))


def lose_for_good(world: "World") -> None:
    name = world.chance.choice([*world.relays])
    world.faults.note("F48", name)
    world.relays[name].is_dead = True
    world.relays[name].is_up = False


def lose_one_relay(world: "World") -> None:
    name = world.chance.choice([*world.relays])
    world.faults.note("F36 one", name)
    _lose(world, name, world.chance.choice((2.0, 20.0, 120.0)))


def _lose(world: "World", name: str, seconds: float) -> None:
    relay = world.relays[name]
    relay.go_down(forgets=world.chance.random() < 0.5)
    world.scheduler.after(seconds, relay.come_back)


def part(world: "World") -> None:
    """Part a relay from a player, a listener or a worker."""
    names = [process.name for process in world.processes] + [one.name for one in world.actors]
    who, relay = world.chance.choice(names), world.chance.choice([*world.relays])
    world.faults.note("F37", f"{who} and {relay}")
    world.part(who, relay)
    world.scheduler.after(world.chance.choice((5.0, 40.0)), lambda: world.join(who, relay))


def stop_taking(world: "World", queue: str) -> None:
    seconds = world.chance.choice((3.0, 20.0, 60.0))
    world.faults.note("F39" if queue == "moves.fifo" else "F45", f"{seconds:.0f} s")
    world.lambdas.pause(queue, seconds)


def step_clock(world: "World") -> None:
    if not world.processes:
        return
    process = world.chance.choice(world.processes)
    process.skew_ms = world.chance.randint(-world.settings.skew_ms, world.settings.skew_ms)
    world.faults.note("F40 step", f"{process.name} by {process.skew_ms} ms")


def exchange_key(world: "World") -> None:
    """A new key of the server: first in its store, then in every part, then players hear of it.

    In between the workers refuse to sign with a key that no player knows, and leave their records.
    """
    world.faults.note("F43")
    key = SecretKey.generate(world.chance.randbytes(32))
    world.cloud.parameters.secret_key = key.to_hex()

    def follow() -> None:
        if world.cloud.parameters.secret_key != key.to_hex():
            # Exchanged once more meanwhile, and that exchange sees to the rest.
            return
        world.server = key
        world.servers.append(key.pubkey)
        world.lambdas.deploy()
        for process in world.listeners.alive():
            world.kill(process)

    world.scheduler.after(world.chance.choice((0.5, 10.0)), follow)


def deploy(world: "World") -> None:
    """Replace all code: workers when they are idle, listeners one after the other."""
    world.faults.note("F44 deploy")
    world.lambdas.deploy()
    for number, process in enumerate(world.listeners.alive()):
        world.scheduler.after(number * 5.0, lambda process=process: world.kill(process))  # type: ignore[misc]


def pause(world: "World") -> None:
    seconds = world.chance.choice(_LATER_SECONDS)
    world.faults.note("long pause", f"{seconds:.0f} s")
    world.go_away(seconds)


def redrive(world: "World") -> None:
    for name in world.cloud.dead_arns:
        dead = world.cloud.urls[f"dead-{name}"]
        if letters := world.cloud.sqs.waiting(dead):
            world.faults.note("redrive", f"{len(letters)} of {name}")
            arn = world.cloud.dead_arns[name]
            world.cloud.sqs.start_message_move_task(SourceArn=arn)
            world.lambdas.stir(name)
