"""The keys of house players."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from clients.player.keys import load_key


@dataclass(frozen=True, slots=True)
class HouseKey:
    """The key of a house player: of one level there are several, with numbers from 1."""

    level: int
    number: int
    secret: SecretKey

    def __str__(self) -> str:
        return f"{self.secret.pubkey}:{self.level}"


def house_keys(folder: Path, levels: Iterable[int], players: int) -> tuple[HouseKey, ...]:
    """The keys of so many players of each level, made on first use. Raises ValueError or OSError if
    a file holds no key, or cannot be read or made.
    """
    return tuple(
        HouseKey(level, number, load_key(folder / f"level-{level}-{number}.key"))
        for level in levels
        for number in range(1, players + 1)
    )
