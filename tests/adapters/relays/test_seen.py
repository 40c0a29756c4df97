from arbiter.adapters.relays.ingest import RecentIds
from tests.adapters.relays.watching import a_move


def test_what_was_added_is_in_it_and_nothing_else() -> None:
    seen, one, other = RecentIds(10), a_move("e2e4"), a_move("d2d4")
    seen.add(one)
    assert one.id in seen
    assert other.id not in seen


def test_the_id_unmentioned_for_the_longest_is_forgotten_first() -> None:
    seen = RecentIds(2)
    first, second, third = a_move("e2e4"), a_move("d2d4"), a_move("c2c4")
    seen.add(first)
    seen.add(second)
    assert first.id in seen
    seen.add(third)
    assert second.id not in seen
    assert first.id in seen
    assert third.id in seen
