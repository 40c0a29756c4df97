"""Runs a listener for a deployed arbiter, from the stack's relays to its queues; two may run.

Its credentials may describe the stack, send to the moves and seeks queues, update the table's item
of relay uptime, and read who plays a game. It has no key.
"""

import os
import sys

from deploy.stack import Refused, Stack, arguments, run_for
from functions.relay_listener import app


def environment(stack: Stack) -> dict[str, str]:
    """The environment that the template gives to the listener function. Raises Refused."""
    if not stack.parameters["Relays"]:
        raise Refused("This arbiter has no relays: it is played over its own gateway alone.")
    return {
        "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
        "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
        "TABLE_NAME": stack.outputs["TableName"],
        "RELAYS": stack.parameters["Relays"],
        "SERVER_PUBKEY": stack.parameters["ServerPubkey"],
    }


def main() -> int:

    def act(stack: Stack) -> int:
        given = environment(stack)
        os.environ.update(given)
        print(f"Listening on {given['RELAYS']}, until Ctrl-C.", flush=True)
        app.main()
        return 0

    return run_for(arguments("listen", __doc__).parse_args().stack_name, act)


if __name__ == "__main__":
    sys.exit(main())
