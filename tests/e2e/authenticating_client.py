"""A client on nostr-sdk that proves its key by itself whenever a relay asks (NIP-42).

A program of its own: the library calls back from threads, and takes one event loop for the whole
process.

Usage: python tests/e2e/authenticating_client.py RELAY SERVER_HEX prove|be-silent
It publishes a protected event (NIP-70) and prints what came of it: `taken`, or the reason.
"""

import asyncio
import datetime as dt
import os
import sys

import nostr_sdk  # type: ignore[import-untyped]

_REQUEST_TO_PLAY = 20300
_TIMEOUT = dt.timedelta(seconds=10)


async def publish(relay: str, server: str, *, proves: bool) -> str:
    """Publish one protected event; ``taken``, or why not."""
    nostr_sdk.uniffi_set_event_loop(asyncio.get_running_loop())
    keys = nostr_sdk.Keys.generate()
    builder = nostr_sdk.ClientBuilder()
    if proves:
        builder = builder.authenticator(nostr_sdk.SignerAuthenticator(keys))
    client = builder.build()
    await client.add_relay(nostr_sdk.RelayUrl.parse(relay))
    await client.try_connect(_TIMEOUT)
    tags = [nostr_sdk.Tag.parse(tag) for tag in (["p", server], ["-"])]
    draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(_REQUEST_TO_PLAY), "cancel").tags(tags)
    sent = await client.send_event(draft.finalize(keys), ok_timeout=_TIMEOUT)
    await client.shutdown()
    return "taken" if sent.success else str(*sent.failed.values())


if __name__ == "__main__":
    print(asyncio.run(publish(sys.argv[1], sys.argv[2], proves=sys.argv[3] == "prove")), flush=True)  # noqa: T201
    # The library's own threads may still call back, into an interpreter that is being taken down.
    os._exit(0)
