"""DynamoDB in memory: the calls that our adapters make of botocore's client, in virtual time.

The law: **what it does not know, it refuses to do.** A call, a parameter or an expression that our
code does not use is ``Unsupported``. What it knows it does as AWS documents it, and the contract
suite holds it to DynamoDB Local in that.

Time stands in the clock it is given. A strongly consistent read sees every write that was answered;
any other may be as late as ``lag_ms`` says, and an index as late as ``index_lag_ms``, each read for
itself: two of them may go back in time, as DynamoDB's may.

Faults come through the hook (see aws_errors.py). ``dynamodb.batch_write_item.entry`` and
``dynamodb.batch_get_item.entry`` are asked for each entry of a batch: a ClientError raised there
leaves that entry unprocessed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from botocore.exceptions import ClientError

from arbiter.application.ports import Clock
from tests.fakes.faults import Hook, quiet
from tests.simulation.aws_errors import ATTEMPTS, Unsupported, aws_error, tried
from tests.simulation.capacity import read_units, write_units
from tests.simulation.items import Invalid, Item, copied, size_of
from tests.simulation.table_history import LONGEST_LAG_MS, History, Index, Place, index_of, key_of
from tests.simulation.table_queries import Page, page_of
from tests.simulation.table_transactions import Tokens, writes_of
from tests.simulation.table_writes import Write, standing_in, write_of
from tests.simulation.table_writes import key_of as checked_key

MOST_IN_BATCH_WRITE: Final = 25
MOST_IN_BATCH_GET: Final = 100
_TTL_MOST_SECONDS_AGO: Final = 5 * 365 * 86_400
_OLD_OR_NONE: Final = {"NONE", "ALL_OLD"}

Answer = dict[str, Any]
Wrote = Sequence[tuple[Place, Item | None, Item | None]]
"""The keys that one call wrote to, with what stood there and what stands there now."""


def _wrote(table: str, writes: Wrote) -> None:
    """Nobody wants to know."""


def no_lag() -> int:
    """Every read sees every write."""
    return 0


class SimDynamoDb:
    """One region's tables, as one client sees them."""

    def __init__(
        self,
        clock: Clock,
        hook: Hook = quiet,
        *,
        attempts: int = ATTEMPTS,
        lag_ms: Callable[[], int] = no_lag,
        index_lag_ms: Callable[[], int] = no_lag,
    ) -> None:
        """``clock`` is the cloud's own, which never goes back; the lags are asked at each read, and
        are a minute at most; ``attempts`` are botocore's for one call.

        Who sets ``wrote`` hears of each write, or of all of a transaction, when they are made. What
        he is given is not to be changed.
        """
        self.wrote: Callable[[str, Wrote], None] = _wrote
        self.units = {"read": 0.0, "write": 0.0}
        self.hook = hook
        self._clock = clock
        self._attempts = attempts
        self._lag_ms = lag_ms
        self._index_lag_ms = index_lag_ms
        self._tables: dict[str, History] = {}
        self._tokens = Tokens()

    # ---------------------------------------------------------------------- tables

    def create_table(self, **call: Any) -> Answer:
        """A table, which is there at once."""
        own = Index("", key_of(call["KeySchema"]))
        kinds = {one["AttributeName"]: one["AttributeType"] for one in call["AttributeDefinitions"]}
        if any(kinds[name] != "S" for name in own.key):
            raise Unsupported("a table's own key that is not text")
        if call["TableName"] in self._tables:
            raise aws_error("ResourceInUseException", "CreateTable")
        written = map(index_of, call.get("GlobalSecondaryIndexes", []))
        name: str = call["TableName"]
        self._tables[name] = History(name, own, kinds, {one.name: one for one in written})
        return {"TableDescription": {"TableName": name, "TableStatus": "ACTIVE"}}

    def update_time_to_live(self, **call: Any) -> Answer:
        """From now on `sweep` goes by this attribute."""
        asked = call["TimeToLiveSpecification"]
        self._table(call).ttl_attribute = asked["AttributeName"] if asked["Enabled"] else ""
        return {"TimeToLiveSpecification": asked}

    def sweep(self) -> int:
        """Delete what has expired, and tell how much that was. DynamoDB does so within days, and
        until then whoever reads is given it.
        """
        now_ms = self._clock.now_ms()
        latest = now_ms // 1000
        gone = 0
        for table in self._tables.values():
            for place, item in [*table.standing()]:
                expires_at = int(item.get(table.ttl_attribute, {}).get("N", latest))
                if latest - _TTL_MOST_SECONDS_AGO <= expires_at < latest:
                    table.put(place, None, now_ms)
                    gone += 1
        return gone

    def peek(self, table: str, *key: str) -> Item | None:
        """One item as it stands now, for whoever checks: not to be changed."""
        return self._tables[table].now(key)

    def items(self, table: str) -> list[Item]:
        """All that stands in a table now, for whoever checks."""
        return [copied(item) for _, item in self._tables[table].standing()]

    # ----------------------------------------------------------------------- reads

    def get_item(self, **call: Any) -> Answer:
        """One item, by its key."""
        return self._answer("get_item", self._get_item, call)

    def _get_item(self, call: Mapping[str, Any]) -> Answer:
        _known(call, "Key", "ConsistentRead")
        table = self._table(call)
        item = self._read(table, checked_key(call["Key"], table), call)
        return {"Item": copied(item)} if item else {}

    def batch_get_item(self, **call: Any) -> Answer:
        """Several items of one table, in no order."""
        return self._answer("batch_get_item", self._batch_get_item, call)

    def _batch_get_item(self, call: Mapping[str, Any]) -> Answer:
        ((name, asked),) = call["RequestItems"].items()
        table = self._table({"TableName": name})
        _known(call, "RequestItems")
        _known(asked, "Keys", "ConsistentRead")
        keys = [checked_key(key, table) for key in asked["Keys"]]
        if not 0 < len({table.place_of(key) for key in keys}) == len(keys) <= MOST_IN_BATCH_GET:
            raise Invalid("a batch asks for 1 to 100 items, and for each once")
        items: list[Item] = []
        left: list[Item] = []
        for key in keys:
            if self._is_left("batch_get_item"):
                left.append(key)
            elif item := self._read(table, key, asked):
                items.append(copied(item))
        items.sort(key=table.place_of)
        answer: Answer = {"Responses": {name: items}}
        return answer | {"UnprocessedKeys": {name: {"Keys": left}} if left else {}}

    def _read(self, table: History, key: Item, call: Mapping[str, Any]) -> Item | None:
        consistent = call.get("ConsistentRead", False)
        at_ms = self._clock.now_ms() - (0 if consistent else _bounded(self._lag_ms()))
        item = table.at(table.place_of(key), at_ms)
        self.units["read"] += read_units(size_of(item) if item else 0, consistent=consistent)
        return item

    def query(self, **call: Any) -> Answer:
        """One page of a partition, of a table or of an index."""
        return self._answer("query", self._query, call)

    def _query(self, call: Mapping[str, Any]) -> Answer:
        table, name = self._table(call), call.get("IndexName")
        consistent = call.get("ConsistentRead", False)
        if name and consistent:
            raise Invalid("an index is read with eventual consistency alone")
        if name and name not in table.indexes:
            raise Invalid(f"there is no index {name}")
        lag_ms = 0 if consistent else (self._index_lag_ms if name else self._lag_ms)()
        now_ms = self._clock.now_ms()
        index = table.indexes[name] if name else table.own
        page: Page = page_of(call, table, index, now_ms - _bounded(lag_ms), now_ms)
        self.units["read"] += read_units(page.size, consistent=consistent)
        return page.answer

    def scan(self, **call: Any) -> Answer:
        """All items of a small table, of which nobody makes pages."""
        return self._answer("scan", self._scan, call)

    def _scan(self, call: Mapping[str, Any]) -> Answer:
        _known(call, "ConsistentRead")
        items = [copied(item) for _, item in self._table(call).standing()]
        return {"Items": items, "Count": len(items), "ScannedCount": len(items)}

    # ---------------------------------------------------------------------- writes

    def put_item(self, **call: Any) -> Answer:
        """One item, in place of the one that stands there."""
        return self._answer("put_item", lambda call: self._write("Put", call, _OLD_OR_NONE), call)

    def delete_item(self, **call: Any) -> Answer:
        """One item less, if it is there."""
        delete = _OLD_OR_NONE
        return self._answer("delete_item", lambda call: self._write("Delete", call, delete), call)

    def update_item(self, **call: Any) -> Answer:
        """One item, changed in some of its attributes."""
        update = _OLD_OR_NONE | {"ALL_NEW", "UPDATED_NEW"}
        return self._answer("update_item", lambda call: self._write("Update", call, update), call)

    def _write(self, kind: str, call: Mapping[str, Any], may_return: set[str]) -> Answer:
        wanted = call.get("ReturnValues", "NONE")
        if wanted not in may_return:
            raise Unsupported(f"{kind} that returns {wanted}")
        table = self._table(call)
        plain = {name: value for name, value in call.items() if name != "ReturnValues"}
        write = write_of(kind, plain, table)
        self.units["write"] += write_units(write, table)
        if not write.holds:
            more: Any = standing_in(call, write)
            raise aws_error("ConditionalCheckFailedException", f"{kind}Item", **more)
        self._put([(table, write)])
        found = _returned(wanted, write)
        return {"Attributes": copied(found)} if found else {}

    def batch_write_item(self, **call: Any) -> Answer:
        """Several puts and deletes of one table, each for itself."""
        return self._answer("batch_write_item", self._batch_write_item, call)

    def _batch_write_item(self, call: Mapping[str, Any]) -> Answer:
        _known(call, "RequestItems")
        ((name, asked),) = call["RequestItems"].items()
        table = self._table({"TableName": name})
        places = [_batched(one, table).place for one in asked]
        if not 0 < len({*places}) == len(places) <= MOST_IN_BATCH_WRITE:
            raise Invalid("a batch writes 1 to 25 items, and each once")
        left = []
        for one in asked:
            if self._is_left("batch_write_item"):
                left.append(one)
                continue
            write = _batched(one, table)  # once more: others may have written meanwhile
            self.units["write"] += write_units(write, table)
            self._put([(table, write)])
        return {"UnprocessedItems": {name: left} if left else {}}

    def transact_write_items(self, **call: Any) -> Answer:
        """Several writes, or none. The token that botocore draws for a call is drawn here too."""
        token = call.get("ClientRequestToken") or self._tokens.next()
        return self._answer(
            "transact_write_items", self._transact, {**call, "ClientRequestToken": token}
        )

    def _transact(self, call: Mapping[str, Any]) -> Answer:
        _known(call, "TransactItems", "ClientRequestToken")
        now_ms = self._clock.now_ms()
        if self._tokens.repeats(call, now_ms):
            return {}
        writes = writes_of(call["TransactItems"], self._table)
        for table, write in writes:
            self.units["write"] += 2 * write_units(write, table)
        self._put(writes)
        self._tokens.remember(call, now_ms)
        return {}

    def _put(self, writes: Sequence[tuple[History, Write]]) -> None:
        now_ms = self._clock.now_ms()
        told: dict[str, list[tuple[Place, Item | None, Item | None]]] = {}
        for table, write in writes:
            table.put(write.place, write.after, now_ms)
            told.setdefault(table.name, []).append((write.place, write.before, write.after))
        for name, of_table in told.items():
            self.wrote(name, of_table)

    # ------------------------------------------------------------------------ calls

    def _answer(
        self, name: str, make: Callable[[Mapping[str, Any]], Answer], call: Mapping[str, Any]
    ) -> Answer:
        operation = "".join(map(str.capitalize, name.split("_")))

        asked = {word: value for word, value in call.items() if word != "ReturnConsumedCapacity"}

        def attempt() -> Answer:
            before = sum(self.units.values())
            try:
                answer = make(asked)
            except Invalid as error:
                raise aws_error("ValidationException", operation, str(error)) from error
            if call.get("ReturnConsumedCapacity") == "TOTAL":
                answer["ConsumedCapacity"] = {"CapacityUnits": sum(self.units.values()) - before}
            return answer

        return tried(f"dynamodb.{name}", self.hook, self._attempts, attempt)

    def _is_left(self, name: str) -> bool:
        try:
            self.hook(f"dynamodb.{name}.entry")
        except ClientError:
            return True
        return False

    def _table(self, call: Mapping[str, Any]) -> History:
        if call["TableName"] not in self._tables:
            raise aws_error("ResourceNotFoundException", "AnOperation", call["TableName"])
        return self._tables[call["TableName"]]


def _known(call: Mapping[str, Any], *names: str) -> None:
    if unknown := {*call} - {"TableName", *names}:
        raise Unsupported(f"a call with {sorted(unknown)}")


def _bounded(lag_ms: int) -> int:
    if not 0 <= lag_ms <= LONGEST_LAG_MS:
        raise Unsupported("a lag of more than a minute")
    return lag_ms


def _batched(one: Mapping[str, Any], table: History) -> Write:
    match one:
        case {"PutRequest": {"Item": item}}:
            return write_of("Put", {"Item": item}, table)
        case {"DeleteRequest": {"Key": key}}:
            return write_of("Delete", {"Key": key}, table)
        case _:
            raise Unsupported(f"a batch of {[*one]}")


def _returned(wanted: str, write: Write) -> Item | None:
    if wanted == "UPDATED_NEW":
        return {name: it for name, it in (write.after or {}).items() if name in write.touched}
    return {"ALL_OLD": write.before, "ALL_NEW": write.after}.get(wanted)
