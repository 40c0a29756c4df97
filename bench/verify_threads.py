"""What it would bring to verify events in threads, which libsecp256k1 allows: processor time of the
process and of the event loop's thread, for twenty events at a time.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.verify_threads
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import uvloop

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    ParseError,
    event_from_json,
    event_to_json,
    verify,
)
from arbiter.nostr.keys import SecretKey

_EVENTS, _AT_ONCE, _ROUNDS = 3_000, 20, 9


def _events() -> Sequence[NostrEvent]:
    key = SecretKey.generate(bytes([1]) * 32)
    tags = (("d", "0" * 32), ("p", key.pubkey), ("e", key.pubkey))
    signed = (key.sign(EventTemplate(20303, tags, "e2e4", at)) for at in range(_EVENTS))
    parsed = [event_from_json(event_to_json(event)) for event in signed]
    return [event for event in parsed if not isinstance(event, ParseError)]


def _verify_all(events: Sequence[NostrEvent]) -> None:
    for event in events:
        verify(event)


async def _inline(events: Sequence[NostrEvent]) -> None:
    _verify_all(events)
    await asyncio.sleep(0)


async def _in_threads(pool: ThreadPoolExecutor, size: int, events: Sequence[NostrEvent]) -> None:
    loop = asyncio.get_running_loop()
    portions = [events[at : at + size] for at in range(0, len(events), size)]
    await asyncio.gather(*(loop.run_in_executor(pool, _verify_all, it) for it in portions))


async def _main() -> None:
    events = _events()
    two, one = ThreadPoolExecutor(2), ThreadPoolExecutor(1)
    ways: dict[str, Callable[[Sequence[NostrEvent]], Awaitable[None]]] = {
        "in the event loop": _inline,
        "2 threads, each event alone": partial(_in_threads, two, 1),
        "2 threads, ten events each": partial(_in_threads, two, 10),
        "1 thread, twenty events": partial(_in_threads, one, 20),
    }
    best = dict.fromkeys(ways, (float("inf"), float("inf")))
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            process, thread = time.process_time(), time.thread_time()
            for at in range(0, _EVENTS, _AT_ONCE):
                await way(events[at : at + _AT_ONCE])
            spent = time.process_time() - process, time.thread_time() - thread
            best[name] = min(best[name][0], spent[0]), min(best[name][1], spent[1])
    print(f"{'µs an event':<32}{'process':>9}{'its loop':>9}")
    for name, (process, thread) in best.items():
        print(f"{name:<32}{1e6 * process / _EVENTS:>9.0f}{1e6 * thread / _EVENTS:>9.0f}")
    two.shutdown()
    one.shutdown()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_main())
