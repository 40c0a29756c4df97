"""H47, H54 to H57, H60: requests to play that no game may come of.

Which positions, times and terms are refused is in `tests/core/test_terms.py` and
`tests/core/test_clocks.py`; here are one of each and the spellings of a tag.
"""

from collections.abc import Iterator
from functools import partial

from arbiter.core.rules import Rules
from tests.hostile.case import Case, a_wish, bring, events, signed
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, Stage
from tests.nostr.hostile.case import CREATED_AT, PLAYER, SERVER, STRANGER, Body, bytes_of

_CHALLENGE = ("challenge", RIVAL.pubkey)
_BAD, _UNKNOWN = "request-bad-terms", "request-unknown-challenge"
_DELEGATION = ("delegation", PLAYER.pubkey, "kind=20300", "00" * 64)


def _empty(rules: Rules | None = None) -> Stage:
    """No game is played yet."""
    stage = Stage(rules)
    stage.world.games.standing.clear()
    return stage


def _challenged(by: Body) -> Stage:
    """A challenge to RIVAL is open, by PLAYER."""
    stage = _empty()
    with stage:
        bring("relay", bytes_of(by), is_event=True)(stage)
    assert stage.world.lobby.challenges
    return stage


def _asked(*tags: tuple[str, ...], at: int = CREATED_AT) -> bytes:
    return a_wish(STRANGER, "", *tags, at=at)


def challenges() -> Iterator[Case]:
    own = STRANGER.pubkey
    twin = {**signed(STRANGER, 20300, "", ("p", SERVER.pubkey)), "pubkey": own.upper()}
    twice = "malformed, heeded|malformed-bad_pubkey, heeded"
    yield from events(
        (
            (
                "H54 a second wish of the same key",
                "queued, heeded",
                (_asked(), _asked(("x", "again"))),
            ),
            ("H54 a wish delegated by oneself", "queued, heeded", (_asked(), _asked(_DELEGATION))),
            ("H54 a challenge to oneself", _BAD, _asked(("challenge", own))),
            ("H54 a challenge to oneself in upper case", _BAD, _asked(("challenge", own.upper()))),
            ("H54 a wish by one's own key in upper case", twice, (_asked(), bytes_of(twin))),
        ),
        _empty,
    )
    made = signed(PLAYER, 20300, "", ("p", SERVER.pubkey), _CHALLENGE)
    theirs = str(made["id"])[:32]
    ids = {
        "in upper case": theirs.upper(),
        "cut short": theirs[:31],
        "with a blank": theirs + " ",
        "of nothing": "",
        "that is the canary": CANARY,
        "that is a path": "../" + theirs,
    }
    third = "H55 a third party says {} to a challenge"
    yield from events(
        (
            *(
                (third.format(it), _UNKNOWN, a_wish(STRANGER, f"{it}:{theirs}"))
                for it in ("accept", "decline")
            ),
            ("H55 one's own challenge accepted", _UNKNOWN, a_wish(PLAYER, f"accept:{theirs}")),
            (
                "H55 a challenge that was never made",
                _UNKNOWN,
                a_wish(RIVAL, "accept:" + "ab" * 16),
            ),
            *(
                (f"H55 a challenge's id {name}", _BAD, a_wish(RIVAL, f"accept:{text}"))
                for name, text in ids.items()
            ),
        ),
        partial(_challenged, made),
    )


_PAWN = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
_FENS = {
    "that is nothing": "",
    "that is the canary": CANARY,
    "without kings": "8/8/8/8/8/8/8/8 w - - 0 1",
    "with a counter of 900 digits": "4k3/8/8/8/8/8/4P3/4K3 w - - " + "9" * 900 + " 1",
    "that opens a tag of its own": f'{_PAWN}"]\n[White "{CANARY}',
    "that is a draw already": "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "with a NUL in it": _PAWN.replace(" w", "\0 w"),
}
_TIMES = ("0+0", "1e9+0", "180+2+1", "180+2\n", "15d", "٣+٢", "9" * 1_000, "", CANARY)
_RANGES = ("1000", "a b", "-1 9", "2000 1000", "1 2 3", "9" * 9 + " 1")
_TERMS = (
    *(("mode", "RATED"), ("mode", ""), ("color", "green"), ("color", "w"), ("color",)),
    *(("variant", "crazyhouse"), ("variant", "Chess960"), ("challenge", CANARY), ("mode", "rated")),
)


def terms() -> Iterator[Case]:
    rated = (_CHALLENGE, ("mode", "rated"), ("time", "180+2"), ("start", _PAWN))
    yield from events(
        (
            *(
                (f"H56 a position {name}", _BAD, _asked(_CHALLENGE, ("start", fen)))
                for name, fen in _FENS.items()
            ),
            ("H56 a sound position for a rated game", _BAD, _asked(*rated)),
            *((f"H57 the time control {it[:20]!r}", _BAD, _asked(("time", it))) for it in _TIMES),
            ("H57 two time controls", _BAD, _asked(("time", "180+2"), ("time", "3d"))),
            *(
                (f"H57 the rating range {it}", _BAD, _asked(("rating", *it.split())))
                for it in _RANGES
            ),
            *((f"H57 the term {' '.join(it)}", _BAD, _asked(it)) for it in _TERMS),
        ),
        _empty,
    )


def dates() -> Iterator[Case]:
    seconds = NOW_MS // 1000
    stale = "request-stale"
    yield from events(
        (
            ("H47 a wish of five minutes ago", f"{stale}|{stale}", _asked(at=seconds - 290)),
            (
                "H47 a wish of an hour ago",
                "not-asked-for|refused-invalid",
                _asked(at=seconds - 3_600),
            ),
            ("H47 a wish of five minutes ahead", f"{stale}|{stale}", _asked(at=seconds + 300)),
            (
                "H47 a wish of next week",
                f"{stale}|refused-invalid",
                _asked(at=seconds + 7 * 86_400),
            ),
            *(
                (
                    f"H47 a wish that expired at {it}",
                    "expired|refused-invalid",
                    _asked(("expiration", it)),
                )
                for it in ("1", str(CREATED_AT), "0")
            ),
        ),
        _empty,
    )


def _worked(target: str, bits: int) -> bytes:
    """A wish that commits itself to this target and shows at least so many bits, by luck."""
    number = 0
    while True:
        wish = signed(STRANGER, 20300, "", ("p", SERVER.pubkey), ("nonce", str(number), target))
        if int(str(wish["id"]), 16) >> (256 - bits) == 0:
            return bytes_of(wish)
        number += 1


def many_strangers() -> Iterator[Case]:
    # NIP-13: the work that was committed to counts.
    works = {
        "without work": _asked(),
        "with work that got lucky": _worked("4", 8),
        "with work that was promised and not done": _asked(("nonce", "1", "64")),
        "with work that promises nothing": _worked("", 8),
        "with work promised in Arabic digits": _worked("٨", 8),
        "with work promised in a thousand digits": _asked(("nonce", "1", "9" * 1_000)),
        "with half a nonce": _asked(("nonce", "1")),
    }
    yield from events(
        ((f"H60 a newcomer's wish {name}", "request-pow", it) for name, it in works.items()),
        partial(_empty, Rules(work_of_strangers=8)),
    )
    many = tuple(_asked(("x", str(number))) for number in range(33))
    name = "H60 a player's thirty-third wish in two minutes"
    yield from events(((name, "request-rate-limited, heeded", many),), _empty)
