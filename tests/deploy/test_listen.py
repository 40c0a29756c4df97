"""A listener as a process is given what the template gives to the scheduled one."""

from deploy.listen import environment
from deploy.stack import Refused, Stack
from tests.template.source import properties, template

STACK = Stack(
    {
        "Relays": "wss://one.example,wss://two.example",
        "ServerPubkey": "11" * 32,
        "LogLevel": "INFO",
    },
    {"MovesQueueUrl": "https://moves", "SeeksQueueUrl": "https://seeks", "TableName": "arbiter"},
)


def test_a_process_listens_where_the_stack_says_and_passes_on_to_its_queues() -> None:
    given = environment(STACK)

    assert not isinstance(given, Refused)
    assert given["RELAYS"] == "wss://one.example,wss://two.example"
    assert given["SERVER_PUBKEY"] == "11" * 32
    assert given["MOVES_QUEUE_URL"] == "https://moves"
    assert given["SEEKS_QUEUE_URL"] == "https://seeks"
    assert given["TABLE_NAME"] == "arbiter"


def test_a_process_is_given_names_that_the_function_is_given_too() -> None:
    everybody = template()["Globals"]["Function"]["Environment"]["Variables"]
    function = properties("RelayListenerFunction")["Environment"]["Variables"]
    given = environment(STACK)

    assert not isinstance(given, Refused)
    assert set(given) < set(everybody) | set(function)


def test_there_is_nothing_to_listen_for_where_the_gateway_is_alone() -> None:
    assert isinstance(environment(Stack({"Relays": ""}, {})), Refused)
