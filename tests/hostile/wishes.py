"""H54 to H57, H60: requests to play that no game may come of."""

from collections.abc import Iterator
from functools import partial

from arbiter.core.rules import Rules
from tests.hostile.case import Body, Case, a_wish, by_relay, bytes_of, once, sent, signed
from tests.hostile.stage import CANARY, NOW_MS, RIVAL, Stage
from tests.nostr.hostile.case import CREATED_AT, PLAYER, SERVER, STRANGER

_THIRD = RIVAL.pubkey
_CHALLENGE = ("challenge", _THIRD)


def _empty() -> Stage:
    """Nobody plays yet."""
    stage = Stage()
    stage.world.games.standing.clear()
    return stage


def _challenged(by: Body) -> Stage:
    """A challenge to RIVAL stands, by PLAYER."""
    stage = _empty()
    with stage:
        by_relay(once(bytes_of(by)))(stage)
    assert stage.world.lobby.challenges
    return stage


def with_oneself() -> Iterator[Case]:
    """H54."""
    yield from sent(
        "H54 a second wish of the same key",
        "nobody is paired with himself: he waits on",
        lambda _: (a_wish(STRANGER), a_wish(STRANGER, "", ("x", "again"))),
        "queued",
        stage=_empty,
        heeded=True,
    )
    yield from sent(
        "H54 a wish delegated by oneself",
        "NIP-26 is not spoken: the signer asks, whoever delegated",
        lambda _: (
            a_wish(STRANGER),
            a_wish(STRANGER, "", ("delegation", PLAYER.pubkey, "kind=20300", "00" * 64)),
        ),
        "queued",
        stage=_empty,
        heeded=True,
    )
    yield from sent(
        "H54 a challenge to oneself",
        "nobody challenges himself",
        once(a_wish(STRANGER, "", ("challenge", STRANGER.pubkey))),
        "request-bad-terms",
        stage=_empty,
    )
    yield from sent(
        "H54 a challenge to oneself in upper case",
        "a pubkey has one spelling",
        once(a_wish(STRANGER, "", ("challenge", STRANGER.pubkey.upper()))),
        "request-bad-terms",
        stage=_empty,
    )
    twin: Body = {
        **signed(STRANGER, 20300, "", ("p", SERVER.pubkey)),
        "pubkey": STRANGER.pubkey.upper(),
    }
    yield from sent(
        "H54 a wish by one's own key in upper case",
        "would be a second name for one player",
        lambda _: (a_wish(STRANGER), bytes_of(twin)),
        "malformed",
        "malformed-bad_pubkey",
        stage=_empty,
        heeded=True,
    )


def challenges() -> Iterator[Case]:
    """H55."""
    made = signed(PLAYER, 20300, "", ("p", SERVER.pubkey), _CHALLENGE)
    stage = partial(_challenged, made)
    theirs = str(made["id"])[:32]
    for word in ("accept", "decline"):
        yield from sent(
            f"H55 a third party says {word} to a challenge",
            "it is for another; and whether it stands is none of his business",
            once(a_wish(STRANGER, f"{word}:{theirs}")),
            "request-unknown-challenge",
            stage=stage,
        )
    yield from sent(
        "H55 one's own challenge accepted",
        "you cannot play yourself",
        once(a_wish(PLAYER, f"accept:{theirs}")),
        "request-unknown-challenge",
        stage=stage,
    )
    yield from sent(
        "H55 a challenge that nobody made",
        "unknown",
        once(a_wish(RIVAL, "accept:" + "ab" * 16)),
        "request-unknown-challenge",
        stage=stage,
    )
    for name, text in (
        ("in upper case", theirs.upper()),
        ("cut short", theirs[:31]),
        ("with a blank", theirs + " "),
        ("of nothing", ""),
        ("that is the canary", CANARY),
        ("that is a path", "../" + theirs),
    ):
        yield from sent(
            f"H55 a challenge's id {name}",
            "an id is 32 lower-case hexadecimal digits",
            once(a_wish(RIVAL, f"accept:{text}")),
            "request-bad-terms",
            stage=stage,
        )


_FENS = {
    "that is nothing": "",
    "that is the canary": CANARY,
    "without kings": "8/8/8/8/8/8/8/8 w - - 0 1",
    "with three kings": "k6k/8/8/8/8/8/8/K7 w - - 0 1",
    "with sixteen queens": "QQQQQQQQ/QQQQQQQQ/8/8/8/8/7k/K7 w - - 0 1",
    "with pawns on the last rank": "P6k/8/8/8/8/8/8/K7 w - - 0 1",
    "in which the side that moved is in check": "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "with a trillion half-moves": "4k3/8/8/8/8/8/4P3/4K3 w - - 1000000000000 1",
    "with a trillion moves": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1000000000000",
    "with a counter of 900 digits": "4k3/8/8/8/8/8/4P3/4K3 w - - " + "9" * 900 + " 1",
    "with a negative counter": "4k3/8/8/8/8/8/4P3/4K3 w - - -1 1",
    "with castling that nobody has": "4k3/8/8/8/8/8/4P3/4K3 w KQkq - 0 1",
    "with a square taken in passing out of nowhere": "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1",
    "of nine ranks": "4k3/8/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "of nine files": "4k4/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "with a third colour to move": "4k3/8/8/8/8/8/4P3/4K3 g - - 0 1",
    "that opens a tag of its own": '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[White "' + CANARY,
    "that is mate already": "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1",
    "that is a draw already": "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "of blanks": " " * 1_000,
    "of slashes": "/" * 1_000,
    "in which a NUL stands": "4k3/8/8/8/8/8/4P3/4K3\0 w - - 0 1",
    "that is PGN": "1. e4 e5 2. Nf3 *",
}


def positions() -> Iterator[Case]:
    """H56, and what H58 could bring in by it."""
    for name, fen in _FENS.items():
        yield from sent(
            f"H56 a position {name}",
            "no game could start from it, or none could reach it",
            once(a_wish(STRANGER, "", _CHALLENGE, ("start", fen))),
            "request-bad-terms",
            stage=_empty,
        )
    yield from sent(
        "H56 a sound position for a rated game",
        "rated games start where all start",
        once(
            a_wish(
                *(STRANGER, "", _CHALLENGE, ("mode", "rated"), ("time", "180+2")),
                ("start", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),
            )
        ),
        "request-bad-terms",
        stage=_empty,
    )


_TIMES = (
    *("0", "0+0", "-1+0", "1e9+0", "NaN+NaN", "inf+0", "180", "180+", "+2", "180+-2", "180 + 2"),
    *("180+2+1", "180+2\n", "0d", "-1d", "15d", "99d", "1000d", "3D", "3 d", "1_80+2", "٣+٢"),
    *("99999+0", "180+999", "9" * 1_000, "0x10+0", "180.0+2", "1/2+1/2", "", CANARY),
)
_RANGES = (("1000",), ("a", "b"), ("-1", "9"), ("2000", "1000"), ("1", "2", "3"), ("9" * 9, "1"))


def terms() -> Iterator[Case]:
    """H57, and every other term."""
    for time in _TIMES:
        shown = time if len(time) < 20 else f"of {len(time)} digits"
        yield from sent(
            f"H57 the time control {shown!r}",
            "neither 180+2 nor 3d, or out of bounds",
            once(a_wish(STRANGER, "", ("time", time))),
            "request-bad-terms",
            stage=_empty,
        )
    yield from sent(
        "H57 two time controls",
        "which?",
        once(a_wish(STRANGER, "", ("time", "180+2"), ("time", "3d"))),
        "request-bad-terms",
        stage=_empty,
    )
    for ends in _RANGES:
        yield from sent(
            f"H57 the rating range {' '.join(ends)}",
            "two ends of four digits at most, the lower first",
            once(a_wish(STRANGER, "", ("rating", *ends))),
            "request-bad-terms",
            stage=_empty,
        )
    for tag in (
        *(("mode", "RATED"), ("mode", ""), ("color", "green"), ("color", "w"), ("color",)),
        *(
            ("variant", "crazyhouse"),
            ("variant", "Chess960"),
            ("challenge", CANARY),
            ("mode", "rated"),
        ),
    ):
        yield from sent(
            f"H57 the term {' '.join(tag)}",
            "none that we know, or one that contradicts the others",
            once(a_wish(STRANGER, "", tag)),
            "request-bad-terms",
            stage=_empty,
        )


def dates() -> Iterator[Case]:
    """H47: a wish of another day."""
    for name, seconds, relay, socket in (
        ("of five minutes ago", -290, "request-stale", "request-stale"),
        ("of an hour ago", -3_600, "not-asked-for", "refused-invalid"),
        ("of five minutes ahead", 300, "request-stale", "request-stale"),
        ("of next week", 7 * 86_400, "request-stale", "refused-invalid"),
    ):
        yield from sent(
            f"H47 a wish {name}",
            "a relay could bring it any day, and its author may have gone to bed",
            once(a_wish(STRANGER, at=NOW_MS // 1000 + seconds)),
            relay,
            socket,
            stage=_empty,
        )
    for expiration in ("1", str(CREATED_AT), "0"):
        yield from sent(
            f"H47 a wish that expired at {expiration}",
            "NIP-40: it says itself that it is over",
            once(a_wish(STRANGER, "", ("expiration", expiration))),
            "expired",
            "refused-invalid",
            stage=_empty,
        )


def _worked(target: str, bits: int) -> bytes:
    """A wish that commits itself to this target and shows at least so many bits, by luck."""
    number = 0
    while True:
        wish = signed(STRANGER, 20300, "", ("p", SERVER.pubkey), ("nonce", str(number), target))
        if int(str(wish["id"]), 16) >> (256 - bits) == 0:
            return bytes_of(wish)
        number += 1


def _asks_for_work() -> Stage:
    stage = Stage(Rules(work_of_strangers=8))
    stage.world.games.standing.clear()
    return stage


def many_strangers() -> Iterator[Case]:
    """H60."""
    for name, event in (
        ("without work", a_wish(STRANGER)),
        ("with work that got lucky", _worked("4", 8)),
        ("with work that was promised and not done", a_wish(STRANGER, "", ("nonce", "1", "64"))),
        ("with work that promises nothing", _worked("", 8)),
        ("with work promised in Arabic digits", _worked("٨", 8)),
        (
            "with work promised in a thousand digits",
            a_wish(STRANGER, "", ("nonce", "1", "9" * 1_000)),
        ),
        ("with half a nonce", a_wish(STRANGER, "", ("nonce", "1"))),
    ):
        yield from sent(
            f"H60 a newcomer's wish {name}",
            "where the operator asks for work, it is the work committed to that counts (NIP-13)",
            once(event),
            "request-pow",
            stage=_asks_for_work,
        )
    yield from sent(
        "H60 a player's thirty-third wish in two minutes",
        "one key is good for 32",
        lambda _: (a_wish(STRANGER, "", ("x", str(number))) for number in range(33)),
        "request-rate-limited",
        stage=_empty,
        heeded=True,
    )
