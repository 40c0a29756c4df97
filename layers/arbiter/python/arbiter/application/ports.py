"""The application's needs of the world. Adapters and fakes pass one contract suite."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from arbiter.application.records import HouseRequest, Notice, QueueEntry, Timer
from arbiter.core.clocks import Speed
from arbiter.core.game import Game, Link
from arbiter.core.notices import Device, Recipient
from arbiter.core.outages import FOR_GOOD_MS, Outage, RelayUptime
from arbiter.core.pairing import Player, Pool
from arbiter.core.policy import Policy
from arbiter.core.ratings import RatedGame, Standing
from arbiter.core.reports import PlayerReport
from arbiter.core.seeks import Challenge
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Format, Tournament
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import EventTemplate, VerifiedEvent


@dataclass(frozen=True, slots=True)
class Committed:
    """The write was made."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another process wrote first; ``game`` is stored now (None: none, or it is to be read)."""

    game: Game | None


class Games(Protocol):
    """The store of games: one item a game, one conditional write a change."""

    def load(self, game_id: str) -> Game | None:
        """The game as last committed (strongly consistent), or None."""
        ...

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        """Each of these games (at most 100 ids, each once), without those unread now."""
        ...

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write ``after``, one item version on, if ``before``'s is stored. An ambiguous failure may
        come back as a conflict with ``after`` itself. Raises only for infrastructure.
        """
        ...


@dataclass(frozen=True, slots=True)
class SignedLink:
    """A link of a game's chain, and its event as JSON; None where it is not at hand."""

    game_id: str
    link: Link
    event: str | None


class TranscriptFiles(Protocol):
    """The store of games' transcripts. All methods raise for infrastructure."""

    def load(self, game: Game) -> bytes | None:
        """The game's transcript as a file (``proof/transcript.py``), or None."""
        ...

    def replace(self, game_id: str, before: bytes | None, file: bytes) -> bool:
        """Keep this file of a game that is over; False unless ``before`` is still there."""
        ...


class Transcripts(TranscriptFiles, Protocol):
    """The store of what players signed, as they sign it. All methods raise for infrastructure."""

    def keep_request(self, event_key: bytes, event: str) -> None:
        """Keep a request (JSON) of a player who waits: its game begins with another's."""
        ...

    def keep_lines(self, game_id: str, *, white: bool, event_key: bytes, event: str) -> None:
        """Keep the event (JSON) by which this player set lines, in place of the one before."""
        ...

    def keep(self, links: Sequence[SignedLink]) -> None:
        """Keep these with their events, or with the requests or lines kept before; each once."""
        ...

    def close(self, game: Game) -> None:
        """Keep no more links of this game, which is over: pack them."""
        ...


class PlayersOfGames(Protocol):
    """Looks up the players of games."""

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """Both players of each game (1 to 100 ids); none if unknown, absent if unread."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyChange:
    """A change of the lobby, whole or not at all: before and after of each. A challenge is made
    (None before) or gone (None after); ``game`` and ``other_games`` are new, ``finished`` has its
    rematch made or withdrawn. Each ``before``'s item version must still be stored.
    """

    pools: tuple[tuple[Pool, Pool], ...] = ()
    players: tuple[tuple[Player, Player], ...] = ()
    challenges: tuple[tuple[Challenge | None, Challenge | None], ...] = ()
    game: Game | None = None
    finished: tuple[Game, Game] | None = None
    other_games: tuple[Game, ...] = ()

    @property
    def new_games(self) -> tuple[Game, ...]:
        return (*((self.game,) if self.game else ()), *self.other_games)


class Lobby(Protocol):
    """Keeps the players who wait and play, outside any one game."""

    def player(self, player_id: str) -> Player:
        """The remembered player (strongly consistent), or ``Player(id)`` of item version 0."""
        ...

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        """Each of these players (at most 100 ids, each once), without those unread now."""
        ...

    def pool(self, name: str) -> Pool:
        """The pool of this name (strongly consistent); a new one is empty, of item version 0."""
        ...

    def challenge(self, challenge_id: str) -> Challenge | None:
        """The challenge of this id (strongly consistent), or None."""
        ...

    def commit(self, change: LobbyChange) -> bool:
        """Make the whole change, or none: False when a version moved or the game exists."""
        ...


class Outages(Protocol):
    """Keeps the reports of all listeners together about the relays."""

    def uptime(self) -> RelayUptime | None:
        """The reports so far (strongly consistent); None where there never was one."""
        ...

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        """A relay is connected now (unix ms); reports are often until ``active_until_ms``."""
        ...


class Delays(Protocol):
    """Times in which the arbiter was late by its own measure, which no player is charged for."""

    def during(self, since_ms: int, until_ms: int) -> Sequence[Outage]:
        """Those that reach into the time between these two (unix ms)."""
        ...


class Ratings(Protocol):
    """The players' ratings, one for each speed."""

    def standing(self, player_id: str, speed: Speed) -> Standing:
        """This rating at this speed (strongly consistent), or ``Standing(player_id, speed)``."""
        ...

    def load_standings(self, player_ids: Collection[str], speed: Speed) -> Mapping[str, Standing]:
        """Each of these players' (at most 100 ids, each once), without those unread now."""
        ...

    def rated(self, game_id: str) -> RatedGame | None:
        """The changes of ratings by this game (consistent), or None. ValueError for no id."""
        ...

    def games_of_pair(self, one: str, other: str, day: int) -> int:
        """The number of rated games of these two on this day since the epoch."""
        ...

    def commit(self, rated: RatedGame) -> bool:
        """Write both ratings, the pair's number and that the game was rated in one transaction;
        False when one changed, or it was rated. One that does not count leaves ratings alone.
        """
        ...

    def all_rated(self) -> Iterator[RatedGame]:
        """Every rated game, in any order. It reads the whole table: for an operator alone."""
        ...

    def replace(self, before: Standing, after: Standing) -> bool:
        """Write a rating computed anew, if ``before`` is stored; one of no games is deleted."""
        ...

    def leaderboard(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        """The best at this speed, best first, at most ``limit`` (1 to 100, else ValueError),
        without provisional ratings. It may lag, and be shorter for a while.
        """
        ...


class PolicyStore(Protocol):
    """Keeps the operator's policy, which is one item."""

    def load(self) -> Policy:
        """The policy as last written (strongly consistent). Raises for infrastructure."""
        ...

    def commit(self, before: Policy, after: Policy) -> bool:
        """Write ``after``, one version on; False if another was first. ValueError if too long."""
        ...

    def reports(self) -> tuple[PlayerReport, ...]:
        """The latest reports of players, the latest last. Raises for infrastructure."""
        ...

    def add_report(self, report: PlayerReport) -> bool:
        """Keep this report, if it is not there; False if another writer was first."""
        ...


class Signer(Protocol):
    """Signs with the server's key, which never leaves it."""

    @property
    def pubkey(self) -> str:
        """The server's public key, 64 lower-case hex digits."""
        ...

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """The signed event: the same bytes for the same template."""
        ...


class Encrypter(Protocol):
    """Encrypts and decrypts (NIP-44) chat and conditional moves with the server's key."""

    def decrypt(self, author: str, payload: str) -> str | None:
        """The text that this player (64 hex) encrypted for the server, or None."""
        ...

    def encrypt(self, to: str, text: str, event_key: str) -> str | None:
        """The payload for this player, the same for the same event answered; None for no key."""
        ...


class Report(Protocol):
    """The result of one publication."""

    def is_accepted(self, event_id: str) -> bool:
        """Whether this event need not be published again."""
        ...


class Publisher(Protocol):
    """Publishes events: to the relays, to our own subscribers, or to both."""

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> Report:
        """Offer the events to all at once. Trouble is in the report, never raised."""
        ...


class QueueRejected(Exception):
    """A queue refused a message. Those before it may be in the queue."""


class EventQueue(Protocol):
    """The queue of events for the arbiter, each in its group."""

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Those entries that the queue did not take. Never raises for infrastructure."""
        ...


class RepublishQueue(Protocol):
    """The queue in which a publication that no relay accepted waits for its next attempt."""

    def send(self, body: str, delay_seconds: int) -> None:
        """Deliver this text to the arbiter again after the delay, or raise."""
        ...


class Outbox(Protocol):
    """The queue of messages for the bridge to another network."""

    def send(self, messages: Sequence[SsbMessage]) -> None:
        """Have them published, those of one root in order, each id once; or raise."""
        ...


class HouseQueue(Protocol):
    """The queue of requests to house players, each player's in order."""

    def send(self, requests: Sequence[HouseRequest]) -> None:
        """Have each answered, one that was sent within minutes only once; or raise."""
        ...


class NoticeQueue(Protocol):
    """The queue of what is done for notices. No move waits for it."""

    def send(self, notices: Sequence[Notice]) -> None:
        """Have each seen to, soon, and again if its process ends. Raises for infrastructure."""
        ...


class Recipients(Protocol):
    """Keeps who is told of what. All methods raise for infrastructure."""

    @property
    def push_key(self) -> str:
        """The public key that signs pushes (VAPID, base64url); empty where none are sent."""
        ...

    def load(self, player: str) -> Recipient:
        """The player as committed (strongly consistent), or ``Recipient(player)`` of version 0."""
        ...

    def commit(self, before: Recipient, after: Recipient) -> bool:
        """Write ``after`` with the version after ``before``'s; False if another was first."""
        ...


class Messenger(Protocol):
    """The way to players' direct messages."""

    def send(self, to: str, text: str) -> bool:
        """Whether a relay on which this player (64 hex) reads has it; relays raise nothing."""
        ...


class PushService(Protocol):
    """The way to players' devices (RFC 8030)."""

    def send(self, player: str, device: Device, text: str) -> Literal["taken", "gone", "failed"]:
        """Push this text to a device; ``gone``: not subscribed. Its server raises nothing."""
        ...


class Timers(Protocol):
    """Sets timers. They fire late rather than early, and perhaps twice."""

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        """Set these timers, some of them if it raises; the same again is harmless."""
        ...


class Clock(Protocol):
    """Time as an argument."""

    def now_ms(self) -> int:
        """Unix milliseconds."""
        ...


class RateLimits(Protocol):
    """Counters against too much of something, shared by all processes."""

    def take(self, key: str, limit: int, window_seconds: int, now_ms: int, count: int = 1) -> bool:
        """Count so many in this window; False above ``limit``. Raises for infrastructure."""
        ...


class DayCounters(Protocol):
    """Amounts spent on a day (`spending`), kept for a week; shared by all processes."""

    def add(self, day: str, name: str, amounts: Mapping[str, int]) -> Mapping[str, int]:
        """Add to what is counted under this name; the sum, by unit. Raises for infrastructure."""
        ...

    def spent(self, day: str) -> Mapping[str, Mapping[str, int]]:
        """The amounts counted on this day, by name and unit. Raises for infrastructure."""
        ...


class Browsers(Protocol):
    """The game of each browser. The browser id is the secret that gives access to it."""

    def game_of(self, browser_id: str) -> str | None:
        """The id of the game that was started under this browser id, or None. Never changes."""
        ...

    def start(self, browser_id: str, game: Game) -> bool:
        """Remember the new game under this browser id, in one write; False when it is taken."""
        ...


@dataclass(frozen=True, slots=True)
class ListedTournament:
    """A row of a list of tournaments. ``time`` is the text of a ``time`` tag."""

    id: str
    title: str
    format: Format
    time: str
    starts_ms: int
    status: str

    @classmethod
    def of(cls, tournament: Tournament) -> "ListedTournament":
        terms, status = tournament.terms, tournament.phase.status
        return cls(
            tournament.id, terms.title, terms.format, str(terms.time), terms.starts_ms, status
        )


class Tournaments(Protocol):
    """The store of tournaments."""

    def load(self, tournament_id: str) -> Tournament | None:
        """The tournament as last committed (strongly consistent), or None."""
        ...

    def commit(self, before: Tournament | None, after: Tournament) -> bool:
        """Write ``after`` in one transaction; False if ``before``'s version is not stored."""
        ...

    def newest(self) -> tuple[ListedTournament, ...]:
        """The last two hundred, newest first (strongly consistent)."""
        ...

    def ask_for_people(self, address: str) -> None:
        """Have the follow set of this address kept from now on."""
        ...

    def people(self, address: str) -> frozenset[str]:
        """The keys of a follow set, as far as it is known."""
        ...

    def keep_people(self, address: str, made_at: int, keys: Sequence[str]) -> bool:
        """Keep the follow set of this date (unix seconds); False if unasked, or older."""
        ...


class PairingEngine(Protocol):
    """Pairs the players of a round."""

    def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        """The pairings of the tournament's present round, or ``NoPairings``; never raises."""
        ...
