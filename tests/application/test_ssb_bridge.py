"""The bridge's proof that it is the bridge, the queue of an envelope, and the fate of messages when
the outbox fails.
"""

import json
from dataclasses import replace

import pytest

from arbiter.application.intake.routing import (
    LISTENED_KINDS,
    PUBLISHED_KINDS,
    bridged_entry,
    route,
    timers_group,
)
from arbiter.dialects.ssb.messages import ENVELOPE
from tests.application.world import World
from tests.builders import BRIDGE, NOW_MS, an_event
from tests.dialects.ssb_cases import ACCEPT, MOVE, ROOT, SUE, TO_TOM, asked, guested, hosted, judged
from tests.envelopes import an_envelope


def test_without_a_bridge_there_are_no_envelopes() -> None:
    world = World()
    world.deps = replace(world.deps, bridge=None, outbox=None)
    world.hear(asked())
    assert world.statuses() == ["not-by-bridge"]


def test_an_envelope_cannot_be_sent_over_a_relay_or_a_socket() -> None:
    assert ENVELOPE not in {*LISTENED_KINDS, *PUBLISHED_KINDS}
    assert route(asked()) is None


def test_who_invites_us_waits_with_requests_and_everything_else_with_moves() -> None:
    seeks = [asked(), asked(root="nowhere")]
    moves = [asked(root=ROOT), hosted(MOVE), guested(ACCEPT), an_envelope(SUE, ROOT, TO_TOM)]
    entries = [bridged_entry(it, NOW_MS) for it in (*seeks, *moves, judged(MOVE))]
    assert [entry and entry.queue for entry in entries] == ["seeks"] * 2 + ["moves"] * 5
    (group,) = {entry.group_id for entry in entries if entry}
    assert group != timers_group(ROOT)


def test_an_envelope_heard_twice_is_one_in_the_queue_and_its_body_is_that_of_an_event() -> None:
    times = (1_800_000_000, 1_800_000_100)
    one, again = (bridged_entry(hosted(MOVE, at=at), at * 1000) for at in times)
    assert one
    assert again
    assert (one.dedup_id, one.body.isascii()) == (again.dedup_id, True)
    assert one.body != again.body
    assert json.loads(one.body)["received_at_ms"] == 1_800_000_000_000


@pytest.mark.parametrize(("kind", "text"), [(ENVELOPE, "{}"), (1, asked().content)])
def test_what_is_no_envelope_has_no_place_in_a_queue(kind: int, text: str) -> None:
    assert bridged_entry(an_event(BRIDGE, kind, text), NOW_MS) is None
