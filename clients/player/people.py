"""Players and programs: profiles (kind 0), ratings (30300), and the arbiter's house (31990)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag, is_hex_32_bytes
from arbiter.nostr.house import LEVELS, MAX_PLAYERS, HousePlayer
from arbiter.nostr.strict_json import read_json
from clients.player.messages import value
from clients.player.terms import Speed
from clients.player.text import clean

MAX_PROFILE_BYTES = 65_536
MAX_NAME_CHARS = 200
DEVIATION_OF_NEW = 350

_NUMBER = re.compile(r"[0-9]{1,4}")
_LEVELS = tuple(map(str, LEVELS))


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's own name, cleaned, all ``content`` of the profile, and its date (unix seconds)."""

    pubkey: str
    name: str
    at: int
    content: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating at one speed, as the arbiter published it."""

    pubkey: str
    speed: str
    value: int
    provisional: bool
    at: int
    deviation: int = field(default=DEVIATION_OF_NEW, compare=False)
    games: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class House:
    """The programs that the arbiter announced for anybody to play."""

    players: tuple[HousePlayer, ...] = ()
    at: int = -1

    @property
    def levels(self) -> tuple[int, ...]:
        """Each once, the weakest first."""
        return tuple(sorted({player.level for player in self.players}))


def read_profile(event: VerifiedEvent) -> Profile:
    """The profile in a kind 0; its name is empty if it tells none."""
    content = read_json(event.content, MAX_PROFILE_BYTES)
    if not isinstance(content, dict):
        return Profile(event.pubkey, "", event.created_at)
    # NIP-24: `name` should always be set; `display_name` is the richer alternative.
    told = (content.get("name"), content.get("display_name"))
    names = (" ".join(clean(it, MAX_NAME_CHARS).split()) for it in told if isinstance(it, str))
    return Profile(event.pubkey, next(filter(None, names), ""), event.created_at, content)


def read_rating(event: VerifiedEvent) -> Rating | None:
    """The rating in a kind 30300 of the arbiter's; None if it cannot be read."""
    speed, _, pubkey = (value(event, "d") or "").partition(":")
    rated, counted = (first_tag(event, name) or () for name in ("rating", "games"))
    told = (*rated[1:3], str(DEVIATION_OF_NEW))[:2] + (*counted[1:2], "0")[:1]
    if speed not in list(Speed) or not is_hex_32_bytes(pubkey) or not rated[1:]:
        return None
    if not all(map(_NUMBER.fullmatch, told)):
        return None
    is_provisional = first_tag(event, "provisional") is not None
    rating, deviation, games = map(int, told)
    return Rating(pubkey, speed, rating, is_provisional, event.created_at, deviation, games)


def read_house(event: VerifiedEvent) -> House:
    """The players in an announcement; what cannot be read is left out."""
    players = (
        HousePlayer(tag[1], int(tag[2]))
        for tag in all_tags(event, "house")
        if tag[2:] and is_hex_32_bytes(tag[1]) and tag[2] in _LEVELS
    )
    return House((*players,)[:MAX_PLAYERS], event.created_at)
