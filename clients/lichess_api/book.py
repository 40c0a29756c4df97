"""Ids, names and tokens that outlive the program, in SQLite's file.

Invariant: an id or a name, once given, means the same for ever: programs keep both.
"""

import secrets
import sqlite3
import string
from pathlib import Path

from clients.lichess_api.words import name_of

ID_CHARS = 8
FULL_ID_CHARS = 12
TOKEN_BYTES = 20
_LETTERS = string.ascii_letters + string.digits
_TABLES = """
CREATE TABLE IF NOT EXISTS ids (ours TEXT PRIMARY KEY, alias TEXT NOT NULL, seen_at INTEGER);
CREATE INDEX IF NOT EXISTS aliases ON ids (alias);
CREATE TABLE IF NOT EXISTS tokens (owner TEXT PRIMARY KEY, token TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS names (pubkey TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
"""


class Book:
    """The tables of ids and of names; for one thread."""

    def __init__(self, path: Path | str) -> None:
        """Open the file, or make one. Raises sqlite3.Error."""
        self._file = sqlite3.connect(path, isolation_level=None)
        # After a loss of power the last id may be another; the file is whole.
        self._file.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; {_TABLES}")

    def alias(self, ours: str, now: int) -> str:
        """The short id of this challenge, seek or game, drawn at its first sight."""
        if found := self._one("SELECT alias FROM ids WHERE ours = ?", ours):
            return found
        while True:
            alias = "".join(secrets.choice(_LETTERS) for _ in range(ID_CHARS))
            if not self.ours(alias):
                return self.link(ours, alias, now)

    def link(self, ours: str, alias: str, now: int) -> str:
        """Let this id have the alias, unless it has one, as a game its challenge's; the alias."""
        self._file.execute("INSERT OR IGNORE INTO ids VALUES (?, ?, ?)", (ours, alias, now))
        return self._one("SELECT alias FROM ids WHERE ours = ?", ours) or alias

    def ours(self, alias: str) -> tuple[str, ...]:
        """The ids of ours behind this alias or full id, the latest first; ours count, too."""
        short = alias[:ID_CHARS] if len(alias) == FULL_ID_CHARS else alias
        question = "SELECT ours FROM ids WHERE alias = ? OR ours = ? ORDER BY rowid DESC"
        return tuple(row[0] for row in self._file.execute(question, (short, alias)))

    def seen_at(self, ours: str) -> int | None:
        """The time at which its alias was drawn; unix milliseconds."""
        row = self._file.execute("SELECT seen_at FROM ids WHERE ours = ?", (ours,)).fetchone()
        return None if row is None else int(row[0])

    def name(self, pubkey: str, called: str = "") -> str:
        """The player's name for programs, made of what they call themselves at first sight."""
        if found := self._one("SELECT name FROM names WHERE pubkey = ?", pubkey):
            return found
        name = name_of(pubkey, called)
        if self.pubkey(name):
            name = name_of(pubkey, called, is_taken=True)
        self._file.execute("INSERT INTO names VALUES (?, ?)", (pubkey, name))
        return name

    def token(self, pubkey: str, *, is_bot: bool) -> str:
        """The token of this key as a bot or as a board, made on first use."""
        owner = f"{'bot' if is_bot else 'board'}:{pubkey}"
        made = f"arb_{secrets.token_hex(TOKEN_BYTES)}"
        self._file.execute("INSERT OR IGNORE INTO tokens VALUES (?, ?)", (owner, made))
        return self._one("SELECT token FROM tokens WHERE owner = ?", owner) or made

    def pubkey(self, name: str) -> str | None:
        return self._one("SELECT pubkey FROM names WHERE name = ?", name.lower())

    def close(self) -> None:
        self._file.close()

    def _one(self, question: str, value: str) -> str | None:
        row = self._file.execute(question, (value,)).fetchone()
        return None if row is None else str(row[0])
