"""The relay's storage, over a fake of nostr-relay's."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

from local.relay_storage import EphemeralFirst

_MOVE: dict[str, Any] = {
    "id": "aa" * 32,
    "pubkey": "bb" * 32,
    "created_at": 5,
    "kind": 20303,
    "tags": [["d", "game"], ["e"], ["alt", "a move"]],
    "content": "e2e4",
    "sig": "cc" * 64,
}


class _Stored:
    """A stand-in for nostr-relay's storage; ``written`` are the events that reached its
    database.
    """

    def __init__(self) -> None:
        self.written: list[Any] = []
        self.refusal: Exception | None = None
        self.event_insert_query, self.tag_insert_query = "event", "tag"
        self.add_slot = asyncio.Semaphore(1)
        self.db = SimpleNamespace(begin=self._begin)
        self.queue: asyncio.Queue[Any] = asyncio.Queue()
        of_moves = SimpleNamespace(
            sub_id="s", filters=(), queue=self.queue, check_event=lambda event, _: event.kind > 1
        )
        self.clients = {"client": {"s": of_moves}}

    async def add_event(self, event_json: object, auth_token: object) -> tuple[object, str]:
        assert auth_token is None
        return event_json, "its own way"

    async def validate_event(self, _event: object, _config: object) -> None:
        if self.refusal:
            raise self.refusal

    async def run_query(self, _query: object, if_long: object) -> AsyncIterator[Any]:
        assert if_long is None
        for kind, row in self.written:
            if kind == "event":
                yield SimpleNamespace(id=row["id"].hex(), content=row["content"])

    @contextlib.asynccontextmanager
    async def _begin(self) -> AsyncIterator[Any]:
        async def execute(kind: str, rows: list[Any]) -> None:
            self.written += [(kind, row) for row in rows]

        yield SimpleNamespace(execute=execute)


async def _found(faster: EphemeralFirst) -> list[str]:
    return [event.content async for event in faster.run_query("all")]


def _faster() -> tuple[_Stored, EphemeralFirst]:
    stored = _Stored()
    return stored, EphemeralFirst(stored, SimpleNamespace)


async def test_a_move_is_sent_before_it_is_written_and_a_query_finds_it() -> None:
    stored, faster = _faster()
    _, is_new = await faster.add_event(_MOVE)
    assert is_new
    sub_id, event = stored.queue.get_nowait()
    assert (sub_id, event.content) == ("s", "e2e4")
    assert stored.written == []
    assert await _found(faster) == ["e2e4"]
    tags = sorted((row["name"], row["value"]) for kind, row in stored.written if kind == "tag")
    assert tags == [("d", "game"), ("e", "")]


async def test_what_is_accepted_during_a_query_is_sent_once() -> None:
    stored, faster = _faster()
    await faster.add_event(_MOVE)
    query = faster.run_query("all")
    first = await anext(query)
    await faster.add_event({**_MOVE, "id": "dd" * 32, "content": "e7e5"})
    await faster._write()
    assert [first.content, *[event.content async for event in query]] == ["e2e4"]
    assert stored.queue.qsize() == 2
    assert sorted(await _found(faster)) == ["e2e4", "e7e5"]


async def test_a_second_copy_is_neither_sent_nor_written() -> None:
    stored, faster = _faster()
    await faster.add_event(_MOVE)
    _, is_new = await faster.add_event(_MOVE)
    assert not is_new
    assert stored.queue.qsize() == 1
    assert await _found(faster) == ["e2e4"]


async def test_a_refused_event_is_not_sent_and_is_no_first_copy() -> None:
    stored, faster = _faster()
    stored.refusal = ValueError("invalid: Bad signature")
    with contextlib.suppress(ValueError):
        await faster.add_event(_MOVE)
    assert stored.queue.empty()
    stored.refusal = None
    assert (await faster.add_event(_MOVE))[1] is True


async def test_what_is_not_ephemeral_or_not_an_event_is_for_nostr_relay_to_judge() -> None:
    _, faster = _faster()
    for odd in (
        {**_MOVE, "kind": 1},
        {**_MOVE, "tags": [["d", 5]]},
        {**_MOVE, "tags": [[]]},
        {**_MOVE, "more": ""},
        {"kind": 20303},
        "text",
    ):
        assert await faster.add_event(odd) == (odd, "its own way")
