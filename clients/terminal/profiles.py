"""Names from profiles (kind 0) and ratings (kind 30300).

Invariant: a name, which its owner may choose freely, is cleaned and cut, and is no key and not
"you".
"""

import re
import unicodedata
from dataclasses import dataclass, replace

from arbiter.nostr.event import VerifiedEvent, first_tag, is_hex_32_bytes
from arbiter.nostr.strict_json import read_json
from clients.player.text import clean
from clients.terminal.text import fit

MAX_NAME_CELLS = 20
MAX_PROFILE_BYTES = 65_536

_MAX_ACCENTS = 2
_BLANKS = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Letters that show nothing."""

_NUMBER = re.compile(r"[0-9]{1,4}")
_SPEED_NAME = re.compile(r"[a-z]{1,16}")


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's own name; ``at`` is the date of the event in unix seconds."""

    pubkey: str
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating at one speed, as the arbiter published it."""

    pubkey: str
    speed: str
    value: int
    provisional: bool
    at: int


@dataclass(frozen=True, slots=True)
class Person:
    """A player as far as known; ``name`` is empty until a profile has come."""

    pubkey: str
    name: str = ""
    named_at: int = -1
    ratings: tuple[Rating, ...] = ()

    def rating(self, speed: str | None) -> Rating | None:
        return next((each for each in self.ratings if each.speed == speed), None)


def read_profile(event: VerifiedEvent) -> Profile:
    """The name in a kind 0; empty if it has none that can be shown."""
    content = read_json(event.content, MAX_PROFILE_BYTES)
    name = ""
    if isinstance(content, dict):
        # NIP-24: `name` should always be set; `display_name` is the richer alternative.
        wanted = (content.get("name"), content.get("display_name"))
        names = (shown_name(value) for value in wanted if isinstance(value, str))
        name = next(filter(None, names), "")
    return Profile(event.pubkey, name, event.created_at)


def read_rating(event: VerifiedEvent) -> Rating | None:
    """The rating in a kind 30300 of the arbiter's; None if it cannot be read."""
    name, rating = first_tag(event, "d"), first_tag(event, "rating")
    if name is None or rating is None or len(name) < 2 or len(rating) < 2:  # noqa: PLR2004 - a value
        return None
    speed, _, pubkey = name[1].partition(":")
    if not _SPEED_NAME.fullmatch(speed) or not is_hex_32_bytes(pubkey):
        return None
    if not _NUMBER.fullmatch(rating[1]):
        return None
    provisional = first_tag(event, "provisional") is not None
    return Rating(pubkey, speed, int(rating[1]), provisional, event.created_at)


def shown_name(name: str) -> str:
    """The name in one short line; empty where it looks like a key, like "you" or like nothing."""
    words = " ".join(_BLANKS.sub("", clean(name, 200)).split())
    kept, accents = "", 0
    for letter in words:
        accents = accents + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        kept += letter if accents <= _MAX_ACCENTS else ""
    folded = kept.casefold()
    return "" if folded == "you" or folded.startswith("npub1") else fit(kept, MAX_NAME_CELLS)


def learn(people: tuple[Person, ...], known: Profile | Rating) -> tuple[Person, ...]:
    """The people after this event: of a player's profiles and ratings the newest count."""
    before = next((each for each in people if each.pubkey == known.pubkey), Person(known.pubkey))
    others = tuple(each for each in people if each.pubkey != known.pubkey)
    if isinstance(known, Profile):
        if known.at <= before.named_at:
            return people
        return (*others, replace(before, name=known.name, named_at=known.at))
    former = before.rating(known.speed)
    if former is not None and known.at <= former.at:
        return people
    ratings = tuple(each for each in before.ratings if each.speed != known.speed)
    return (*others, replace(before, ratings=(*ratings, known)))
