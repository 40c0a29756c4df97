"""The emulated tables answer nothing that a kill would lose."""

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from local import table_journal
from local.table_journal import Answer, Journal

Item = dict[str, Any]


def an_item(pk: str, version: int) -> Item:
    return {"pk": {"S": pk}, "v": {"N": str(version)}}


class Tables:
    """MiniStack's tables as far as the journal touches them: one table, put, get, update of the
    version, delete. What was saved is what ``saved`` holds.
    """

    def __init__(self, folder: Path, saved: dict[str, Item] | None = None) -> None:
        self.items = dict(saved or {})
        self.scopes: list[tuple[str, str]] = []
        self.module = SimpleNamespace(
            handle_request=self._handle,
            load_persisted_state=self.items.update,
            _get_item=self._get,
            _put_item=self._put,
            _delete_item=self._delete,
        )
        self.path = folder / "journal"
        self.journal = Journal(
            self.module,
            SimpleNamespace(
                get_account_id=lambda: "000000000000",
                get_region=lambda: "us-east-1",
                request_scope=self._scope,
                error_response_json=lambda code, message, status: (status, {}, code),
            ),
            self.path,
        )
        self.journal.install()

    def ask(self, action: str, **asked: Any) -> Answer:
        headers = {"x-amz-target": f"DynamoDB_20120810.{action}"}
        body = json.dumps(asked).encode()
        answer: Answer = asyncio.run(self.module.handle_request("POST", "/", headers, body, {}))
        return answer

    def put(self, pk: str, version: int) -> int:
        return self.ask("PutItem", TableName="t", Item=an_item(pk, version))[0]

    @contextlib.contextmanager
    def _scope(self, account_id: str, region: str) -> Iterator[None]:
        self.scopes.append((account_id, region))
        yield

    async def _handle(self, _m: str, _p: str, headers: Any, body: bytes, _q: Any) -> Answer:
        asked = json.loads(body)
        does = {"Put": self._put, "Delete": self._delete, "Update": self._update, "Get": self._get}
        match headers["x-amz-target"].partition(".")[2]:
            case "TransactWriteItems":
                steps = asked["TransactItems"]
            case "BatchWriteItem":
                steps = asked["RequestItems"]["t"]
            case action if action.removesuffix("Item") in does:
                steps = [{action: asked}]
            case _:
                return 400, {}, "refused"
        answer: Answer = (200, {}, "{}")
        for kind, one in (pair for step in steps for pair in step.items()):
            answer = does.get(kind.removesuffix("Request").removesuffix("Item"), self._get)(one)
        return answer

    def _get(self, asked: Any) -> Answer:
        return 200, {}, json.dumps({"Item": self.items[asked["Key"]["pk"]["S"]]})

    def _put(self, asked: Any) -> Answer:
        self.items[asked["Item"]["pk"]["S"]] = asked["Item"]
        return 200, {}, "{}"

    def _delete(self, asked: Any) -> Answer:
        self.items.pop(asked["Key"]["pk"]["S"], None)
        return 200, {}, "{}"

    def _update(self, asked: Any) -> Answer:
        pk = asked["Key"]["pk"]["S"]
        self.items[pk] = an_item(pk, int(asked["ExpressionAttributeValues"][":v"]["N"]))
        return 200, {}, "{}"


def an_update(pk: str, version: int) -> dict[str, Any]:
    return {
        "TableName": "t",
        "Key": {"pk": {"S": pk}},
        "ExpressionAttributeValues": {":v": {"N": str(version)}},
    }


def killed_and_started(tables: Tables, saved: dict[str, Item]) -> Tables:
    """Tables restarted with what was saved and the log of the killed ones."""
    again = Tables(tables.path.parent)
    again.module.load_persisted_state(saved)
    return again


def test_every_kind_of_write_survives_a_kill(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    for pk in "abcdefg":
        tables.put(pk, 1)
    tables.ask("UpdateItem", **an_update("a", 2))
    tables.ask("DeleteItem", TableName="t", Key={"pk": {"S": "b"}})
    gone = {"TableName": "t", "Key": {"pk": {"S": "d"}}}
    tables.ask(
        "TransactWriteItems",
        TransactItems=[
            {"Put": {"TableName": "t", "Item": an_item("c", 2)}},
            {"Delete": gone},
            {"Update": an_update("e", 2)},
            {"ConditionCheck": {"TableName": "t", "Key": {"pk": {"S": "a"}}}},
        ],
    )
    tables.ask(
        "BatchWriteItem",
        RequestItems={
            "t": [
                {"PutRequest": {"Item": an_item("f", 2)}},
                {"DeleteRequest": {"Key": {"pk": {"S": "g"}}}},
            ]
        },
    )
    left = {pk: an_item(pk, 2) for pk in "acef"}
    assert tables.items == left

    again = killed_and_started(tables, {})

    assert again.items == left
    assert set(again.scopes) == {("000000000000", "us-east-1")}


def test_the_log_may_be_replayed_over_younger_tables(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    for version in (1, 2, 3):
        tables.put("a", version)
    for saved in ({}, {"a": an_item("a", 1)}, {"a": an_item("a", 3)}):
        assert killed_and_started(tables, saved).items == {"a": an_item("a", 3)}


def test_a_save_cuts_the_log(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    tables.put("a", 1)
    tables.journal.cut()
    tables.put("b", 1)
    assert [*killed_and_started(tables, {}).items] == ["b"]


def test_reads_and_refused_writes_are_not_logged(tmp_path: Path) -> None:
    tables = Tables(tmp_path, {"a": an_item("a", 1)})
    assert tables.ask("GetItem", TableName="t", Key={"pk": {"S": "a"}})[0] == 200
    assert tables.ask("NoSuchThing")[0] == 400
    assert not tables.path.exists()


def test_nothing_is_answered_while_a_write_cannot_be_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = Tables(tmp_path)
    assert tables.put("a", 1) == 200

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        patch.setattr(table_journal, "_PATIENCE_SECONDS", 0.0)
        assert tables.put("a", 2) == 500
        # It is in memory, and not answered.
        assert tables.ask("GetItem", TableName="t", Key={"pk": {"S": "a"}})[0] == 500
        assert tables.put("a", 3) == 500
    assert killed_and_started(tables, {}).items == {"a": an_item("a", 1)}

    _, _, shown = tables.ask("GetItem", TableName="t", Key={"pk": {"S": "a"}})
    assert json.loads(shown)["Item"] == an_item("a", 2)
    assert killed_and_started(tables, {}).items == {"a": an_item("a", 2)}


def test_a_line_that_was_cut_off_is_as_if_it_had_not_been_begun(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    tables.put("a", 1)
    tables.put("a", 2)
    tables.path.write_bytes(tables.path.read_bytes()[:-9])
    assert killed_and_started(tables, {}).items == {"a": an_item("a", 1)}
