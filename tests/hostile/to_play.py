"""Requests to play: with oneself, for another, on no terms, out of date, too often."""

from collections.abc import Iterable, Iterator

from tests.hostile.case import Case, Row, a_wish, each, edited, events
from tests.hostile.scenario import MARK, NOW_MS, RIVAL, Scenario
from tests.hostile.scenarios import CHALLENGE, SCENARIOS
from tests.nostr.hostile.case import PLAYER, STRANGER

_NOW = NOW_MS // 1000
_CHALLENGE = str(CHALLENGE["id"])[:32]
_BAD_TERMS, _UNKNOWN = "request-bad-terms", "request-unknown-challenge"

_PAWN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
_POSITIONS = (
    *("", MARK, "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    f"4k3/8/8/8/8/8/4P3/4K3 w - - {'9' * 900} 1",
    *(f'{_PAWN}"]\n[White "{MARK}', _PAWN.replace(" w", "\0 w")),
)
_TIMES = ("0+0", "1e9+0", "180+2+1", "180+2\n", "15d", "٣+٢", "9" * 1000, "", MARK)
_NAMES = (
    *("", MARK, "\u202eevE\u2066", "\u200b\ufeff\u3164", "\0\x1b[31m", "e" + "\u0301" * 400),
    *('"]\n[Result "1-0"]\n\n1. e4 {', "\\", PLAYER.pubkey, "npub1" + "q" * 58, "x" * 1_000),
)
_OPPONENT = ("challenge", RIVAL.pubkey)
_TERMS: tuple[tuple[tuple[str, ...], ...], ...] = (
    *((("time", time),) for time in _TIMES),
    (("time", "180+2"), ("time", "3d")),
    *((("rating", *text.split()),) for text in ("1000", "a b", "-1 9", "2000 1000", "1 2 3")),
    *((("mode", mode),) for mode in ("RATED", "", "rated")),
    *((("color", "green"),), (("color", "w"),), (("color",),)),
    *((("variant", "crazyhouse"),), (("variant", "Chess960"),)),
    *((("challenge", name),) for name in (MARK, STRANGER.pubkey, STRANGER.pubkey.upper())),
    (_OPPONENT, ("mode", "rated"), ("time", "180+2"), ("start", _PAWN)),
    *((_OPPONENT, ("start", fen)) for fen in _POSITIONS),
)


def to_play() -> Iterator[Case]:
    yield from events((*_twice(), *_terms(), *_names(), *_dates()), SCENARIOS["no game"])
    yield from events(_answers(), SCENARIOS["a challenge"])
    yield from events(_newcomers(), SCENARIOS["newcomers must work"])


def _wish(*tags: tuple[str, ...], at: int | None = None) -> bytes:
    return a_wish(STRANGER, "", *tags) if at is None else a_wish(STRANGER, "", *tags, at=at)


def _twice() -> Iterator[Row]:
    """H54: no player is paired with themselves."""
    delegation = ("delegation", PLAYER.pubkey, "kind=20300", "0" * 128)
    for name, second in (("again", _wish(("x", "again"))), ("delegated", _wish(delegation))):
        yield f"H54 a second wish of the same key, {name}", "queued, heeded", (_wish(), second)
    upper = edited(_wish(), pubkey=STRANGER.pubkey.upper())
    answers = "malformed, heeded|malformed-bad_pubkey, heeded"
    yield "H54 a second wish by one's own key in upper case", answers, (_wish(), upper)


def _terms() -> Iterator[Row]:
    for tags in _TERMS:
        number = "H56" if tags[-1][0] == "start" else "H57"
        yield from each(f"{number} the terms", _BAD_TERMS, lambda its: _wish(*its), [tags])


def _names() -> Iterator[Row]:
    """H61: a name never refuses a request, unless no tag may be so long."""
    for name in _NAMES:
        yield from each("H61 the name", "queued, heeded", lambda it: _wish(("name", it)), [name])
    long = _wish(("name", "x" * 10_000))
    yield "H61 a name of 10,000 characters", "malformed|malformed-tag_too_large", long


def _dates() -> Iterator[Row]:
    for seconds, answers in {
        -290: "request-stale|request-stale",
        300: "request-stale|request-stale",
        -3_600: "not-asked-for|refused-invalid",
        604_800: "request-stale|refused-invalid",
    }.items():
        yield f"H47 a wish dated {seconds} seconds on", answers, _wish(at=_NOW + seconds)
    expired = "expired|refused-invalid"

    def expiring(at: str) -> bytes:
        return _wish(("expiration", at))

    yield from each("H47 a wish that expired at", expired, expiring, ["0", "1", "1790000000"])
    yield "H60 a player's thirty-third wish", "request-rate-limited, heeded", _wishes


def _wishes(_: Scenario) -> Iterable[bytes]:
    return (_wish(("x", str(number))) for number in range(33))


def _answers() -> Iterator[Row]:
    for by, content in (
        *((STRANGER, f"accept:{_CHALLENGE}"), (STRANGER, f"decline:{_CHALLENGE}")),
        *((PLAYER, f"accept:{_CHALLENGE}"), (RIVAL, f"accept:{'ab' * 16}")),
    ):
        yield f"H55 {by.pubkey[:4]} says {content}", _UNKNOWN, a_wish(by, content)
    no_ids = (_CHALLENGE.upper(), _CHALLENGE[:31], f"{_CHALLENGE} ", "", MARK, f"../{_CHALLENGE}")

    def accepted(id_: str) -> bytes:
        return a_wish(RIVAL, f"accept:{id_}")

    yield from each("H55 a challenge's id", _BAD_TERMS, accepted, no_ids)


def _newcomers() -> Iterator[Row]:
    def working(nonce: tuple[str, ...]) -> bytes:
        return _wish(*([("nonce", *nonce)] if nonce else []))

    nonces = ((), ("1", "64"), ("1", "9" * 1000), ("1",))
    yield from each("H60 a newcomer's nonce", "request-pow", working, nonces)
