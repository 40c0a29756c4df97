"""A listener for a deployed arbiter, as a process of its own: on a machine that runs anyway.

It listens where the stack says and passes on to the stack's queues. It needs credentials that may
describe the stack, send to these two queues, note in the table that relays are heard and read there
who plays a game, and no key. Where it runs for good, two of them do, as the schedule has it; what
both hear is heard once.

    python -m deploy.listen --stack-name arbiter
"""

import argparse
import os
import sys

from deploy.stack import Refused, Stack, found
from functions.relay_listener import app


def environment(stack: Stack) -> dict[str, str] | Refused:
    """What the listener reads, as the template would give it to the function."""
    if not stack.parameters["Relays"]:
        return Refused("This arbiter has no relays: it is played over its own gateway alone.")
    return {
        "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
        "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
        "TABLE_NAME": stack.outputs["TableName"],
        "RELAYS": stack.parameters["Relays"],
        "SERVER_PUBKEY": stack.parameters["ServerPubkey"],
        "LOG_LEVEL": stack.parameters["LogLevel"],
    }


def main() -> int:
    """Listens until SIGTERM or SIGINT; 1 when there is nothing to listen for."""
    parser = argparse.ArgumentParser(prog="python -m deploy.listen")
    parser.add_argument("--stack-name", default="arbiter")
    stack = found(parser.parse_args().stack_name)
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
