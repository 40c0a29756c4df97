"""The server's secret key on this machine: one file that only its owner can read.

Invariant: it is made once, complete and private, and never over another. A key that others can read
is refused rather than made private: it may have been read.
"""

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.keys import SecretKey

_SECRET_BYTES = 32
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyRefused(Exception):
    """Why the key on disk is not used: a line for a person, without a secret."""


@dataclass(frozen=True, slots=True)
class ServerKey:
    """The key, and whether it was just made."""

    key: SecretKey
    is_new: bool


def load_key(path: Path) -> ServerKey:
    """Read the key in this file, making one where there is no file. Raises KeyRefused."""
    is_new = _create(path)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OTHERS:
        raise KeyRefused(
            f"{path} is readable by others (mode {mode:04o}). If no other person has seen it: "
            f"chmod 600 {path}. Otherwise move it away, and the next start makes a new key."
        )
    try:
        return ServerKey(SecretKey.from_text(path.read_text("utf-8", errors="replace")), is_new)
    except ValueError:
        expected = "an nsec or 64 hexadecimal characters were expected"
        raise KeyRefused(f"{path} holds no key: {expected}.") from None


def _create(path: Path) -> bool:
    """Write a new key unless the file exists; whether it was written."""
    if path.exists():
        return False
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(SecretKey.generate(secrets.token_bytes(_SECRET_BYTES)).to_nsec() + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # A link, not a rename: it fails where a key already lies, and so never replaces one.
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True
