"""The player's key: one file a player, made at first use and locked by one terminal at a time, so
that a second terminal on one machine becomes the next player.

Invariant: only the owner can read the file (mode 0600, refused otherwise); the key is never
printed.
"""

import fcntl
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.keys import SecretKey

DEFAULT_PLAYER = "player"
PLAYERS_TRIED = 50

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")


@dataclass(frozen=True, slots=True)
class Identity:
    """A key and its name. ``taken`` is the wanted name if that is in use; ``lock`` the open file
    that holds the lock while the program runs.
    """

    name: str
    key: SecretKey
    taken: str | None = None
    lock: int | None = None


@dataclass(frozen=True, slots=True)
class NoIdentity:
    """The reason why there is no key, and the remedy."""

    text: str


class _InUse:
    """Another terminal has the lock."""


def from_environment(secret: str) -> Identity | NoIdentity:
    """The key in ARBITER_SECRET_KEY: an nsec or 64 hexadecimal characters."""
    key = _read_key(secret)
    if key is None:
        return NoIdentity("ARBITER_SECRET_KEY is neither an nsec nor 64 hexadecimal characters")
    return Identity("the key in ARBITER_SECRET_KEY", key)


def from_file(path: Path) -> Identity | NoIdentity:
    """The key in a file the player named, made if there is none."""
    held = _hold(path)
    if isinstance(held, _InUse):
        return NoIdentity(f"{path} is in use by another terminal: leave that one, or use another")
    return held if isinstance(held, NoIdentity) else Identity(path.stem, held[0], None, held[1])


def from_name(name: str, folder: Path) -> Identity | NoIdentity:
    """The key of a player by name, or of the next free name when another terminal has it."""
    if not _NAME.fullmatch(name):
        return NoIdentity("PLAYER is a name of letters, digits, dots, dashes and underscores")
    for number in range(1, PLAYERS_TRIED + 1):
        tried = name if number == 1 else f"{name}-{number}"
        held = _hold(folder / f"{tried}.key")
        if isinstance(held, NoIdentity):
            return held
        if not isinstance(held, _InUse):
            return Identity(tried, held[0], name if number > 1 else None, held[1])
    return NoIdentity(f"{PLAYERS_TRIED} terminals play as {name}: choose another PLAYER")


def key_folder(environment: dict[str, str]) -> Path:
    """The folder of players' keys."""
    config = environment.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "arbiter"


def _hold(path: Path) -> tuple[SecretKey, int] | NoIdentity | _InUse:
    """The key and the lock, taken before reading: two terminals may start at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        return NoIdentity(f"cannot open the key file {path}: {error.strerror}")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return _InUse()
    if stat.S_IMODE(os.fstat(lock).st_mode) & 0o077:
        os.close(lock)
        return NoIdentity(f"{path} can be read by others: chmod 600 {path}")
    text = os.read(lock, 4096).decode("utf-8", "replace")
    if not text.strip():
        key = SecretKey.generate(secrets.token_bytes(32))
        os.write(lock, (key.to_nsec() + "\n").encode())
        os.fsync(lock)
        return key, lock
    read = _read_key(text)
    if read is None:
        os.close(lock)
        return NoIdentity(
            f"{path} holds no key: an nsec or 64 hexadecimal characters, nothing else"
        )
    return read, lock


def _read_key(text: str) -> SecretKey | None:
    try:
        return SecretKey.from_text(text)
    except ValueError:
        return None
