"""Runs the bridge to Scuttlebutt for a deployed arbiter.

Its credentials may describe the stack, send to moves, seeks and Scuttlebutt dead letters, and
receive from and delete in the Scuttlebutt queue. One bridge for a feed (SSB_DIR): two fork it for
ever.

    python -m deploy.bridge --key                    before `make deploy`, which asks for it
    python -m deploy.bridge --stack-name arbiter     with SSB_PEERS, SSB_CAPS, SSB_HOST, SSB_PORT
"""

import os
import sys

from bridge import __main__ as program
from bridge.settings import UnusableSetting, load_bridge_key, peer_settings
from deploy.stack import Refused, Stack, arguments, run_for
from server.key import KeyRefused


def environment(stack: Stack, pubkey: str) -> dict[str, str]:
    """The environment of the bridge with this key. Raises Refused if it is not the stack's."""
    known = stack.parameters.get("SsbBridgePubkey", "")
    if not known:
        raise Refused(
            "This arbiter has no bridge to Scuttlebutt: `make deploy` with "
            f"SsbBridgePubkey={pubkey}"
        )
    if known != pubkey:
        raise Refused(
            f"This arbiter accepts the bridge with the key {known}, and the key in this folder "
            f"is {pubkey}: use the other folder (SSB_DIR), or deploy with this key."
        )
    return {
        "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
        "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
        "SSB_QUEUE_URL": stack.outputs["SsbQueueUrl"],
        "SSB_DEAD_LETTERS_URL": stack.outputs["SsbDeadLettersUrl"],
        "SERVER_PUBKEY": stack.parameters["ServerPubkey"],
    }


def main() -> int:
    parser = arguments("bridge", __doc__)
    parser.add_argument("--key", action="store_true", help="print the public key and exit")
    options = parser.parse_args()
    try:
        settings = peer_settings(os.environ)
        key = load_bridge_key(settings.directory).key
    except (UnusableSetting, KeyRefused) as refused:
        print(refused, file=sys.stderr)
        return 1
    if options.key:
        print(key.pubkey)
        return 0

    def act(stack: Stack) -> int:
        given = environment(stack, key.pubkey)
        os.environ.update(given)
        print(f"Bridging, with the feed in {settings.directory}, until Ctrl-C.", flush=True)
        return program.main()

    return run_for(options.stack_name, act)


if __name__ == "__main__":
    sys.exit(main())
