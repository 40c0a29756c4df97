"""The strangers' share of the event loop, and whose turn it is."""

import asyncio
from collections.abc import Callable

import pytest

from server.rounds import ROUND_SECONDS, Rounds


class Works:
    """Works that take a part of a round each, by a clock that only they move."""

    def __init__(self, part: float) -> None:
        self.now = 0.0
        self.done: list[str] = []
        self.rounds = Rounds(lambda: self.now)
        self._seconds = ROUND_SECONDS * part

    def work(self, name: str) -> Callable[[], str]:
        def work() -> str:
            self.now += self._seconds
            self.done.append(name)
            return name

        return work

    def begin(self, address: str, name: str) -> "asyncio.Task[str]":
        return asyncio.create_task(self.rounds.do(address, self.work(name)))


async def test_a_round_has_so_much_work_and_the_rest_waits_for_the_next() -> None:
    works = Works(part=0.5)
    tasks = [works.begin("a", str(number)) for number in range(6)]
    await asyncio.sleep(0)
    assert works.done == ["0", "1"], "no more than a round's work before others have their turn"
    await asyncio.sleep(0)
    assert works.done == ["0", "1", "2", "3"]
    assert await asyncio.gather(*tasks) == ["0", "1", "2", "3", "4", "5"]
    assert len(works.rounds) == 0


async def test_what_comes_later_does_not_overtake_what_waits() -> None:
    works = Works(part=1.0)
    tasks = [works.begin("a", "first"), works.begin("a", "waits")]
    await asyncio.sleep(0)
    tasks.append(works.begin("a", "late"))
    await asyncio.gather(*tasks)
    assert works.done == ["first", "waits", "late"]


async def test_addresses_take_turns() -> None:
    works = Works(part=1.0)
    tasks = [works.begin("crowd", f"crowd {number}") for number in range(4)]
    tasks += [works.begin("one", "one"), works.begin("other", "other")]
    await asyncio.gather(*tasks)
    assert works.done == ["crowd 0", "crowd 1", "one", "other", "crowd 2", "crowd 3"]


async def test_a_failure_is_its_own_and_the_round_goes_on() -> None:
    works = Works(part=1.0)

    def fail() -> None:
        raise ValueError("mine")

    first = works.begin("a", "first")
    failing = asyncio.create_task(works.rounds.do("a", fail))
    after = works.begin("a", "after")
    with pytest.raises(ValueError, match="mine"):
        await failing
    assert [await first, await after] == ["first", "after"]


async def test_who_went_away_is_passed_over() -> None:
    works = Works(part=1.0)
    first, gone, after = (works.begin("a", name) for name in ("first", "gone", "after"))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(first, after)
    assert works.done == ["first", "after"]
