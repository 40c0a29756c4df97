"""A message for the bridge is on the disk no later than the record that it answers is forgotten."""

import asyncio
import itertools
from pathlib import Path

from arbiter.adapters.sqlite.queues import SqliteOutbox
from arbiter.adapters.sqlite.store import Store
from arbiter.dialects.outgoing import SsbMessage
from server.bridge_api import TransactionalOutbox
from server.job_groups import Job
from server.transaction_loop import TransactionLoop
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock


async def test_a_message_is_written_before_what_is_written_after_it_in_however_short_transactions(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path / "file") as store:
        seconds = itertools.count()
        # Of one job each.
        transactions = TransactionLoop(store, seconds=lambda: float(next(seconds)))
        stored = SqliteOutbox(store, FakeClock(NOW_MS))
        outbox, waiting = TransactionalOutbox(stored, transactions), list[int]()
        for _ in range(3):
            transactions.put(Job("another", lambda _: None, lambda _: None))
        outbox.send([SsbMessage("ab" * 32, "%a", {"type": "chess_chat"})])
        transactions.write_soon(lambda: waiting.append(stored.count()))

        serving = asyncio.create_task(transactions.serve())
        await transactions.wait_idle()
        serving.cancel()

    assert waiting == [1]


async def test_who_waits_is_told_when_a_message_is_on_the_disk_and_at_the_end(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path / "file") as store:
        transactions = TransactionLoop(store)
        outbox = TransactionalOutbox(SqliteOutbox(store, FakeClock(NOW_MS)), transactions)
        serving = asyncio.create_task(transactions.serve())
        async with asyncio.timeout(20):
            asking = asyncio.create_task(outbox.first(()))
            await asyncio.sleep(0)
            outbox.send([SsbMessage("ab" * 32, "%a", {"type": "chess_chat"})])
            assert '"ab' in await asking

            outbox.close()
            await outbox.done("ab" * 32)
            assert await outbox.first(()) == "[]"
        serving.cancel()
