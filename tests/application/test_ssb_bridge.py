"""Who is believed to be the bridge, in which queue a letter waits, and what becomes of what is said
when the outbox fails.
"""

import json
from dataclasses import replace

import pytest

from arbiter.application.routing import (
    LISTENED_KINDS,
    PUBLISHED_KINDS,
    bridged_entry,
    route,
    timers_group,
)
from arbiter.core.seeks import Seek
from arbiter.dialects.ssb.messages import ENVELOPE, envelope_text, read_envelope
from tests.application.native_player import NativePlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import BOB, BRIDGE, EVE, NOW_MS, SERVER, an_event
from tests.dialects.ssb_cases import ACCEPT, MOVE, ROOT, SUE, TO_TOM, asked, guested, hosted, judged
from tests.fakes.faults import crash_at
from tests.letters import US, a_letter


def test_a_letter_of_anybody_else_is_dropped_unread() -> None:
    world = World()
    text = asked().content
    forged = an_event(EVE, ENVELOPE, text, (("p", SERVER.pubkey),))

    assert world.hear(forged) == []

    assert world.statuses() == ["not-by-bridge"]
    assert world.outbox.said == []
    assert not world.lobby.players


def test_without_a_bridge_there_are_no_letters() -> None:
    world = World()
    world.deps = replace(world.deps, bridge=None, outbox=None)

    world.hear(asked())

    assert world.statuses() == ["not-by-bridge"]


def test_what_the_bridge_signs_and_is_no_letter_is_dropped() -> None:
    world = World()

    for text in ("", "{}", "[]", envelope_text({"key": ROOT, "author": SUE})):
        world.hear(an_event(BRIDGE, ENVELOPE, text, (("p", SERVER.pubkey),)))

    assert set(world.statuses()) == {"unaddressed"}
    assert world.outbox.said == []


def test_nobody_can_send_a_letter_over_a_relay_or_a_socket() -> None:
    assert ENVELOPE not in LISTENED_KINDS
    assert ENVELOPE not in PUBLISHED_KINDS
    assert route(asked()) is None


def test_who_invites_us_waits_with_requests_and_everything_else_with_moves() -> None:
    entries = {
        "asks": bridged_entry(asked(), NOW_MS),
        "asks badly": bridged_entry(asked(root="nowhere"), NOW_MS),
        "rematch": bridged_entry(asked(root=ROOT), NOW_MS),
        "move": bridged_entry(hosted(MOVE), NOW_MS),
        "accepts": bridged_entry(guested(ACCEPT), NOW_MS),
        "others": bridged_entry(a_letter(SUE, ROOT, TO_TOM), NOW_MS),
        "judged": bridged_entry(judged(MOVE), NOW_MS),
    }

    queues = {name: entry.queue for name, entry in entries.items() if entry}
    assert queues == {
        "asks": "seeks",
        "asks badly": "seeks",
        "rematch": "moves",
        "move": "moves",
        "accepts": "moves",
        "others": "moves",
        "judged": "moves",
    }
    groups = {entry.group_id for entry in entries.values() if entry}
    assert len(groups) == 1
    assert groups != {timers_group(ROOT)}


def test_a_letter_heard_twice_is_one_in_the_queue_and_its_body_is_that_of_an_event() -> None:
    one, again = (
        bridged_entry(hosted(MOVE, at=at), at * 1000) for at in (1_800_000_000, 1_800_000_100)
    )

    assert one is not None
    assert again is not None
    assert one.dedup_id == again.dedup_id
    assert one.body != again.body
    assert json.loads(one.body)["received_at_ms"] == 1_800_000_000_000
    assert one.body.isascii()


def test_what_is_no_letter_has_no_place_in_a_queue() -> None:
    assert bridged_entry(an_event(BRIDGE, ENVELOPE, "{}"), NOW_MS) is None
    assert bridged_entry(an_event(BRIDGE, 1, asked().content), NOW_MS) is None


def test_whoever_invites_himself_hears_nothing_from_us() -> None:
    world = World()

    world.hear(a_letter(SUE, ROOT, {**TO_TOM, "inviting": SUE}))

    assert world.statuses() == ["unaddressed"]
    assert world.outbox.said == []
    assert not world.games.standing


def test_when_the_outbox_fails_the_record_stays_and_is_said_in_full_the_next_time() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    sue.invite("black")
    bob.connect()
    before = len(world.outbox.said)
    world.outbox.hook = crash_at("outbox.send")
    game_id = world.lobby.player(BOB.pubkey).game_id or ""
    tags = (("d", game_id), ("p", SERVER.pubkey))
    body = world.body(an_event(BOB, 20303, "e2e4", tags, world.clock.ms // 1000))

    failed = world.deliver(world.record(body))
    assert len(failed) == 1
    # The relays have heard it all the same: nobody else need wait for the bridge.
    assert any(e.kind == 20302 and " b " in e.content for e in world.publisher.taken_events)
    assert len(world.outbox.said) == before

    assert world.deliver(world.record(body)) == ()
    assert [said.content["type"] for said in world.outbox.said[before:]] == ["chess_move"]


def test_what_no_relay_took_is_said_again_to_relays_and_not_on_scuttlebutt() -> None:
    world = World()
    sue, bob = SsbPlayer(world, "sue"), NativePlayer(world, BOB)
    sue.invite("black")
    bob.connect()
    world.publisher.deaf = True
    bob.move("e2e4")
    before = len(world.outbox.sent)

    world.publisher.deaf = False
    world.deliver(world.record(world.republish.bodies[-1]))

    assert world.statuses()[-1] == "said-again"
    assert len(world.outbox.sent) == before


@pytest.mark.parametrize("text", ["nobody", "npub1", "npub1" + "q" * 58])
def test_an_invitation_that_names_nobody_in_particular_is_for_anybody_or_refused(text: str) -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("white", text=text)

    is_for_anybody = text in {"nobody", "npub1"}
    assert (sue.read()[-1]["msg"].startswith("Arbiter: I am looking for")) == is_for_anybody


def test_her_own_seek_never_takes_the_place_of_another_of_hers() -> None:
    world = World()
    sue = SsbPlayer(world, "sue")
    sue.invite("white")
    sue.invite("white")

    waiting: tuple[Seek, ...] = world.lobby.pool("standard:unlimited:casual").waiting
    assert len({seek.slot for seek in waiting}) == 2
    assert {seek.seat.player for seek in waiting} == {sue.pubkey}


def test_sixty_four_who_wait_for_weeks_are_enough_for_one_pool() -> None:
    world = World()
    for number in range(65):
        SsbPlayer(world, f"player {number}").invite("white")

    assert len(world.lobby.pool("standard:unlimited:casual").waiting) == 64
    # A native player finds one of them, and another may wait as ever.
    NativePlayer(world, BOB).connect()
    assert len(world.games.standing) == 1


def test_a_letter_is_read_only_if_it_is_whole() -> None:
    whole = json.loads(hosted(MOVE).content)

    def reads(letter: object) -> bool:
        return read_envelope(an_event(BRIDGE, ENVELOPE, envelope_text(letter))) is not None  # type: ignore[arg-type]

    assert reads(whole)
    for name in ("key", "author", "us", "private", "content", "invite"):
        assert not reads({field: value for field, value in whole.items() if field != name})
        assert not reads({**whole, name: 7})
    assert not reads({**whole, "key": US})
    assert not reads({**whole, "invite": {**whole["invite"], "content": MOVE}})
