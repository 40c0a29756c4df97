"""The parts of a move by themselves: the curve, the item, a subscriber."""

import json
from collections.abc import Callable

from coincurve import PublicKeyXOnly

from arbiter.adapters.items.attributes import update_of
from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.application.connections import Subscriber
from arbiter.application.gateway.fanout import Fanout
from arbiter.application.gateway.subscriptions import topics_of_filter
from arbiter.nostr.event import EventTemplate, NostrEvent, event_from_json, event_to_json, verify
from arbiter.nostr.filters import Filter
from bench.figures import Figure
from bench.floor import Floor
from bench.long_game import long_game
from bench.measure import all_threads_cpu_us, in_turn, measured, ratio
from bench.seated import Seated
from tests.application.world import World
from tests.builders import ALICE, SERVER, an_event

_ROUNDS = 200
_SUBSCRIBERS = 65


def curve() -> list[Figure]:
    """A verification and a signature, as we make them and as the library alone does."""
    template = EventTemplate(
        20302, (("d", "0" * 32), ("p", ALICE.pubkey)), "a state", 1_800_000_000
    )
    signed = SERVER.sign(template)
    value = json.loads(json.dumps(event_to_json(signed)))
    digest = bytes.fromhex(signed.id)
    author, sig = bytes.fromhex(signed.pubkey), bytes.fromhex(signed.sig)

    def read_and_verify() -> None:
        event = event_from_json(value)
        if not isinstance(event, NostrEvent):
            raise TypeError(event)
        verify(event)

    told = in_turn(
        {
            "verify": read_and_verify,
            "bare verify": lambda: PublicKeyXOnly(author).verify(sig, digest),
            "sign": lambda: SERVER.sign(template),
            "bare sign": Floor(None, [digest]).sign_and_verify,
        },
        _ROUNDS,
    )
    return [
        Figure(
            name=f"{what}, over libsecp256k1's part",
            measured=ratio(told[name], told[f"bare {name}"]),
            note=f"{measured(told[name]).median:.0f} µs",
        )
        for what, name in (("reading and verifying an event", "verify"), ("signing one", "sign"))
    ]


def items() -> list[Figure]:
    """Reading and writing a game's item, over the floor of a move; botocore is not in it."""
    acts: dict[str, Callable[[], object]] = {}
    event = an_event(ALICE, 20303, "e2e4", (("d", "0" * 32),))
    acts["floor"] = Floor(event, [bytes.fromhex(event.id)]).sign_and_verify
    for ply in (1, 65, 200):
        table = Seated("native", "native")
        table.play(*long_game(ply)[:-1])
        before = table.world.game(table.game_id)
        table.play(long_game(ply)[-1])
        item, after = table.games.items[table.game_id], table.world.game(table.game_id)
        acts[f"read {ply}"] = lambda item=item: game_of_item(item)  # type: ignore[misc]
        acts[f"write {ply}"] = lambda before=before, after=after: update_of(  # type: ignore[misc]
            "games", before.item_version, item_of_game(before), item_of_game(after)
        )
    told = in_turn(acts, _ROUNDS)
    return [
        Figure(
            name=f"{what} the item at ply {ply}, over a verification and a signature",
            measured=ratio(told[f"{name} {ply}"], told["floor"]),
            note=f"{measured(told[f'{name} {ply}']).median:.0f} µs",
        )
        for name, what in (("read", "unpacking"), ("write", "packing"))
        for ply in (1, 65, 200)
    ]


def delivery() -> Figure:
    """What one subscriber more costs, over a verification and a signature; sending is not in it."""
    state = SERVER.sign(EventTemplate(20302, (("d", "0" * 32), ("p", ALICE.pubkey)), "x", 1))
    one, many = _delivering(1), _delivering(_SUBSCRIBERS)
    floor = Floor(state, [bytes.fromhex(state.id)]).sign_and_verify
    told = in_turn(
        {
            "one": lambda: one.publish([state], 60.0),
            "many": lambda: many.publish([state], 60.0),
            "floor": floor,
        },
        _ROUNDS,
        all_threads_cpu_us,
    )
    each = [
        (many - one) / (_SUBSCRIBERS - 1)
        for many, one in zip(told["many"], told["one"], strict=True)
    ]
    return Figure(
        name="one subscriber more, over a verification and a signature",
        measured=ratio(each, told["floor"]),
        note=f"{measured(each).median:.0f} µs: found, filter looked at, frame made",
    )


def _delivering(subscribers: int) -> Fanout:
    world = World()
    wanted = Filter(kinds=(20302,), tags={"d": ("0" * 32,)})
    for number in range(subscribers):
        subscription = Subscriber(f"socket-{number}", "s", (wanted,))
        filed = (subscription, topics_of_filter(wanted))
        world.connections.filed[subscription.connection_id, "s"] = filed
    return Fanout(world.connections, world.sockets, world.clock)
