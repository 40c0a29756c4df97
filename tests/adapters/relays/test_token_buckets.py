from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.relays.token_buckets import Rate, TokenBuckets

RATE = Rate(per_second=30.0, burst=100.0)


def taken(buckets: TokenBuckets, key: str, times: int, now: float) -> int:
    return sum(buckets.take(key, now) for _ in range(times))


def test_a_burst_is_let_through_and_no_more() -> None:
    assert taken(TokenBuckets(RATE, 10), "alice", 150, now=5.0) == 100


def test_the_bucket_fills_again_at_its_rate() -> None:
    buckets = TokenBuckets(RATE, 10)
    taken(buckets, "alice", 100, now=5.0)
    assert taken(buckets, "alice", 100, now=6.0) == 30


def test_a_full_bucket_does_not_overflow() -> None:
    buckets = TokenBuckets(RATE, 10)
    taken(buckets, "alice", 1, now=0.0)
    assert taken(buckets, "alice", 500, now=1e9) == 100


def test_one_authors_flood_is_not_anothers() -> None:
    buckets = TokenBuckets(RATE, 10)
    taken(buckets, "eve", 1000, now=0.0)
    assert taken(buckets, "alice", 5, now=0.0) == 5


def test_asking_costs_nothing() -> None:
    buckets = TokenBuckets(Rate(per_second=1.0, burst=1.0), 10)
    assert [buckets.has_token("alice", 0.0) for _ in range(3)] == [True, True, True]
    assert buckets.take("alice", 0.0)
    assert not buckets.has_token("alice", 0.5)
    assert buckets.has_token("alice", 1.0)


def test_time_that_goes_backwards_takes_nothing_away() -> None:
    buckets = TokenBuckets(RATE, 10)
    taken(buckets, "alice", 1, now=10.0)
    assert taken(buckets, "alice", 200, now=0.0) == 99


def test_the_bucket_unused_for_the_longest_is_forgotten() -> None:
    buckets = TokenBuckets(Rate(per_second=0.0, burst=2.0), max_keys=2)
    for key in ("alice", "bob", "alice", "eve", "eve"):
        assert buckets.take(key, 0.0)
    assert not buckets.has_token("alice", 0.0)
    assert not buckets.has_token("eve", 0.0)
    assert taken(buckets, "bob", 5, now=0.0) == 2


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 2)), max_size=300),
)
def test_nobody_ever_gets_more_than_burst_and_rate_allow(
    draws: list[tuple[str, float]],
) -> None:
    rate = Rate(per_second=3.0, burst=5.0)
    buckets, now, got = TokenBuckets(rate, 10), 0.0, dict.fromkeys("abc", 0)
    for key, pause in draws:
        now += pause
        got[key] += buckets.take(key, now)
    assert [count for count in got.values() if count > 5.0 + 3.0 * now + 1e-6] == []
