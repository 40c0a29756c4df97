"""Tests relays before an arbiter lives on them: does each take our kinds of events from a stranger,
pass them on, and keep what is to be kept?

Invariant: all is signed by keys made for this test, and expires ten minutes later (NIP-40).

    python -m deploy.relays wss://one.example wss://two.example
"""

import argparse
import json
import secrets
import statistics
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from arbiter.adapters.relays.loopback_probe import LOOPBACK_KIND
from arbiter.dialects.arbiter_events import HANDLER, PGN_NOTE, PROFILE, RATING, RELAY_LIST
from arbiter.dialects.chat import PLAYERS_CHAT, SPECTATORS_CHAT
from arbiter.dialects.dilger import (
    GAME_ERROR,
    GAME_MOVE,
    GAME_STATE,
    REQUEST_TO_PLAY,
    RESPONSE_TO_REQUEST,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey

EPHEMERAL = (
    *(REQUEST_TO_PLAY, RESPONSE_TO_REQUEST, GAME_STATE, GAME_MOVE, GAME_ERROR),
    *(PLAYERS_CHAT, SPECTATORS_CHAT),
)
STORED = (PGN_NOTE, RATING, PROFILE, RELAY_LIST, HANDLER)
WISHED = (LOOPBACK_KIND,)
"""Without it the arbiter cannot tell a relay that has gone deaf."""

EXPIRES_SECONDS = 600
ANSWER_SECONDS = 5.0
_LIMITS = ("auth_required", "payment_required", "restricted_writes", "min_pow_difficulty")


@dataclass(slots=True)
class Findings:
    """What was seen of one relay. ``refused`` has the relay's words by kind; ``undelivered`` and
    ``lost`` are kinds that it took, and did not pass on or keep.
    """

    url: str
    name: str = ""
    limits: tuple[str, ...] = ()
    unreachable: str = ""
    refused: dict[int, str] = field(default_factory=dict)
    undelivered: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def is_fit(self) -> bool:
        """Whether games can be played over it, and their notes be kept."""
        wrong = {*self.refused, *self.undelivered, *self.lost} - {*WISHED}
        return not self.unreachable and not wrong

    def lines(self) -> list[str]:
        """The findings, for an operator."""
        told = [
            f"{'✓' if self.is_fit() else '✗'} {self.url}{f' ({self.name})' if self.name else ''}"
        ]
        if self.unreachable:
            return [*told, f"    cannot be reached: {self.unreachable}"]
        if self.milliseconds:
            told.append(f"    an event comes back in {statistics.median(self.milliseconds):.0f} ms")
        told += [f"    says in NIP-11: {limit}" for limit in self.limits]
        for words in dict.fromkeys(self.refused.values()):
            kinds = [kind for kind, its in self.refused.items() if its == words]
            told.append(f"    refuses kinds {_listed(kinds)}: {words or 'no answer'}")
        if self.undelivered:
            told.append(f"    takes, but does not pass on: {_listed(self.undelivered)}")
        if self.lost:
            told.append(f"    takes, but does not keep: {_listed(self.lost)}")
        return told


def examine(url: str) -> Findings:
    """Tests one relay. Never raises for what a relay does."""
    findings = Findings(url)
    _describe(findings)
    try:
        with connect(url, open_timeout=ANSWER_SECONDS) as ears, connect(url) as mouth:
            _converse(findings, ears, mouth)
    except (OSError, WebSocketException, ValueError, TimeoutError) as error:
        findings.unreachable = f"{type(error).__name__}: {error}"[:200]
    return findings


def _describe(findings: Findings) -> None:
    """Reads what the relay says of itself (NIP-11), if it says anything."""
    http = "http" + findings.url.removeprefix("ws")
    asked = urllib.request.Request(http, headers={"Accept": "application/nostr+json"})  # noqa: S310 - ws(s) became http(s)
    try:
        with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 - as above
            told = json.loads(answer.read(100_000))
    except (OSError, ValueError):
        return
    if not isinstance(told, Mapping):
        return
    limitation = told.get("limitation")
    limits = limitation if isinstance(limitation, Mapping) else {}
    findings.name = str(told.get("name") or "")[:60]
    findings.limits = tuple(f"{name}: {limits[name]}" for name in _LIMITS if limits.get(name))


def _converse(findings: Findings, ears: ClientConnection, mouth: ClientConnection) -> None:
    arbiter, player = (SecretKey.generate(secrets.token_bytes(32)) for _ in range(2))
    ears.send(json.dumps(["REQ", "ears", {"authors": [arbiter.pubkey, player.pubkey]}]))
    _until(ears, lambda message: message[0] == "EOSE")
    events = {kind: _event(kind, arbiter, player) for kind in (*EPHEMERAL, *STORED, *WISHED)}
    sent: dict[str, float] = {}
    for kind, event in events.items():
        sent[event.id] = time.monotonic()
        mouth.send(json.dumps(["EVENT", event_to_json(event)]))
        answer = _until(mouth, lambda message, id_=event.id: message[:2] == ["OK", id_])
        if answer is None or answer[2] is not True:
            findings.refused[kind] = "" if answer is None else " ".join(map(str, answer[3:]))[:120]
    awaited = {event.id: kind for kind, event in events.items() if kind not in findings.refused}
    while awaited:
        message = _until(ears, lambda it: it[0] == "EVENT" and it[2].get("id") in awaited)
        if message is None:
            break
        kind = awaited.pop(message[2]["id"])
        if kind in EPHEMERAL:
            findings.milliseconds.append((time.monotonic() - sent[message[2]["id"]]) * 1000)
    findings.undelivered = [*awaited.values()]
    kept = [events[kind].id for kind in STORED if kind not in findings.refused]
    mouth.send(json.dumps(["REQ", "kept", {"ids": kept}]))
    while kept:
        message = _until(mouth, lambda it: it[:2] in (["EVENT", "kept"], ["EOSE", "kept"]))
        if message is None or message[0] == "EOSE":
            break
        kept = [id_ for id_ in kept if id_ != message[2].get("id")]
    findings.lost = [kind for kind in STORED if events[kind].id in kept]


def _event(kind: int, arbiter: SecretKey, player: SecretKey) -> VerifiedEvent:
    """An event of the kind, by whom it would be."""
    author = player if kind in {REQUEST_TO_PLAY, GAME_MOVE, PLAYERS_CHAT} else arbiter
    now = int(time.time())
    tags = (
        ("d", secrets.token_hex(16)),
        ("p", player.pubkey if author is arbiter else arbiter.pubkey),
        ("expiration", str(now + EXPIRES_SECONDS)),
    )
    content = "{}" if kind in {PROFILE, HANDLER} else "a test of this relay"
    return author.sign(EventTemplate(kind, tags, content, now))


def _until(connection: ClientConnection, is_it: Any) -> list[Any] | None:  # noqa: ANN401 - a predicate of JSON
    """The next message of which that is so; None if none comes in time."""
    ends_at = time.monotonic() + ANSWER_SECONDS
    while (left := ends_at - time.monotonic()) > 0:
        try:
            message = json.loads(connection.recv(timeout=left))
        except TimeoutError:
            return None
        if isinstance(message, list) and len(message) > 1:
            try:
                if is_it(message):
                    return message
            except (AttributeError, IndexError, TypeError):
                continue
    return None


def _listed(kinds: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(kinds)))


def main() -> int:
    """Prints the findings. Returns 1 if a relay is unfit."""
    parser = argparse.ArgumentParser(prog="python -m deploy.relays")
    parser.add_argument("relays", nargs="+", metavar="wss://…")
    urls = [url for text in parser.parse_args().relays for url in text.split(",") if url]
    with ThreadPoolExecutor(len(urls)) as pool:
        findings = [*pool.map(examine, urls)]
    for one in findings:
        print("\n".join(one.lines()))
    return 0 if all(one.is_fit() for one in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
