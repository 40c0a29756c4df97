"""The result of a record or a request, and functions that make it."""

from dataclasses import dataclass, field

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import LobbyChange
from arbiter.application.records import Notice, Republish
from arbiter.core.game import Game, Seat
from arbiter.core.ratings import RatedGame, Standing
from arbiter.core.replies import (
    GameEnded,
    GameStarted,
    LinesTold,
    MovePlayed,
    Rejected,
    RematchAgreed,
    Reply,
    StateShown,
)
from arbiter.core.tournaments.replies import CommandRefused, Told
from arbiter.core.tournaments.tournament import Tournament
from arbiter.dialects.base import Dialect, PreviousResult
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.event import VerifiedEvent


@dataclass(frozen=True, slots=True)
class TournamentNews:
    """The news of a tournament: words to single players, and to all what differs in ``after`` from
    ``before`` (None: all of it, but of rounds the last, ``round`` and those changed ``since``).
    ``page`` is its page's URL, if any; ``awarded_at`` (unix seconds) when badges are awarded, or 0.
    """

    tournament_id: str | None
    told: tuple[Told | CommandRefused, ...] = ()
    before: Tournament | None = None
    after: Tournament | None = None
    round: int = 0
    since: int = 0
    page: str = ""
    awarded_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything to publish, to retry and to log for one record.

    ``replies`` are rendered in this ``dialect`` where they concern only the author of the event of
    ``event_key``. ``status`` is one machine word for the log; ``republish`` is what is to be
    published again if no relay accepts it; ``rated`` is what the games that ended did to the
    ratings. ``event`` is the event that is answered, ``via`` the socket that it came over, if any,
    and ``previous`` its earlier result. ``in_other_game`` are the players (64 hex) who have begun
    another game since, and with ``relays_only`` sockets and the bridge are left out. ``news`` are
    of a tournament, and ``standings`` those that were computed anew, each with its last game;
    ``notices`` are asked for beside those that follow from replies.
    """

    status: str
    replies: tuple[Reply, ...] = ()
    event_key: str = ""
    dialect: str = ""
    republish: tuple[Republish, ...] = ()
    game_id: str | None = None
    rated: tuple[RatedGame, ...] = ()
    via: str | None = None
    event: VerifiedEvent | None = field(default=None, repr=False)
    previous: PreviousResult | None = None
    in_other_game: frozenset[str] = frozenset()
    relays_only: bool = False
    news: TournamentNews | None = None
    standings: tuple[tuple[Standing, str], ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class LobbyResult:
    """``status`` is one machine word for the log; without a ``change`` nothing is written."""

    status: str
    replies: tuple[Reply, ...]
    change: LobbyChange | None = None
    game: Game | None = None


def slot_of(seat: Seat) -> str:
    """The id (64 hex) of this seat's slot in the lobby, by the rules of its dialect."""
    return DIALECTS[seat.dialect].wire.slot(seat)


def load_named_game(deps: ArbiterDeps, of: str | Seat) -> Game | None:
    game_id = of if isinstance(of, str) else deps.lobby.player(slot_of(of)).game_id
    return deps.games.load(game_id) if game_id else None


def current_replies(game: Game) -> tuple[Reply, ...]:
    """The replies that tell a game's present state, which can be derived again at any time."""
    if game.outcome is not None:
        return (GameEnded(game),)
    return (GameStarted(game),) if game.ply == 0 else (MovePlayed(game),)


def republish_of(game: Game) -> Republish:
    return Republish(game_id=game.id, changed_at_ms=game.changed_at_ms)


def status_of(replies: tuple[Reply, ...]) -> str:
    """The status of the last of these replies; ``held`` if there are none."""
    match replies[-1] if replies else None:
        case None:
            return "held"
        case Rejected() as rejected:
            return rejected.reason
        case GameEnded(game) if game.outcome is not None:
            return game.outcome.termination
        case StateShown():
            return "shown"
        case LinesTold():
            return "lines"
        case GameStarted() | RematchAgreed():
            return "paired"
        case _:
            return "played"


def answer_about(
    status: str, game: Game | None, replies: tuple[Reply, ...], event_key: str, dialect: Dialect
) -> Result:
    """The result for this event in its dialect; without a game nothing is published again."""
    return Result(
        status=status,
        replies=replies,
        event_key=event_key,
        dialect=dialect.name,
        game_id=game.id if game else None,
        republish=(republish_of(game),) if game else (),
    )
