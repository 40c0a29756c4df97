"""The session's requests to the shell, in order; notices are for the screen."""

from dataclasses import dataclass

from arbiter.nostr.filters import Filter
from clients.player.events import Draft
from clients.terminal.notices import Notice


@dataclass(frozen=True, slots=True)
class Send:
    """Sign this and publish it to every relay."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class SendChat:
    """Publish a line of chat: encrypted for the opponent, or in public where there is none.

    ``carrier`` is the arbiter's public key where it has to pass the line on to another wire: a
    private line is encrypted for it, a public one names it.
    """

    game_id: str
    text: str
    opponent: str | None
    at: int
    carrier: str | None = None


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
class Leave:
    """End the program with this exit code."""

    code: int


Effect = Send | SendChat | Subscribe | Save | Leave | Notice
