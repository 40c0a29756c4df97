"""Players as programs see them: names, ratings (kind 30300), programs (kind 0) and the house."""

import re

from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag, is_hex_32_bytes
from arbiter.nostr.nip19 import pubkey_in
from arbiter.nostr.strict_json import read_json
from clients.lichess_api.bodies import Perf, Player, User
from clients.lichess_api.book import Book
from clients.player.drafts import ANNOUNCEMENT, PROFILE, RATING
from clients.player.terms import Speed

RATING_OF_NEW, DEVIATION_OF_NEW = 1500, 350
MAX_PROFILE_BYTES = 65_536
_LEVELS = frozenset("12345678")
_NUMBER = re.compile(r"[0-9]{1,6}")


class People:
    """All players that were heard of."""

    def __init__(self, arbiter: str, book: Book) -> None:
        self._arbiter = arbiter
        self._book = book
        self._dates: dict[tuple[int, str], int] = {}
        self._called: dict[str, str] = {}
        self._perfs: dict[str, dict[str, Perf]] = {}
        self.profiles: dict[str, dict[str, object]] = {}
        self.bots: set[str] = set()
        self.house: dict[str, int] = {}

    def learn(self, event: VerifiedEvent) -> None:
        """Take a profile of anybody, or a rating or an announcement of the arbiter's; of two the
        newer.
        """
        name = first_tag(event, "d") if event.kind != PROFILE else None
        key = event.kind, name[1] if name and len(name) > 1 else event.pubkey
        if event.kind != PROFILE and event.pubkey != self._arbiter:
            return
        if self._dates.get(key, -1) >= event.created_at:
            return
        self._dates[key] = event.created_at
        if event.kind == PROFILE:
            self._learn_profile(event)
        elif event.kind == RATING:
            self._learn_rating(event, key[1])
        elif event.kind == ANNOUNCEMENT:
            self.house = {
                tag[1]: int(tag[2])
                for tag in all_tags(event, "house")
                if tag[2:] and tag[2] in _LEVELS and is_hex_32_bytes(tag[1])
            }
            self.bots |= {*self.house}
            for pubkey, level in self.house.items():
                self._called.setdefault(pubkey, f"House level {level}")

    def next_of_house(self, pubkey: str) -> str | None:
        """The house's player of the same level who is asked after this one."""
        same = [one for one, level in self.house.items() if level == self.house.get(pubkey)]
        return next(iter(same[same.index(pubkey) + 1 :] if pubkey in same else ()), None)

    def _learn_profile(self, event: VerifiedEvent) -> None:
        content = read_json(event.content, MAX_PROFILE_BYTES)
        if not isinstance(content, dict):
            return
        self.profiles[event.pubkey] = content
        if isinstance(name := content.get("name") or content.get("display_name"), str):
            self._called[event.pubkey] = name
        if content.get("bot") is True:
            self.bots.add(event.pubkey)

    def _learn_rating(self, event: VerifiedEvent, named: str) -> None:
        speed, _, pubkey = named.partition(":")
        rating, games = first_tag(event, "rating"), first_tag(event, "games")
        numbers = (*(rating or ())[1:3], *(games or ())[1:2])
        if speed not in list(Speed) or len(numbers) != 3:  # noqa: PLR2004 - value, deviation, games
            return
        if not all(map(_NUMBER.fullmatch, numbers)):
            return
        value, deviation, count = map(int, numbers)
        perf: Perf = {"games": count, "rating": value, "rd": deviation, "prog": 0}
        if first_tag(event, "provisional") is not None:
            perf["prov"] = True
        self._perfs.setdefault(pubkey, {})[speed] = perf

    def name(self, pubkey: str, called: str = "") -> str:
        return self._book.name(pubkey, self._called.get(pubkey) or called)

    def player(self, pubkey: str, speed: str, called: str = "", *, is_bot: bool = False) -> Player:
        """The player as part of a game or a challenge; a new one has the rating of a new one."""
        name = self.name(pubkey, called)
        perf = self._perfs.get(pubkey, {}).get(speed)
        found: Player = {
            "id": name,
            "name": name,
            "rating": perf["rating"] if perf else RATING_OF_NEW,
        }
        if is_bot:
            self.bots.add(pubkey)
        if pubkey in self.bots:
            found["title"] = "BOT"
        if perf is None or "prov" in perf:
            found["provisional"] = True
        return found

    def user(self, pubkey: str, *, url: str, since: int, is_bot: bool = False) -> User:
        """The player for who asks about them."""
        name = self.name(pubkey)
        found: User = {
            "id": name, "username": name, "perfs": self._perfs.get(pubkey, {}),
            "createdAt": since, "url": f"{url}/@/{name}",
        }  # fmt: skip
        if is_bot or pubkey in self.bots:
            found["title"] = "BOT"
        return found

    def pubkey(self, given: str) -> str | None:
        """The key of a name that was given to a program, of an npub, or of 64 hex digits."""
        return self._book.pubkey(given) or pubkey_in(given)
