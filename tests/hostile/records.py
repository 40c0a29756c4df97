"""What may stand in a queue that nobody but us writes: it is no trust boundary all the same."""

import json
from collections.abc import Iterator
from functools import partial

from arbiter.application.timers import ClockDeps, forward_due_timers
from tests.hostile.case import Case, Door, a_word, bytes_of, signed
from tests.hostile.stage import CANARY, NOW_MS, Stage
from tests.nostr.hostile.case import GAME, PLAYER, SERVER


def _one(name: str, note: str, body: str, answer: str) -> Case:
    return Case(
        name=name,
        note=note,
        door=Door.QUEUE,
        answer=answer,
        knock=lambda stage: stage.from_queue(body),
    )


def _record(event: bytes, **more: object) -> str:
    fields = {"received_at_ms": NOW_MS, **more}
    return json.dumps({"event": json.loads(event), **fields})


_UNREADABLE = {
    "nothing": "",
    "words": CANARY,
    "a number": "7",
    "null": "null",
    "an array": "[]",
    "an object of nothing": "{}",
    "half an object": '{"event":{',
    "an abyss": "[" * 100_000,
    "an abyss of objects": '{"event":' * 20_000,
    "two objects": "{}{}",
    "a number of 5,000 digits": '{"received_at_ms":' + "9" * 5_000 + "}",
    "a nudge of nothing": '{"nudge":{}}',
    "a nudge without a time": f'{{"nudge":{{"game_id":"{GAME}","ply":0}}}}',
    "a nudge cut short": '{"nudge":{"game_id":"',
    "an abyss of nudges": '{"nudge":' * 20_000,
    "words to say again": f'{{"republish":"{CANARY}"}}',
    "a list to say again": '{"republish":[1,2]}',
    "null to say again": '{"republish":null}',
    "something to say again, cut short": '{"republish":{"game_id":"',
    "something to say again of no game": '{"republish":{"game_id":"../x"}}',
    "something to say again of a number": '{"republish":{"game_id":7}}',
    "something to say again of nobody": '{"republish":{"player_id":7}}',
    "something to say again at a time of words": '{"republish":{"changed_at_ms":"now"}}',
    "something to say again true times": '{"republish":{"attempt":true}}',
    "something to say again less than never": '{"republish":{"attempt":-1}}',
    "something to say again with a field too many": '{"republish":{"__class__":"x"}}',
    "an abyss to say again": '{"republish":' * 20_000,
}


def bodies() -> Iterator[Case]:
    """Bodies that no function of ours writes."""
    for name, body in _UNREADABLE.items():
        yield _one(f"H29 a record of {name}", "dropped, never retried", body, "unreadable")
    move = a_word(PLAYER, "e2e4")
    for name, at_ms in (
        *(("in words", "now"), ("of nothing", None), ("true", True), ("in fractions", 1.5)),
        *(("before 1970", -1), ("of forty digits", 10**40), ("after the year 5138", 10**14)),
    ):
        yield _one(
            f"H22 a record received at a time {name}",
            "clocks go by it, and the table has to hold it",
            _record(move, received_at_ms=at_ms),
            "unreadable",
        )
    for name, via in (("of nothing", ""), ("of 129 letters", "x" * 129), ("that is a list", ["a"])):
        yield _one(
            f"H69 a record that came over a socket {name}",
            "a socket's id is a short text",
            _record(move, via=via),
            "unreadable",
        )
    for name, game_id, ply in (
        ("of no game", "../x", 0),
        ("at a negative ply", GAME, -1),
        ("at ply true", GAME, True),
    ):
        nudge: object = {"nudge": {"game_id": game_id, "ply": ply}, "received_at_ms": NOW_MS}
        yield _one(
            f"H29 a nudge {name}",
            "not one of ours",
            json.dumps(nudge),
            "unreadable",
        )
    for name, no_event in (("no event", None), ("words", CANARY), ("an array", [])):
        yield _one(
            f"H29 a record with {name} for an event",
            "no object",
            json.dumps({"event": no_event, "received_at_ms": NOW_MS}),
            "malformed-not_an_object",
        )
    draft = bytes_of(signed(PLAYER, 5001, "e2e4", ("p", SERVER.pubkey)))
    yield _one(
        "H43 a move of the draft that came over no socket",
        "on relays those numbers mean other things",
        _record(draft),
        "not-by-socket",
    )
    for name, again in (
        ("of a game that is not there", {"game_id": "ff" * 16}),
        ("of a state that is past", {"game_id": GAME, "changed_at_ms": 1}),
        ("of a player who waits no more", {"player_id": PLAYER.pubkey}),
    ):
        yield _one(
            f"H62 something to say again {name}",
            "derived from the state as it is now: there is nothing to say",
            json.dumps({"republish": again}),
            "superseded",
        )
    lost = {"nudge": {"game_id": "ff" * 16, "ply": 0}, "received_at_ms": NOW_MS}
    yield _one("H62 a nudge for a game that is not there", "late", json.dumps(lost), "tick-late")
    yield Case(
        name="H62 a move in the queue twice",
        note="the event's id stands in the game: it is played once",
        door=Door.QUEUE,
        answer="duplicate",
        knock=lambda stage: stage.from_queue(*[_record(move)] * 2),
        heeded=True,
    )


_NUDGE = {"game_id": GAME, "ply": 0, "at_ms": NOW_MS}


def nudges() -> Iterator[Case]:
    """Bodies of the clock queue: a nudge, or nothing."""
    odd = {
        "nothing": "",
        "words": CANARY,
        "an abyss": "[" * 100_000,
        "a number of 5,000 digits": "9" * 5_000,
        "a nudge of nothing": '{"nudge":{}}',
        "a nudge of nulls": '{"nudge":null}',
        "a nudge at half a ply": json.dumps({"nudge": {**_NUDGE, "ply": 0.5}}),
        "a nudge at ply true": json.dumps({"nudge": {**_NUDGE, "ply": True}}),
        "a nudge before 1970": json.dumps({"nudge": {**_NUDGE, "at_ms": -1}}),
        "a nudge after the year 5138": json.dumps({"nudge": {**_NUDGE, "at_ms": 10**14}}),
        "a nudge of no game": json.dumps({"nudge": {**_NUDGE, "game_id": "../" + GAME[3:]}}),
    }
    for name, body in odd.items():
        yield Case(
            name=f"H29 {name} in the clock queue",
            note="dropped: it would come for ever",
            door=Door.QUEUE,
            answer="malformed",
            knock=partial(_passed_on, body),
        )


def _passed_on(body: str, stage: Stage) -> str:
    world, queue = stage.world, stage.gateway.queue
    deps = ClockDeps(clock=world.clock, timers=world.timers, moves=queue)
    (status,) = forward_due_timers(deps, [body])
    assert not queue.waiting
    return status
