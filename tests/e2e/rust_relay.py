"""A relay of a different make: rust-nostr's, which keeps notes in memory and ephemeral events
nowhere. `python rust_relay.py HOST PORT`.
"""

import asyncio
import sys

import nostr_sdk  # type: ignore[import-untyped]

# By default it takes one event a second from a connection, too few for a server of many games.
_LIMIT = nostr_sdk.RateLimit(max_reqs=500, notes_per_minute=60_000)


async def _main(host: str, port: str) -> None:
    builder = nostr_sdk.LocalRelayBuilder().addr(host).port(int(port)).rate_limit(_LIMIT)
    relay = builder.build()
    await relay.run()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
