"""How many games a second begin, of players who all ask for the same: from the records of the queue
of seeks to the last publication.

Two workers, as the function's mapping has at most, call the function's handler with batches of so
many records. This process is the table, which takes as long as AWS's, the other queues, the key and
a relay.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.pairing --batches 1 10
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import uvloop
from botocore.exceptions import ClientError

from arbiter.adapters.signed_http import _base64, _octets
from arbiter.application.intake.queue_messages import queue_entry
from arbiter.application.intake.routing import route
from arbiter.nostr.event import EventTemplate
from arbiter.nostr.keys import SecretKey
from bench.figures import Figure, Target, certain, table
from bench.listened_cloud import Cloud, Relay
from tests.simulation.sim_table import SimDynamoDb
from tests.template.source import properties

_WORKERS = 2
_TRANSACTION_SECONDS = 0.02
_SECRET = bytes([7]) * 32
_SERVER = SecretKey.generate(_SECRET)


class SystemTime:
    """The real clock."""

    def now_ms(self) -> int:
        """Unix milliseconds."""
        return time.time_ns() // 1_000_000


class PairingCloud(Cloud):
    """The table of the template, and what else the function calls."""

    def __init__(self, latency_seconds: float) -> None:
        super().__init__({}, latency_seconds)
        self.table = SimDynamoDb(SystemTime())
        for name in ("Table", "ShortLivedTable"):
            written = properties(name)
            asked = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
            self.table.create_table(
                TableName=name, **{key: written[key] for key in asked if key in written}
            )

    def answer(self, target: str, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to one call."""
        service, _, operation = target.rpartition(".")
        self.calls[operation] += 1
        if operation == "GetParameter":
            return {"Parameter": {"Value": _SECRET.hex()}}
        if not service.startswith("DynamoDB"):
            entries = asked.get("Entries", ())
            return {"Successful": [{"Id": entry["Id"]} for entry in entries], "Failed": []}
        for wanted in asked.get("RequestItems", {}).values():
            self.calls["keys"] += len(wanted["Keys"])
        call = json.loads(json.dumps(asked), object_hook=_octets)
        name = "".join("_" + c.lower() if c.isupper() else c for c in operation)[1:]
        call.pop("ClientRequestToken", None)
        try:
            answer = getattr(self.table, name)(**call)
        except ClientError as error:
            self.calls["conflicts"] += 1
            reasons = error.response.get("CancellationReasons", [])
            code = error.response["Error"]["Code"]
            answer = {"__type": f"x#{code}", "CancellationReasons": reasons}
        return json.loads(json.dumps(answer, default=_base64))  # type: ignore[no-any-return]

    def seconds_of(self, operation: str) -> float:
        """How long this call takes."""
        return _TRANSACTION_SECONDS if operation == "TransactWriteItems" else self.latency_seconds


def requests(count: int, chance: random.Random) -> list[dict[str, Any]]:
    """So many requests to play of as many players, as the function is given them."""
    records = []
    for number in range(count):
        key = SecretKey.generate(chance.randbytes(32))
        tags = (("p", _SERVER.pubkey), ("time", "300+0"))
        event = key.sign(EventTemplate(20300, tags, "", int(time.time())))
        at = route(event)
        if at is None:
            raise AssertionError("a request has a route")
        entry = queue_entry(event, at.queue, at.group_id, time.time_ns() // 1_000_000)
        records.append(
            {
                "messageId": f"m{number}",
                "body": entry.body,
                "attributes": {"MessageGroupId": entry.group_id},
            }
        )
    return records


def _work(
    environment: dict[str, str], records: Sequence[Any], batch: int, ended: Callable[[Any], None]
) -> None:
    """One worker: batches of these, and what failed again."""
    os.environ.update(environment)
    from functions.process_events.app import handler  # noqa: PLC0415 - reads the environment

    left = [*records]
    began = time.process_time()
    while left:
        taken, left = left[:batch], left[batch:]
        answer = handler({"Records": taken}, None)
        failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        left = [one for one in taken if one["messageId"] in failed] + left
    ended(time.process_time() - began)


def environment_of(url: str, relay: str) -> dict[str, str]:
    """The workers', with the cloud at this address."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_DEFAULT_REGION": "us-east-1",
        "TABLE_NAME": "Table",
        "SHORT_LIVED_TABLE": "ShortLivedTable",
        "REPUBLISH_QUEUE_URL": f"{url}/1/republish",
        "CLOCK_QUEUE_URL": f"{url}/1/clock",
        "KEY_PARAMETER": "/arbiter/key",
        "SERVER_PUBKEY": _SERVER.pubkey,
        "RELAYS": relay,
        "LOG_LEVEL": "ERROR",
    }


async def _run(options: argparse.Namespace, batch: int) -> None:
    cloud, relay = PairingCloud(options.latency / 1000), Relay()
    records = requests(options.requests, random.Random(options.seed))  # noqa: S311 - no secrets
    groups = sorted({one["attributes"]["MessageGroupId"] for one in records})
    async with cloud.serving(), relay.serving():
        url = f"http://127.0.0.1:{cloud.port}"
        environment = environment_of(url, f"ws://127.0.0.1:{relay.port}")
        context = multiprocessing.get_context("spawn")
        told: Any = context.SimpleQueue()
        workers = []
        for number in range(_WORKERS):
            own = [
                record
                for record in records
                if groups.index(record["attributes"]["MessageGroupId"]) % _WORKERS == number
            ]
            workers.append(
                context.Process(target=_work, args=(environment, own, batch, told.put), daemon=True)
            )
        for worker in workers:
            worker.start()
        while not cloud.calls["BatchGetItem"] + cloud.calls["GetItem"]:  # noqa: ASYNC110 - the workers are processes
            await asyncio.sleep(0.01)
        began, cloud_began = time.monotonic(), time.process_time()
        while any(worker.is_alive() for worker in workers):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
        took, cloud_cpu = time.monotonic() - began, time.process_time() - cloud_began
        cpu = sum(told.get() for _ in workers)
    games = sum(item["pk"]["S"].startswith("g#") for item in cloud.table.items("Table"))
    calls: Counter[str] = cloud.calls
    seen = {
        "a second": (games / took, Target(100, at_least=True)),
        "CPU of the workers, a game": (cpu / games * 1000, Target(8)),
        "of this process": (cloud_cpu / games * 1000, None),
        "reads a game": ((calls["GetItem"] + calls["BatchGetItem"]) / games, Target(2)),
        "items read": ((calls["GetItem"] + calls["keys"]) / games, None),
        "transactions a game": (calls["TransactWriteItems"] / games, None),
        "refused": (calls["conflicts"] / games, None),
    }
    print(f"{games} games, of batches of {batch}")
    print(
        table(
            [
                Figure(name=f"  {name}", measured=certain(value), unit="", target=target)
                for name, (value, target) in seen.items()
            ]
        ),
        flush=True,
    )


def main() -> None:
    """Measure, and print the figures of each size of batch."""
    parser = argparse.ArgumentParser(prog="python -m bench.pairing")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--latency", type=float, default=5.0, help="of a read, in milliseconds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for batch in options.batches:
        uvloop.run(_run(options, batch))


if __name__ == "__main__":
    main()
