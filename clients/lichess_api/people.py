"""Players as programs see them: names, ratings, programs and the house."""

from collections.abc import Mapping
from typing import TypeVar

from arbiter.nostr.nip19 import pubkey_in
from clients.lichess_api.bodies import Perf, Player, User
from clients.lichess_api.book import Book
from clients.player.people import House, Profile, Rating

RATING_OF_NEW = 1500
_Known = TypeVar("_Known", Profile, Rating, House)


class People:
    """All players that were heard of."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._profiles: dict[str, Profile] = {}
        self._ratings: dict[tuple[str, str], Rating] = {}
        self._house = House()
        self._bots: set[str] = set()

    def learn(self, known: Profile | Rating | House) -> None:
        """Take a profile, a rating or the announcement of the house; of two the newer."""
        match known:
            case Profile(pubkey):
                self._profiles[pubkey] = _newer(self._profiles.get(pubkey), known)
            case Rating(pubkey, speed):
                at = pubkey, speed
                self._ratings[at] = _newer(self._ratings.get(at), known)
            case House():
                self._house = _newer(self._house, known)

    @property
    def house(self) -> dict[str, int]:
        """The house's players, and their levels."""
        return {player.pubkey: player.level for player in self._house.players}

    def profile(self, pubkey: str) -> Mapping[str, object]:
        """All that a player's profile says."""
        return self._profiles[pubkey].content if pubkey in self._profiles else {}

    def next_of_house(self, pubkey: str) -> str | None:
        """The house's player of the same level who is asked after this one."""
        same = [one for one, level in self.house.items() if level == self.house.get(pubkey)]
        return next(iter(same[same.index(pubkey) + 1 :] if pubkey in same else ()), None)

    def name(self, pubkey: str, called: str = "") -> str:
        """The player's name for programs, of what they were called at first sight."""
        profile, level = self._profiles.get(pubkey), self.house.get(pubkey)
        of_house = f"House level {level}" if level else ""
        return self._book.name(pubkey, (profile and profile.name) or of_house or called)

    def is_bot(self, pubkey: str) -> bool:
        is_told = self.profile(pubkey).get("bot") is True
        return is_told or pubkey in self._bots or pubkey in self.house

    def player(self, pubkey: str, speed: str, called: str = "", *, is_bot: bool = False) -> Player:
        """The player as part of a game or a challenge; a new one has the rating of a new one."""
        name, rating = self.name(pubkey, called), self._ratings.get((pubkey, speed))
        found: Player = {
            "id": name,
            "name": name,
            "rating": rating.value if rating else RATING_OF_NEW,
        }
        if is_bot:
            self._bots.add(pubkey)
        if self.is_bot(pubkey):
            found["title"] = "BOT"
        if rating is None or rating.provisional:
            found["provisional"] = True
        return found

    def user(self, pubkey: str, *, url: str, since: int, is_bot: bool = False) -> User:
        """The player for who asks about them."""
        name = self.name(pubkey)
        rated = {speed: _perf(it) for (key, speed), it in self._ratings.items() if key == pubkey}
        found: User = {
            "id": name, "username": name, "perfs": rated,
            "createdAt": since, "url": f"{url}/@/{name}",
        }  # fmt: skip
        if is_bot or self.is_bot(pubkey):
            found["title"] = "BOT"
        return found

    def pubkey(self, given: str) -> str | None:
        """The key of a name that was given to a program, of an npub, or of 64 hex digits."""
        return self._book.pubkey(given) or pubkey_in(given)


def _perf(rating: Rating) -> Perf:
    perf: Perf = {
        "games": rating.games, "rating": rating.value, "rd": rating.deviation, "prog": 0
    }  # fmt: skip
    if rating.provisional:
        perf["prov"] = True
    return perf


def _newer(former: _Known | None, found: _Known) -> _Known:
    return former if former is not None and former.at >= found.at else found
