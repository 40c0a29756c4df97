import json
from io import BytesIO
from typing import Any

from arbiter.nostr.keys import SecretKey
from deploy.server_key import Stored, announced, parsed, store
from deploy.stack import Refused, stack_of

KEY = SecretKey.from_hex("11" * 32)


STACK = stack_of(
    {
        "Parameters": [{"ParameterKey": "ServerPubkey", "ParameterValue": KEY.pubkey}],
        "Outputs": [
            {"OutputKey": "KeyParameterName", "OutputValue": "/chess/key"},
            {"OutputKey": "KeyEncryptionKeyArn", "OutputValue": "arn:its-key"},
            {"OutputKey": "ProcessEventsFunctionName", "OutputValue": "its-function"},
        ],
    }
)


class _Parameters:
    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def put_parameter(self, **request: Any) -> Any:
        self.requests.append(request)


def test_the_key_is_stored_secretly_under_the_stacks_own_encryption_key() -> None:
    parameters = _Parameters()

    stored = store(KEY, STACK, parameters)

    (request,) = parameters.requests
    assert isinstance(stored, Stored)
    assert stored.parameter == request["Name"] == "/chess/key"
    assert stored.npub.startswith("npub1")
    assert request["Type"] == "SecureString"
    assert request["KeyId"] == "arn:its-key"
    assert request["Value"] == "11" * 32


def test_a_key_the_stack_does_not_announce_is_not_stored() -> None:
    parameters = _Parameters()
    other = SecretKey.from_hex("22" * 32)

    refused = store(other, STACK, parameters)

    assert isinstance(refused, Refused)
    assert parameters.requests == []
    assert "22" * 32 not in refused.text


def test_a_key_is_read_in_either_spelling() -> None:
    hexadecimal, nsec = parsed("11" * 32 + "\n"), parsed(KEY.to_nsec())

    assert isinstance(hexadecimal, SecretKey)
    assert isinstance(nsec, SecretKey)
    assert hexadecimal.pubkey == nsec.pubkey == KEY.pubkey


def test_what_is_no_key_is_refused_without_being_repeated() -> None:
    refused = parsed("11" * 31 + "zz")

    assert isinstance(refused, Refused)
    assert "zz" not in refused.text


class _Functions:
    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.invocations: list[dict[str, Any]] = []

    def invoke(self, **request: Any) -> dict[str, Any]:
        self.invocations.append(request)
        return self.answer


def test_an_arbiter_that_has_its_key_says_at_once_who_it_is() -> None:
    functions = _Functions({"Payload": BytesIO(b"{}")})

    assert announced(STACK, functions) is None

    (request,) = functions.invocations
    assert request["FunctionName"] == "its-function"
    assert json.loads(request["Payload"]) == {"announce": True}


def test_an_arbiter_that_cannot_work_is_not_called_ready() -> None:
    why = b'{"errorType": "KeyUnavailable", "errorMessage": "no key in /chess/key"}'

    refused = announced(STACK, _Functions({"FunctionError": "x", "Payload": BytesIO(why)}))

    assert isinstance(refused, Refused)
    assert "its-function fails: KeyUnavailable: no key in /chess/key" in refused.text
