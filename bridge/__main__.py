"""The bridge to Scuttlebutt as a process: `python -m bridge`, on the server that ARBITER_URL names;
`make run SSB=1` starts one, `python -m deploy.bridge` is one for a deployed arbiter.

Its folder holds its identity: a copy of the folder is the same feed.
"""

import os
import random
import signal
import sys

from arbiter import wiring
from arbiter.adapters.timers import SystemClock
from arbiter.application.ports import EventQueue
from arbiter.nostr.keys import SecretKey
from bridge.outgoing import OutboxRecords
from bridge.over_http import HttpEventQueue, HttpOutboxRecords, SignedRequests
from bridge.peer_process import PeerUnusable
from bridge.service import Bridge, BridgeDeps
from bridge.settings import (
    UnusableSetting,
    dead_letters,
    load_bridge_key,
    peer_settings,
    server_pubkey,
    server_url,
)
from server.key import KeyRefused

_UNUSABLE = 3
_MENDS = {
    "port-taken": "Free the port, or name another one in SSB_PORT.",
    "cannot-listen": "Name in SSB_HOST an address of this machine, and in SSB_PORT a port that this"
    " user may have.",
}


def main() -> int:
    """Runs until SIGTERM or SIGINT. Returns 3 if an operator must correct a setting first."""
    wiring.set_up_logs()
    try:
        settings = peer_settings(os.environ)
        server, url = server_pubkey(os.environ), server_url(os.environ)
        key = load_bridge_key(settings.directory).key
    except (UnusableSetting, KeyRefused) as refusal:
        return _complain(str(refusal))
    queue, records = _far_ends(url, key)
    bridge = Bridge(
        BridgeDeps(
            peer=settings,
            key=key,
            server=server,
            queue=queue,
            records=records,
            clock=SystemClock(),
            chance=random.random,
        )
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: bridge.stop())
    try:
        bridge.run()
    except PeerUnusable as refusal:
        mend = _MENDS.get(refusal.kind, "")
        return _complain(f"The Scuttlebutt peer cannot start: {refusal}. {mend}".rstrip())
    return 0


def _far_ends(url: str, key: SecretKey) -> tuple[EventQueue, OutboxRecords]:
    """The queue of envelopes and the source of messages: the server at this URL, or the cloud."""
    if not url:
        return wiring.event_queue(), wiring.outbox_records(dead_letters(os.environ))
    clock = SystemClock()
    # A connection for each of the bridge's two threads.
    envelopes, messages = SignedRequests(url, key, clock), SignedRequests(url, key, clock)
    return HttpEventQueue(envelopes), HttpOutboxRecords(messages)


def _complain(text: str) -> int:
    print(text, file=sys.stderr)
    return _UNUSABLE


if __name__ == "__main__":
    sys.exit(main())
