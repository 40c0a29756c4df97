"""Commands: what players, organisers, games and timers ask of a tournament."""

from dataclasses import dataclass

from arbiter.core.game import Game, Seat
from arbiter.core.tournaments.tournament import BoardResult, Bye, TournamentTerms


@dataclass(frozen=True, slots=True)
class Create:
    """Make a tournament; ``author`` (64 hex digits) is its organiser, ``id`` its id."""

    author: str
    terms: TournamentTerms
    deputies: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Change the terms, before the first round."""

    author: str
    made_at_ms: int
    terms: TournamentTerms
    deputies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """Enter with the ``rating`` at this speed; ``is_listed``: by list or link. ``rsvp_ms``: said
    then (unix) of a calendar event, which relays bring again; 0 for today's.
    """

    seat: Seat
    rating: int
    proof: str = ""
    is_bot: bool = False
    is_listed: bool = False
    rsvp_ms: int = 0


@dataclass(frozen=True, slots=True)
class PlayersWord:
    """``leave``, ``here``, ``pause`` or ``back`` of a player; ``rsvp_ms`` as above."""

    author: str
    word: str
    rsvp_ms: int = 0


@dataclass(frozen=True, slots=True)
class AskBye:
    """Ask for half a point instead of a game in this round."""

    author: str
    round: int


@dataclass(frozen=True, slots=True)
class OrganisersWord:
    """``close``, ``pair``, ``start``, ``finish`` or ``cancel``."""

    author: str
    made_at_ms: int
    word: str


@dataclass(frozen=True, slots=True)
class SetBoards:
    """Pair a round by hand: White and Black of each board (64 hex digits); the others have byes."""

    author: str
    made_at_ms: int
    round: int
    boards: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Exchange the black players of two boards (from 1) of a round that has not started."""

    author: str
    made_at_ms: int
    round: int
    one: int
    other: int


@dataclass(frozen=True, slots=True)
class Forbid:
    """Two players (64 hex digits) who are not to be paired; ``is_undone``: who may be again."""

    author: str
    made_at_ms: int
    one: str
    other: str
    is_undone: bool = False


@dataclass(frozen=True, slots=True)
class Add:
    """Enter another player. ``is_heard``: this arbiter had a word of theirs before."""

    author: str
    made_at_ms: int
    seat: Seat
    rating: int
    is_heard: bool = True


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a player for good: their open and later boards are forfeit."""

    author: str
    made_at_ms: int
    player: str


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A player's board of this round is forfeit."""

    author: str
    made_at_ms: int
    round: int
    player: str


@dataclass(frozen=True, slots=True)
class SetResult:
    """Set a board's (from 1) result, until the next round is planned."""

    author: str
    made_at_ms: int
    round: int
    board: int
    result: BoardResult


@dataclass(frozen=True, slots=True)
class Delay:
    """Have what is due come so many seconds later."""

    author: str
    made_at_ms: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Due:
    """The time of ``next_ms`` has come."""


@dataclass(frozen=True, slots=True)
class Pairings:
    """An engine's answer for a round: all of ``Tournament.field`` are on ``boards`` (white, black)
    or in ``byes``, or wait on in an arena. ``asked``: the question, 0 for any.
    """

    round: int
    boards: tuple[tuple[int, int], ...]
    byes: tuple[Bye, ...]
    engine: str
    digest: str
    asked: int = 0


@dataclass(frozen=True, slots=True)
class NoPairings:
    """The engine has none: ``is_impossible``, or it failed. ``asked`` as above."""

    round: int
    is_impossible: bool
    text: str
    asked: int = 0


@dataclass(frozen=True, slots=True)
class GamesMade:
    """The first ``started`` boards of a round have their games, which have these ids."""

    round: int
    started: int
    game_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game of the tournament ended."""

    round: int
    board: int
    game: Game


OrganisersCommand = (
    Edit | OrganisersWord | SetBoards | Swap | Forbid | Add | Remove | Forfeit | SetResult | Delay
)
MachinesCommand = Due | Pairings | NoPairings | GamesMade | GameOver
TournamentCommand = Create | OrganisersCommand | Join | PlayersWord | AskBye | MachinesCommand
