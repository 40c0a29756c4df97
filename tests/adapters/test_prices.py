from collections.abc import Callable

import pytest

from arbiter.adapters.prices import Usage, read_units, write_units
from bench.counted_table import item_bytes


@pytest.mark.parametrize(
    ("units", "size", "charged"),
    [
        *((write_units, *it) for it in ((0, 1), (1, 1), (1024, 1), (1025, 2), (400_000, 391))),
        *((read_units, *it) for it in ((0, 1), (4096, 1), (4097, 2))),
    ],
)
def test_a_write_is_charged_by_1_kb_and_a_read_by_4_kb(
    units: Callable[[int], int], size: int, charged: int
) -> None:
    assert units(size) == charged


def test_each_service_is_charged_for_what_it_is_asked() -> None:
    million = 1_000_000
    usage = Usage(
        queue_requests=million,
        write_units=million,
        read_units=million,
        invocations=million,
        gb_seconds=75_000,
        socket_messages=million,
        logged_bytes=2e9,
        http_requests=million,
        transferred_bytes=1e9,
        stored_byte_months=2e9,
        object_puts=million,
        object_gets=million,
        object_byte_months=1e9,
    )

    assert usage.parts() == pytest.approx(
        {
            "SQS": 0.5,
            "DynamoDB": 0.75,
            "Lambda": 1.2,
            "API Gateway": 2.0,
            "logs": 1.0,
            "transfer": 0.09,
            "S3": 5.423,
            "storage": 0.9,
        },
        rel=1e-4,
    )
    assert Usage().dollars() == 0
    assert usage.dollars() == pytest.approx(11.863, rel=1e-4)


def test_an_item_is_as_large_as_its_names_and_values() -> None:
    assert item_bytes({"pk": {"S": "é"}, "m": {"B": b"12345"}, "n": {"N": "1234"}}) == 4 + 6 + 4
