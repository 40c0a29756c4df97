"""lichess's words for ours: ends, kinds of chess, speeds, reasons and names."""

import re
import unicodedata
from typing import NamedTuple

from arbiter.nostr.nip19 import encode_npub
from clients.lichess_api.bodies import Status, TimeControl, Variant
from clients.player.messages import State
from clients.player.terms import Speed, Terms
from clients.player.terms import TimeControl as Time

STATUS_IDS: dict[Status, int] = {
    "started": 20,
    "aborted": 25,
    "mate": 30,
    "resign": 31,
    "stalemate": 32,
    "draw": 34,
    "outoftime": 35,
    "unknownFinish": 38,
}

_DRAWS = (
    "agreement insufficient-material threefold-repetition fivefold-repetition fifty-moves"
    " seventyfive-moves"
)
_STATUS: dict[str, Status] = {
    "checkmate": "mate",
    "resignation": "resign",
    "stalemate": "stalemate",
    "timeout": "outoftime",
    "aborted": "aborted",
    **dict.fromkeys(_DRAWS.split(), "draw"),
}

STANDARD: Variant = {"key": "standard", "name": "Standard", "short": "Std"}
CHESS960: Variant = {"key": "chess960", "name": "Chess960", "short": "960"}
FROM_POSITION: Variant = {"key": "fromPosition", "name": "From Position", "short": "FEN"}
VARIANTS = {variant["key"]: variant for variant in (STANDARD, CHESS960, FROM_POSITION)}

REASONS = {
    "generic": "I'm not accepting challenges at the moment.",
    "later": "This is not the right time for me, please ask again later.",
    "tooFast": "This time control is too fast for me, please challenge again with a slower game.",
    "tooSlow": "This time control is too slow for me, please challenge again with a faster game.",
    "timeControl": "I'm not accepting challenges with this time control.",
    "rated": "Please send me a rated challenge instead.",
    "casual": "Please send me a casual challenge instead.",
    "variant": "I'm not accepting challenges of this kind of chess right now.",
    "noBot": "I'm not accepting challenges from bots.",
}
"""The arbiter's words, and the texts that clients show."""

_THEIR_REASONS = {"standard": "variant", "onlybot": "generic"}

NAME_CHARS, KEY_CHARS, MORE_KEY_CHARS = 17, 12, 16


def status_of(termination: str | None, result: str | None) -> Status:
    """The word for how a game goes; one that lichess has no word for is unknown."""
    return "started" if result is None else _STATUS.get(termination or "", "unknownFinish")


class Kind(NamedTuple):
    """The kind of chess that is played, and the rating that it counts for."""

    variant: Variant
    speed: str
    perf: str


def kind_of(played: State | Terms) -> Kind:
    """The kind of a game or a challenge."""
    variant = CHESS960 if played.chess960 else FROM_POSITION if played.start else STANDARD
    speed = speed_of(played.time)
    return Kind(variant, speed, "chess960" if played.chess960 else speed)


def speed_of(time: Time | None) -> str:
    """The speed; without a clock that of games by days, as lichess has it."""
    return (Speed.CORRESPONDENCE if time is None else time.speed).value


def time_control(time: Time | None) -> TimeControl:
    if time is None:
        return {"type": "unlimited"}
    if time.days:
        return {"type": "correspondence", "daysPerTurn": time.days}
    show = f"{time.base / 60:g}+{time.increment}"
    return {"type": "clock", "limit": time.base, "increment": time.increment, "show": show}


def our_reason(theirs: str) -> str:
    """The arbiter's word for a reason to decline, in either case."""
    known = {word.lower(): word for word in REASONS} | _THEIR_REASONS
    return known.get(theirs.lower(), "generic")


def name_of(pubkey: str, called: str, *, is_taken: bool = False) -> str:
    """A name for programs, of thirty characters unless taken: what they call themselves and their
    key.
    """
    plain = unicodedata.normalize("NFKD", called).encode("ascii", "ignore").decode().lower()
    said = re.sub(r"[^a-z0-9_]+", "-", plain)[:NAME_CHARS].strip("-_")
    key = encode_npub(pubkey).removeprefix("npub1")
    return f"{said or 'player'}-{key[: MORE_KEY_CHARS if is_taken else KEY_CHARS]}"
