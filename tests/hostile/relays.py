"""H61 to H65, H67: what a relay itself may do to a listener."""

from collections.abc import Iterator

from tests.hostile.case import Case, Row, a_wish, a_word, frame, frames, signed, wrapped
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, Stage
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, Body, a_move, bytes_of

_US = ("p", SERVER.pubkey)
_UNLISTENED = (0, 1, 4, 5, 7, 13, 1059, 9735, 20301, 20302, 20304, 24133, 30300, 31990)


def _brought(event: bytes | Body) -> bytes:
    return wrapped("relay", event if isinstance(event, bytes) else bytes_of(event))


def _forged(count: int) -> tuple[bytes, ...]:
    return tuple(_brought({**a_move(), "content": f"forged {number}"}) for number in range(count))


def floods() -> Iterator[Case]:
    not_for_us = signed(PLAYER, 20303, "e2e4")
    others = tuple(_brought({**not_for_us, "content": str(number)}) for number in range(500))
    flags = tuple(_brought(a_word(STRANGER, "flag", ("x", str(it)))) for it in range(101))
    move = _brought(a_move())
    rows: tuple[Row, ...] = (
        # After fifty in a minute this relay is left: it does not verify, or it forges.
        ("H61 forgeries without end", "left-hostile", _forged(150)),
        ("H61 forgeries that are not for us", "not-for-us", others),
        ("H61 more events of one key than its share", "too-many", flags),
        # Only what verifies costs its author anything.
        (
            "H61 more forgeries in a player's name than their share",
            "played, heeded",
            (*_forged(40), move),
        ),
        ("H62 one event five hundred times", "repeated, heeded", (move,) * 500),
    )
    yield from frames("relay", rows)


def hostile_relays() -> Iterator[Case]:
    foreign, challenge = "foreign-subscription", frame("AUTH", CANARY)
    year_ago = a_word(PLAYER, "e2e4", at=NOW_MS // 1000 - 301 - 86_400 * 365)
    ok = frame("OK", "ab" * 32, True, CANARY)
    rows: tuple[Row, ...] = (
        ("H63 an EOSE of its own making", foreign, frame("EOSE", "x")),
        ("H63 EOSE without end", "eose", (frame("EOSE", "arbiter"),) * 500),
        ("H63 CLOSED without end", "closed", (frame("CLOSED", "arbiter", CANARY),) * 100),
        ("H63 a CLOSED for another's subscription", foreign, frame("CLOSED", "x", CANARY)),
        ("H63 NOTICE without end", "notice", (frame("NOTICE", CANARY * 100),) * 500),
        ("H63 an OK for what we never said", "foreign-ok", ok),
        ("H63 challenges without end", "auth", (challenge,) * 500),
        ("H63 a history of the year before", "not-asked-for", _brought(year_ago)),
        (
            "H63 a reply of our own, brought back",
            "not-listened-kind",
            _brought(signed(SERVER, 20302, CANARY, _US)),
        ),
        (
            "H63 a challenge kept for another relay",
            "not-listened-kind",
            _brought(signed(PLAYER, 22242, "", _US)),
        ),
    )
    yield from frames("relay", rows)
    yield Case("H63 challenges without end, answered", "relay", "8 answers", _answers)


def _answers(stage: Stage) -> str:
    stage.from_relay([frame("AUTH", f"{CANARY} {number}") for number in range(100)])
    return f"{len(stage.ear.line.said)} answers"


_URLS = {
    "of the cloud's own": "ws://169.254.169.254/latest/meta-data",
    "of this machine": "ws://127.0.0.1:6379/",
    "of this machine, in IPv6": "ws://[::ffff:127.0.0.1]/",
    "that is a file": "file:///etc/passwd",
}


def addresses_and_kinds() -> Iterator[Case]:
    # Relays are configured; no address in an event is ever dialled.
    for name, url in _URLS.items():
        tags = (("relay", url), ("r", url), ("p", PLAYER.pubkey, url))
        move = _brought(a_word(PLAYER, "e2e4", *tags))
        row = (f"H64 a move with a relay's address {name}", "played, heeded", move)
        yield from frames("relay", (row,))
    wish = a_wish(STRANGER, "a1" * 30_000, _US, ("p", RIVAL.pubkey))
    expires = a_word(PLAYER, "e2e5", ("expiration", "9" * 1_000))
    rows: tuple[Row, ...] = (
        (
            "H64 a relay list (NIP-65)",
            "not-listened-kind",
            _brought(signed(STRANGER, 10002, "", _US, ("r", "ws://127.0.0.1/"))),
        ),
        *(
            (
                f"H15 an event of kind {kind}, addressed to us",
                "not-listened-kind",
                _brought(signed(PLAYER, kind, "e2e4", ("d", GAME), _US)),
            )
            for kind in _UNLISTENED
        ),
        *(
            (
                f"H67 chat (kind {kind}) over a relay",
                "chat-not-carried",
                _brought(signed(PLAYER, kind, CANARY, ("d", GAME), _US)),
            )
            for kind in (20305, 20306)
        ),
        ("H65 a wish with a content of 60,000 characters", "queued, heeded", _brought(wish)),
        (
            "H65 a word of 60,000 characters that begins like a move",
            "malformed",
            _brought(a_word(PLAYER, "e2e4" * 15_000)),
        ),
        ("H65 an expiration of 1,000 digits", "illegal-move", _brought(expires)),
    )
    yield from frames("relay", rows)
