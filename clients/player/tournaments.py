"""Tournaments as their players know them: what the arbiter tells, and players' words (20307)."""

import re
from dataclasses import dataclass
from hashlib import sha256

from arbiter.nostr.event import Tag, all_tags, is_hex_32_bytes
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from clients.player.events import Draft
from clients.player.messages import GAME_ID, RESPONSE, Event, tournament_of, value
from clients.player.text import clean

COMMAND, TOURNAMENT, STANDINGS = 20307, 30327, 30329
LISTED = 50
HERE_MS = 30_000
""""In an arena every half minute while waiting"."""

MAX_NAME_CHARS = 32
_NUMBER = re.compile(r"[0-9]{1,12}")
_WORDS = ("joined", "left", "noted", "bye", "wait")
_NUMBERED = ("starts", "round", "rounds", "players", "version")
_NAMED = ("title", "format", "time", "status", "entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """Kind 30327; ``starts`` in unix seconds, and a number that is not given is 0."""

    id: str
    title: str = ""
    format: str = ""
    time: str = ""
    status: str = ""
    entry: str = "open"
    welcomes_bots: bool = False
    starts: int = 0
    round: int = 0
    rounds: int = 0
    players: int = 0
    version: int = 0

    @property
    def is_arena(self) -> bool:
        return self.format == "arena"

    @property
    def is_over(self) -> bool:
        return self.status in ("finished", "cancelled")


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the table; ``name`` is empty for a player who told none."""

    rank: int
    player: str
    points: str
    state: str
    name: str


@dataclass(frozen=True, slots=True)
class Standings:
    """Kind 30329, by the id of its tournament."""

    id: str
    round: int
    version: int
    is_final: bool
    rows: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """20301 about a tournament: ``number`` is the round of a ``bye``, the time of a ``wait``
    (unix).
    """

    id: str
    word: str
    number: int | None = None
    answers: str | None = None


def listed(arbiter: str) -> Filter:
    """The arbiter's newest tournaments."""
    return Filter(authors=(arbiter,), kinds=(TOURNAMENT,), limit=LISTED)


def table_of(arbiter: str, tournament: str) -> tuple[Filter, ...]:
    return (Filter(authors=(arbiter,), kinds=(STANDINGS,), tags={"d": (tournament,)}),)


def command(
    me: str, arbiter: str, tournament: str, word: str, at: int, tags: tuple[Tag, ...] = ()
) -> Draft:
    """A word of a player about a tournament; ``at`` in unix seconds."""
    about = (("p", arbiter), ("a", f"{TOURNAMENT}:{arbiter}:{tournament}"))
    return Draft(me, at, COMMAND, (*about, *tags), word)


def proof(tournament: str, me: str, secret: SecretKey) -> Tag:
    """The "BIP-340 signature by that key of sha256("join:<event>:<own pubkey>")"."""
    text = f"join:{tournament}:{me}".encode()
    return ("proof", secret.sign_bytes(sha256(text).digest()).hex())


def read(event: Event) -> Tournament | Standings | Told | None:
    """The arbiter's news of a tournament; None for all else."""
    if event.kind == RESPONSE:
        return _told(event)
    name = value(event, "d") or ""
    if not GAME_ID.fullmatch(name):
        return None
    numbers = {each: _number(value(event, each)) or 0 for each in _NUMBERED}
    if event.kind == STANDINGS:
        rows = tuple(row for tag in all_tags(event, "s") if (row := _row(tag)))
        is_final = bool(all_tags(event, "final"))
        return Standings(name, numbers["round"], numbers["version"], is_final, rows)
    if event.kind != TOURNAMENT:
        return None
    named = {each: clean(found, 80) for each in _NAMED if (found := value(event, each))}
    welcomes_bots = value(event, "bots") == "welcome"
    return Tournament(id=name, welcomes_bots=welcomes_bots, **numbers, **named)  # type: ignore[arg-type]


def _told(event: Event) -> Told | None:
    named = tournament_of(event)
    word, _, rest = event.content.partition(":")
    return Told(named, word, _number(rest), value(event, "e")) if named and word in _WORDS else None


def _row(tag: Tag) -> Standing | None:
    match tag:
        case (_, rank, player, points, state, name, *_) if is_hex_32_bytes(player):
            number = _number(rank)
            points, state, name = clean(points, 8), clean(state, 8), clean(name, MAX_NAME_CHARS)
            return None if number is None else Standing(number, player, points, state, name)
        case _:
            return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None
