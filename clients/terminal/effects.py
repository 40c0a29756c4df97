"""The session's requests to the shell, in order; notices are for the screen."""

from dataclasses import dataclass

from arbiter.nostr.filters import Filter
from clients.player.events import Send, SendLine
from clients.player.model import Mine
from clients.terminal.notices import Notice


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Subscribe to these by this name, in place of former ones."""

    name: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Save:
    """Write the text to a file the player named."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypt these lines for the arbiter, and give them back as ``Sealed``."""

    game: str
    text: str


@dataclass(frozen=True, slots=True)
class Leave:
    """End the program with this exit code."""

    code: int


Effect = Send | Mine | SendLine | Seal | Subscribe | Save | Leave | Notice
