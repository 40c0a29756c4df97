"""The cost of a game: the table's units, counted while a game of 65 plies is played, and at our own
gateway everything that a move reads, writes and sends, at list prices.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from arbiter.adapters.dynamodb.connections import WRITTEN_TOGETHER, FramesHeard
from arbiter.adapters.dynamodb.topic_cache import kinds_of, may_be_wanted
from arbiter.adapters.prices import MILLION, PRICED_ON, REGION, Usage
from bench.counted_table import CountedTable, PackedGames, item_bytes
from bench.long_game import long_game
from bench.measure import Figure, Target
from tests.application.gateway.relay_world import RelayWorld
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER
from tests.proof.games import KeptWorld, play

PLIES = 65
BILLED_MS = 60
"""An invocation of the arbiter: some milliseconds of work, and the wait for the first relay."""
GATEWAY_BILLED_MS = 15
HANDED_IN_MS = 60
"""Of a transcript: 20 of work, and two calls of the table and two of S3."""
MEMORY_GB = 0.5
LISTENERS = 1
"""Each queues what it receives; SQS removes further copies."""
CHANGES_OF_A_GAME = 4
"""At the gateway two players subscribe and leave; each makes every process read topics anew."""
GAMES_AT_ONCE = 4
"""At the gateway: a million moves a month, one each ten seconds."""
CHANGES_BETWEEN_MOVES = GAMES_AT_ONCE * CHANGES_OF_A_GAME / PLIES
"""Of one game: as many moves of others are made meanwhile."""
LOGGED_BYTES = 160
"""Our line for each record, when it is decided."""
LOGGED_BYTES_BY_LAMBDA = 300
"""Its own lines for each invocation."""

CHEAP = Target(2.0)
CHEAP_AT_GATEWAY = Target(6.0)
"""Of which API Gateway takes 4."""
CHEAP_TRANSCRIPTS = Target(20.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The moves that share a listener's call to the queue, and those that share an invocation."""

    name: str
    in_a_send: float
    in_a_batch: int


QUIET = Traffic(name="one at a time", in_a_send=1, in_a_batch=1)
STEADY = Traffic(name="three to a batch", in_a_send=2, in_a_batch=3)
"""At 100 moves a second, by two invocations of 60 ms; a listener's calls then carry 2.0."""
BUSY = Traffic(name="ten to a batch", in_a_send=5, in_a_batch=10)
"""As `make bench-e2e` counts with 20 games: 0.19 calls a move of a listener, 0.1 invocations."""


def item_size() -> Figure:
    sizes = _sizes()
    return Figure(
        name=f"bytes of the item of a game of {PLIES} plies",
        value=(sizes[PLIES]),
        unit="B",
        target=Target(1024),
        note=f"{(sizes[200] - sizes[1]) / 199:.1f} a ply",
    )


def per_million_moves() -> list[Figure]:
    """Dollars for a million moves over relays, and at our own gateway; both are on, as deployed."""
    games = _game_on_relays()
    at_gateway, of_states = _game_at_the_gateway()
    over_relays = [
        _priced(
            f"a million moves over relays, {traffic.name}",
            _over_relays(games, _topics_read(of_states, 0), traffic),
            CHEAP,
        )
        for traffic in (QUIET, STEADY, BUSY)
    ]
    topics = _topics_read(of_states, CHANGES_BETWEEN_MOVES)
    own = _plus(_arbiters_share(games, topics, STEADY), at_gateway)
    name = f"a million moves at our own gateway, {STEADY.name}"
    return [*over_relays, _priced(name, own, CHEAP_AT_GATEWAY)]


def of_transcripts() -> Figure:
    """Dollars for a million games' transcripts: each player's client hands one in, and it is kept
    for a year. The first PUT reads the game, finds no object and writes one; the second finds it.
    Both are counted twice, for all requests of an address and for those that hand in.
    """
    world = KeptWorld(Path(mkdtemp()))
    octets = play(world, [*long_game(PLIES - 1), "w:resign"], ("time", "180+2")).octets
    used = Usage(
        http_requests=2,
        invocations=2,
        gb_seconds=2 * MEMORY_GB * HANDED_IN_MS / 1000,
        read_units=2,
        write_units=4,
        logged_bytes=2 * LOGGED_BYTES_BY_LAMBDA,
        object_gets=2,
        object_puts=1,
        object_byte_months=12 * len(octets),
    )
    found = _priced("a million games' transcripts, kept for a year", used, CHEAP_TRANSCRIPTS)
    return replace(found, note=f"{len(octets)} bytes each; {found.note}")


def _priced(name: str, usage: Usage, target: Target) -> Figure:
    parts = ", ".join(
        f"{what} {cost * MILLION:.2f}" for what, cost in usage.parts().items() if cost
    )
    return Figure(
        name=name,
        value=(usage.dollars() * MILLION),
        unit="$",
        target=target,
        note=f"list price {REGION} {PRICED_ON}: {parts}",
    )


def _over_relays(games: CountedTable, topics: float, traffic: Traffic) -> Usage:
    sent = Usage(queue_requests=LISTENERS / traffic.in_a_send)
    return _plus(_arbiters_share(games, topics, traffic), sent)


def _topics_read(looked_up: Sequence[Sequence[str]], changes: float) -> float:
    """The number of topics that a publication reads of these in turn: each once, and again
    if a subscription changed since (`topic_cache`), which is so with this probability.
    """
    known: set[str] = set()
    read = 0.0
    for topics in looked_up:
        new = set(topics) - known
        read += len(new) + changes * (len(set(topics)) - len(new))
        known |= new
    return read / len(looked_up)


def _arbiters_share(games: CountedTable, topics: float, traffic: Traffic) -> Usage:
    """The arbiter function's use for a move; the mark of topics is read once a batch."""
    invocations = 1 / traffic.in_a_batch
    return Usage(
        queue_requests=2 * invocations,  # received and deleted
        write_units=games.write_units / PLIES,
        read_units=games.read_units / PLIES + invocations + topics,
        invocations=invocations,
        gb_seconds=invocations * MEMORY_GB * BILLED_MS / 1000,
        logged_bytes=LOGGED_BYTES + invocations * LOGGED_BYTES_BY_LAMBDA,
    )


def _plus(one: Usage, other: Usage) -> Usage:
    return Usage(**{name: getattr(one, name) + getattr(other, name) for name in Usage.__slots__})


def _game_on_relays() -> CountedTable:
    world = World()
    counted = CountedTable(world)
    table = world.start(ALICE, BOB)
    for uci in long_game(PLIES - 1):
        world.clock.ms += 1000
        table.say(uci)
    table.say("resign")
    return counted


def _sizes() -> dict[int, int]:
    world = World()
    packed = PackedGames(world)
    table = world.start(ALICE, BOB)
    sizes: dict[int, int] = {}
    for ply, uci in enumerate(long_game(200), start=1):
        world.clock.ms += 1000
        table.say(uci)
        sizes[ply] = item_bytes(packed.items[f"g#{table.game_id}"])
    return sizes


def _game_at_the_gateway() -> tuple[Usage, Sequence[Sequence[str]]]:
    """The usage of the gateway for a move, beside the arbiter's share, with both players subscribed
    as the web client does, and no spectators; and the topics that the arbiter looks up for each
    state. A move a second: with less time to think, more of the frames' counts are written.
    """
    relay = RelayWorld()
    table = relay.a_game()
    for name, key in (("a", ALICE), ("b", BOB)):
        relay.open(name)
        relay.subscribe(*_as_the_web_client(key.pubkey), on=name)
        relay.sockets.heard(name)
    points = _count_points(relay)
    _topics_looked_up(relay)
    messages = counts_written = 0
    frames = FramesHeard()
    of_moves: list[Sequence[str]] = []
    of_states: list[Sequence[str]] = []
    for uci in long_game(PLIES):
        relay.world.clock.ms += 1000
        event = table.move_event(uci)
        mover = "a" if event.pubkey == ALICE.pubkey else "b"
        with frames.counting(mover, relay.world.clock.ms) as heard:
            counts_written += heard % WRITTEN_TOGETHER == 0
        messages += 1 + len(relay.publish(event, on=mover))
        of_moves += _topics_looked_up(relay)
        table.state = relay.arbitrate()[-1]
        of_states += _topics_looked_up(relay)
        messages += sum(len(relay.sockets.heard(name)) for name in ("a", "b"))
    used = Usage(
        queue_requests=1,
        write_units=(counts_written + points["rates.take"] + CHANGES_OF_A_GAME) / PLIES,
        read_units=(points["connections.count_frame"] - counts_written) / PLIES
        + 1  # the mark
        + _topics_read(of_moves, CHANGES_BETWEEN_MOVES),
        invocations=1,
        gb_seconds=MEMORY_GB * GATEWAY_BILLED_MS / 1000,
        socket_messages=messages / PLIES,
        logged_bytes=LOGGED_BYTES_BY_LAMBDA,
    )
    return used, of_states


def _as_the_web_client(player: str) -> tuple[dict[str, Any], ...]:
    return (
        {"kinds": [20301, 20302, 20304], "authors": [SERVER.pubkey], "#p": [player]},
        {"kinds": [20305], "#p": [player]},
    )


def _topics_looked_up(relay: RelayWorld) -> list[Sequence[str]]:
    """The topics of each look-up since the last call; none of one that no subscription wants."""
    noted = {name: 1 for one, _ in relay.connections.filed.values() for name in kinds_of(one)}
    looked_up = zip(relay.connections.looked_up, relay.connections.kinds, strict=True)
    found: list[Sequence[str]] = [
        topics if may_be_wanted(noted, kinds, 0) else () for topics, kinds in looked_up
    ]
    relay.connections.looked_up.clear()
    relay.connections.kinds.clear()
    return found


def _count_points(relay: RelayWorld) -> Counter[str]:
    points: Counter[str] = Counter()

    def passed(point: str) -> None:
        points[point] += 1

    relay.connections.hook = relay.rates.hook = passed
    return points
