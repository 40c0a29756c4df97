import pytest

from arbiter.adapters.relays.backoff import Backoff

BACKOFF = Backoff(first_seconds=1.0, longest_seconds=60.0)


def test_the_wait_doubles_with_every_failure_until_its_cap() -> None:
    full = [BACKOFF.delay_seconds(failures, 1.0) for failures in range(1, 9)]
    assert full == [1, 2, 4, 8, 16, 32, 60, 60]


def test_half_of_the_wait_is_chance_and_half_is_certain() -> None:
    assert BACKOFF.delay_seconds(3, 0.0) == 2.0
    assert BACKOFF.delay_seconds(3, 0.5) == 3.0


@pytest.mark.parametrize("failures", [-1, 0, 1])
def test_no_failure_waits_as_long_as_one(failures: int) -> None:
    assert BACKOFF.delay_seconds(failures, 1.0) == 1.0


def test_a_relay_that_was_gone_for_years_overflows_nothing() -> None:
    assert BACKOFF.delay_seconds(10**9, 0.999) <= 60.0
