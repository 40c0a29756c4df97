"""Requests to pair invoke the pairing function; all else is queued."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.invocations import InvokedNotices, QueuesAndPairing
from arbiter.application.intake.queue_messages import parse_notice
from arbiter.application.records import (
    GamesAsked,
    MessageReceived,
    NoticeAsked,
    PairingAsked,
    QueueEntry,
)
from arbiter.application.tournaments.messages import entry, read_message
from arbiter.core.notices import Occasion
from arbiter.nostr.limits import GIFT_WRAP
from events.samples import tournament
from tests.builders import ALICE, an_event
from tests.fakes.faults import crash_at
from tests.fakes.queue import FakeEventQueue

ASKED = PairingAsked(tournament().id, 1, 7)
GAMES = entry(GamesAsked(tournament().id, 1, 0))


class Functions:
    """Lambda's client, which notes what is invoked, or refuses."""

    def __init__(self, error: str = "") -> None:
        self.error, self.invoked = error, list[dict[str, Any]]()

    def invoke(self, **given: Any) -> None:
        if self.error:
            raise ClientError({"Error": {"Code": self.error}}, "Invoke")
        self.invoked.append(given)


def sent(functions: Functions, queue: FakeEventQueue, *batch: QueueEntry) -> tuple[QueueEntry, ...]:
    return tuple(QueuesAndPairing(queue, lambda: functions, "pairing").send(batch))


def test_a_round_is_asked_for_without_waiting_for_its_pairings() -> None:
    functions, queue = Functions(), FakeEventQueue()

    assert sent(functions, queue, entry(ASKED), GAMES) == ()

    (given,) = functions.invoked
    assert (given["FunctionName"], given["InvocationType"]) == ("pairing", "Event")
    assert entry(ASKED).body == given["Payload"].decode()
    assert [one.body for one in queue.waiting] == [GAMES.body]


@pytest.mark.parametrize("is_queue_there", [True, False])
def test_what_was_not_taken_comes_back_in_its_order(*, is_queue_there: bool) -> None:
    queue = FakeEventQueue()
    if not is_queue_there:
        queue.hook = crash_at(f"queue.entry {GAMES.dedup_id}")

    failed = sent(Functions("TooManyRequestsException"), queue, GAMES, entry(ASKED), GAMES)

    assert failed == ((entry(ASKED),) if is_queue_there else (GAMES, entry(ASKED), GAMES))


def test_what_the_function_is_given_it_can_read() -> None:
    functions = Functions()
    sent(functions, FakeEventQueue(), entry(ASKED))
    assert read_message(json.loads(functions.invoked[0]["Payload"])) == ASKED


def test_each_notice_is_an_invocation_that_reads_what_it_is_given() -> None:
    functions = Functions()
    notices = (
        NoticeAsked(ALICE.pubkey, Occasion("turn", "a" * 32, 3, 5)),
        NoticeAsked(ALICE.pubkey),
        MessageReceived(an_event(ALICE, GIFT_WRAP, "é" * 100)),
    )
    InvokedNotices(lambda: functions, "notices").send(notices)

    given = [(one["FunctionName"], one["InvocationType"]) for one in functions.invoked]
    assert given == [("notices", "Event")] * 3
    read = [parse_notice(one["Payload"].decode()) for one in functions.invoked]
    assert read[:2] == [*notices[:2]]
    assert isinstance(read[2], MessageReceived)
    assert read[2].event.id == notices[2].event.id


def test_where_no_function_can_be_asked_that_is_raised() -> None:
    with pytest.raises(ClientError):
        InvokedNotices(lambda: Functions("TooManyRequestsException"), "notices").send(
            (NoticeAsked(ALICE.pubkey),)
        )
