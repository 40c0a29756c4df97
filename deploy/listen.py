"""Runs a listener for a deployed arbiter: from the stack's relays to the stack's queues.

Its credentials may describe the stack, send to the moves and seeks queues and update the table's
item of relay uptime, and read who plays a game. It has no key. Two may run, as the schedule has it;
duplicates are removed by SQS deduplication or by the game's event ids.

    python -m deploy.listen --stack-name arbiter
"""

import argparse
import os
import sys

from deploy.stack import Refused, Stack, describe_stack
from functions.relay_listener import app


def environment(stack: Stack) -> dict[str, str] | Refused:
    """The environment that the template gives to the listener function."""
    if not stack.parameters["Relays"]:
        return Refused("This arbiter has no relays: it is played over its own gateway alone.")
    return {
        "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
        "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
        "TABLE_NAME": stack.outputs["TableName"],
        "RELAYS": stack.parameters["Relays"],
        "SERVER_PUBKEY": stack.parameters["ServerPubkey"],
    }


def main() -> int:
    """Listens until SIGTERM or SIGINT. Returns 1 if there are no relays."""
    parser = argparse.ArgumentParser(prog="python -m deploy.listen")
    parser.add_argument("--stack-name", default="arbiter")
    stack = describe_stack(parser.parse_args().stack_name)
    given = stack if isinstance(stack, Refused) else environment(stack)
    if isinstance(given, Refused):
        print(given.text, file=sys.stderr)
        return 1
    os.environ.update(given)
    print(f"Listening on {given['RELAYS']}, until Ctrl-C.", flush=True)
    app.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
