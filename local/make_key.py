"""`make key`: the secret key of a deployment, in a file of its own, and what to call its owner."""

import sys
from pathlib import Path

from arbiter.nostr.nip19 import encode_npub
from local.server_key import KeyRefused, load_server_key

_FOLDER = Path(".deploy")


def main() -> int:
    """Make the key unless there is one, and say its public half. Exit code 2 when it is refused."""
    _FOLDER.mkdir(mode=0o700, exist_ok=True)
    loaded = load_server_key(_FOLDER)
    if isinstance(loaded, KeyRefused):
        print(loaded.text, file=sys.stderr)
        return 2
    print(f"{'Made' if loaded.is_new else 'Found'} {_FOLDER}/server.key (keep it, show it nobody)")
    print(f"  ServerPubkey  {loaded.key.pubkey}")
    print(f"  npub          {encode_npub(loaded.key.pubkey)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
