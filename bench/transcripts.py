"""What transcripts cost: `python -m bench.transcripts` hands in ten thousand wrong ones, and
measures what the chain and the transcript add to a move.

CPU time, so that other load matters little; the item is DynamoDB's.
"""

import gzip
import random
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import LobbyChange
from arbiter.core.chain import first_link, next_link
from arbiter.core.game import Game
from arbiter.nostr.event import event_to_json
from arbiter.proof.handed_in import MAX_HANDED_IN_BYTES, MAX_LINES, Wrong, completed
from bench.counted_table import PackedGames, item_bytes
from bench.figures import seen
from bench.long_game import long_game
from bench.measure import Figure, Target, table
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.proof.games import KeptWorld, play

WRONG, PLIES, GAMES = 10_000, 80, 24
CLOCKS = ("time", "180+2")
Values = list[dict[str, object]]


def main() -> None:
    began, at = time.monotonic(), seen()
    with TemporaryDirectory() as folder:
        world = KeptWorld(Path(folder))
        figures = [*_wrong_ones(world), *_of_a_move(), _in_the_item()]
        world.store.close()
    print(f"{table(figures)}\n\n{at}; took {time.monotonic() - began:.0f} s")


def _wrong_ones(world: KeptWorld) -> list[Figure]:
    chance, said = random.Random(40), [*long_game(PLIES - 1), "w:resign"]  # noqa: S311 - any
    one, other = (play(world, said, CLOCKS).octets for _ in range(2))
    game, values, theirs = world.game(_values(one)[0]["game"]), _values(one), _values(other)  # type: ignore[arg-type]
    made: Mapping[str, Callable[[], bytes]] = {
        "of another game": lambda: _file(_cut(theirs, chance)),
        "cut": lambda: one[: chance.randrange(len(one))],
        "lines cut": lambda: _file(_cut(values, chance)),
        "an event exchanged": lambda: _file(_exchanged(values, theirs, chance)),
        "a signature altered": lambda: _file(_forged(values, chance)),
    }
    longest, its_file, forged = _longest(game, values)
    bombs = {f"the last of {MAX_LINES} signatures altered": forged}
    bombs |= {"a gigabyte of zeros": _bomb(b"", bytes(2**20), 1000), **_long_ones(game, values)}
    spent, kept = dict[str, list[float]](), Counter[bool]()
    for number in range(WRONG):
        name = [*made][number % len(made)] if number % 100 else [*bombs][number // 100 % len(bombs)]
        octets = made[name]() if name in made else bombs[name]
        its, kept_file = (longest, its_file) if octets is forged else (game, one)
        before = time.thread_time_ns()
        try:
            completed(its, SERVER.pubkey, (kept_file, None)[number // 100 % 2], octets)
            kept[True] += 1
        except Wrong:
            kept[False] += 1
        spent.setdefault(name, []).append((time.thread_time_ns() - before) / 1e6)
    most = {name: max(them) for name, them in spent.items()}
    return [
        Figure(
            name=f"wrong transcripts kept of {WRONG}", value=kept[True], unit="", target=Target(0)
        ),
        Figure(
            name="most CPU of a wrong transcript",
            value=max(most.values()),
            unit="ms",
            target=Target(50),
            note=", ".join(f"{name} {ms:.1f}" for name, ms in most.items()),
        ),
    ]


def _values(octets: bytes) -> Values:
    return [orjson.loads(line) for line in gzip.decompress(octets).splitlines()]


def _file(values: Values) -> bytes:
    return gzip.compress(b"\n".join(map(orjson.dumps, values)), 1)


def _cut(values: Values, chance: random.Random) -> Values:
    gone = chance.randrange(1, len(values))
    return [*values[:gone], *values[gone + 1 :]]


def _exchanged(values: Values, theirs: Values, chance: random.Random) -> Values:
    at = chance.randrange(1, len(values))
    return [*values[:at], values[at] | {"event": theirs[at]["event"]}, *values[at + 1 :]]


def _forged(values: Values, chance: random.Random) -> Values:
    at = chance.randrange(1, len(values))
    event: dict[str, object] = values[at]["event"]  # type: ignore[assignment]
    sig = str(event["sig"])[::-1]
    return [*values[:at], values[at] | {"event": event | {"sig": sig}}, *values[at + 1 :]]


def _longest(game: Game, values: Values) -> tuple[Game, bytes, bytes]:
    """A game of as many lines as are taken; its file without its last event, and with it forged."""
    shown, chain = "1 e2e4 draw:w - - * -", first_link(game.id, [])
    events = [
        event_to_json(an_event(ALICE, 20303, "draw", (("d", game.id),), at))
        for at in range(MAX_LINES)
    ]
    for event in events:
        chain = next_link(chain, bytes.fromhex(str(event["id"])), shown)
    *states, last = ({"id": it["id"], "shown": shown, "event": it} for it in events)
    cut = {name: last[name] for name in ("id", "shown")}
    forged = last | {"event": events[-1] | {"sig": str(events[-1]["sig"])[::-1]}}
    head = values[0] | {"chain": chain.hex()}
    longest = replace(game, chain=chain, state_version=MAX_LINES)
    return longest, _file([head, *states, cut]), _file([head, *states, forged])


def _bomb(head: bytes, part: bytes, megabytes: int) -> bytes:
    """A file that unpacks to this head and then to so much of this part."""
    packing = zlib.compressobj(9, wbits=31)
    pieces = [packing.compress(head)]
    pieces += [packing.compress(part) for _ in range(megabytes * 2**20 // len(part))]
    made = b"".join((*pieces, packing.flush()))
    if len(made) > MAX_HANDED_IN_BYTES:
        raise AssertionError(f"{len(made)} bytes")
    return made


def _long_ones(game: Game, values: Values) -> Mapping[str, bytes]:
    """Files in which line after line has the right form."""
    head, states = orjson.dumps(values[0]) + b"\n", values[3:]
    lists = orjson.dumps(states[0] | {"more": [[]] * 40_000}) + b"\n"
    long = states[0] | {"event": states[0]["event"] | {"content": "x" * 60_000}}  # type: ignore[operator]
    return {
        "100 MB of states": _bomb(head, (orjson.dumps(states[0]) + b"\n") * 1000, 100),
        "100 MB of lists": _bomb(head, lists * 20, 100),
        "the longest events": gzip.compress(
            head + (orjson.dumps(long) + b"\n") * (game.state_version + 1), 9
        ),
    }


def _of_a_move() -> list[Figure]:
    """A move of `arbiter serve` with its link and its share of the transcript, against one without
    either, from its record to the disk: whole games, in turns. Of each move the least that it took
    in some game: what else the machine does adds, and never takes away.
    """
    least = {name: [float("inf")] * PLIES for name in ("none", "chain", "both")}
    said = long_game(PLIES - 1)
    for number in range(GAMES):
        for name in (*least, *least)[number % 3 : number % 3 + 3]:
            with TemporaryDirectory() as folder:
                least[name] = [*map(min, least[name], _us_of_moves(Path(folder), name, said))]
    none, with_chain, both = (sum(them) / PLIES for them in least.values())
    return [
        Figure(
            name="CPU that a link adds to a move",
            value=100 * (with_chain / none - 1),
            unit="%",
            target=Target(3),
            note=f"{with_chain:.0f} µs over {none:.0f}",
        ),
        Figure(
            name="CPU that link and transcript add to a move",
            value=100 * (both / none - 1),
            unit="%",
            target=Target(3),
            note=f"{both:.0f} µs over {none:.0f}",
        ),
    ]


def _us_of_moves(folder: Path, name: str, said: Sequence[str]) -> list[float]:
    """Processor time of each move of this game and of its end, of all threads."""
    world = KeptWorld(folder)
    if name != "both":
        world.deps = replace(world.deps, transcripts=None)
    at = world.start(ALICE, BOB, CLOCKS)
    game = world.game(at.game_id)
    if name == "none":
        game = replace(game, chain=b"")
    table = SqliteTable(world.store)
    if not StoredLobby(table, world.clock).commit(LobbyChange(game=game)):
        raise AssertionError("the game is there")
    world.deps = replace(world.deps, games=StoredGames(table))
    if name == "none":
        # Its state is another one now, which the arbiter shows to who is stale.
        world.deps.last_shown.clear()
        world.deliver(world.record(world.body(at.move_event(said[0]))))
        at.state = world.publisher.states[at.game_id]
    spent = list[float]()
    for text in (*said, "resign"):
        world.clock.ms += 1000
        record = world.record(world.body(at.move_event(text)))
        before = time.process_time_ns()
        with world.store.group() as durable:
            world.deliver(record)
        durable.result()
        spent.append((time.process_time_ns() - before) / 1000)
        if world.statuses()[-1] not in ("played", "resignation"):
            raise AssertionError(f"{name}: {world.log[-1]}")
        at.state = world.publisher.states[at.game_id]
    world.store.close()
    return spent


def _in_the_item() -> Figure:
    world = World()
    PackedGames(world)
    at = world.start(ALICE, BOB, CLOCKS)
    for uci in long_game(PLIES):
        at.say(uci)
    game = world.game(at.game_id)
    sizes = [item_bytes(item_of_game(one)) for one in (game, replace(game, chain=b""))]
    return Figure(
        name="bytes that the chain adds to the item",
        value=sizes[0] - sizes[1],
        unit="B",
        target=Target(60),
        note=f"{sizes[0]} in all",
    )


if __name__ == "__main__":
    main()
