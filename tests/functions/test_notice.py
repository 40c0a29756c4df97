"""The notice function as Lambda calls it: a notice in, messages to a player out."""

import json
import logging

import pytest

from arbiter import wiring
from arbiter.application.intake.queue_messages import notice_body
from arbiter.application.records import NoticeAsked
from arbiter.core.notices import DAY_MS, EVERY_MS
from functions.notice import app
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE
from tests.fakes.faults import Crash
from tests.fakes.notices import NoticeWorld
from tests.functions.logged import MARK, lines

DAYS = ("time", "2d")


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> NoticeWorld:
    """Bob is told of his turn."""
    made = NoticeWorld(World())
    made.world.ask(BOB, "notify:dm")
    made.queue.bodies.clear()
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(wiring, "notice_deps", lambda: made.deps)
    return made


def handle_all(notices: NoticeWorld) -> None:
    for body in notices.queue.bodies:
        app.handler(json.loads(body), None)


def test_what_the_arbiter_function_asks_is_told_once_however_often_it_comes(
    notices: NoticeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    notices.world.ask(ALICE, "", DAYS, ("challenge", BOB.pubkey))
    handle_all(notices)
    handle_all(notices)

    ((to, text),) = notices.messenger.taken
    assert (to, text.partition(".")[0]) == (BOB.pubkey, "You are challenged")
    assert [line["status"] for line in lines(caplog.records)] == ["notice-sent", "notice-unwanted"]


def test_what_no_process_lived_to_send_is_sent_by_a_later_invocation(
    notices: NoticeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    notices.world.ask(ALICE, "", DAYS, ("challenge", BOB.pubkey))
    notices.messenger.deaf, notices.messenger.dies = True, 1
    with pytest.raises(Crash):
        handle_all(notices)
    notices.messenger.deaf = False
    notices.world.clock.ms += 60_000
    handle_all(notices)  # as Lambda asks again
    assert [line["status"] for line in lines(caplog.records)] == ["notice-waits"]
    ((_, seconds),) = notices.world.timers.near
    notices.world.clock.ms += 1000 * seconds
    app.handler(json.loads(notice_body(NoticeAsked(BOB.pubkey))), None)

    assert len(notices.messenger.taken) == 1


def test_what_is_no_notice_is_dropped(
    notices: NoticeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    for asked in ({}, {"notice": MARK}, {"notice": {"player": BOB.pubkey}}, {"message": MARK}):
        app.handler(asked, None)

    assert notices.messenger.taken == []
    assert {line["status"] for line in lines(caplog.records)} == {"unreadable"}
    assert MARK not in caplog.text


def test_what_waits_longer_than_a_queue_delays_is_set_as_a_schedule(notices: NoticeWorld) -> None:
    for _ in range(20):
        notices.world.clock.ms += EVERY_MS
        notices.queue.bodies.clear()
        notices.world.ask(EVE, "", DAYS, ("challenge", BOB.pubkey))
        handle_all(notices)
        notices.world.clock.ms += 1000
        notices.world.ask(EVE, "cancel")

    now_ms = notices.world.clock.ms
    assert any(timer.at_ms - now_ms > DAY_MS // 2 for timer in notices.world.timers.far)
