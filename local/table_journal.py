"""Logs each write to MiniStack's tables before it is answered.

MiniStack keeps its tables in memory; what it answers between two savings would be lost if it were
killed. So every write is logged to a file before its answer, and at the next start the file is
replayed over the saved tables.

Invariant: what is not logged is not answered. A write that could not be logged is refused, although
it is in memory, and until it is logged nothing else is answered, so that no client reads what could
be lost. The item is logged as it is afterwards, so it may be replayed over any younger table.
"""

import asyncio
import contextlib
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

Answer = tuple[int, dict[str, str], Any]
Handle = Callable[[str, str, Mapping[str, str], bytes, Any], Awaitable[Answer]]

_OK = 200
# A function waits three seconds for an answer, and has eight for all it does: it asks three times.
_PATIENCE_SECONDS = 2.4
_PAUSE_SECONDS = 0.1
_logger = logging.getLogger("journal")


class Journal:
    """Wraps MiniStack's tables. Its parts are handed in, for they cannot be imported where
    this is checked.
    """

    def __init__(self, dynamodb: Any, responses: Any, path: Path) -> None:  # noqa: ANN401
        """The modules services.dynamodb and core.responses, and the file to note in."""
        self._dynamodb = dynamodb
        self._responses = responses
        self._path = path
        self._handle: Handle = dynamodb.handle_request
        self._restore: Callable[[Any], None] = dynamodb.load_persisted_state
        self._unwritten: list[bytes] = []

    def install(self) -> None:
        """Be asked instead of the tables from here on."""
        self._dynamodb.handle_request = self.handle_request
        self._dynamodb.load_persisted_state = self.load_persisted_state

    async def handle_request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        query_params: Any,  # noqa: ANN401
    ) -> Answer:
        """As MiniStack's own, but nothing is answered that is not noted."""
        if not await self._kept():
            return self._refusal()
        answer = await self._handle(method, path, headers, body, query_params)
        if answer[0] == _OK:
            action = headers.get("x-amz-target", "").rpartition(".")[2]
            self._unwritten += [self._line(*change) for change in self._changes(action, body)]
            if not await self._kept():
                return self._refusal()
        return answer

    def load_persisted_state(self, state: Any) -> None:  # noqa: ANN401
        """Restore what was saved, and then what was noted since."""
        self._restore(state)
        for note in self._notes():
            with self._responses.request_scope(note["account"], note["region"]):
                if "item" in note:
                    self._dynamodb._put_item({"TableName": note["table"], "Item": note["item"]})  # noqa: SLF001
                else:
                    self._dynamodb._delete_item({"TableName": note["table"], "Key": note["key"]})  # noqa: SLF001

    def cut(self) -> None:
        """The tables in memory are saved now. Call it before they change again."""
        self._unwritten.clear()
        with contextlib.suppress(FileNotFoundError):
            os.truncate(self._path, 0)

    def _changes(self, action: str, body: bytes) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Table, ``item`` or ``key``, and that, of all that this request may have changed."""
        match action:
            case "PutItem" | "UpdateItem" | "DeleteItem":
                yield from self._change(action.removesuffix("Item"), json.loads(body))
            case "TransactWriteItems":
                for step in json.loads(body)["TransactItems"]:
                    for kind, asked in step.items():
                        yield from self._change(kind, asked)
            case "BatchWriteItem":
                for table, steps in json.loads(body)["RequestItems"].items():
                    for step in steps:
                        for kind, asked in step.items():
                            named = {"TableName": table, **asked}
                            yield from self._change(kind.removesuffix("Request"), named)
            case _:
                pass  # a question

    def _change(
        self, kind: str, asked: dict[str, Any]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        table = asked["TableName"]
        match kind:
            case "Put":
                yield table, "item", asked["Item"]
            case "Delete":
                yield table, "key", asked["Key"]
            case "Update":
                _, _, found = self._dynamodb._get_item(  # noqa: SLF001
                    {"TableName": table, "Key": asked["Key"], "ConsistentRead": True}
                )
                yield table, "item", json.loads(found)["Item"]
            case _:
                pass  # a condition on an item that stays as it is

    def _line(self, table: str, what: str, value: dict[str, Any]) -> bytes:
        note = {
            "account": self._responses.get_account_id(),
            "region": self._responses.get_region(),
            "table": table,
            what: value,
        }
        return json.dumps(note).encode() + b"\n"

    async def _kept(self) -> bool:
        """Wait a while for everything to be in the file; whether it is."""
        gives_up_at = time.monotonic() + _PATIENCE_SECONDS
        while not self._written():
            if time.monotonic() > gives_up_at:
                _logger.error("nothing is answered, for nothing can be noted")
                return False
            await asyncio.sleep(_PAUSE_SECONDS)
        return True

    def _written(self) -> bool:
        """Whether everything is in the file by now."""
        if not self._unwritten:
            return True
        text = b"".join(self._unwritten)
        try:
            with self._path.open("ab", buffering=0) as file:
                before = file.tell()
                try:
                    if file.write(text) < len(text):
                        raise OSError("the disk is full")  # noqa: TRY301 - as if MiniStack had answered so
                except OSError:
                    file.truncate(before)
                    raise
        except OSError:
            return False
        self._unwritten.clear()
        return True

    def _refusal(self) -> Answer:
        refusal: Answer = self._responses.error_response_json(
            "InternalServerError", "what was written could not be kept", 500
        )
        return refusal

    def _notes(self) -> Iterator[dict[str, Any]]:
        """What was noted, up to a line that was cut off in the middle."""
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                note = json.loads(line)
            except ValueError:
                return
            yield note
