"""``Tournament``, the value that tournaments work on, and its parts. PROTOCOL.md calls one an
event.

Invariant: a result is set on its board; points and standings are a fold over the rounds.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Seat
from arbiter.core.terms import UNRATED


class Format(StrEnum):
    """The ways to pair. The values are on the wire."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    ARENA = "arena"
    KNOCKOUT = "knockout"


class EntryRule(StrEnum):
    """Who may join. The values are on the wire."""

    OPEN = "open"
    LIST = "list"
    SECRET = "secret"  # noqa: S105 - a word of the wire
    RSVP = "rsvp"


class Phase(StrEnum):
    """The phase of a tournament; an arena is ``PLAYING`` throughout. ``WAITING``: until ``next_ms``
    or the organiser. ``PAIRING``: the engine is asked. ``PLANNED``: shown, to begin at ``round_ms``
    or on the organiser's word. ``STARTING``: its games are being made.
    """

    OPEN = "open"
    WAITING = "waiting"
    PAIRING = "pairing"
    PLANNED = "planned"
    STARTING = "starting"
    PLAYING = "playing"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def status(self) -> str:
        """The word of the wire: ``open``, ``playing``, ``finished`` or ``cancelled``."""
        is_shown = self in (Phase.OPEN, Phase.FINISHED, Phase.CANCELLED)
        return self.value if is_shown else Phase.PLAYING.value


class BoardResult(StrEnum):
    """A board's result; the last four are unrated. ``VOID``: it counts for neither."""

    WHITE_WINS = "1-0"
    BLACK_WINS = "0-1"
    DRAW = "1/2-1/2"
    WHITE_BY_FORFEIT = "+/-"
    BLACK_BY_FORFEIT = "-/+"
    BOTH_FORFEIT = "-/-"
    VOID = "*"

    @property
    def is_played(self) -> bool:
        return self in (BoardResult.WHITE_WINS, BoardResult.BLACK_WINS, BoardResult.DRAW)

    @property
    def is_forfeit(self) -> bool:
        return not self.is_played and self is not BoardResult.VOID

    def points(self) -> tuple[float, float]:
        match self:
            case BoardResult.WHITE_WINS | BoardResult.WHITE_BY_FORFEIT:
                return 1.0, 0.0
            case BoardResult.BLACK_WINS | BoardResult.BLACK_BY_FORFEIT:
                return 0.0, 1.0
            case BoardResult.DRAW:
                return 0.5, 0.5
            case _:
                return 0.0, 0.0


class ByeKind(StrEnum):
    """The letters of TRF: allocated by the pairing, half a point on request, absent."""

    PAIRING = "U"
    HALF = "H"
    ZERO = "Z"

    @property
    def points(self) -> float:
        return {ByeKind.PAIRING: 1.0, ByeKind.HALF: 0.5, ByeKind.ZERO: 0.0}[self]


class EntryState(StrEnum):
    """``ASKED``: entered where each must say that they are here (``EntryRule.RSVP``)."""

    ASKED = "asked"
    IN = "in"
    PAUSED = "paused"
    LEFT = "left"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentTerms:
    """The terms that the organiser sets. ``rounds`` is 0 where the format decides it (round robin,
    knockout, arena). ``cycles`` of a round robin: 2 is a double one. ``interval_s``: between the
    end of a round and the start of the next; None: the organiser starts each. ``no_show_s``: time
    for a first move. ``minutes``: length of an arena. ``draws_from_ply``: a draw cannot be agreed
    before. ``join_until_round``: the last round in which a player may come late.
    ``allowed``: of ``EntryRule.LIST`` keys, and perhaps the address of a follow set.
    ``secret_key``: a public key (64 hex digits), whose secret half lets players of
    ``EntryRule.SECRET`` in. ``late_games``: games under way at the end of an arena count.
    """

    title: str
    format: Format
    time: TimeControl
    starts_ms: int
    description: str = ""
    rounds: int = 0
    cycles: int = 1
    interval_s: int | None = 30
    no_show_s: int = 60
    minutes: int = 0
    limit: int = 500
    rated: bool = False
    bots: bool = False
    entry: EntryRule = EntryRule.OPEN
    allowed: tuple[str, ...] = ()
    secret_key: str = ""
    join_until_round: int = 1
    draws_from_ply: int = 0
    late_games: bool = False
    tie_breaks: tuple[str, ...] = ()

    @property
    def people(self) -> str:
        """The address of the follow set whose people may join; empty without one."""
        return next((one for one in self.allowed if ":" in one), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A player of a tournament: ``number`` for good, from 1; ``rating`` seeds them; ``from_round``;
    ``byes`` at half a point; ``seen_ms``: their last sign of being there.
    """

    number: int
    seat: Seat
    rating: int = UNRATED
    from_round: int = 1
    state: EntryState = EntryState.IN
    byes: tuple[int, ...] = ()
    seen_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Two entries by numbers. ``is_corrected``: the organiser's result. ``plies``, once over."""

    white: int
    black: int
    game_id: str = ""
    result: BoardResult | None = None
    is_corrected: bool = False
    plies: int = 0

    def points_of(self, number: int) -> float:
        white, black = self.result.points() if self.result else (0.0, 0.0)
        return white if number == self.white else black


@dataclass(frozen=True, slots=True)
class Bye:
    """An entry, by number, without a game in a round."""

    number: int
    kind: ByeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round as planned, and its results: an arena's of one moment. ``byes`` are the pairing's and
    those asked for. ``started``: so many boards have games. ``engine`` and ``digest`` (sha256 of
    its input) let anybody pair again. ``began_ms``: planned (unix). ``version`` rises with each
    change, to the second of it at least.
    """

    number: int
    boards: tuple[Board, ...]
    byes: tuple[Bye, ...] = ()
    started: int = 0
    engine: str = ""
    digest: str = ""
    began_ms: int = 0
    version: int = 0

    @property
    def is_done(self) -> bool:
        return all(board.result is not None for board in self.boards)

    def with_board(self, at: int, board: Board) -> "Round":
        return replace(self, boards=(*self.boards[:at], board, *self.boards[at + 1 :]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """One tournament.

    ``id``: 32 hex digits, as a game's. ``version`` rises with each change that players see;
    ``item_version`` with every write. ``round`` is the number of the present one, 0 before the
    first; without pairings they are awaited. ``field``: the numbers that are to be paired in it; of
    a round robin and a knockout the same from the first round to the last. ``next_ms``: when
    something is due by itself (unix; None: nothing is). ``round_ms``: when the games of the coming
    round begin (None: on the organiser's word); in an arena, when it began. ``forbidden``: pairs of
    numbers that are not to meet. ``trouble``: what the organiser must settle, in English; empty for
    none. ``tries``: failed attempts to pair the present round; ``asked``: questions to the engine
    so far. ``stale_before_ms``: an organiser's
    command must not be dated earlier. ``heard``: keys of the organiser's latest commands.
    """

    id: str
    organiser: str
    terms: TournamentTerms
    created_ms: int
    deputies: tuple[str, ...] = ()
    phase: Phase = Phase.OPEN
    round: int = 0
    next_ms: int | None = None
    round_ms: int | None = None
    field: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    rounds: tuple[Round, ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    trouble: str = ""
    tries: int = 0
    asked: int = 0
    version: int = 1
    item_version: int = 0
    stale_before_ms: int = 0
    heard: tuple[str, ...] = ()
    ended_ms: int | None = None
    by_player: dict[str, Entry] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.by_player.update({entry.seat.player: entry for entry in self.entries})

    def entry(self, number: int) -> Entry:
        return self.entries[number - 1]

    def entry_of(self, player: str) -> Entry | None:
        return self.by_player.get(player)

    def is_organised_by(self, player: str) -> bool:
        return player == self.organiser or player in self.deputies

    @property
    def awaits_pairings(self) -> bool:
        """Whether the engine was asked to pair ``round``, and has not answered."""
        return self.is_under_way and self.round > len(self.rounds)

    @property
    def is_under_way(self) -> bool:
        return self.phase not in (Phase.FINISHED, Phase.CANCELLED)

    def boards(self) -> Iterator[tuple[Round, Board]]:
        for each in self.rounds:
            for board in each.boards:
                yield each, board

    def with_entry(self, entry: Entry) -> "Tournament":
        at = entry.number - 1
        entries = (*self.entries[:at], entry, *self.entries[at + 1 :])
        return replace(self, entries=entries, by_player={})

    def with_round(self, changed: Round) -> "Tournament":
        at = changed.number - 1
        return replace(
            self, rounds=(*self.rounds[:at], changed, *self.rounds[at + 1 :]), by_player={}
        )
