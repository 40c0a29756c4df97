"""`arbiter verify` of a game: its transcript from a file or page, the note from a relay."""

import re
import time
import urllib.request
from pathlib import Path

import websocket

from arbiter.nostr.event import VerifiedEvent, verify
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.nip19 import decode_note
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    RelayEvent,
    parse_relay_message,
    req_message,
)
from arbiter.proof.chained_pgn import chained_pgn
from arbiter.proof.check import Checked, check
from arbiter.proof.transcript import MAX_BYTES, Transcript, unpack

_SECONDS = 20
_MAX_FRAMES = 100
"""Of a relay that has other things to say: notices, or events that were not asked for."""

_NOTE = 64
_GAME = re.compile(r"(https?://[^/]+(?:/.*)?)/g(?:ames)?/([0-9a-f]{32})(?:/proof|/transcript)?")


def verify_game(what: str, relay: str = "", pgn: Path | None = None) -> int:
    """Print what a file, a page or a note (``note1…``, on this ``relay``, else the page's own)
    proves; the exit status is 0 where nothing is wrong, and ``pgn`` is written then. Raises
    OSError.
    """
    note = None
    if id_ := decode_note(what):
        note = asked(relay, Filter(ids=(id_,), kinds=(_NOTE,))) if relay else None
        if note is None:
            raise OSError(f"{what}: name the relay that has it, by --relay")
        tags = {tag[0]: tag[1] for tag in note.tags if len(tag) > 1}
        what = f"http{relay.removeprefix('ws').rstrip('/')}/g/{tags.get('d', '')}"
    page = _GAME.fullmatch(what.partition("?")[0].rstrip("/"))
    if page is None and not Path(what).is_file():
        raise OSError(f"{what} is no address of a page")
    octets = fetched(f"{page[1]}/games/{page[2]}/transcript") if page else Path(what).read_bytes()
    transcript = unpack(octets)
    if isinstance(transcript, str):
        print(f"wrong: {transcript}")
        return 1
    if page and not relay:
        relay = "ws" + page[1].removeprefix("http")
    game, arbiter = transcript.game_id, transcript.arbiter
    wanted = Filter(kinds=(_NOTE,), authors=(arbiter,), tags={"d": (game,)})
    note = note or (asked(relay, wanted) if relay else None)
    found = check(transcript, note)
    print("\n".join(lines_of(transcript, found)))
    if pgn and transcript.chain and not found.wrong:
        pgn.write_text(chained_pgn(transcript), encoding="utf-8")
    return int(bool(found.wrong))


def lines_of(transcript: Transcript, found: Checked) -> list[str]:
    """The findings, a line each, behind their kind."""
    told = (("proven", found.proven), ("said by the arbiter", found.says))
    flaws = (("missing", found.missing), ("wrong", found.wrong))
    return [
        f"game {transcript.game_id} of arbiter {transcript.arbiter}",
        *(f"{what}: {text}" for what, texts in (*told, *flaws) for text in texts),
    ]


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 - it begins with http
        body: bytes = answer.read(MAX_BYTES)
    return body


def asked(relay: str, wanted: Filter) -> VerifiedEvent | None:
    """The first event on this relay that a filter wants, or None in time. Raises OSError."""
    until = time.monotonic() + _SECONDS
    try:
        socket = websocket.create_connection(relay, timeout=_SECONDS)
        try:
            socket.send(req_message("note", wanted))
            for _ in range(_MAX_FRAMES):
                socket.settimeout(max(until - time.monotonic(), 0.001))
                match parse_relay_message(socket.recv()):
                    case RelayEvent("note", event) if matches(wanted, event):
                        if isinstance(found := verify(event), VerifiedEvent):
                            return found
                    case EoseMessage("note") | ClosedMessage("note"):
                        return None
                    case _:
                        pass
        finally:
            socket.close(timeout=1)
    except (websocket.WebSocketException, ValueError) as trouble:
        raise OSError(f"{relay}: {trouble}") from trouble
    return None
