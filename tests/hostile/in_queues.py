"""Records of the queue of moves, or of that of clocks, that we did not put there so."""

import json
from collections.abc import Iterator
from functools import partial

from arbiter.application.intake.due_timers import ClockDeps, forward_due_timers
from tests.hostile.case import Case, Row, a_word, events, frames, shown, signed
from tests.hostile.scenario import MARK, NOW_MS, Scenario
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, a_move, bytes_of

_OTHER_GAME = "ff" * 16
_AFTER_5138 = 100_000_000_000_000


def in_queues() -> Iterator[Case]:
    yield from frames("queue", _records())
    draft = bytes_of(signed(PLAYER, 5001, "e2e4", ("p", SERVER.pubkey)))
    by_no_socket = ("H43 a move of the draft that came over no socket", "not-by-socket", draft)
    twice = ("H62 a move in the queue twice", "duplicate, heeded", (a_word(PLAYER, "e2e4"),) * 2)
    yield from events([by_no_socket, twice], entry_points="queue")
    yield from _timers()


def _records() -> Iterator[Row]:
    texts = ("", MARK, '{"event":{', "[" * 100_000, f'{{"received_at_ms":{"9" * 5_000}}}')
    for text in texts:
        yield f"H29 a record of {shown(text)}", "unreadable", text
    move, now = a_move(), {"received_at_ms": NOW_MS}
    for unread in (
        {"timer": {"game_id": GAME, "ply": 0}},
        *({"timer": timer} | now for timer in ({"game_id": "../x", "ply": 0},)),
        {"timer": {"game_id": GAME, "ply": True}} | now,
        {"republish": [1, 2]},
        *(
            {"republish": {field: value}}
            for field, value in (
                *(("game_id", "../x"), ("game_id", 7), ("changed_at_ms", "now")),
                *(("attempt", -1), ("__class__", "x")),
            )
        ),
        *({"event": move, "received_at_ms": at} for at in ("now", True, 10**40, _AFTER_5138)),
        *({"event": move, "via": via} | now for via in ("x" * 129, ["a"])),
    ):
        text = json.dumps(unread)
        yield f"H22 a record of {text[:20]}…{text[-60:]}", "unreadable", text
    no_events: tuple[object, ...] = (None, MARK, [])
    for event in no_events:
        text = json.dumps({"event": event} | now)
        yield f"H29 a record with {event} for an event", "malformed-not_an_object", text
    for late, status in (
        ({"republish": {"game_id": _OTHER_GAME}}, "superseded"),
        ({"republish": {"game_id": GAME, "changed_at_ms": 1}}, "superseded"),
        ({"republish": {"player_id": PLAYER.pubkey}}, "superseded"),
        ({"timer": {"game_id": _OTHER_GAME, "ply": 0}} | now, "tick-late"),
    ):
        yield f"H62 a record of {shown(late)}", status, json.dumps(late)


def _timers() -> Iterator[Case]:
    """H29: the queue of clocks, where a timer has run out."""
    for body in (
        *("", "9" * 5_000, '{"timer": {}}'),
        *(
            json.dumps({"timer": {"game_id": game, "ply": ply, "at_ms": at}})
            for game, ply, at in (
                (GAME, 0.5, NOW_MS),
                (GAME, 0, _AFTER_5138),
                (f"../{GAME[3:]}", 0, NOW_MS),
            )
        ),
    ):
        name = f"H29 a timer {body[:90]}"
        yield Case(name, "clock", "malformed", partial(_passed_on, body))


def _passed_on(body: str, scenario: Scenario) -> str:
    """Return what becomes of it; nothing is passed on."""
    world, queue = scenario.world, scenario.gateway.queue
    deps = ClockDeps(clock=world.clock, timers=world.timers, moves=queue)
    (status,) = forward_due_timers(deps, [body])
    assert not queue.waiting
    return status
