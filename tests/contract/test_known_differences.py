"""The list of known differences speaks of cases that there are."""

from tests.contract import (
    test_fifo_semantics,
    test_queue_limits,
    test_table_batches,
    test_table_semantics,
)
from tests.contract.known_differences import QUEUES, TABLES, Difference

OF_QUEUES = {*vars(test_fifo_semantics), *vars(test_queue_limits)}
OF_TABLES = {*vars(test_table_semantics), *vars(test_table_batches)}


def test_a_difference_is_of_a_case_that_there_is() -> None:
    assert {f"test_{known.case}" for known in QUEUES} <= OF_QUEUES
    assert {f"test_{known.case}" for known in TABLES} <= OF_TABLES


def test_no_difference_is_told_twice() -> None:
    told = [(known.stand_in, known.case, of) for known in QUEUES + TABLES for of in of_all(known)]
    assert len({*told}) == len(told)


def of_all(known: Difference) -> tuple[str, ...]:
    return known.of or ("",)


def test_no_difference_is_known_of_our_own() -> None:
    assert "simulated" not in {known.stand_in for known in QUEUES + TABLES}
