"""The checker notices what a listener heard and forgot, or never asked for."""

import json
from dataclasses import replace

import pytest

from tests.simulation.checker.verdict import Law
from tests.simulation.history import (
    STOPPED,
    Brought,
    Fired,
    Happening,
    Heard,
    History,
    PassedOver,
    Signed,
    of_kind,
)
from tests.simulation.made_history import RELAY, Story
from tests.simulation.spoiling import broken

LISTENER = "listener"
OVERLAP_MS = 300_000


@pytest.fixture
def good() -> History:
    history, told = Story().plays("f2f3", "e7e5", "g2g4", "d8h4").history, list[Happening]()
    for one in history.happenings:
        if isinstance(one, Heard):
            frame = f'["EVENT","arbiter",{one.event}]'
            told.append(Brought(at_ms=one.at_ms, by=one.by, way=one.way, frame=frame))
        told.append(one)
    return replace(history, happenings=tuple(told))


def test_a_run_in_which_all_that_is_read_is_looked_at_breaks_no_promise(good: History) -> None:
    assert broken(good) == set()


@pytest.mark.parametrize("number", [0, 3])
def test_an_event_that_was_read_and_never_looked_at_is_noticed(good: History, number: int) -> None:
    heard = of_kind(good.happenings, Heard)[number]
    kept = tuple(one for one in good.happenings if one is not heard)
    assert broken(replace(good, happenings=kept)) == {Law.ACCOUNTED}


def test_what_is_no_genuine_event_need_not_be_looked_at(good: History) -> None:
    event = json.loads(of_kind(good.happenings, Heard)[0].event)
    frames = [
        "nonsense",
        '["EOSE","arbiter"]',
        json.dumps(["EVENT", "x", event | {"content": "?"}]),
    ]
    first = of_kind(good.happenings, Brought)[0]
    more = tuple(replace(first, frame=frame) for frame in frames)
    assert broken(replace(good, happenings=(*more, *good.happenings))) == set()


@pytest.mark.parametrize("age_ms", [0, OVERLAP_MS // 2])
@pytest.mark.parametrize("is_heard", [True, False])
def test_a_recent_event_that_a_req_leaves_out_must_have_been_heard_by_then(
    good: History, age_ms: int, *, is_heard: bool
) -> None:
    history = _left_out(good, age_ms, by=LISTENER if is_heard else "listener 2")
    assert broken(history) == (set() if is_heard else {Law.ACCOUNTED})


def test_an_event_of_long_ago_may_be_left_out(good: History) -> None:
    assert broken(_left_out(good, OVERLAP_MS + 60_000, by="listener 2")) == set()


def test_a_listener_that_ends_at_once_need_not_have_heard_it(good: History) -> None:
    history = _left_out(good, 0, by="listener 2")
    ends = Fired(at_ms=history.happenings[-1].at_ms, kind=STOPPED, where="listener 2")
    assert broken(replace(history, happenings=(*history.happenings, ends))) == set()


def _left_out(good: History, age_ms: int, by: str) -> History:
    last = of_kind(good.happenings, Signed)[-1]
    one = PassedOver(at_ms=last.at_ms + age_ms, by=by, way=RELAY, events=(last.event,))
    return replace(good, happenings=(*good.happenings, one))
