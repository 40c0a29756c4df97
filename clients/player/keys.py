"""Secret keys: a file each, made at first use, for its owner alone. The key is never printed."""

import fcntl
import os
import secrets
import stat
from pathlib import Path

from arbiter.nostr.keys import SecretKey


class KeyInUseError(ValueError):
    """Another program holds the key."""


def load_key(path: Path) -> SecretKey:
    """The key in this file. Raises OSError if it cannot be opened or made, ValueError without a
    key.
    """
    key, descriptor = hold_key(path, waits=True)
    os.close(descriptor)
    return key


def hold_key(path: Path, *, waits: bool = False) -> tuple[SecretKey, int]:
    """The key in this file, and the open file, locked until it is closed; one that does not
    ``waits`` wants it alone. Raises OSError, and ValueError if it has no key, is in use or readable
    by others.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return _key_in(descriptor, path, waits=waits), descriptor
    except ValueError:
        os.close(descriptor)
        raise


def _key_in(descriptor: int, path: Path, *, waits: bool) -> SecretKey:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        raise KeyInUseError(f"{path} is in use") from None
    if not waits and stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
        raise ValueError(f"{path} can be read by others: chmod 600 {path}")
    text = os.read(descriptor, 4096).decode("utf-8", "replace")
    if text.strip():
        try:
            return SecretKey.from_text(text)
        except ValueError:
            raise ValueError(
                f"{path} holds no key: an nsec or 64 hexadecimal characters, nothing else"
            ) from None
    key = SecretKey.generate(secrets.token_bytes(32))
    os.write(descriptor, (key.to_nsec() + "\n").encode())
    os.fsync(descriptor)
    return key
