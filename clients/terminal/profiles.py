"""Names and ratings as they are shown: a name is cleaned and cut, and is no key and not "you"."""

import re
import unicodedata
from dataclasses import dataclass, replace

from clients.player.people import MAX_NAME_CHARS, Profile, Rating
from clients.player.text import clean
from clients.terminal.text import fit

MAX_NAME_CELLS = 20

_MAX_ACCENTS = 2
_BLANKS = re.compile("[\u115f\u1160\u2800\u3164\uffa0]")
"""Letters that show nothing."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player as far as known; ``name`` is empty until a profile has come."""

    pubkey: str
    name: str = ""
    named_at: int = -1
    ratings: tuple[Rating, ...] = ()

    def rating(self, speed: str | None) -> Rating | None:
        return next((each for each in self.ratings if each.speed == speed), None)


def shown_name(name: str) -> str:
    """The name in one short line; empty where it looks like a key, like "you" or like nothing."""
    words = " ".join(_BLANKS.sub("", clean(name, MAX_NAME_CHARS)).split())
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
        return (*others, replace(before, name=shown_name(known.name), named_at=known.at))
    former = before.rating(known.speed)
    if former is not None and known.at <= former.at:
        return people
    ratings = tuple(each for each in before.ratings if each.speed != known.speed)
    return (*others, replace(before, ratings=(*ratings, known)))
