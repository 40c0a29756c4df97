"""House players: programs that the arbiter's operator names, for anybody to play."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import pubkey_in

LEVELS = range(1, 9)
MAX_PLAYERS = 64
MAX_OF_A_LEVEL = 8


@dataclass(frozen=True, slots=True)
class HousePlayer:
    """A key (64 hex) and how strong it plays, 1 to 8; several keys may have one level."""

    pubkey: str
    level: int

    def __str__(self) -> str:
        return f"{self.pubkey}:{self.level}"


def read_house(text: str) -> tuple[HousePlayer, ...]:
    """The players in ``<npub or hex>:<level>``, by commas. Raises ValueError."""
    players = tuple(_read_player(part.strip()) for part in text.split(",") if part.strip())
    if len({player.pubkey for player in players}) < len(players):
        raise ValueError("a key is there twice")
    if len(players) > MAX_PLAYERS:
        raise ValueError(f"{MAX_PLAYERS} keys at most")
    return players


def _read_player(text: str) -> HousePlayer:
    key, _, level = text.rpartition(":")
    pubkey = pubkey_in(key)
    if pubkey is None or level not in map(str, LEVELS):
        raise ValueError("KEY:LEVEL, an npub or 64 hexadecimal digits and 1 to 8, such as npub1…:3")
    return HousePlayer(pubkey, int(level))


def house_key(server_key: SecretKey, level: int, number: int) -> SecretKey:
    """The key of a level's player of this number, 1 to 8, derived from the arbiter's own."""
    return SecretKey(server_key.derive(b"arbiter/house/%d/%d" % (level, number)))


def key_of(server_key: SecretKey, player: HousePlayer) -> SecretKey | None:
    keys = (house_key(server_key, player.level, number + 1) for number in range(MAX_OF_A_LEVEL))
    return next((key for key in keys if key.pubkey == player.pubkey), None)


def house_profiles(
    server_key: SecretKey, house: Iterable[HousePlayer], at: int
) -> tuple[VerifiedEvent, ...]:
    """The profiles (kind 0) of players with derived keys, dated ``at`` (unix seconds)."""
    named: dict[int, int] = {}
    profiles: list[VerifiedEvent] = []
    for player in house:
        key = key_of(server_key, player)
        if key is None:
            continue
        named[player.level] = number = named.get(player.level, 0) + 1
        which = f" ({number})" if number > 1 else ""
        about = f"A program that plays anybody, at level {player.level} of {max(LEVELS)}."
        profile = {"name": f"House, level {player.level}{which}", "about": about, "bot": True}
        profiles.append(key.sign(EventTemplate(0, (), json.dumps(profile), at)))
    return tuple(profiles)


def one_of_each(house: Iterable[HousePlayer]) -> tuple[HousePlayer, ...]:
    """The first of each level: to challenge it is to challenge any of them."""
    first: dict[int, HousePlayer] = {}
    for player in house:
        first.setdefault(player.level, player)
    return tuple(first.values())


def house_tags(house: Iterable[HousePlayer]) -> tuple[tuple[str, ...], ...]:
    return tuple(("house", player.pubkey, str(player.level)) for player in one_of_each(house))


def house_json(house: Iterable[HousePlayer]) -> list[dict[str, object]]:
    return [{"pubkey": player.pubkey, "level": player.level} for player in house]
