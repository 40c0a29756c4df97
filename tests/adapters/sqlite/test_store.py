"""Groups of writes: each is answered when it is on the disk, in order, and fails alone."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.sqlite.errors import StoreClosed, StoreError, StoreFull, StoreInUse
from arbiter.adapters.sqlite.store import Store, Write


def add(number: int) -> Write[int]:
    """Adds a row; returns how many there are."""

    def write(cursor: sqlite3.Cursor) -> int:
        cursor.execute("INSERT INTO timers VALUES (?, '', 0, '')", (number,))
        found: int = cursor.execute("SELECT count(*) FROM timers").fetchone()[0]
        return found

    return write


def rows(cursor: sqlite3.Cursor) -> list[int]:
    return [number for (number,) in cursor.execute("SELECT at_ms FROM timers ORDER BY at_ms")]


def on_disk(path: Path) -> list[int]:
    """The values that another connection finds."""
    db = sqlite3.connect(path)
    try:
        return rows(db.cursor())
    finally:
        db.close()


def add_then_raise(cursor: sqlite3.Cursor) -> None:
    add(99)(cursor)
    raise ZeroDivisionError


def fill(store: Store) -> None:
    """Let the file have no page more than now."""
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages}")


def much(cursor: sqlite3.Cursor) -> int:
    cursor.execute("INSERT INTO items (pk, item) VALUES (?, zeroblob(100000))", ("much",))
    return 0


def make_room(store: Store) -> None:
    store._db.execute("PRAGMA max_page_count = 1000000")


def held_up(store: Store) -> Callable[[], None]:
    """Keep the writing thread busy until this is called: what is asked for meanwhile waits."""
    began, go_on = threading.Event(), threading.Event()

    def wait_for_it(_: sqlite3.Cursor) -> None:
        began.set()
        assert go_on.wait(30)

    store.submit(wait_for_it)
    assert began.wait(30)
    return go_on.set


def commits(store: Store) -> list[str]:
    """The transactions that are committed from now on."""
    seen: list[str] = []
    store._db.set_trace_callback(lambda text: seen.append(text) if text == "COMMIT" else None)
    return seen


def test_a_commit_waits_for_the_disk(store: Store) -> None:
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_waits_is_committed_together_and_in_order(store: Store) -> None:
    go_on = held_up(store)
    futures = [store.submit(add(number)) for number in range(50)]
    seen = commits(store)
    go_on()

    assert [future.result(30) for future in futures] == [*range(1, 51)]
    assert len(seen) == 2


def test_a_write_that_raises_fails_alone_and_leaves_nothing(store: Store) -> None:
    go_on = held_up(store)
    before, broken, after = (store.submit(it) for it in (add(1), add_then_raise, add(2)))
    go_on()

    with pytest.raises(ZeroDivisionError):
        broken.result(30)
    assert (before.result(30), after.result(30)) == (1, 2)
    assert store.read(rows) == [1, 2]


def test_a_write_that_is_soon_is_on_the_disk_with_the_next_one(store: Store, path: Path) -> None:
    store.write_soon(add(1))
    store.write_soon(add_then_raise)  # there is no caller to raise to
    store.write(add(2))

    assert on_disk(path) == [1, 2]


def test_a_write_that_is_soon_needs_no_other(store: Store, path: Path) -> None:
    store.write_soon(add(1))
    done: Future[None] = Future()
    store.write_soon(lambda _: done.set_result(None))
    done.result(30)
    store.close()

    assert on_disk(path) == [1]


def test_a_cancelled_future_takes_nothing_with_it(store: Store) -> None:
    go_on = held_up(store)
    given_up, other = store.submit(add(1)), store.submit(add(2))
    assert given_up.cancel()
    go_on()

    assert other.result(30) == 2
    assert store.read(rows) == [1, 2]


def test_a_group_reads_its_own_writes_and_others_see_them_when_they_are_on_the_disk(
    store: Store, path: Path
) -> None:
    with store.group() as durable:
        store.write_soon(add(1))
        assert store.write(add(2)) == 2
        assert store.read(rows) == [1, 2]
        assert on_disk(path) == []
        assert not durable.done()

    durable.result(30)
    assert on_disk(path) == [1, 2]


def test_in_a_group_a_write_that_raises_is_undone_and_the_others_are_not(store: Store) -> None:
    with store.group() as durable:
        store.write(add(1))
        with pytest.raises(ZeroDivisionError):
            store.write(add_then_raise)
        store.write(add(2))

    durable.result(30)
    assert store.read(rows) == [1, 2]


def test_a_group_that_raises_is_undone_but_not_what_waited_before_it(store: Store) -> None:
    store.write_soon(add(1))

    with pytest.raises(ZeroDivisionError), store.group():  # noqa: PT012 - all of it is undone
        store.write(add(2))
        store.write_soon(add(3))
        future = store.submit(add(5))
        raise ZeroDivisionError

    assert isinstance(future.exception(30), ZeroDivisionError)
    assert store.write(add(4)) == 2
    assert store.read(rows) == [1, 4]


def test_a_group_that_raises_answers_what_waited_before_it(store: Store) -> None:
    for number in range(20):  # in some of them the writing thread comes first
        waiting = store.submit(add(number))
        with pytest.raises(ZeroDivisionError), store.group():
            raise ZeroDivisionError

        assert waiting.result(30) == number + 1


def test_what_a_group_submits_is_answered_with_it(store: Store) -> None:
    with store.group() as durable:
        future, broken = store.submit(add(1)), store.submit(add_then_raise)
        assert not future.done()

    durable.result(30)
    assert future.result(30) == 1
    assert isinstance(broken.exception(), ZeroDivisionError)


def test_a_full_disk_in_a_group_that_raises_is_not_the_trouble_of_later_writes(
    store: Store, path: Path
) -> None:
    fill(store)
    with pytest.raises(StoreFull), store.group():
        store.write(much)
    make_room(store)
    made = threading.Event()
    store.write_soon(add(1))  # may still fail with the group, and is then made again
    store.write_soon(lambda _: made.set())

    assert made.wait(30)
    store.close()
    assert on_disk(path) == [1]


def test_another_threads_write_waits_for_the_group_that_is_open(store: Store) -> None:
    with store.group() as durable:
        store.write(add(1))
        thread = threading.Thread(target=lambda: store.write(add(3)))
        thread.start()
        assert store.read(rows) == [1]
    thread.join(30)
    durable.result(30)

    assert store.read(rows) == [1, 3]


@pytest.mark.parametrize("in_group", [False, True])
def test_on_a_full_disk_nothing_is_answered_and_nothing_stays(
    store: Store,
    path: Path,
    in_group: bool,  # noqa: FBT001 - the test's parameter
) -> None:
    store.write(add(1))
    fill(store)

    if in_group:
        with store.group() as durable:
            store.write(add(2))
            with pytest.raises(StoreFull):
                store.write(much)
            with pytest.raises(StoreFull):
                store.write(add(3))
        futures: list[Future[Any]] = [durable]
    else:
        go_on = held_up(store)
        futures = [store.submit(it) for it in (add(2), much, add(3))]
        go_on()

    wait(futures, 30)
    for future in futures:
        assert isinstance(future.exception(), StoreFull)
    assert on_disk(path) == [1]
    make_room(store)
    assert store.write(add(4)) == 2


def test_what_is_soon_outlasts_a_full_disk(store: Store) -> None:
    fill(store)
    go_on = held_up(store)
    store.write_soon(add(1))
    failed = store.submit(much)
    store.write_soon(add(2))
    go_on()
    assert isinstance(failed.exception(30), StoreFull)
    make_room(store)

    assert store.write(add(3)) == 3


def test_what_is_made_again_after_a_full_disk_keeps_its_order(store: Store) -> None:
    def rename(cursor: sqlite3.Cursor) -> None:
        cursor.execute("UPDATE timers SET at_ms = 2 WHERE at_ms = 1")

    def ask_for_more_and_fail(cursor: sqlite3.Cursor) -> int:
        store.write_soon(rename)
        return much(cursor)

    fill(store)
    go_on = held_up(store)
    store.write_soon(add(1))
    failed = store.submit(ask_for_more_and_fail)
    go_on()
    assert isinstance(failed.exception(30), StoreFull)
    make_room(store)

    store.write(add(3))
    assert store.read(rows) == [2, 3]


def test_a_group_is_not_begun_where_nothing_can_be_written(store: Store, path: Path) -> None:
    store._db.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began: list[bool] = []

    with pytest.raises(StoreInUse), store.group():
        began.append(True)
    assert began == []
    with pytest.raises(StoreInUse):
        store.write(add(1))

    other.close()
    assert store.write(add(2)) == 1


def test_trouble_is_logged_when_it_comes_and_when_it_goes(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    fill(store)
    for _ in range(3):
        with pytest.raises(StoreFull):
            store.write(much)
    make_room(store)
    store.write(add(1))

    came, went = [record.getMessage() for record in caplog.records]
    assert "no room" in came
    assert went == "the store can be written again"


def test_closing_makes_what_waits_and_takes_nothing_more(store: Store, path: Path) -> None:
    store.write_soon(add(1))
    store.close()
    store.close()

    assert on_disk(path) == [1]
    uses: list[Callable[[], object]] = [
        lambda: store.write(add(2)),
        lambda: store.write_soon(add(2)),
        lambda: store.read(rows),
        lambda: store.backup(path),
        lambda: store.group().__enter__(),
    ]
    for use in uses:
        with pytest.raises(StoreClosed, match="was closed"):
            use()


def test_many_threads_read_while_others_write(store: Store) -> None:
    failures: list[BaseException] = []

    def run(act: Callable[[int], object]) -> None:
        try:
            for number in range(100):
                act(number)
        except StoreError as failure:
            failures.append(failure)

    def read(_: int) -> None:
        found = store.read(rows)
        assert len(found) == len({*found})

    acts = [lambda n, base=base: store.write(add(base + n)) for base in (0, 1000)]
    threads = [threading.Thread(target=run, args=(act,)) for act in (*acts, read, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert len(store.read(rows)) == 200
