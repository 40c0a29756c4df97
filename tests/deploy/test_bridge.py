"""The bridge of a deployed arbiter: it runs with the key that the stack believes, or not at all."""

import pytest

from deploy.bridge import environment
from deploy.stack import Refused, Stack

KEY = "ab" * 32
OUTPUTS = {
    "MovesQueueUrl": "moves",
    "SeeksQueueUrl": "seeks",
    "ScuttlebuttQueueUrl": "said",
    "ScuttlebuttDeadLettersUrl": "unsaid",
}


def stack(bridge: str) -> Stack:
    return Stack(
        {"ScuttlebuttBridgePubkey": bridge, "ServerPubkey": "cd" * 32, "LogLevel": "INFO"}, OUTPUTS
    )


def test_it_reads_where_the_queues_are() -> None:
    assert environment(stack(KEY), KEY) == {
        "MOVES_QUEUE_URL": "moves",
        "SEEKS_QUEUE_URL": "seeks",
        "SCUTTLEBUTT_QUEUE_URL": "said",
        "SCUTTLEBUTT_DEAD_LETTERS_URL": "unsaid",
        "SERVER_PUBKEY": "cd" * 32,
        "LOG_LEVEL": "INFO",
    }


@pytest.mark.parametrize("believed", ["", "ef" * 32])
def test_an_arbiter_that_believes_another_key_or_none_is_not_written_to(believed: str) -> None:
    refused = environment(stack(believed), KEY)

    assert isinstance(refused, Refused)
    assert KEY in refused.text
