"""Frames of a relay, and too many of them."""

from collections.abc import Iterable, Iterator

from tests.hostile.case import (
    Case,
    Row,
    Script,
    a_wish,
    a_word,
    each,
    edited,
    events,
    frame,
    frames,
    signed,
)
from tests.hostile.scenario import MARK, NOW_MS, RIVAL, Scenario
from tests.hostile.scenarios import SCENARIOS
from tests.nostr.hostile.case import GAME, PLAYER, SERVER, STRANGER, bytes_of

_OUR_GAME = (("d", GAME), ("p", SERVER.pubkey))
_UNHEARD_KINDS = (
    *(0, 1, 4, 5, 7, 13, 1059, 9735, 20301, 20302, 20304, 24133, 30300, 31990),
)  # fmt: skip
_ADDRESSES = (
    "ws://169.254.169.254/latest/meta-data",
    "ws://127.0.0.1:6379/",
    "ws://[::ffff:127.0.0.1]/",
    "file:///etc/passwd",
)


def at_relays() -> Iterator[Case]:
    yield from frames("relay", _frames())
    yield from events((*_floods(), *_events()), entry_points="relay")
    chat = SCENARIOS["a game with a feed"]
    yield from events(_chat_to_a_feed(), chat, entry_points="relay")


def _frames() -> Iterator[Row]:
    yield "H63 an EOSE of its own making", "foreign-subscription", frame("EOSE", "x")
    foreign = frame("CLOSED", "x", MARK)
    yield "H63 a CLOSED for another's subscription", "foreign-subscription", foreign
    yield "H63 an OK for what we never said", "foreign-ok", frame("OK", "ab" * 32, True, MARK)
    endless = {
        "eose": (500, frame("EOSE", "arbiter")),
        "closed": (100, frame("CLOSED", "arbiter", MARK)),
        "notice": (500, frame("NOTICE", MARK * 100)),
        "auth": (500, frame("AUTH", MARK)),
    }
    for word, (times, said) in endless.items():
        yield f"H63 {word} without end", word, (said,) * times


def _floods() -> Iterator[Row]:
    move = a_word(PLAYER, "e2e4")

    def forged(times: int) -> tuple[bytes, ...]:
        return tuple(edited(move, content=f"forged {number}") for number in range(times))

    yield "H61 forgeries without end", "left-hostile", forged(150)
    elsewhere = bytes_of(signed(PLAYER, 20303, "e2e4"))
    not_for_us = tuple(edited(elsewhere, content=str(number)) for number in range(500))
    yield "H61 forgeries that are not for us", "not-for-us", not_for_us
    name = "H61 more forgeries in a player's name than their share"
    yield name, "played, heeded", (*forged(40), move)
    flags: Script = _flags
    yield "H61 more events of one key than its share", "too-many", flags
    yield "H62 one event five hundred times", "repeated, heeded", (move,) * 500


def _flags(_: Scenario) -> Iterable[bytes]:
    return (a_word(STRANGER, "flag", ("x", str(number))) for number in range(101))


def _events() -> Iterator[Row]:
    unheard = "not-listened-kind"

    def of(kind: int) -> bytes:
        return bytes_of(signed(PLAYER, kind, "e2e4", *_OUR_GAME))

    yield from each("H15 to us, an event of kind", unheard, of, _UNHEARD_KINDS)
    year_before = a_word(PLAYER, "e2e4", at=NOW_MS // 1000 - 31_536_301)
    yield "H63 a history of the year before", "not-asked-for", year_before
    reply = signed(SERVER, 20302, MARK, ("p", SERVER.pubkey))
    yield "H63 a reply of our own, brought back", unheard, bytes_of(reply)
    proof = signed(PLAYER, 22242, "", ("p", SERVER.pubkey))
    yield "H63 a challenge kept for another relay", unheard, bytes_of(proof)
    relays = signed(STRANGER, 10002, "", ("p", SERVER.pubkey), ("r", "ws://127.0.0.1/"))
    yield "H64 a relay list (NIP-65)", unheard, bytes_of(relays)

    def naming(url: str) -> bytes:
        return a_word(PLAYER, "e2e4", ("relay", url), ("r", url), ("p", PLAYER.pubkey, url))

    yield from each("H64 a move that names the relay", "played, heeded", naming, _ADDRESSES)

    def chat(kind: int) -> bytes:
        return bytes_of(signed(PLAYER, kind, MARK, *_OUR_GAME))

    yield from each("H67 chat over a relay, of kind", "chat-not-carried", chat, [20305, 20306])
    connect = bytes_of(signed(STRANGER, 5000, "connect"))
    yield "H51 a connect that names no arbiter, over a relay", unheard, connect
    long = a_wish(STRANGER, "a1" * 30_000, ("p", RIVAL.pubkey))
    yield "H65 a wish of 60,000 characters", "queued, heeded", long


def _chat_to_a_feed() -> Iterator[Row]:
    """Of a player against a feed, whose chat the arbiter carries."""

    def sealed(content: str) -> bytes:
        return bytes_of(signed(PLAYER, 20305, content, *_OUR_GAME))

    texts = (MARK, "", "A" * 60_000, "A" * 131)
    yield from each("H67 chat that is not sealed:", "chat-unreadable", sealed, texts)

    def public(content: str) -> bytes:
        return bytes_of(signed(PLAYER, 20306, content, *_OUR_GAME))

    yield from each("H67 public chat", "chat-unreadable", public, [" \t ", "\u200b\u202e"])
    for games, answer in {
        ("ff" * 16,): "chat-not-carried",
        ("../etc",): "unaddressed",
        (GAME, "ff" * 16): "unaddressed",
    }.items():
        tags = (*(("d", game) for game in games), ("p", SERVER.pubkey))
        yield f"H67 chat in {games}, carried", answer, bytes_of(signed(PLAYER, 20306, MARK, *tags))
    nowhere = bytes_of(signed(PLAYER, 20306, MARK, ("d",), ("p", SERVER.pubkey)))
    yield "H67 chat without a game, carried", "unaddressed", nowhere
