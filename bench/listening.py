"""How many moves one listener hears and queues: from a relay's socket to a message in the queue,
with signatures verified; and its memory while it does.

The listener is the real program in a process of its own. This process is the relays, the queues and
the table. Moves of many games are signed in advance and sent at each of these rates, 0 for as fast
as the listener reads.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.listening --rates 50 300 1000 0
    … -m bench.listening --rates 50 --seconds 3600 --junk 20 --sample 600     # its memory
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from arbiter.nostr.event import EventTemplate, event_to_json
from arbiter.nostr.keys import SecretKey
from bench.listened_cloud import SUBSCRIPTION, Cloud, Relay

_MOVE, _REQUEST = 20303, 20300
_SIGNED_AHEAD_SECONDS = 5
_START_SECONDS = 30.0
_DRAIN_SECONDS = 20.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Games:
    """Games with their players' keys; ``server`` (64 hex) is the arbiter's key."""

    server: str
    players: dict[str, tuple[SecretKey, SecretKey]]

    def pubkeys(self) -> dict[str, tuple[str, str]]:
        """The two players of each game."""
        return {id_: (one.pubkey, two.pubkey) for id_, (one, two) in self.players.items()}


def games(count: int, chance: random.Random) -> Games:
    """So many games, each of two players of its own."""
    keys = [SecretKey.generate(chance.randbytes(32)) for _ in range(2 * min(count, 2_000))]
    return Games(
        SecretKey.generate(chance.randbytes(32)).pubkey,
        {
            chance.randbytes(16).hex(): (keys[2 * at % len(keys)], keys[(2 * at + 1) % len(keys)])
            for at in range(count)
        },
    )


def moves(played: Games, count: int, chance: random.Random) -> Iterator[tuple[str, str]]:
    """So many moves of all games in turn, as id and frame. The content has its place."""
    ids = list(played.players)
    for number in range(count):
        game_id = ids[number % len(ids)]
        key = played.players[game_id][number // len(ids) % 2]
        tags = (("p", played.server), ("d", game_id), ("e", chance.randbytes(32).hex()))
        event = key.sign(EventTemplate(_MOVE, tags, f"move {number}", int(time.time())))
        yield event.id, _frame(event_to_json(event))


def junk(played: Games, chance: random.Random) -> Iterator[str]:
    """What strangers send, without end: half of it is signed by new keys."""
    ids = list(played.players)
    old = int(time.time()) - 86_400
    while True:
        key = SecretKey.generate(chance.randbytes(32))
        addressed, now = ("p", played.server), int(time.time())
        named = ("d", chance.choice(ids))
        unknown = ("d", chance.randbytes(16).hex())
        text = chance.randbytes(24).hex()
        for kind, tags, content, at in (
            (_MOVE, (addressed, named), text, now),
            (_MOVE, (addressed, unknown), text, now),
            (_MOVE, (addressed, named), "state", now),
            (_REQUEST, (addressed, ("t", text)), "", now),
            (_MOVE, (addressed, unknown, *((text, text),) * 50), text * 400, now),
            (_MOVE, (addressed, named), text, old),
        ):
            yield _frame(event_to_json(key.sign(EventTemplate(kind, tags, content, at))))
        yield _frame({"id": text, "tags": [[[[]]]]})
        yield json.dumps(["EVENT", SUBSCRIPTION, text * 5_000])
        yield "[" * 10_000
        yield text * 100
        yield json.dumps(["NOTICE", text])
        yield "\0" * 140_000


def _frame(event: dict[str, object]) -> str:
    return json.dumps(["EVENT", SUBSCRIPTION, event], separators=(",", ":"))


@dataclass
class Sent:
    """When (monotonic seconds) each move was sent, by id."""

    at: dict[str, float]


async def send_moves(
    relay: Relay, frames: Iterator[tuple[str, str]], rate: float, sent: Sent
) -> None:
    """Send these moves, so many a second; with 0 as fast as they are read."""
    began = time.monotonic()
    for number, (event_id, frame) in enumerate(frames):
        ahead = began + number / rate - time.monotonic() if rate else 0.0
        # Also when it is late: queues and table answer in between.
        await asyncio.sleep(max(ahead, 0.0))
        # A move is due when it is due, also while the relay waits for the listener.
        sent.at[event_id] = began + number / rate if rate else time.monotonic()
        while not await relay.send(frame):
            await relay.has_subscriber.wait()


async def send_junk(relay: Relay, frames: Iterator[str], rate: float) -> None:
    """Send so much of it a second, until cancelled."""
    while True:
        await relay.has_subscriber.wait()
        await relay.send(next(frames))
        await asyncio.sleep(1 / rate)


@contextlib.contextmanager
def listener(relays: Sequence[Relay], cloud: Cloud, server: str) -> Iterator[int]:
    """The program, for the block; its process id."""
    url = f"http://127.0.0.1:{cloud.port}"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ["PYTHONPATH"],
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_DEFAULT_REGION": "us-east-1",
        "MOVES_QUEUE_URL": f"{url}/1/moves.fifo",
        "SEEKS_QUEUE_URL": f"{url}/1/seeks.fifo",
        "TABLE_NAME": "games",
        "RELAYS": ",".join(f"ws://127.0.0.1:{relay.port}" for relay in relays),
        "SERVER_PUBKEY": server,
        "LOG_LEVEL": "WARNING",
    }
    command = (sys.executable, "-m", "functions.relay_listener.app")
    with subprocess.Popen(command, env=environment) as process:
        try:
            yield process.pid
        finally:
            process.terminate()


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident_mb(pid: int, name: str = "VmRSS") -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


async def _samples(pid: int, every: float, cloud: Cloud, sent: Sent) -> None:
    began = time.monotonic()
    most = 0.0
    print("minutes | resident MB | most so far | moves sent | queued", flush=True)
    for number in range(10**9):
        most = max(most, _resident_mb(pid))
        if number * 10 % every < 10:  # noqa: PLR2004 - sampled each ten seconds
            queued = sum(event_id in cloud.came for event_id in sent.at)
            minutes = (time.monotonic() - began) / 60
            print(
                f"{minutes:.0f} | {_resident_mb(pid):.1f} | {most:.1f} | {len(sent.at)} | {queued}",
                flush=True,
            )
        await asyncio.sleep(10)


async def _run(options: argparse.Namespace, rate: float) -> None:
    chance = random.Random(options.seed)  # noqa: S311 - no secrets
    played = games(options.games, chance)
    cloud = Cloud(played.pubkeys(), options.latency / 1000)
    good, bad = Relay(), Relay()
    count = int((rate or options.at_most) * options.seconds)
    async with cloud.serving(), good.serving(), bad.serving():
        relays = (good, bad) if options.junk else (good,)
        signed: Any = moves(played, count, chance)
        if options.seconds <= _SIGNED_AHEAD_SECONDS * 12:
            signed = iter(list(signed))
        with listener(relays, cloud, played.server) as pid:
            async with asyncio.timeout(_START_SECONDS):
                await good.has_subscriber.wait()
            cpu, began, sent = _cpu_seconds(pid), time.monotonic(), Sent({})
            beside = []
            if options.junk:
                for relay, frames in (
                    (bad, junk(played, chance)),
                    (good, _valid(junk(played, chance))),
                ):
                    beside.append(asyncio.create_task(send_junk(relay, frames, options.junk)))
            if options.sample:
                beside.append(asyncio.create_task(_samples(pid, options.sample, cloud, sent)))
            await send_moves(good, signed, rate, sent)
            await _drained(cloud, sent)
            for task in beside:
                task.cancel()
            _print(rate, sent, cloud, _cpu_seconds(pid) - cpu, began, pid)


def _valid(frames: Iterator[str]) -> Iterator[str]:
    """Those that are events: an honest relay sends no others."""
    return (frame for frame in frames if frame.startswith('["EVENT"') and '"sig"' in frame)


async def _drained(cloud: Cloud, sent: Sent) -> None:
    ends_at = time.monotonic() + _DRAIN_SECONDS
    # The queue notes what came, and knows nothing of what was sent.
    while time.monotonic() < ends_at and not sent.at.keys() <= cloud.came.keys():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def _print(rate: float, sent: Sent, cloud: Cloud, cpu: float, began: float, pid: int) -> None:
    arrived = [cloud.came[event_id] for event_id in sent.at if event_id in cloud.came]
    delays = sorted(cloud.came[it] - at for it, at in sent.at.items() if it in cloud.came)
    heard = len(arrived)
    print(
        f"{rate or 'all':>5} | {heard / (max(arrived) - began):.0f} "
        f"| {statistics.median(delays) * 1000:.0f} | {delays[int(0.99 * len(delays))] * 1000:.0f} "
        f"| {cpu / heard * 1000:.2f} | {heard / cloud.calls['SendMessageBatch']:.1f} "
        f"| {cloud.calls['BatchGetItem']} | {len(sent.at) - heard} | {cloud.calls['twice']} "
        f"| {cloud.calls['out of order']} | {_resident_mb(pid, 'VmHWM'):.0f}",
        flush=True,
    )


def main() -> None:
    """Measure, and print a line for each rate."""
    parser = argparse.ArgumentParser(prog="python -m bench.listening")
    parser.add_argument("--rates", type=float, nargs="+", default=[50, 300, 1000, 0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--at-most", type=float, default=1_500, help="signed a second for rate 0")
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--latency", type=float, default=10.0, help="of each call, in milliseconds")
    parser.add_argument("--junk", type=float, default=0.0, help="frames a second of each relay")
    parser.add_argument("--sample", type=float, default=0.0, help="seconds between lines on memory")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        "moves a second: sent | queued | median ms | p99 ms | CPU ms a move | moves a call "
        "| look-ups | not queued | twice | out of order | most MB",
        flush=True,
    )
    for rate in options.rates:
        uvloop.run(_run(options, rate))


if __name__ == "__main__":
    main()
