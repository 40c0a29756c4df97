"""Prints a game of kind 30 as PGN, checked by the rules, from what relays have of it.

Anybody may publish into anybody's game, and a relay may send anything: events are verified, those
of the two players alone are asked for where the start names both, and of each relay so many are
read and kept as below.

    python -m server.archive jester1… wss://one.example,wss://two.example
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import repeat

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from arbiter.core.game import Game
from arbiter.core.pgn import pgn
from arbiter.dialects.jester.line import NOBODY, played
from arbiter.dialects.jester.wire import KIND, Start, read_event, read_start
from arbiter.nostr.event import VerifiedEvent, is_hex_32_bytes, verify
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.limits import MAX_FRAME_BYTES
from arbiter.nostr.nip19 import decode_jester, encode_jester, encode_npub
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    RelayEvent,
    parse_relay_message,
    req_message,
)

MAX_FRAMES = 20_000
MAX_BYTES = 4 * 1024 * 1024
"""Bytes kept of one relay's events: a game of 1,000 half-moves, each with its whole history."""

MAX_SECONDS = 60.0
ANSWER_SECONDS = 10.0
_NO_GAME, _UNREADABLE = 1, 2


@dataclass(slots=True)
class Found:
    """The events of one relay. ``trouble`` is the reason why some may be missing."""

    url: str
    events: dict[str, VerifiedEvent] = field(default_factory=dict)
    trouble: str = ""


class _Reader:
    """One connection, read within the limits."""

    def __init__(self, relay: ClientConnection, found: Found) -> None:
        self._relay, self._found = relay, found
        self._ends_at = time.monotonic() + MAX_SECONDS
        self._frames, self._bytes = 0, 0

    def read(self, wanted: Filter) -> None:
        """Everything that the relay has, in pages: it sends as many as it likes, the newest first
        (NIP-01), and goes on from the oldest when it is asked for those ``until`` then.
        """
        page = self._page(wanted)
        while page and not self._found.trouble and not wanted.ids:
            wanted = replace(wanted, until=min(it.created_at for it in page))
            page = self._page(wanted)

    def _page(self, wanted: Filter) -> list[VerifiedEvent]:
        """The events that are new to us, up to the relay's EOSE."""
        new: list[VerifiedEvent] = []
        self._relay.send(req_message("archive", wanted))
        for frame in self._frames_in_time():
            match parse_relay_message(frame):
                case RelayEvent(_, event) if matches(wanted, event):
                    if event.id in self._found.events:
                        continue
                    verified = verify(event)
                    if not isinstance(verified, VerifiedEvent):
                        continue
                    self._bytes += len(frame)
                    if self._bytes > MAX_BYTES:
                        self._found.trouble = "has more than is read; the rest is left out"
                        break
                    self._found.events[verified.id] = verified
                    new.append(verified)
                case EoseMessage():
                    break
                case ClosedMessage(_, text):
                    self._found.trouble = f"refuses: {_plain(text)}"
                    break
                case _:
                    continue
        return new

    def _frames_in_time(self) -> Iterator[str | bytes]:
        while (left := self._ends_at - time.monotonic()) > 0:
            self._frames += 1
            if self._frames > MAX_FRAMES:
                self._found.trouble = "sends without end; the rest is left out"
                return
            try:
                yield self._relay.recv(timeout=min(left, ANSWER_SECONDS))
            except TimeoutError:
                self._found.trouble = "does not answer"
                return
        self._found.trouble = "is too slow; the rest is left out"


def read(url: str, wanted: Filter) -> Found:
    """Read the events of this relay. Never raises, whatever the relay does."""
    found = Found(url)
    try:
        # Without compression, by which a small frame can be a large one.
        with connect(
            url,
            open_timeout=ANSWER_SECONDS,
            close_timeout=1.0,
            max_size=MAX_FRAME_BYTES,
            compression=None,
        ) as relay:
            _Reader(relay, found).read(wanted)
    except (OSError, WebSocketException, ValueError) as error:
        found.trouble = f"cannot be read: {type(error).__name__}: {_plain(str(error))}"
    return found


def events_wanted(start: Start) -> Filter:
    """The events of this game: of those whom the start names, if it names any."""
    authors = (start.author, *start.named) if start.named else ()
    return Filter(kinds=(KIND,), tags={"e": (start.id,)}, authors=authors)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the game; 1 if no relay has it, 2 if it is not known what to ask whom."""
    parser = argparse.ArgumentParser(prog="python -m server.archive", description=__doc__)
    parser.add_argument("game", metavar="jester1…", help="or its start event's id")
    parser.add_argument("relays", nargs="+", metavar="wss://…")
    options = parser.parse_args(arguments)
    name = options.game.removeprefix("nostr:")
    start_id = name if is_hex_32_bytes(name) else decode_jester(name)
    urls = [*dict.fromkeys(url for text in options.relays for url in text.split(",") if url)]
    if start_id is None:
        return _refused("Name a game by jester1… or by its start event's id, 64 hex digits.")
    if not urls or not all(url.startswith(("ws://", "wss://")) for url in urls):
        return _refused("Name relays, parted by commas: wss://one.example,wss://two.example")
    return _archive(start_id, urls)


def _archive(start_id: str, urls: Sequence[str]) -> int:
    answers = _ask(urls, Filter(ids=(start_id,)))
    event = next((it.events[start_id] for it in answers if start_id in it.events), None)
    if event is None:
        _tell(answers)
        print(f"No relay of these has the event {start_id}.", file=sys.stderr)
        return _NO_GAME
    start = read_start(event)
    if start is None:
        print(f"The event {start_id} starts no game of kind 30.", file=sys.stderr)
        return _NO_GAME
    answers = _ask(urls, events_wanted(start))
    _tell(answers)
    found = {id_: read_event(it) for answer in answers for id_, it in answer.events.items()}
    said = [it for it in found.values() if it is not None]
    game = played(start, said)
    white, black = game.white.player, game.black.player
    addresses = (_address(white), _address(black))
    site = encode_jester(start.id)
    sys.stdout.write(pgn(game, white=white, black=black, site=site, addresses=addresses))
    print(f"{game.ply} half-moves from {len(said)} events of {_players(game)}", file=sys.stderr)
    return 0


def _ask(urls: Sequence[str], wanted: Filter) -> list[Found]:
    with ThreadPoolExecutor(len(urls)) as pool:
        return [*pool.map(read, urls, repeat(wanted))]


def _players(game: Game) -> str:
    return " and ".join(it.player for it in (game.white, game.black) if it.player != NOBODY)


def _address(player: str) -> str:
    return "-" if player == NOBODY else f"nostr:{encode_npub(player)}"


def _tell(answers: Sequence[Found]) -> None:
    for it in answers:
        if it.trouble:
            print(f"{it.url} {it.trouble}", file=sys.stderr)


def _plain(text: str) -> str:
    """A relay's words, as far as a terminal can take them."""
    return "".join(char if char.isprintable() else " " for char in text)[:200]


def _refused(text: str) -> int:
    print(text, file=sys.stderr)
    return _UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
