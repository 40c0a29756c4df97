"""Direct messages (NIP-17) from the arbiter's key: our own relays know a player's list of relays.

Invariant: a list is a stranger's. Three of its relays are dialled for some seconds, at public
addresses (or where our own are), and what they send is bounded. No trouble with them is raised or
logged.
"""

import secrets
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from arbiter.adapters.public_address import dial_public
from arbiter.adapters.relays.connection import Dial, RelayConnection, RelayFailureError, connect
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import PublishAttempt, RelayState
from arbiter.dialects.arbiter_events import MESSAGE_RELAYS
from arbiter.nostr.event import VerifiedEvent, verify
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip17 import relays_in, wrap_message
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    RelayEvent,
    parse_relay_message,
    req_message,
)

ASK_SECONDS, SEND_SECONDS = 3.0, 6.0

_MAX_OWN_RELAYS = 4
_MAX_FRAMES = 20

_T = TypeVar("_T")


class DirectMessages:
    """As `ports.Messenger`. ``relays`` are our own; ``dial`` connects to those of strangers."""

    def __init__(
        self, key: Callable[[], SecretKey], relays: Sequence[str], dial: Dial = dial_public
    ) -> None:
        self._key = key
        self._relays = (*dict.fromkeys(relays),)[:_MAX_OWN_RELAYS]
        self._dial = dial

    def send(self, to: str, text: str) -> bool:
        key, lists = self._key(), _each(self._relays, lambda url: _list_at(url, to))
        newest = max(filter(None, lists), key=lambda event: event.created_at, default=None)
        wrap = newest and wrap_message(key, to, text, int(time.time()), secrets.token_bytes)
        if newest is None or wrap is None:
            return False
        return any(_each(relays_in(newest), lambda url: self._offer(url, wrap, key)))

    def _offer(self, url: str, wrap: VerifiedEvent, key: SecretKey) -> bool:
        dial = socket.create_connection if url in self._relays else self._dial
        state = RelayState(
            url=url, counters=Counters(), authenticate=key.sign, unix_seconds=time.time
        )
        attempt = PublishAttempt(state, {wrap.id: wrap})

        def talk(connection: RelayConnection, left: Callable[[], float]) -> bool:
            for text in attempt.connected():
                connection.send(text, left())
            for _ in range(_MAX_FRAMES):
                frame = connection.receive(left())
                if frame is None or attempt.is_done():
                    break
                for text in attempt.receive(frame) if isinstance(frame, bytes) else ():
                    connection.send(text, left())
                if attempt.is_done():
                    break
            return attempt.has_accepted(wrap.id)

        return _talked(url, SEND_SECONDS, dial, talk) or False


def _list_at(url: str, author: str) -> VerifiedEvent | None:
    """The list of relays that this author has at one of our relays."""
    wanted = Filter(kinds=(MESSAGE_RELAYS,), authors=(author,), limit=1)

    def talk(connection: RelayConnection, left: Callable[[], float]) -> VerifiedEvent | None:
        connection.send(req_message("dm", wanted), left())
        for _ in range(_MAX_FRAMES):
            frame = connection.receive(left())
            if frame is None:
                return None
            said = parse_relay_message(frame) if isinstance(frame, bytes) else None
            if isinstance(said, RelayEvent) and matches(wanted, said.event):
                event = verify(said.event)
                return event if isinstance(event, VerifiedEvent) else None
            if isinstance(said, EoseMessage | ClosedMessage):
                return None
        return None

    return _talked(url, ASK_SECONDS, socket.create_connection, talk)


def _talked(
    url: str, seconds: float, dial: Dial, talk: Callable[[RelayConnection, Callable[[], float]], _T]
) -> _T | None:
    """The result of ``talk`` with connection and time left; None where a relay fails."""
    deadline = time.monotonic() + seconds
    try:
        connection = connect(url, seconds, dial)
        try:
            return talk(connection, lambda: max(deadline - time.monotonic(), 0.0))
        finally:
            connection.close()
    except (RelayFailureError, ValueError):
        return None


def _each(relays: Sequence[str], work: Callable[[str], _T]) -> list[_T]:
    if not relays:
        return []
    with ThreadPoolExecutor(len(relays), thread_name_prefix="messages") as threads:
        return list(threads.map(work, relays))
