"""The values that the queues carry. Their text is in ``intake.queue_messages``."""

from dataclasses import dataclass, field
from typing import Literal

from arbiter.core.clocks import Speed
from arbiter.core.notices import Occasion
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.nostr.event import NostrEvent, VerifiedEvent

QueueName = Literal["moves", "seeks", "pairing"]

LATEST_MS = 10**14
"""The year 5138 in unix milliseconds, which no time or count in a record reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """One record for a queue. ``body`` is ASCII-only JSON, for SQS refuses some of Unicode. SQS
    keeps the order inside a ``group_id`` and drops a ``dedup_id`` of the last five minutes.
    ``message`` is the body's, in the same process.
    """

    queue: QueueName
    body: str
    group_id: str
    dedup_id: str
    message: "QueueMessage | None" = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """An event, when it was received (unix ms), and the socket over which to answer, if any. Out of
    a queue it is to be verified. ``is_too_many``: beyond a rate. ``at_gateway``: not over a relay.
    """

    event: NostrEvent | VerifiedEvent
    received_at_ms: int
    via: str | None = None
    is_too_many: bool = False
    at_gateway: bool = False


TOURNAMENT = "tournament"
"""The ``player`` of a tournament's timer; a former release finds no game for it."""


NOTICE = "notice:"
"""How the ``player`` of a timer begins at which a player is told what waited: their key follows."""


LINES = "lines"
"""The ``player`` of a timer that has lines go on; any other timer to a former release."""


@dataclass(frozen=True, slots=True)
class Timer:
    """Look at this game at ``at_ms`` (unix), if it is still at this ply; with a ``player`` (64 hex)
    behind their events. With ``TOURNAMENT`` id and round of a tournament, with ``NOTICE`` half of a
    key, with ``LINES`` the ply that lines go on from.
    """

    game_id: str
    ply: int
    at_ms: int
    player: str | None = None

    @property
    def name(self) -> str:
        """The same for the same game, ply and time: at most 64 letters, digits and hyphens."""
        return f"{self.game_id}-{self.ply}-{self.at_ms}"


@dataclass(frozen=True, slots=True)
class TimerFired:
    """A timer that reached its game. ``received_at_ms`` (unix) is never before the timer's time."""

    game_id: str
    ply: int
    received_at_ms: int
    player: str | None = None


@dataclass(frozen=True, slots=True)
class Republish:
    """Publish again what no relay accepted: a game's state as of ``changed_at_ms``, a waiting
    player's requests, or a tournament. It names no event: what there is to say is derived in its
    turn.
    """

    game_id: str | None = None
    changed_at_ms: int = 0
    player_id: str | None = None
    attempt: int = 0
    tournament_id: str | None = None


@dataclass(frozen=True, slots=True)
class TournamentDue:
    """A timer that reached its tournament at ``received_at_ms`` (unix)."""

    tournament_id: str
    received_at_ms: int


@dataclass(frozen=True, slots=True)
class TournamentGameOver:
    """A game ended: that of this board (from 1) of this round."""

    tournament_id: str
    round: int
    board: int
    game_id: str


@dataclass(frozen=True, slots=True)
class GamesAsked:
    """The next games of this round are to be made; ``first`` boards had theirs when it was sent."""

    tournament_id: str
    round: int
    first: int


@dataclass(frozen=True, slots=True)
class PairingAsked:
    """This round is to be paired: the ``number``-th question of the tournament."""

    tournament_id: str
    round: int
    number: int


@dataclass(frozen=True, slots=True)
class TournamentPaired:
    """The answer of the engine to the ``PairingAsked`` of this number."""

    tournament_id: str
    answer: Pairings | NoPairings
    number: int


TournamentMessage = (
    TournamentDue | TournamentGameOver | GamesAsked | PairingAsked | TournamentPaired
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRequest:
    """A house player (64 hex) is asked: in a game of this ``version``, or about a challenge."""

    player: str
    game_id: str | None = None
    version: int = 0
    challenge_id: str | None = None

    @property
    def group_id(self) -> str:
        """No move waits for challenges, of which a flood may come."""
        return self.player if self.game_id else f"{self.player}-challenges"

    @property
    def dedup_id(self) -> str:
        return f"{self.player[:16]}-{self.game_id or self.challenge_id}-{self.version}"


@dataclass(frozen=True, slots=True)
class NoticeAsked:
    """This player (64 hex) is to be told of this occasion, or (None) of what has waited."""

    player: str
    occasion: Occasion | None = None


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """A gift wrap (NIP-59) to the arbiter, its signature unchecked out of a queue."""

    event: NostrEvent | VerifiedEvent


Notice = NoticeAsked | MessageReceived
"""What is done for notices, beside everything else."""


@dataclass(frozen=True, slots=True)
class GamesToEnd:
    """The operator has the running games of this player (64 hex) end."""

    player: str


@dataclass(frozen=True, slots=True)
class RatingToTell:
    """This player's rating was computed anew; ``game_id`` is the last that counts, or ""."""

    player: str
    speed: Speed
    game_id: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A body that says nothing we know; ``status`` is the word for the log."""

    status: str = "unreadable"


QueueMessage = (
    PlayerEvent
    | TimerFired
    | Republish
    | GamesToEnd
    | RatingToTell
    | NoticeAsked
    | TournamentMessage
    | Malformed
)
