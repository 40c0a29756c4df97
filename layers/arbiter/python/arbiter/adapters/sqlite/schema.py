"""The tables of the file, by migrations, and the checks of a file before it is used.

``PRAGMA application_id`` marks it as ours, ``PRAGMA user_version`` counts migrations, of which a
release only adds some. `items` is DynamoDB's table; its other columns copy attributes for indexes.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from arbiter.adapters.sqlite.errors import StoreCorrupt, StoreTooNew

APPLICATION_ID = 0x41726274
"""``Arbt`` in ASCII."""

MIGRATIONS = (
    """
    CREATE TABLE items (
        pk TEXT NOT NULL UNIQUE,
        item TEXT NOT NULL,
        white BLOB,
        black BLOB,
        began INTEGER,
        live INTEGER,
        ladder TEXT,
        rating REAL,
        expires_at INTEGER
    );
    CREATE INDEX items_white ON items (white, began, pk) WHERE white IS NOT NULL;
    CREATE INDEX items_black ON items (black, began, pk) WHERE black IS NOT NULL;
    CREATE INDEX items_live ON items (live, began, pk) WHERE live IS NOT NULL;
    CREATE INDEX items_ladder ON items (ladder, rating) WHERE ladder IS NOT NULL;
    CREATE INDEX items_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE timers (
        at_ms INTEGER NOT NULL,
        game_id TEXT NOT NULL,
        ply INTEGER NOT NULL,
        player TEXT NOT NULL,
        PRIMARY KEY (at_ms, game_id, ply, player)
    ) WITHOUT ROWID;

    CREATE TABLE inbox (
        number INTEGER PRIMARY KEY,
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        group_id TEXT NOT NULL,
        body TEXT NOT NULL,
        received_at_ms INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        UNIQUE (queue, id)
    );

    CREATE TABLE republish (
        number INTEGER PRIMARY KEY,
        due_at_ms INTEGER NOT NULL,
        body TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX republish_due ON republish (due_at_ms);

    CREATE TABLE outbox (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        group_id TEXT NOT NULL,
        body TEXT NOT NULL
    );

    CREATE TABLE dead_letters (
        number INTEGER PRIMARY KEY,
        queue TEXT NOT NULL,
        id TEXT NOT NULL,
        group_id TEXT NOT NULL,
        body TEXT NOT NULL,
        received_at_ms INTEGER NOT NULL,
        buried_at_ms INTEGER NOT NULL,
        reason TEXT NOT NULL
    );
    """,
)

ADDITIONS = """
    CREATE TABLE IF NOT EXISTS requests (
        number INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        event TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS links (
        game_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        id BLOB NOT NULL,
        shown TEXT NOT NULL,
        event TEXT,
        PRIMARY KEY (game_id, version, id)
    );
    CREATE TABLE IF NOT EXISTS lines (
        game_id TEXT NOT NULL,
        white INTEGER NOT NULL,
        id BLOB NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (game_id, white)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS transcripts (
        game_id TEXT NOT NULL PRIMARY KEY,
        file BLOB NOT NULL
    );
"""
"""Tables that a release before them may leave alone: it opens the file as its own, so that an
operator can go back. ``links`` has its rows one behind the other, so that the events of a
transaction share pages: a move's takes 18 µs, and in the order of its key 44.
"""


def inspect(db: sqlite3.Connection, path: Path, largest_checked: int) -> None:
    """Read whether the file can be used. Raises StoreTooNew and StoreCorrupt."""
    if _number(db, "schema_version") == 0:
        return  # a new file
    if _number(db, "application_id") != APPLICATION_ID:
        raise StoreCorrupt(f"{path} is a database of another program")
    version = _number(db, "user_version")
    if version > len(MIGRATIONS):
        raise StoreTooNew(
            f"{path} has schema {version}, and this release knows {len(MIGRATIONS)}: "
            "run the release that wrote it, or a later one"
        )
    if path.stat().st_size <= largest_checked:
        check(db, path)


def migrate(db: sqlite3.Connection, migrations: Sequence[str] = MIGRATIONS) -> None:
    """Make the migrations and the tables that the file lacks, in one transaction."""
    made = _number(db, "user_version")
    db.execute("BEGIN IMMEDIATE")
    try:
        for script in (*migrations[made:], ADDITIONS):
            for statement in script.split(";"):
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {len(migrations)}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def check(db: sqlite3.Connection, path: Path) -> None:
    """Read the whole file. Raises StoreCorrupt for damage."""
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StoreCorrupt(f"{path} is damaged ({found}): restore a backup")


def _number(db: sqlite3.Connection, pragma: str) -> int:
    found: int = db.execute(f"PRAGMA {pragma}").fetchone()[0]
    return found
