"""DynamoDB in memory, in virtual time: the calls that our adapters make of botocore's client.

A call, a parameter or an expression that our code does not use is ``Unsupported``. The rest is as
AWS documents it; tests/contract holds it to DynamoDB Local, and our calls to AWS's bounds.

A strongly consistent read sees every write that was answered; any other may be as late as
``lag_ms`` says, and an index as late as ``index_lag_ms``, each read for itself. Faults come through
the hook (see aws_errors.py); a ClientError at ``dynamodb.batch_write_item.entry`` or
``dynamodb.batch_get_item.entry`` leaves that entry unprocessed.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from arbiter.application.ports import Clock
from tests.fakes.aws_errors import Unsupported, answered, aws_error
from tests.fakes.dynamodb_expressions import Item, Words, copied, holds, keys_of, order_of, updated
from tests.fakes.faults import Hook, quiet

MAX_LAG_MS: Final = 60_000
_PARAMETERS: Final = {
    "ConditionExpression",
    "ConsistentRead",
    "ExclusiveStartKey",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "IndexName",
    "Item",
    "Key",
    "KeyConditionExpression",
    "Limit",
    "RequestItems",
    "ReturnValues",
    "ReturnValuesOnConditionCheckFailure",
    "ScanIndexForward",
    "TableName",
    "TransactItems",
    "UpdateExpression",
}
"""All that our adapters say in a call."""

Answer = dict[str, Any]
Call = Mapping[str, Any]
Place = tuple[str, ...]
"""The values of an item's own key, which are texts in both our tables."""

Wrote = Sequence[tuple[Place, Item | None, Item | None]]
"""The keys that one call wrote to, with what was there and what is there now."""


class Index(NamedTuple):
    """A table's own order, or that of a secondary index: its key, the partition's attribute first,
    and whether it holds whole items or keys alone.
    """

    key: tuple[str, ...]
    keys_only: bool = False

    def holds(self, item: Item) -> bool:
        return all(name in item for name in self.key)


class Table:
    """The items by their keys, and what each was in the last minute, for reads that are late."""

    def __init__(self, call: Call) -> None:
        self.name: str = call["TableName"]
        self.own = Index(_names(call["KeySchema"]))
        self.indexes = {
            one["IndexName"]: Index(
                _names(one["KeySchema"]), one["Projection"]["ProjectionType"] == "KEYS_ONLY"
            )
            for one in call.get("GlobalSecondaryIndexes", [])
        }
        self._versions: dict[Place, list[tuple[int, Item | None]]] = {}
        self._partitions: dict[tuple[Index, Any], dict[Place, None]] = {}

    def place_of(self, item: Mapping[str, Any]) -> Place:
        return tuple(item[name]["S"] for name in self.own.key)

    def now(self, place: Place) -> Item | None:
        versions = self._versions.get(place)
        return versions[-1][1] if versions else None

    def at(self, place: Place, at_ms: int) -> Item | None:
        versions = self._versions.get(place, [])
        after = bisect_right(versions, at_ms, key=lambda version: version[0])
        return versions[after - 1][1] if after else None

    def put(self, place: Place, item: Item | None, now_ms: int) -> None:
        versions = self._versions.setdefault(place, [])
        versions.append((now_ms, item))
        while len(versions) > 1 and versions[1][0] <= now_ms - MAX_LAG_MS:
            del versions[0]
        for index in (self.own, *self.indexes.values()):
            if item and index.holds(item):
                self._partitions.setdefault(_partition(index, item), {})[place] = None

    def partition(self, index: Index, value: Item, at_ms: int) -> list[Item]:
        named = _partition(index, {index.key[0]: value})

        def belongs(item: Item | None) -> bool:
            return bool(item and index.holds(item) and _partition(index, item) == named)

        found = []
        places = self._partitions.get(named, {})
        for place in [*places]:
            item = self.at(place, at_ms)
            if item and belongs(item):
                found.append(item)
            elif not any(belongs(it) for _, it in self._versions[place]):
                del places[place]
        return sorted(found, key=self.order(index))

    def order(self, index: Index) -> Callable[[Mapping[str, Any]], Any]:
        names = (*index.key[1:], *self.own.key)
        return lambda item: [order_of(item[name]) for name in names]

    def standing(self) -> Iterator[tuple[Place, Item]]:
        for place, versions in self._versions.items():
            if (item := versions[-1][1]) is not None:
                yield place, item


class Write(NamedTuple):
    """The result of one write: nothing, if its condition does not hold."""

    table: Table
    place: Place
    before: Item | None
    after: Item | None
    holds: bool

    def standing_in(self, call: Call) -> dict[str, Item]:
        is_asked = call.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return {"Item": copied(self.before)} if is_asked and self.before else {}


class SimDynamoDb:
    """One region's tables, as one client sees them. ``wrote`` receives each write, or all of a
    transaction, when they are made.
    """

    def __init__(
        self,
        clock: Clock,
        hook: Hook = quiet,
        *,
        lag_ms: Callable[[], int] = lambda: 0,
        index_lag_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        self.wrote: Callable[[str, Wrote], None] = lambda _table, _writes: None
        self.hook = hook
        self._clock = clock
        self._lag_ms = lag_ms
        self._index_lag_ms = index_lag_ms
        self._tables: dict[str, Table] = {}

    def create_table(self, **call: Any) -> None:
        self._tables[call["TableName"]] = Table(call)

    def items(self, table: str) -> list[Item]:
        return [copied(item) for _, item in self._tables[table].standing()]

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        make = type(self).__dict__.get(f"_{name}")
        if make is None:
            raise AttributeError(name)

        def asked(**call: Any) -> Answer:
            if unknown := {*call} - _PARAMETERS:
                raise Unsupported(f"a call with {sorted(unknown)}")
            done: list[Answer] = []
            return answered("dynamodb", name, self.hook, lambda: make(self, call, done))

        return asked

    # Each call is given what its earlier attempts came to.

    def _get_item(self, call: Call, _: list[Answer]) -> Answer:
        item = self._read(self._tables[call["TableName"]], call["Key"], call)
        return {"Item": copied(item)} if item else {}

    def _batch_get_item(self, call: Call, _: list[Answer]) -> Answer:
        ((name, asked),) = call["RequestItems"].items()
        table = self._tables[name]
        found, left = [], []
        for key in asked["Keys"]:
            if self._is_left("batch_get_item"):
                left.append(key)
            elif item := self._read(table, key, asked):
                found.append(copied(item))
        found.sort(key=table.place_of)
        if wanted := asked.get("ProjectionExpression"):
            names = wanted.split(", ")
            found = [{name: item[name] for name in names if name in item} for item in found]
        return {
            "Responses": {name: found},
            "UnprocessedKeys": {name: {"Keys": left}} if left else {},
        }

    def _query(self, call: Call, _: list[Answer]) -> Answer:
        table, name = self._tables[call["TableName"]], call.get("IndexName")
        forward = call.get("ScanIndexForward", True)
        index = table.indexes[name] if name else table.own
        words, condition = Words(call), call["KeyConditionExpression"]
        value = keys_of(condition, words)[index.key[0]]
        words.all_used()
        order = table.order(index)
        lag = self._index_lag_ms if name else self._lag_ms
        lag_ms = 0 if call.get("ConsistentRead") else lag()
        found = table.partition(index, value, self._clock.now_ms() - lag_ms)
        found = [item for item in found if holds(condition, item, words)]
        key_names = dict.fromkeys((*table.own.key, *index.key))
        if start := call.get("ExclusiveStartKey"):
            found = [it for it in found if _follows(order(it), order(start), forward=forward)]
        found = [copied(item) for item in (found if forward else reversed(found))]
        if index.keys_only:
            found = [{name: item[name] for name in key_names} for item in found]
        limit = call.get("Limit", len(found) + 1)
        page = found[:limit]
        answer = {"Items": page, "Count": len(page), "ScannedCount": len(page)}
        if len(page) == limit:
            answer["LastEvaluatedKey"] = {name: page[-1][name] for name in key_names}
        return answer

    def _scan(self, call: Call, _: list[Answer]) -> Answer:
        items = self.items(call["TableName"])
        return {"Items": items, "Count": len(items), "ScannedCount": len(items)}

    def _put_item(self, call: Call, _: list[Answer]) -> Answer:
        return self._write("Put", call)

    def _delete_item(self, call: Call, _: list[Answer]) -> Answer:
        return self._write("Delete", call)

    def _update_item(self, call: Call, _: list[Answer]) -> Answer:
        return self._write("Update", call)

    def _batch_write_item(self, call: Call, _: list[Answer]) -> Answer:
        ((name, asked),) = call["RequestItems"].items()
        left = []
        for one in asked:
            if self._is_left("batch_write_item"):
                left.append(one)
            else:
                self._make([_batched(one, self._tables[name])])
        return {"UnprocessedItems": {name: left} if left else {}}

    def _transact_write_items(self, call: Call, done: list[Answer]) -> Answer:
        if done:
            return done[0]
        self._make(self._transaction(call["TransactItems"]))
        done.append({})
        return {}

    def _transaction(self, asked: Sequence[Call]) -> list[Write]:
        writes: list[Write] = []
        reasons: list[dict[str, Any]] = []
        for one in asked:
            ((kind, call),) = one.items()
            write = write_of(kind, call, self._tables[call["TableName"]])
            writes.append(write)
            failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
            reasons.append({"Code": "None"} if write.holds else failed | write.standing_in(call))
        if any(reason["Code"] != "None" for reason in reasons):
            codes = ", ".join(reason["Code"] for reason in reasons)
            name, operation = "TransactionCanceledException", "TransactWriteItems"
            raise aws_error(name, operation, f"cancelled: {codes}", CancellationReasons=reasons)
        return writes

    def _write(self, kind: str, call: Call) -> Answer:
        write = write_of(kind, call, self._tables[call["TableName"]])
        if not write.holds:
            more: Any = write.standing_in(call)
            raise aws_error("ConditionalCheckFailedException", f"{kind}Item", **more)
        self._make([write])
        match call.get("ReturnValues", "NONE"):
            case "ALL_OLD":
                found = write.before
            case "ALL_NEW" | "UPDATED_NEW":
                found = write.after
            case _:
                found = None
        return {"Attributes": copied(found)} if found else {}

    def _make(self, writes: Sequence[Write]) -> None:
        now_ms = self._clock.now_ms()
        told: dict[str, list[tuple[Place, Item | None, Item | None]]] = {}
        for one in writes:
            one.table.put(one.place, one.after, now_ms)
            told.setdefault(one.table.name, []).append((one.place, one.before, one.after))
        for name, of_table in told.items():
            self.wrote(name, of_table)

    def _read(self, table: Table, key: Item, call: Call) -> Item | None:
        lag_ms = 0 if call.get("ConsistentRead") else self._lag_ms()
        return table.at(table.place_of(key), self._clock.now_ms() - lag_ms)

    def _is_left(self, name: str) -> bool:
        try:
            self.hook(f"dynamodb.{name}.entry")
        except ClientError:
            return True
        return False


def write_of(kind: str, call: Call, table: Table) -> Write:
    """The result of a Put, an Update or a Delete now; nothing is written yet."""
    words = Words(call)
    item: Item = copied(call["Item" if kind == "Put" else "Key"])
    place = table.place_of(item)
    before = table.now(place)
    condition = call.get("ConditionExpression")
    is_right = condition is None or holds(condition, before, words)
    after: Item | None = None if kind == "Delete" else item
    if kind == "Update":
        after = updated(call["UpdateExpression"], before or item, words)
    words.all_used()
    return Write(table, place, before, after, is_right)


def _follows(one: Any, start: Any, *, forward: bool) -> bool:
    return bool(one > start if forward else one < start)


def _batched(one: Call, table: Table) -> Write:
    match one:
        case {"PutRequest": {"Item": item}}:
            return write_of("Put", {"Item": item}, table)
        case {"DeleteRequest": {"Key": key}}:
            return write_of("Delete", {"Key": key}, table)
        case _:
            raise Unsupported(f"a batch of {[*one]}")


def _names(schema: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    kinds = {part["KeyType"]: part["AttributeName"] for part in schema}
    return tuple(kinds[kind] for kind in ("HASH", "RANGE") if kind in kinds)


def _partition(index: Index, item: Mapping[str, Any]) -> tuple[Index, Any]:
    ((kind, content),) = item[index.key[0]].items()
    return index, (kind, content)
