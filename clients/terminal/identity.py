"""The player's key: a file a player, locked by one terminal; a second one is the next player."""

import re
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from clients.player.keys import KeyInUseError, hold_key

DEFAULT_PLAYER = "player"
PLAYERS_TRIED = 50

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")


@dataclass(frozen=True, slots=True)
class Identity:
    """A key and its name. ``taken`` is the wanted name if in use; ``lock`` the locked file."""

    name: str
    key: SecretKey
    taken: str | None = None
    lock: int | None = None


def from_environment(secret: str) -> Identity:
    """The key in ARBITER_SECRET_KEY, nsec or hex. Raises ValueError, as all of these."""
    try:
        return Identity("the key in ARBITER_SECRET_KEY", SecretKey.from_text(secret))
    except ValueError:
        text = "ARBITER_SECRET_KEY is neither an nsec nor 64 hexadecimal characters"
        raise ValueError(text) from None


def from_file(path: Path) -> Identity:
    """The key in a file the player named, made if there is none."""
    try:
        key, lock = hold_key(path)
    except KeyInUseError:
        raise ValueError(
            f"{path} is in use by another terminal: leave that one, or use another"
        ) from None
    except OSError as error:
        raise ValueError(f"cannot open the key file {path}: {error.strerror}") from None
    return Identity(path.stem, key, None, lock)


def from_name(name: str, folder: Path) -> Identity:
    """The key of a player by name, or of the next free name when another terminal has it."""
    if not _NAME.fullmatch(name):
        raise ValueError("PLAYER is a name of letters, digits, dots, dashes and underscores")
    for number in range(1, PLAYERS_TRIED + 1):
        tried = name if number == 1 else f"{name}-{number}"
        path = folder / f"{tried}.key"
        try:
            key, lock = hold_key(path)
        except KeyInUseError:
            continue
        except OSError as error:
            raise ValueError(f"cannot open the key file {path}: {error.strerror}") from None
        return Identity(tried, key, name if number > 1 else None, lock)
    raise ValueError(f"{PLAYERS_TRIED} terminals play as {name}: choose another PLAYER")


def key_folder(environment: dict[str, str]) -> Path:
    """The folder of players' keys."""
    config = environment.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "arbiter"
