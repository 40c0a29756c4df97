import json
from io import BytesIO
from typing import Any

import pytest

from arbiter.nostr.house import MAX_PLAYERS, key_of, read_house
from arbiter.nostr.keys import SecretKey
from deploy.server_key import announce, house_keys, parsed, store
from deploy.stack import Refused, stack_of
from tests.template.source import template

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


class Calls:
    """A client that records its calls and returns one answer."""

    def __init__(self, answer: Any = None) -> None:
        self.requests: list[dict[str, Any]] = []
        self._answer = answer

    def put_parameter(self, **request: Any) -> Any:
        self.requests.append(request)

    def invoke(self, **request: Any) -> Any:
        self.requests.append(request)
        return self._answer


def test_the_key_is_stored_encrypted_by_the_stacks_own_key() -> None:
    parameters = Calls()

    stored = store(KEY, STACK, parameters)

    (request,) = parameters.requests
    assert stored == request["Name"] == "/chess/key"
    assert (request["Type"], request["KeyId"]) == ("SecureString", "arn:its-key")
    assert request["Value"] == "11" * 32


def test_a_key_that_the_stack_does_not_announce_is_not_stored() -> None:
    parameters = Calls()

    with pytest.raises(Refused) as refused:
        store(SecretKey.from_hex("22" * 32), STACK, parameters)

    assert parameters.requests == []
    assert "22" * 32 not in str(refused.value)


def test_a_key_is_an_nsec_or_hexadecimal_and_anything_else_is_refused_and_not_shown() -> None:
    for text in ("11" * 32 + "\n", KEY.to_nsec()):
        key = parsed(text)
        assert key.pubkey == KEY.pubkey
    with pytest.raises(Refused) as refused:
        parsed("11" * 31 + "zz")
    assert "zz" not in str(refused.value)


def test_an_arbiter_with_its_key_announces_itself_and_one_that_fails_is_reported() -> None:
    why = b'{"errorType": "KeyUnavailable", "errorMessage": "no key in /chess/key"}'
    functions = Calls({"Payload": BytesIO(b"{}")})

    announce(STACK, functions)
    with pytest.raises(Refused, match="its-function fails: KeyUnavailable: no key in /chess/key"):
        announce(STACK, Calls({"FunctionError": "x", "Payload": BytesIO(why)}))

    (request,) = functions.requests
    assert request["FunctionName"] == "its-function"
    assert json.loads(request["Payload"]) == {"announce": True}


def test_the_printed_house_fits_the_template_and_has_keys_that_the_function_finds() -> None:
    text = house_keys(KEY)
    players = read_house(text)

    assert [player.level for player in players] == [level for level in range(1, 9) for _ in "12"]
    assert len(text) <= template()["Parameters"]["HouseKeys"]["MaxLength"]
    assert len(players) <= MAX_PLAYERS
    for player in players:
        key = key_of(KEY, player)
        assert key is not None
        assert key.pubkey == player.pubkey
