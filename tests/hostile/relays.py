"""H61 to H64 and H67: what a relay itself may do to a listener."""

from collections.abc import Iterator

from tests.hostile.case import (
    Case,
    Door,
    a_wish,
    a_word,
    bytes_of,
    frame,
    from_a_relay,
    once,
    signed,
)
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, Stage
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, Body, a_move


def _brought(event: bytes) -> bytes:
    return b'["EVENT","arbiter",' + event + b"]"


def _forged(number: int) -> bytes:
    body: Body = {**a_move(), "content": f"forged {number}"}
    return _brought(bytes_of(body))


def floods() -> Iterator[Case]:
    """H61, H62."""
    yield from_a_relay(
        "H61 forgeries without end",
        "after fifty in a minute this relay is left: it does not verify, or it forges",
        lambda _: (_forged(number) for number in range(150)),
        "left-hostile",
    )
    yield from_a_relay(
        "H61 forgeries that are not for us",
        "the cheap looks come first: nothing is verified",
        lambda _: (
            _brought(bytes_of({**signed(PLAYER, 20303, "e2e4"), "content": str(number)}))
            for number in range(500)
        ),
        "not-for-us",
    )
    yield from_a_relay(
        "H61 more events of one key than its share",
        "a hundred at once, then thirty a second",
        lambda _: (_brought(a_word(STRANGER, "flag", ("x", str(number)))) for number in range(101)),
        "too-many",
    )
    yield from_a_relay(
        "H61 more forgeries in a player's name than his share",
        "only what verifies costs its author anything: his own move gets through",
        lambda _: (*(_forged(number) for number in range(40)), _brought(bytes_of(a_move()))),
        "played",
        heeded=True,
    )
    yield from_a_relay(
        "H62 one event five hundred times",
        "passed on once",
        lambda _: [_brought(bytes_of(a_move()))] * 500,
        "repeated",
        heeded=True,
    )


def hostile_relays() -> Iterator[Case]:
    """H63."""
    challenge = frame("AUTH", CANARY)
    for name, frames, answer in (
        ("an EOSE of its own making", [frame("EOSE", "x")], "foreign-subscription"),
        ("EOSE without end", [frame("EOSE", "arbiter")] * 500, "eose"),
        ("CLOSED without end", [frame("CLOSED", "arbiter", CANARY)] * 100, "closed"),
        (
            "a CLOSED for another's subscription",
            [frame("CLOSED", "x", CANARY)],
            "foreign-subscription",
        ),
        ("NOTICE without end", [frame("NOTICE", CANARY * 100)] * 500, "notice"),
        ("an OK for what we never said", [frame("OK", "ab" * 32, True, CANARY)], "foreign-ok"),
        ("challenges without end", [challenge] * 500, "auth"),
    ):
        yield from_a_relay(f"H63 {name}", "counted, and nothing follows", once(*frames), answer)
    yield Case(
        name="H63 challenges without end, answered",
        note="eight answers on a connection, by a key that is thrown away",
        door=Door.RELAY,
        answer="8 answers",
        knock=_answers,
    )
    yield from_a_relay(
        "H63 a history of the year before",
        "older than what was asked for",
        lambda _: [_brought(a_word(PLAYER, "e2e4", at=NOW_MS // 1000 - 301 - 86_400 * 365))],
        "not-asked-for",
    )
    yield from_a_relay(
        "H63 a reply of our own, brought back",
        "our own words are no player's",
        lambda _: [_brought(bytes_of(signed(SERVER, 20302, CANARY, ("p", SERVER.pubkey))))],
        "not-listened-kind",
    )
    yield from_a_relay(
        "H63 a challenge kept for another relay",
        "sound in shape, but no kind that is listened for",
        lambda _: [_brought(bytes_of(signed(PLAYER, 22242, "", ("p", SERVER.pubkey))))],
        "not-listened-kind",
    )


def _answers(stage: Stage) -> str:
    stage.from_relay([frame("AUTH", f"{CANARY} {number}") for number in range(100)])
    return f"{len(stage.ear.line.said)} answers"


def addresses() -> Iterator[Case]:
    """H64: places that nobody shall be sent to."""
    for name, url in (
        ("of the cloud's own", "ws://169.254.169.254/latest/meta-data"),
        ("of this machine", "ws://127.0.0.1:6379/"),
        ("of this machine, in IPv6", "ws://[::ffff:127.0.0.1]/"),
        ("that is a file", "file:///etc/passwd"),
    ):
        tags = (("relay", url), ("r", url), ("p", PLAYER.pubkey, url))
        yield from_a_relay(
            f"H64 a move with a relay's address {name}",
            "relays are configured; no address in an event is ever dialled",
            once(_brought(a_word(PLAYER, "e2e4", *tags))),
            "played",
            heeded=True,
        )
    relays = bytes_of(signed(STRANGER, 10002, "", ("p", SERVER.pubkey), ("r", "ws://127.0.0.1/")))
    yield from_a_relay(
        "H64 a relay list (NIP-65)",
        "not read: whom we speak to, the operator says",
        lambda _: [_brought(relays)],
        "not-listened-kind",
    )


def kinds() -> Iterator[Case]:
    """H67, H15: what other programs say has no way in over relays, and chat leads nowhere."""
    to_us = ("p", SERVER.pubkey)
    for kind in (0, 1, 4, 5, 7, 13, 1059, 9735, 20301, 20302, 20304, 24133, 30300, 31990):
        yield from_a_relay(
            f"H15 an event of kind {kind}, addressed to us",
            "signed for another program: nobody listens",
            once(_brought(bytes_of(signed(PLAYER, kind, "e2e4", ("d", GAME), to_us)))),
            "not-listened-kind",
        )
    for kind in (20305, 20306):
        chat = bytes_of(signed(PLAYER, kind, CANARY, ("d", GAME), ("p", SERVER.pubkey)))
        yield from_a_relay(
            f"H67 chat (kind {kind}) over a relay",
            "both players hear it without us, so nothing is carried",
            once(_brought(chat)),
            "chat-not-carried",
        )
    both = (("p", SERVER.pubkey), ("p", RIVAL.pubkey))
    yield from_a_relay(
        "H65 a wish with a content of 60,000 characters",
        "a request whatever its content; no pattern runs over it",
        lambda _: [_brought(a_wish(STRANGER, "a1" * 30_000, *both))],
        "queued",
        heeded=True,
    )
    yield from_a_relay(
        "H65 a word of 60,000 characters that begins like a move",
        "patterns are anchored at both ends",
        lambda _: [_brought(a_word(PLAYER, "e2e4" * 15_000))],
        "malformed",
    )
    yield from_a_relay(
        "H65 an expiration of 1,000 digits",
        "twelve digits at most are a date",
        lambda _: [_brought(a_word(PLAYER, "e2e5", ("expiration", "9" * 1_000)))],
        "illegal-move",
    )
