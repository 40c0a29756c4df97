"""Requests to pair invoke the pairing function; all else is queued."""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.invocations import QueuesAndPairing
from arbiter.application.records import GamesAsked, PairingAsked, QueueEntry
from arbiter.application.tournaments.messages import entry, read_message
from events.samples import tournament
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
