"""Makes the arbiter's key and stores it where the deployed functions read it.

CloudFormation cannot create SecureStrings, and a template's parameters are readable to everybody
who may describe the stack, so an operator stores the key once.

Invariant: the secret is read from the terminal or standard input, never from an argument, which
every process on the machine can list, and printed only when it is made. A key other than the one
that the stack announces is refused, since the arbiter would refuse to sign with it.

    python -m deploy.server_key new        makes a key, shows both halves once
    python -m deploy.server_key store      asks for the secret and stores it for the stack
    python -m deploy.server_key house      asks for the secret and prints HouseKeys
"""

import argparse
import getpass
import json
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.house import LEVELS, HousePlayer, house_key
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from deploy.stack import Refused, Stack, describe_stack, refused_by_aws

PLAYERS_OF_A_LEVEL = 2


class Parameters(Protocol):
    """The part of boto3's SSM client that is used."""

    def put_parameter(  # noqa: D102 - as above
        self,
        *,
        Name: str,  # noqa: N803
        Description: str,  # noqa: N803
        Type: Literal["SecureString"],  # noqa: N803
        KeyId: str,  # noqa: N803
        Value: str,  # noqa: N803
        Overwrite: bool,  # noqa: N803
    ) -> object: ...


class Functions(Protocol):
    """The part of boto3's Lambda client that is used."""

    def invoke(  # noqa: D102 - as above
        self,
        *,
        FunctionName: str,  # noqa: N803
        Payload: bytes,  # noqa: N803
    ) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Stored:
    """The parameter that holds the key, and the npub of the key."""

    parameter: str
    npub: str


def parsed(text: str) -> SecretKey | Refused:
    """Reads an nsec or 64 hexadecimal digits."""
    try:
        return SecretKey.from_text(text)
    except ValueError:
        return Refused("That is no secret key: an nsec or 64 hexadecimal digits were expected.")


def store(key: SecretKey, stack: Stack, parameters: Parameters) -> Stored | Refused:
    """Stores the key under the stack's encryption key, if the stack announces its public key.

    Raises botocore's errors.
    """
    outputs, announced = stack.outputs, stack.parameters["ServerPubkey"]
    if key.pubkey != announced:
        return Refused(
            f"That is the key of {key.pubkey}, and the stack announces {announced}: "
            "store the other key, or deploy with this ServerPubkey."
        )
    parameters.put_parameter(
        Name=outputs["KeyParameterName"],
        Description="The secret key this arbiter signs with",
        Type="SecureString",
        KeyId=outputs["KeyEncryptionKeyArn"],
        Value=key.to_hex(),
        Overwrite=True,
    )
    return Stored(outputs["KeyParameterName"], encode_npub(key.pubkey))


def announce(stack: Stack, functions: Functions) -> Refused | None:
    """Has the arbiter publish its profile now rather than a day later, which also shows that it
    starts, can read the key and signs. Returns why it failed, or None.

    Raises botocore's errors.
    """
    name = stack.outputs["ProcessEventsFunctionName"]
    answer = functions.invoke(FunctionName=name, Payload=json.dumps({"announce": True}).encode())
    if "FunctionError" not in answer:
        return None
    told = json.loads(answer["Payload"].read())
    return Refused(
        f"The key is stored, but {name} fails: {told.get('errorType')}: {told.get('errorMessage')}"
    )


def _new() -> int:
    key = SecretKey.generate(secrets.token_bytes(32))
    print(f"ServerPubkey  {key.pubkey}")
    print(f"npub          {encode_npub(key.pubkey)}")
    print(f"secret        {key.to_nsec()}")
    print(
        "The secret is shown this once. Keep it safe; after the deployment: deploy.server_key store"
    )
    return 0


def house_keys(key: SecretKey, players: int = PLAYERS_OF_A_LEVEL) -> str:
    """The parameter HouseKeys, for a stack that itself plays as its house."""
    numbers = range(1, players + 1)
    return ",".join(
        str(HousePlayer(house_key(key, level, number).pubkey, level))
        for level in LEVELS
        for number in numbers
    )


def _house() -> int:
    key = parsed(_asked_for())
    if isinstance(key, Refused):
        print(key.text, file=sys.stderr)
        return 1
    print(f"HouseKeys   {house_keys(key)}")
    print("HousePlays  true")
    return 0


def _asked_for() -> str:
    asked = "The arbiter's secret key (not shown): "
    return getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline()


def _store(stack_name: str) -> int:
    # The stack first, so that operators do not look their secret up in vain.
    stack = describe_stack(stack_name)
    outcome = stack if isinstance(stack, Refused) else _store_for(stack)
    if isinstance(outcome, Refused):
        print(outcome.text, file=sys.stderr)
        return 1
    print(f"Stored in {outcome.parameter}; the arbiter signs as {outcome.npub}.")
    print("It has announced itself to its relays.")
    return 0


def _store_for(stack: Stack) -> Stored | Refused:
    key = parsed(_asked_for())
    if isinstance(key, Refused):
        return key
    try:
        stored = store(key, stack, boto3.client("ssm"))
        if isinstance(stored, Refused):
            return stored
        return announce(stack, boto3.client("lambda")) or stored
    except (BotoCoreError, ClientError) as error:
        return refused_by_aws(error)


def main() -> int:
    """Makes or stores a key, or prints those of the house. Returns 1 if that failed."""
    parser = argparse.ArgumentParser(prog="python -m deploy.server_key")
    parser.add_argument("verb", choices=("new", "store", "house"))
    parser.add_argument("--stack-name", default="arbiter")
    options = parser.parse_args()
    match options.verb:
        case "new":
            return _new()
        case "house":
            return _house()
        case _:
            return _store(options.stack_name)


if __name__ == "__main__":
    sys.exit(main())
