"""A file that cannot be used says why, and is not touched."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from arbiter.adapters.sqlite import schema
from arbiter.adapters.sqlite.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreInUse,
    StoreTooNew,
)
from arbiter.adapters.sqlite.store import Store

ROOT = Path(__file__).parents[3]

HOLD = """
import sys, time
from arbiter.adapters.sqlite.store import Store
Store.open(sys.argv[1])
print("open", flush=True)
time.sleep(600)
"""

FILL = """
import resource, sys
from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.store import Store
with Store.open(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    for number in range(1000):
        try:
            store.write(lambda cursor: cursor.execute(
                "INSERT INTO items (pk, item) VALUES (?, zeroblob(5000))", (f"{number}",)))
        except StoreError as failure:
            print(type(failure).__name__, flush=True)
            break
        print(number, flush=True)
"""


def started(program: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program, path],
        env={**os.environ, "PYTHONPATH": f"{ROOT}/layers/arbiter/python"},
        stdout=subprocess.PIPE,
    )


def filled(path: Path, rows: int = 200) -> None:
    with Store.open(path) as store:
        store.write(
            lambda cursor: cursor.executemany(
                "INSERT INTO items (pk, item) VALUES (?, ?)",
                [(f"{number}", "x" * 3000) for number in range(rows)],
            )
        )


def five_kilobytes(cursor: sqlite3.Cursor, name: int) -> None:
    cursor.execute("INSERT INTO items (pk, item) VALUES (?, zeroblob(5000))", (str(name),))


def read_all(cursor: sqlite3.Cursor) -> None:
    cursor.execute("SELECT sum(length(item)) FROM items").fetchall()


def pragma(path: Path, text: str) -> int:
    db = sqlite3.connect(path)
    try:
        found: int = db.execute(f"PRAGMA {text}").fetchone()[0]
        return found
    finally:
        db.close()


def test_a_new_file_is_marked_as_ours_and_opens_again(path: Path) -> None:
    for _ in range(2):
        Store.open(path).close()

    assert pragma(path, "application_id") == schema.APPLICATION_ID
    assert pragma(path, "user_version") == len(schema.MIGRATIONS)


def test_a_release_that_knows_no_transcripts_opens_the_file_as_its_own(path: Path) -> None:
    Store.open(path).close()
    with Store.open(path) as store:
        store.write(lambda cursor: cursor.execute("INSERT INTO transcripts VALUES ('a', x'00')"))

    # v0.2.0 knows one migration, and refuses a file with more.
    assert pragma(path, "user_version") == 1


def test_a_later_releases_file_is_left_alone(path: Path) -> None:
    Store.open(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()

    with pytest.raises(StoreTooNew, match=r"schema 99.*later"):
        Store.open(path)

    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (a)")
    db.close()
    before = path.read_bytes()

    with pytest.raises(StoreCorrupt, match="another program"):
        Store.open(path)

    assert path.read_bytes() == before


@pytest.mark.parametrize("text", [b"no database at all", b"\x00" * 5000])
def test_what_is_no_database_is_left_alone(path: Path, text: bytes) -> None:
    path.write_bytes(text)

    with pytest.raises(StoreCorrupt, match=f"{path} is damaged, or no arbiter's file"):
        Store.open(path)

    assert path.read_bytes() == text


@pytest.mark.parametrize(("at", "loses"), [(0.3, True), (0.6, True), (0.5, False)])
def test_a_file_that_lost_a_part_or_has_a_page_written_over_is_damaged_when_it_is_opened(
    path: Path, at: float, *, loses: bool
) -> None:
    filled(path)
    with path.open("r+b") as file:
        page = int(path.stat().st_size * at) // 4096 * 4096
        if loses:
            file.truncate(page)
        else:
            file.seek(page)
            file.write(os.urandom(4096))

    with pytest.raises(StoreCorrupt, match="damaged"):
        Store.open(path)


@pytest.mark.parametrize("way", ["read", "read in a group", "write"])
def test_damage_that_comes_later_is_an_error_of_what_meets_it(path: Path, way: str) -> None:
    filled(path, 2000)
    with Store.open(path) as store:
        with path.open("r+b") as file:
            file.seek(4096 * 10)
            file.write(b"\xff" * (path.stat().st_size - 4096 * 10))

        with pytest.raises(StoreCorrupt, match="restore a backup"):  # noqa: PT012 - the group too
            if way == "write":
                store.write(read_all)
            elif way == "read":
                store.read(read_all)
            else:
                with store.group():
                    store.read(read_all)


def test_one_process_has_a_file_open_until_it_ends(path: Path) -> None:
    with started(HOLD, path) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            with pytest.raises(StoreInUse, match=f"another process has {path} open"):
                Store.open(path)
        finally:
            process.kill()

    Store.open(path).close()


def test_a_process_opens_a_file_once(path: Path) -> None:
    with Store.open(path), pytest.raises(StoreInUse):
        Store.open(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/arbiter\.db cannot be used"):
        Store.open(tmp_path / "nowhere" / "arbiter.db")


def test_when_the_file_may_not_grow_all_that_was_answered_is_there(path: Path) -> None:
    with started(FILL, path) as process:
        assert process.stdout
        *answered, last = process.stdout.read().decode().split()

    assert last in {"StoreError", "StoreFull"}
    assert len(answered) > 10
    with Store.open(path) as store:
        kept = store.read(lambda cursor: cursor.execute("SELECT pk FROM items").fetchall())
    assert sorted(int(pk) for (pk,) in kept) == [*map(int, answered)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_on_a_disk_that_is_full_all_that_was_answered_is_there(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted on this machine")
    try:
        with Store.open(disk / "arbiter.db") as store:
            answered = 0
            with contextlib.suppress(StoreFull):
                while answered < 1000:
                    store.write(partial(five_kilobytes, name=answered))
                    answered += 1
            kept = store.read(
                lambda cursor: cursor.execute("SELECT count(*) FROM items").fetchone()
            )
        assert 10 < answered < 1000
        assert kept == (answered,)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_migrations_are_made_once_each_and_all_or_none(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    schema.migrate(db, ["CREATE TABLE a (x); INSERT INTO a VALUES (1)"])
    two = ["CREATE TABLE a (x)", "ALTER TABLE a ADD y; CREATE TABLE b (z)"]

    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(db, [*two, "CREATE TABLE b (again)"])
    assert pragma(path, "user_version") == 1

    for _ in range(2):
        schema.migrate(db, two)
    assert db.execute("SELECT x, y FROM a").fetchall() == [(1, None)]
    assert pragma(path, "user_version") == 2
    db.close()
