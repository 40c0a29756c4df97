"""Makes the arbiter's key (`new`), stores it where the functions read it (`store`), since
CloudFormation makes no SecureStrings, and prints HouseKeys (`house`).

Invariant: the secret is read from the terminal or standard input, never from an argument, and
printed only when it is made. A key other than the one that the stack announces is refused.
"""

import getpass
import json
import secrets
import sys
from typing import Any

import boto3

from arbiter.nostr.house import LEVELS, HousePlayer, house_key
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from deploy.stack import Refused, Stack, arguments, run, run_for

PLAYERS_OF_A_LEVEL = 2


def parsed(text: str) -> SecretKey:
    """Reads an nsec or 64 hexadecimal digits. Raises Refused."""
    try:
        return SecretKey.from_text(text)
    except ValueError:
        wanted = "That is no secret key: an nsec or 64 hexadecimal digits were expected."
        raise Refused(wanted) from None


def store(key: SecretKey, stack: Stack, parameters: Any) -> str:  # noqa: ANN401 - boto3's
    """Store the key; the parameter's name. Raises Refused for another key than the stack's."""
    outputs, announced = stack.outputs, stack.parameters["ServerPubkey"]
    if key.pubkey != announced:
        raise Refused(
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
    return outputs["KeyParameterName"]


def announce(stack: Stack, functions: Any) -> None:  # noqa: ANN401 - as above
    """Have the arbiter publish its profile: it starts and signs. Raises Refused."""
    name = stack.outputs["ProcessEventsFunctionName"]
    answer = functions.invoke(FunctionName=name, Payload=json.dumps({"announce": True}).encode())
    if "FunctionError" in answer:
        told = json.loads(answer["Payload"].read())
        why = f"{told.get('errorType')}: {told.get('errorMessage')}"
        raise Refused(f"The key is stored, but {name} fails: {why}. See its log.")


def house_keys(key: SecretKey, players: int = PLAYERS_OF_A_LEVEL) -> str:
    numbers = range(1, players + 1)
    return ",".join(
        str(HousePlayer(house_key(key, level, number).pubkey, level))
        for level in LEVELS
        for number in numbers
    )


def _new() -> int:
    key = SecretKey.generate(secrets.token_bytes(32))
    print(f"ServerPubkey  {key.pubkey}")
    print(f"npub          {encode_npub(key.pubkey)}")
    print(f"secret        {key.to_nsec()}")
    print("The secret is shown this once. Keep it safe, and `store` it after the deployment.")
    return 0


def _house() -> int:
    print(f"HouseKeys   {house_keys(_asked_for())}")
    print("HousePlays  true")
    return 0


def _store(stack: Stack) -> int:
    key = _asked_for()
    stored = store(key, stack, boto3.client("ssm"))
    announce(stack, boto3.client("lambda"))
    print(f"Stored in {stored}; the arbiter signs as {encode_npub(key.pubkey)}.")
    print("It has announced itself to its relays.")
    return 0


def _asked_for() -> SecretKey:
    asked = "The arbiter's secret key (not shown): "
    return parsed(getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline())


def main() -> int:
    """Make or store a key, or print those of the house. Return 1 if that failed."""
    parser = arguments("server_key", __doc__)
    parser.add_argument("verb", choices=("new", "store", "house"))
    options = parser.parse_args()
    if options.verb == "store":
        # The stack first, so that operators do not look their secret up in vain.
        return run_for(options.stack_name, _store)
    return run(_new if options.verb == "new" else _house)


if __name__ == "__main__":
    sys.exit(main())
