"""A transcript that is handed in is checked where reading is done, and written in a transaction."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.application.ports import LobbyChange
from server.limits import MAX_BODY_BYTES
from server.settings import read_settings
from server.wiring import Parts, make_parts
from tests.builders import NOW_MS, SERVER
from tests.fakes.clock import FakeClock
from tests.proof.games import KeptWorld, play, values_of
from tests.proof.test_handed_in import without
from tests.proof.test_proof import MATE


async def asked(parts: Parts, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """Status and body."""
    said: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    scope = {
        "headers": [(b"host", b"x")],
        "query_string": b"",
        "raw_path": path.encode(),
        "path": path,
        "method": method,
        "client": ("192.0.2.1", 1),
    }
    async with asyncio.timeout(10):
        await parts.http.serve(scope, receive, send)
    return said[0]["status"], said[1]["body"]


@contextlib.asynccontextmanager
async def serving(store: Store) -> AsyncIterator[Parts]:
    parts = make_parts(read_settings({}, {}), SERVER, store, FakeClock(NOW_MS))
    transactions = asyncio.create_task(parts.transactions.serve())
    try:
        yield parts
    finally:
        transactions.cancel()
        await asyncio.gather(transactions, return_exceptions=True)


@pytest.mark.parametrize("has_part", [True, False])
async def test_what_is_right_is_kept_and_what_is_wrong_changes_nothing(
    tmp_path: Path, *, has_part: bool
) -> None:
    world = KeptWorld(tmp_path)
    whole = play(world, MATE, ("time", "180+2")).octets
    game = world.game(values_of(whole)[0]["game"])
    part = without(values_of(whole), 2, 3)
    path = f"/games/{game.id}/transcript"
    world.store.write(lambda cursor: cursor.execute("DELETE FROM transcripts"))
    assert StoredLobby(SqliteTable(world.store), FakeClock(NOW_MS)).commit(LobbyChange(game=game))
    async with serving(world.store) as parts:
        if has_part:
            assert await asked(parts, "PUT", path, part) == (204, b"")
        for wrong in (whole[:-9], b"", b"\xff" * (MAX_BODY_BYTES + 1)):
            status, why = await asked(parts, "PUT", path, wrong)
            assert (status, b"The file is wrong" in why) == (422, True), why
        assert (await asked(parts, "GET", path))[0] == (200 if has_part else 404)
        for _ in range(2):
            assert await asked(parts, "PUT", path, whole) == (204, b"")
            assert await asked(parts, "GET", path) == (200, whole)
        assert (await asked(parts, "PUT", path, bytes(1024 * 1024 + 1)))[0] == 413
        assert (await asked(parts, "PUT", "/live", whole))[0] == 405
    world.store.close()


async def test_one_that_was_checked_against_an_older_one_is_checked_again(tmp_path: Path) -> None:
    world = KeptWorld(tmp_path)
    whole = play(world, MATE, ("time", "180+2")).octets
    values = values_of(whole)
    game = world.game(values[0]["game"])
    path = f"/games/{game.id}/transcript"
    world.store.write(lambda cursor: cursor.execute("DELETE FROM transcripts"))
    assert StoredLobby(SqliteTable(world.store), FakeClock(NOW_MS)).commit(LobbyChange(game=game))
    halves = (without(values, *range(start, len(values), 2)) for start in (1, 2))
    async with serving(world.store) as parts:
        answers = await asyncio.gather(*(asked(parts, "PUT", path, half) for half in halves))
        assert answers == [(204, b""), (204, b"")]
        assert SqliteTranscripts(world.store, SERVER.pubkey).load(game) == whole
    world.store.close()
