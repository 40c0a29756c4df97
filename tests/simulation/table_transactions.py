"""Several writes, or none of them, and once however often they are sent."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.simulation.aws_errors import Unsupported, aws_error
from tests.simulation.items import Invalid, Unfit, size_of
from tests.simulation.table_history import History
from tests.simulation.table_writes import Write, standing_in, write_of

MOST_ITEMS: Final = 100
MOST_BYTES: Final = 4 * 1024 * 1024
REMEMBERED_MS: Final = 10 * 60 * 1000
LONGEST_TOKEN: Final = 36

_OPERATION: Final = "TransactWriteItems"


class Tokens:
    """The transactions that were made in the last ten minutes, by the tokens of their calls."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[int, Any]] = {}
        self._drawn = 0

    def next(self) -> str:
        """A token that no other call has."""
        self._drawn += 1
        return f"drawn-{self._drawn}"

    def repeats(self, call: Mapping[str, Any], now_ms: int) -> bool:
        """Whether this very transaction was made already; botocore's error for another under its
        token.
        """
        token = call["ClientRequestToken"]
        if not 0 < len(token) <= LONGEST_TOKEN:
            raise Invalid("a token has 1 to 36 characters")
        made_ms, made = self._made.get(token, (-REMEMBERED_MS, None))
        if now_ms - made_ms >= REMEMBERED_MS:
            return False
        if made != call["TransactItems"]:
            raise aws_error("IdempotentParameterMismatchException", _OPERATION)
        return True

    def remember(self, call: Mapping[str, Any], now_ms: int) -> None:
        """This transaction was made."""
        for token in [*self._made]:  # they stand in the order of their times
            if now_ms - self._made[token][0] < REMEMBERED_MS:
                break
            del self._made[token]
        self._made.pop(call["ClientRequestToken"], None)
        self._made[call["ClientRequestToken"]] = now_ms, call["TransactItems"]


def writes_of(
    asked: Sequence[Mapping[str, Any]], table_of: Callable[[Mapping[str, Any]], History]
) -> list[tuple[History, Write]]:
    """What the writes of a transaction come to, and where.

    TransactionCanceledException, with a reason for each, if one of them cannot be made.
    """
    if not 0 < len(asked) <= MOST_ITEMS:
        raise Invalid(f"a transaction has 1 to {MOST_ITEMS} items")
    writes: list[tuple[History, Write]] = []
    reasons: list[dict[str, Any]] = []
    for one in asked:
        ((kind, call),) = one.items()
        if kind not in {"Put", "Update", "Delete"}:
            raise Unsupported(f"{kind} in a transaction")
        table = table_of(call)
        try:
            write = write_of(kind, call, table)
        except Unfit as error:
            reasons.append({"Code": "ValidationError", "Message": str(error)})
            continue
        writes.append((table, write))
        failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
        reasons.append({"Code": "None"} if write.holds else failed | standing_in(call, write))
    if len({(id(table), write.place) for table, write in writes}) < len(writes):
        raise Invalid("a transaction names an item once")
    if sum(size_of(write.after or write.before or {}) for _, write in writes) > MOST_BYTES:
        raise Invalid("a transaction is of 4 MB at most")
    if any(reason["Code"] != "None" for reason in reasons):
        codes = ", ".join(reason["Code"] for reason in reasons)
        raise aws_error(
            "TransactionCanceledException",
            _OPERATION,
            f"cancelled: {codes}",
            CancellationReasons=reasons,
        )
    return writes
