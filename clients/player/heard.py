"""Values that come of relays, and of time."""

from dataclasses import dataclass

from arbiter.nostr.event import NostrEvent
from arbiter.nostr.relay_messages import PublishStatus


@dataclass(frozen=True, slots=True)
class LinkUp:
    """A relay is connected, and our subscription was sent to it."""

    url: str


@dataclass(frozen=True, slots=True)
class LinkDown:
    """A relay is lost, or could not be reached."""

    url: str
    why: str


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """A relay has sent all it had stored, or nothing for a while."""

    url: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A relay's OK for an event of ours."""

    url: str
    event_id: str
    status: PublishStatus
    text: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """An unverified event of a relay; ``stored`` if it was there before we subscribed."""

    event: NostrEvent
    stored: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Differs:
    """The arbiter tells different histories of a game; the text says what differs."""

    game: str
    text: str


FromRelay = LinkUp | LinkDown | CaughtUp | Verdict | Delivered | Differs
