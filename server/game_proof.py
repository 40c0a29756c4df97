"""`arbiter verify` of a game: its transcript from a file or from any arbiter's page, and the
arbiter's note from a relay, checked here.
"""

import json
import re
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import websocket

from arbiter.nostr.event import ParseError, VerifiedEvent, event_from_json, verify
from arbiter.nostr.nip19 import decode_note
from arbiter.proof.check import Checked, check
from arbiter.proof.transcript import MAX_BYTES, Transcript, unpack

_SECONDS = 20
_GAME = re.compile(r"(https?://[^/]+(?:/.*)?)/g(?:ames)?/([0-9a-f]{32})(?:/proof|/transcript)?")


def verify_game(what: str, relay: str = "") -> int:
    """Print what a file, a game's page or a note (``note1…``, on this ``relay``) proves; the exit
    status is 0 where nothing is wrong. Without a ``relay`` the note comes from the page's own.
    Raises OSError.
    """
    note = None
    if id_ := decode_note(what):
        note = asked(relay, {"ids": [id_]}) if relay else None
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
    wanted = {"kinds": [64], "authors": [transcript.arbiter], "#d": [transcript.game_id]}
    note = note or (asked(relay, wanted) if relay else None)
    found = check(transcript, note)
    print("\n".join(lines_of(transcript, found)))
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


def asked(relay: str, wanted: Mapping[str, object]) -> VerifiedEvent | None:
    """The first event on this relay that a filter wants, or None. Raises OSError."""
    try:
        socket = websocket.create_connection(relay, timeout=_SECONDS)
        try:
            socket.send(json.dumps(["REQ", "note", wanted]))
            while (said := json.loads(socket.recv()))[0] not in ("EOSE", "CLOSED"):
                event = event_from_json(said[2]) if said[0] == "EVENT" else None
                found = event and not isinstance(event, ParseError) and verify(event)
                if isinstance(found, VerifiedEvent):
                    return found
        finally:
            socket.close()
    except (websocket.WebSocketException, ValueError, IndexError) as trouble:
        raise OSError(f"{relay}: {trouble}") from trouble
    return None
