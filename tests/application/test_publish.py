"""Relays and gateway are told side by side, and the one never hides the other's trouble."""

import logging
from collections.abc import Sequence
from threading import Barrier

import pytest

from arbiter.application.gateway.fanout import RelaysAndGateway
from arbiter.application.publish import publish_batches
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import FakePublisher
from tests.builders import ALICE, SERVER, an_event

STATE = an_event(SERVER, 20302, tags=(("d", "a"),))
DEAF, WELL = True, False


@pytest.mark.parametrize(
    ("relays", "gateway", "taken"),
    [
        (WELL, WELL, True),
        (WELL, DEAF, True),
        (DEAF, WELL, False),
        (DEAF, DEAF, False),
        (None, WELL, True),
        (None, DEAF, False),
    ],
)
def test_an_event_is_taken_by_a_relay_where_there_are_relays(
    *, relays: bool | None, gateway: bool, taken: bool
) -> None:
    both = RelaysAndGateway(
        None if relays is None else FakePublisher(deaf=relays), FakePublisher(deaf=gateway)
    )
    assert both.publish([STATE], 1.0).taken(STATE.id) is taken


def test_both_are_told_at_the_same_time() -> None:
    meeting = Barrier(2)

    class Meeting(FakePublisher):
        def publish(
            self, events: Sequence[VerifiedEvent], deadline_seconds: float
        ) -> FakePublisher:
            meeting.wait(10)
            return super().publish(events, deadline_seconds)

    assert RelaysAndGateway(Meeting(), Meeting()).publish([STATE], 1.0).taken(STATE.id)


def test_a_gateway_that_fails_alone_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        RelaysAndGateway(FakePublisher(), FakePublisher(deaf=True)).publish([STATE], 1.0)
    assert [record.getMessage() for record in caplog.records] == [
        "1 events reached relays and not all of our sockets"
    ]


def test_nothing_is_logged_when_all_is_well(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        RelaysAndGateway(FakePublisher(), FakePublisher()).publish([STATE], 1.0)
    assert not caplog.records


def test_a_fault_of_ours_is_raised_after_the_gateway_was_told() -> None:
    class Broken(FakePublisher):
        def publish(
            self, events: Sequence[VerifiedEvent], deadline_seconds: float
        ) -> FakePublisher:
            raise ZeroDivisionError

    gateway = FakePublisher()

    with pytest.raises(ZeroDivisionError):
        RelaysAndGateway(Broken(), gateway).publish([STATE], 1.0)
    assert gateway.taken(STATE.id)


def test_a_response_goes_ahead_of_the_state_it_announces() -> None:
    told = [an_event(SERVER, 20301, name) for name in ("white", "black")]
    state, other = an_event(SERVER, 20302, "state"), an_event(SERVER, 20302, "of another game")
    assert publish_batches([(*told, state), (other,)]) == ((*told, other), (state,))


def test_what_is_said_twice_goes_once() -> None:
    state = an_event(ALICE, 20302, "state")
    assert publish_batches([(state,), (state,)]) == ((state,),)


def test_nothing_said_is_no_wave() -> None:
    assert publish_batches([(), ()]) == ()
