"""Bytes: sound frames and hostile ones, cut, patched and joined; and half of those that are still
JSON with their event signed anew, so that what was altered gets past the signature.

Nothing may pass for signed that another library does not verify as well.
"""

import json
from typing import Any

from hypothesis import strategies as st

from arbiter.application.intake.queue_messages import republish_body
from arbiter.application.records import Republish
from arbiter.nostr.event import event_id
from arbiter.nostr.keys import SecretKey
from tests.fuzz.oracle import check
from tests.fuzz.strategies import Draw, alter, once_in, pick, scrap
from tests.hostile.case import a_wish, a_word, frame, signed, wrapped
from tests.hostile.scenario import BEGUN_MS, ENTRY_POINTS, SOCKET, Scenario
from tests.nostr import second_implementation
from tests.nostr.hostile import HOSTILE
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, bytes_of, text_of

_SEED_BYTES = 4_000
_RECEIVED = b',"received_at_ms":1790000002000'
_SOUND = (
    a_word(PLAYER, "e2e4"),
    a_word(PLAYER, "state"),
    a_wish(PLAYER),
    bytes_of(signed(PLAYER, 5000, "connect", ("p", SERVER.pubkey))),
)
_ENVELOPES = tuple(
    case.raw for case in HOSTILE if not case.is_frame and len(case.raw) < _SEED_BYTES
)
_FRAMES = tuple(case.raw for case in HOSTILE if case.is_frame and len(case.raw) < _SEED_BYTES)
SEEDS = {
    "relay": (
        *(wrapped("relay", event) for event in (*_SOUND * 20, *_ENVELOPES)),
        *_FRAMES,
        frame("EOSE", "arbiter"),
        frame("CLOSED", "arbiter", "auth-required: who?"),
        frame("AUTH", "challenge"),
        frame("OK", "ab" * 32, False, "blocked: no"),
    ),
    "socket": (
        *(wrapped("socket", event) for event in (*_SOUND * 20, *_ENVELOPES)),
        *_FRAMES,
        frame("REQ", "s", {"kinds": [20302], "#d": ["ab" * 16], "since": 1, "limit": 5}),
        frame("REQ", "s", {"authors": ["ab" * 32], "until": 2**40}, {"ids": ["ef" * 32]}),
        frame("CLOSE", "s"),
        frame("AUTH", signed(PLAYER, 22242, "", ("relay", "wss://x.example"), ("challenge", "y"))),
    ),
    "queue": (
        *(b'{"event":' + event + _RECEIVED + b"}" for event in (*_SOUND * 20, *_ENVELOPES)),
        b'{"event":' + _SOUND[3] + _RECEIVED + b',"via":"' + SOCKET.encode() + b'"}',
        b'{"timer":{"game_id":"' + GAME.encode() + b'","ply":0}' + _RECEIVED + b"}",
        republish_body(Republish(game_id=GAME, changed_at_ms=BEGUN_MS)).encode(),
        republish_body(Republish(player_id=PLAYER.pubkey)).encode(),
    ),
}

_WORDS = (
    *("EVENT", "REQ", "CLOSE", "AUTH", "OK", "EOSE", "CLOSED", "NOTICE", "COUNT", "s", "arbiter"),
    *("d", "p", "e", "connect", "e2e4", "state", "resign", PLAYER.pubkey, STRANGER.pubkey, GAME),
)
_FIELDS = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")
_UNHEARD = frozenset(("unreadable", "superseded", "published-again", "tick-late", "tick-early"))


@st.composite
def frames(draw: Draw, entry_point: str) -> tuple[bytes, ...]:
    """One to three frames, or records, for this entry point."""
    seeds, made = SEEDS[entry_point], []
    for _ in range(draw(st.integers(1, 3))):
        raw = _altered(draw, seeds) if once_in(draw, 2) else scrap(draw, seeds)
        made.append(_sealed(raw, pick(draw, (PLAYER, STRANGER))) if once_in(draw, 2) else raw)
    return tuple(made)


def _altered(draw: Draw, seeds: tuple[bytes, ...]) -> bytes:
    """One of them with a part or two that are others: still JSON, if it was."""
    raw: bytes = pick(draw, seeds)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    if isinstance(value, dict | list):
        for _ in range(pick(draw, (1, 1, 2))):
            alter(draw, value, _WORDS)
    try:
        return text_of(value).encode()
    except (ValueError, RecursionError):
        return raw


def _sealed(raw: bytes, by: SecretKey) -> bytes:
    """The same bytes with the event in them signed anew, if there is one that can be."""
    try:
        value = json.loads(raw)
        held = [value] if isinstance(value, dict) else value
        for one in held:
            event = one.get("event", one) if isinstance(one, dict) else {}
            body: Any = [event.get(field) for field in ("created_at", "kind", "tags", "content")]
            if None not in body:
                id_ = event_id(by.pubkey, *body)
                sig = by.sign_bytes(bytes.fromhex(id_)).hex()
                event |= {"id": id_, "pubkey": by.pubkey, "sig": sig}
        return text_of(value).encode()
    except (ValueError, TypeError, AttributeError, RecursionError):
        return raw


def bring(entry_point: str, brought: tuple[bytes, ...]) -> list[str]:
    with Scenario() as scenario:
        if entry_point == "queue":
            scenario.from_queue(brought)  # in one batch, and then alone
        words = [ENTRY_POINTS[entry_point](scenario, [raw]) for raw in brought]
        _check_signed(scenario)
    return words


def _check_signed(scenario: Scenario) -> None:
    """Nothing was heeded but what was signed here, and another library verifies it too."""
    check(scenario)
    for body, status in scenario.judged:
        event = json.loads(body).get("event") if status not in _UNHEARD else None
        if event and not status.startswith("malformed-"):
            seven = {field: event[field] for field in _FIELDS}
            assert second_implementation.verifies(json.dumps(seven))
