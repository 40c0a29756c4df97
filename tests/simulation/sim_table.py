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

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from botocore.exceptions import ClientError

from arbiter.application.ports import Clock
from tests.fakes.faults import Hook, quiet
from tests.simulation.aws_errors import ATTEMPTS, answered
from tests.simulation.items import Item, copied
from tests.simulation.table_changes import Changes, Wrote
from tests.simulation.table_reads import Reads
from tests.simulation.tables import Tables

Answer = dict[str, Any]


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
        self.hook = hook
        self._attempts = attempts
        self._tables = Tables(clock)
        self._reads = Reads(
            self._tables, lag_ms, index_lag_ms, partial(self._is_left, "batch_get_item")
        )
        self._changes = Changes(
            self._tables,
            lambda table, writes: self.wrote(table, writes),  # noqa: PLW0108 - it may be set later
            partial(self._is_left, "batch_write_item"),
        )

    # ------------------------------------------------------------------ for the stage

    @property
    def units(self) -> Mapping[str, float]:
        """What reads ("read") and writes ("write") were counted as so far."""
        return self._tables.units

    def create_table(self, **call: Any) -> Answer:
        """A table, which is there at once."""
        self._tables.create(call)
        return {"TableDescription": {"TableName": call["TableName"], "TableStatus": "ACTIVE"}}

    def update_time_to_live(self, **call: Any) -> Answer:
        """From now on `sweep` goes by this attribute."""
        asked = call["TimeToLiveSpecification"]
        attribute = asked["AttributeName"] if asked["Enabled"] else ""
        self._tables.of(call).ttl_attribute = attribute
        return {"TimeToLiveSpecification": asked}

    def sweep(self) -> int:
        """Delete what has expired, and tell how much that was. DynamoDB does so within days, and
        until then whoever reads is given it.
        """
        return self._tables.sweep()

    def peek(self, table: str, *key: str) -> Item | None:
        """One item as it stands now, for whoever checks: not to be changed."""
        return self._tables.of({"TableName": table}).now(key)

    def items(self, table: str) -> list[Item]:
        """All that stands in a table now, for whoever checks."""
        return [copied(item) for _, item in self._tables.of({"TableName": table}).standing()]

    # ------------------------------------------------------------------ botocore's calls

    def get_item(self, **call: Any) -> Answer:
        """One item, by its key."""
        return self._answer("get_item", self._reads.get_item, call)

    def batch_get_item(self, **call: Any) -> Answer:
        """Several items of one table, in no order."""
        return self._answer("batch_get_item", self._reads.batch_get_item, call)

    def query(self, **call: Any) -> Answer:
        """One page of a partition, of a table or of an index."""
        return self._answer("query", self._reads.query, call)

    def scan(self, **call: Any) -> Answer:
        """All items of a small table, of which nobody makes pages."""
        return self._answer("scan", self._reads.scan, call)

    def put_item(self, **call: Any) -> Answer:
        """One item, in place of the one that stands there."""
        return self._answer("put_item", partial(self._changes.write, "Put"), call)

    def delete_item(self, **call: Any) -> Answer:
        """One item less, if it is there."""
        return self._answer("delete_item", partial(self._changes.write, "Delete"), call)

    def update_item(self, **call: Any) -> Answer:
        """One item, changed in some of its attributes."""
        return self._answer("update_item", partial(self._changes.write, "Update"), call)

    def batch_write_item(self, **call: Any) -> Answer:
        """Several puts and deletes of one table, each for itself."""
        return self._answer("batch_write_item", self._changes.batch_write_item, call)

    def transact_write_items(self, **call: Any) -> Answer:
        """Several writes, or none. The token that botocore draws for a call is drawn here too."""
        call.setdefault("ClientRequestToken", self._changes.tokens.next())
        return self._answer("transact_write_items", self._changes.transact_write_items, call)

    def _answer(
        self, name: str, make: Callable[[Mapping[str, Any]], Answer], call: Mapping[str, Any]
    ) -> Answer:
        asked = {word: value for word, value in call.items() if word != "ReturnConsumedCapacity"}

        def attempt() -> Answer:
            before = sum(self.units.values())
            answer = make(asked)
            if call.get("ReturnConsumedCapacity") == "TOTAL":
                answer["ConsumedCapacity"] = {"CapacityUnits": sum(self.units.values()) - before}
            return answer

        return answered("dynamodb", name, self.hook, self._attempts, attempt)

    def _is_left(self, name: str) -> bool:
        try:
            self.hook(f"dynamodb.{name}.entry")
        except ClientError:
            return True
        return False
