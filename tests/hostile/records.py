"""H22, H29, H43, H62, H69: bodies of queues that only we write to, which are no trust boundary all
the same.
"""

import json
from collections.abc import Iterator
from functools import partial

from arbiter.application.timers import ClockDeps, forward_due_timers
from tests.hostile.case import Case, Row, a_word, frames, signed
from tests.hostile.stage import CANARY, NOW_MS, Stage
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, bytes_of

_MOVE = a_word(PLAYER, "e2e4")
_NUDGE = {"game_id": GAME, "ply": 0, "at_ms": NOW_MS}


def _record(**fields: object) -> str:
    event = fields.pop("event", json.loads(_MOVE))
    return json.dumps({"event": event, "received_at_ms": NOW_MS, **fields})


def _nudge(game_id: str, ply: object) -> str:
    nudge = {"game_id": game_id, "ply": ply}
    return json.dumps({"nudge": nudge, "received_at_ms": NOW_MS})


_UNREADABLE = {
    "H29 a record of nothing": "",
    "H29 a record of words": CANARY,
    "H29 a record of half an object": '{"event":{',
    "H29 a record of an abyss": "[" * 100_000,
    "H29 a record of a number of 5,000 digits": '{"received_at_ms":' + "9" * 5_000 + "}",
    "H29 a record of a nudge without a time": f'{{"nudge":{{"game_id":"{GAME}","ply":0}}}}',
    "H29 a record of a list to say again": '{"republish":[1,2]}',
    "H29 a record of something to say again of no game": '{"republish":{"game_id":"../x"}}',
    "H29 a record of something to say again of a number": '{"republish":{"game_id":7}}',
    "H29 a record of something to say again at a time of words": (
        '{"republish":{"changed_at_ms":"now"}}'
    ),
    "H29 a record of something to say again less than never": '{"republish":{"attempt":-1}}',
    "H29 a record of something to say again with a field too many": (
        '{"republish":{"__class__":"x"}}'
    ),
    "H22 a record received at a time in words": _record(received_at_ms="now"),
    "H22 a record received at a time true": _record(received_at_ms=True),
    "H22 a record received at a time of forty digits": _record(received_at_ms=10**40),
    "H22 a record received at a time after the year 5138": _record(received_at_ms=10**14),
    "H69 a record that came over a socket of 129 letters": _record(via="x" * 129),
    "H69 a record that came over a socket that is a list": _record(via=["a"]),
    "H29 a nudge of no game": _nudge("../x", 0),
    "H29 a nudge at ply true": _nudge(GAME, True),
}


def bodies() -> Iterator[Case]:
    draft = json.loads(bytes_of(signed(PLAYER, 5001, "e2e4", ("p", SERVER.pubkey))))
    again = {
        "of a game that is not there": {"game_id": "ff" * 16},
        "of a state that is past": {"game_id": GAME, "changed_at_ms": 1},
        "of a player who waits no more": {"player_id": PLAYER.pubkey},
    }
    no_event: dict[str, object] = {"no event": None, "words": CANARY, "an array": []}
    rows: tuple[Row, ...] = (
        *((name, "unreadable", body) for name, body in _UNREADABLE.items()),
        *(
            (
                f"H29 a record with {name} for an event",
                "malformed-not_an_object",
                _record(event=event),
            )
            for name, event in no_event.items()
        ),
        (
            "H43 a move of the draft that came over no socket",
            "not-by-socket",
            _record(event=draft),
        ),
        *(
            (f"H62 something to say again {it}", "superseded", json.dumps({"republish": again[it]}))
            for it in again
        ),
        ("H62 a nudge for a game that is not there", "tick-late", _nudge("ff" * 16, 0)),
        ("H62 a move in the queue twice", "duplicate, heeded", (_record(), _record())),
    )
    yield from frames("queue", rows)
    of_clocks = {
        "nothing": "",
        "a number of 5,000 digits": "9" * 5_000,
        "a nudge of nothing": '{"nudge":{}}',
        "a nudge at half a ply": json.dumps({"nudge": {**_NUDGE, "ply": 0.5}}),
        "a nudge after the year 5138": json.dumps({"nudge": {**_NUDGE, "at_ms": 10**14}}),
        "a nudge of no game": json.dumps({"nudge": {**_NUDGE, "game_id": "../" + GAME[3:]}}),
    }
    for name, body in of_clocks.items():
        knock = partial(_passed_on, body)
        yield Case(f"H29 {name} in the clock queue", "queue", "malformed", knock)


def _passed_on(body: str, stage: Stage) -> str:
    world, queue = stage.world, stage.gateway.queue
    deps = ClockDeps(clock=world.clock, timers=world.timers, moves=queue)
    (status,) = forward_due_timers(deps, [body])
    assert not queue.waiting
    return status
