"""Secret keys of bots: a file each, for its owner alone."""

import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.keys import SecretKey

KEY_BYTES = 32


def load_key(path: Path) -> SecretKey:
    """The secret key in this file, made on first use, for its owner alone.

    Raises:
        ValueError: if the file holds no key.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        try:
            return SecretKey.from_text(path.read_bytes().decode("utf-8", "replace"))
        except ValueError:
            raise ValueError(f"{path} holds no key: 64 hex digits or an nsec") from None
    key = SecretKey.generate(secrets.token_bytes(KEY_BYTES))
    with os.fdopen(descriptor, "w") as file:
        file.write(key.to_hex() + "\n")
    return key


@dataclass(frozen=True, slots=True)
class HouseKey:
    """The key of a house player: of one level there are several, with numbers from 1."""

    level: int
    number: int
    secret: SecretKey

    def __str__(self) -> str:
        return f"{self.secret.pubkey}:{self.level}"


def house_keys(folder: Path, levels: Iterable[int], players: int) -> tuple[HouseKey, ...]:
    """The keys of so many players of each level, made on first use.

    Raises:
        ValueError, OSError: if a file holds no key, or cannot be read or made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tuple(
        HouseKey(level, number, load_key(folder / f"level-{level}-{number}.key"))
        for level in levels
        for number in range(1, players + 1)
    )
