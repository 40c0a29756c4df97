"""Tests relays: does each take our kinds of events from a stranger, pass them on, and keep what is
to be kept? All is signed by keys made for this test, and expires in ten minutes (NIP-40).
"""

import argparse
import contextlib
import json
import logging
import secrets
import statistics
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from arbiter.adapters.relays.loopback_probe import LOOPBACK_KIND
from arbiter.dialects.arbiter_events import HANDLER, PGN_NOTE, PROFILE, RATING, RELAY_LIST
from arbiter.dialects.base import TOURNAMENT
from arbiter.dialects.chat import PLAYERS_CHAT, SPECTATORS_CHAT
from arbiter.dialects.native import (
    GAME_ERROR,
    GAME_MOVE,
    GAME_STATE,
    REQUEST_TO_PLAY,
    RESPONSE_TO_REQUEST,
)
from arbiter.dialects.tournaments import COMMAND
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey

_log = logging.getLogger("arbiter")

EPHEMERAL = (
    *(REQUEST_TO_PLAY, RESPONSE_TO_REQUEST, GAME_STATE, GAME_MOVE, GAME_ERROR),
    *(PLAYERS_CHAT, SPECTATORS_CHAT),
)
STORED = (PGN_NOTE, RATING, PROFILE, RELAY_LIST, HANDLER)
WISHED = (LOOPBACK_KIND, COMMAND, TOURNAMENT)
"""Without the first the arbiter cannot tell a relay that has gone deaf; without the others no event
is held over it.
"""

REPORT = "relays.txt"
EXPIRES_SECONDS = 600
ANSWER_SECONDS = 5.0
SILENT_SECONDS = 0.5
"""Time to wait for the OK of an ephemeral event after another had none."""
_LIMITS = ("auth_required", "payment_required", "restricted_writes", "min_pow_difficulty")


@dataclass(slots=True)
class Findings:
    """One relay: words of refusals, kinds unanswered, undelivered or lost, by name."""

    url: str
    name: str = ""
    limits: tuple[str, ...] = ()
    unreachable: str = ""
    refused: dict[int, str] = field(default_factory=dict)
    unanswered: list[int] = field(default_factory=list)
    undelivered: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def is_fit(self) -> bool:
        """Whether games can be played over it, and their notes be kept."""
        wrong = {*self.refused, *self.undelivered, *self.lost} - {*WISHED}
        return not self.unreachable and not wrong

    def logged(self) -> dict[str, object]:
        lists = {
            "refuses": sorted(self.refused),
            "answers_no_ok": self.unanswered,
            "does_not_pass_on": self.undelivered,
            "does_not_keep": self.lost,
            "unreachable": [self.unreachable.partition(":")[0]] if self.unreachable else [],
        }
        status = "relay-fit" if self.is_fit() else "relay-unfit"
        told = {name: values for name, values in lists.items() if values}
        return {"status": status, "relay": self.url, **told}

    def lines(self) -> list[str]:
        told = [
            f"{'✓' if self.is_fit() else '✗'} {self.url}{f' ({self.name})' if self.name else ''}"
        ]
        if self.unreachable:
            return [*told, f"    cannot be reached: {self.unreachable}"]
        if self.milliseconds:
            told.append(f"    an event comes back in {statistics.median(self.milliseconds):.0f} ms")
        told += [f"    says in NIP-11: {limit}" for limit in self.limits]
        if self.unanswered:
            told.append(
                f"    passes on, but answers no OK: {_listed(self.unanswered)}; clients that wait "
                "for one may report an error"
            )
        for words in dict.fromkeys(self.refused.values()):
            kinds = [kind for kind, its in self.refused.items() if its == words]
            told.append(f"    refuses kinds {_listed(kinds)}: {words or 'no answer'}")
        if self.undelivered:
            told.append(f"    takes, but does not pass on: {_listed(self.undelivered)}")
        if self.lost:
            told.append(f"    takes, but does not keep: {_listed(self.lost)}")
        return told


def examine(url: str) -> Findings:
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
    findings.name = _words([told.get("name") or ""])[:60]
    findings.limits = tuple(f"{name}: {limits[name]}" for name in _LIMITS if limits.get(name))


def _converse(findings: Findings, ears: ClientConnection, mouth: ClientConnection) -> None:
    arbiter, player = (SecretKey.generate(secrets.token_bytes(32)) for _ in range(2))
    ears.send(json.dumps(["REQ", "ears", {"authors": [arbiter.pubkey, player.pubkey]}]))
    _until(ears, lambda message: message[0] == "EOSE")
    events = {kind: _event(kind, arbiter, player) for kind in (*EPHEMERAL, *STORED, *WISHED)}
    sent: dict[str, float] = {}
    silent: list[int] = []
    for kind, event in events.items():
        sent[event.id] = time.monotonic()
        mouth.send(json.dumps(["EVENT", event_to_json(event)]))
        patience = SILENT_SECONDS if silent and kind not in STORED else ANSWER_SECONDS
        answer = _until(mouth, lambda message, id_=event.id: message[:2] == ["OK", id_], patience)
        if answer is None and kind not in STORED:
            silent.append(kind)
        elif answer is None or answer[2] is not True:
            findings.refused[kind] = "" if answer is None else _words(answer[3:])
    awaited = {event.id: kind for kind, event in events.items() if kind not in findings.refused}
    while awaited:
        message = _until(ears, lambda it: it[0] == "EVENT" and it[2].get("id") in awaited)
        if message is None:
            break
        kind = awaited.pop(message[2]["id"])
        if kind in EPHEMERAL and kind not in silent:
            findings.milliseconds.append((time.monotonic() - sent[message[2]["id"]]) * 1000)
    findings.unanswered = [kind for kind in silent if events[kind].id not in awaited]
    findings.refused |= {kind: "" for kind in silent if events[kind].id in awaited}
    findings.undelivered = [kind for kind in awaited.values() if kind not in silent]
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
    author = player if kind in {REQUEST_TO_PLAY, GAME_MOVE, PLAYERS_CHAT, COMMAND} else arbiter
    now = int(time.time())
    tags = (
        ("d", secrets.token_hex(16)),
        ("p", player.pubkey if author is arbiter else arbiter.pubkey),
        ("expiration", str(now + EXPIRES_SECONDS)),
    )
    content = "{}" if kind in {PROFILE, HANDLER} else "a test of this relay"
    return author.sign(EventTemplate(kind, tags, content, now))


def _until(
    connection: ClientConnection,
    is_it: Any,  # noqa: ANN401 - a predicate of JSON
    seconds: float | None = None,
) -> list[Any] | None:
    """The next message of which that is so; None if none comes in time."""
    ends_at = time.monotonic() + (ANSWER_SECONDS if seconds is None else seconds)
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


def _words(told: Sequence[object]) -> str:
    return "".join(char for char in " ".join(map(str, told)) if char.isprintable())[:120]


def _listed(kinds: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(kinds)))


def examine_all(urls: Sequence[str]) -> list[Findings]:
    with ThreadPoolExecutor(max(1, len(urls))) as pool:
        return [*pool.map(examine, urls)]


def report(urls: Sequence[str], folder: Path) -> None:
    """Test the relays in a thread of its own; log what each takes, and write it into the folder."""
    path = folder / REPORT
    path.unlink(missing_ok=True)

    def run() -> None:
        findings = examine_all(urls)
        for one in findings:
            _log.log(logging.INFO if one.is_fit() else logging.WARNING, one.logged())
        draft = path.with_suffix(".new")
        with contextlib.suppress(OSError):
            draft.write_text("\n".join(line for one in findings for line in one.lines()) + "\n")
            draft.replace(path)

    threading.Thread(target=run, name="relay check", daemon=True).start()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m server.relay_check", description=__doc__)
    parser.add_argument("relays", nargs="+", metavar="wss://…")
    named = parser.parse_args().relays
    findings = examine_all([url for text in named for url in text.split(",") if url])
    for one in findings:
        print("\n".join(one.lines()))
    return 0 if all(one.is_fit() for one in findings) else 1


if __name__ == "__main__":
    sys.exit(main())
