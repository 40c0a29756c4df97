"""A listener and a bridge as processes get the stack's queues, relays and keys, or are refused."""

import pytest

from deploy import bridge, listen
from deploy.stack import Refused, Stack
from tests.template.source import properties, template

KEY = "ab" * 32
OUTPUTS = {
    "MovesQueueUrl": "moves",
    "SeeksQueueUrl": "seeks",
    "SsbQueueUrl": "said",
    "SsbDeadLettersUrl": "unsaid",
    "TableName": "arbiter",
}


def stack(bridge_key: str = KEY, relays: str = "wss://one.example") -> Stack:
    parameters = {"Relays": relays, "ServerPubkey": "cd" * 32, "SsbBridgePubkey": bridge_key}
    return Stack(parameters, OUTPUTS)


def test_a_listener_gets_variables_that_the_function_gets_too() -> None:
    everywhere = template()["Globals"]["Function"]["Environment"]["Variables"]
    function = properties("RelayListenerFunction")["Environment"]["Variables"]

    given = listen.environment(stack())

    assert set(given) < set(everywhere) | set(function)
    names = ("RELAYS", "SERVER_PUBKEY", "MOVES_QUEUE_URL", "SEEKS_QUEUE_URL", "TABLE_NAME")
    assert [given[name] for name in names] == [
        *("wss://one.example", "cd" * 32, "moves", "seeks", "arbiter")
    ]
    with pytest.raises(Refused, match="no relays"):
        listen.environment(stack(relays=""))


def test_a_bridge_gets_its_queues() -> None:
    assert bridge.environment(stack(), KEY) == {
        "MOVES_QUEUE_URL": "moves",
        "SEEKS_QUEUE_URL": "seeks",
        "SSB_QUEUE_URL": "said",
        "SSB_DEAD_LETTERS_URL": "unsaid",
        "SERVER_PUBKEY": "cd" * 32,
    }


@pytest.mark.parametrize("believed", ["", "ef" * 32])
def test_a_bridge_whose_key_the_stack_does_not_know_is_refused(believed: str) -> None:
    with pytest.raises(Refused, match=KEY):
        bridge.environment(stack(believed), KEY)
