"""``Game``, the value that everything else works on, and its parts.

Invariant: the moves are the state (docs/decisions/0001-moves-are-the-state.md), since a FEN forgets
repetition. Ids in text come from anybody: ``is_game_id`` checks one before it is part of a key.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import chess

from arbiter.core.clocks import DAY_MS, UNTIMED_FIRST_MOVE_MS, Clocks
from arbiter.core.commands import OfferKind, PendingCommand
from arbiter.core.fen import fen
from arbiter.core.lines import NO_LINES, BothLines, dropped, lines_after

WHITE: chess.Color = chess.WHITE
BLACK: chess.Color = chess.BLACK

EVENT_KEY_BYTES = 8
"""The first 8 bytes: 65 plies stay under 1 KB, a collision takes 2^64 hashes."""

REFUSED_IDS_PER_SEAT = 7
"""Refused events of each player remembered; older ones' dates catch them."""


EARLIER_VERSIONS_KEPT = 8
"""Earlier versions of the present position that a command may name without being stale."""


class Termination(StrEnum):
    """Reasons why a game ends. The values are on the wire."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient-material"
    FIVEFOLD_REPETITION = "fivefold-repetition"
    SEVENTYFIVE_MOVES = "seventyfive-moves"
    THREEFOLD_REPETITION = "threefold-repetition"
    FIFTY_MOVES = "fifty-moves"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    TIMEOUT = "timeout"
    ILLEGAL_MOVES = "illegal-moves"
    LEFT = "left"
    ABORTED = "aborted"
    NO_SHOW = "no-show"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game; no ``winner`` of a draw or abort, for which ``aborted_by`` is to blame."""

    termination: Termination
    winner: chess.Color | None
    aborted_by: chess.Color | None = None

    @property
    def result(self) -> str:
        """The PGN result token: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for an aborted game."""
        if self.termination is Termination.ABORTED:
            return "*"
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == WHITE else "0-1"


@dataclass(frozen=True, slots=True)
class Seat:
    """One side of a game: the player (opaque here), and the dialect and address that reach them.
    ``at_gateway``: their last word came over our gateway. ``name``, cleaned. ``left_ms``: when they
    left it (unix), 0 while there, None if they never said. These three do not count for equality.
    """

    player: str
    dialect: str
    address: str = ""
    at_gateway: bool = field(default=False, compare=False)
    name: str = field(default="", compare=False)
    left_ms: int | None = field(default=None, compare=False)


class Variant(StrEnum):
    """The variant of chess that is played."""

    STANDARD = "standard"
    CHESS960 = "chess960"


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer and its colour; ``address`` for a rematch does not count for equality."""

    kind: OfferKind
    color: chess.Color
    address: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class GamePlace:
    """A game's place in a tournament, ``no_show_s`` for a first move, ``draws_from_ply``."""

    tournament_id: str
    round: int
    board: int
    no_show_s: int
    draws_from_ply: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Vacation:
    """Days for which a player's clock rests, from ``since_ms`` (unix), of the state ``version``."""

    color: chess.Color
    since_ms: int
    days: int
    version: int

    @property
    def until_ms(self) -> int:
        return self.since_ms + self.days * DAY_MS


@dataclass(frozen=True, slots=True)
class StateVersion:
    """A version of a position's state, made at ``since_ms`` (unix), and its ``chain``."""

    number: int
    since_ms: int
    offer: Offer | None = None
    chain: bytes = b""


@dataclass(frozen=True, slots=True)
class Link:
    """One link of the chain: the version, 0 for a request, the event's key, and what is shown."""

    version: int
    event_key: bytes
    shown: str = ""


class Replayed:
    """The board after these moves of a game, they as UCI, and the FEN after some of them."""

    def __init__(self, board: chess.Board, moves: tuple[chess.Move, ...]) -> None:
        self.board = board
        self.moves = moves
        self.uci: list[str] = []
        self.fen_after: tuple[tuple[chess.Move, ...] | None, str] = (None, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game.

    ``item_version`` rises by one with every write; a commit is conditional on it. ``state_version``
    rises with every change that players see, last at ``changed_at_ms``. ``earlier_versions`` are
    those of the present position. ``white_offered_at`` is the ply of White's last draw offer.
    ``timer_at_ms`` is when the next timer fires. ``ended_at_ms`` is kept apart because rematch
    offers change a finished game. ``moved_at_ms`` holds the time of each move for wires that send
    it, and is empty for others to keep items small. ``spent_s`` holds the seconds that each move of
    a live game took off its player's clock (``core/spent_time.py``). ``from_pool``: neither player
    chose the other, so that each has some minutes for a first move even without clocks.
    ``tournament``: its place in one; a move reads nothing else of it. ``challenge`` is the id of
    the one that it came of (32 hex digits). ``chain``: the hash of its history (``core/chain.py``).
    ``lines`` are each player's conditional moves, which their author alone may see.
    ``links`` are those that the last event added, for its transcript, until the game is read anew.
    """

    id: str
    white: Seat
    black: Seat
    created_at_ms: int
    changed_at_ms: int
    start_fen: str = chess.STARTING_FEN
    moves: tuple[chess.Move, ...] = ()
    outcome: Outcome | None = None
    ended_at_ms: int | None = None
    white_strikes: int = 0
    black_strikes: int = 0
    applied_ids: tuple[bytes, ...] = ()
    white_refused_ids: tuple[bytes, ...] = ()
    black_refused_ids: tuple[bytes, ...] = ()
    item_version: int = 1
    rated: bool = False
    variant: Variant = Variant.STANDARD
    clocks: Clocks | None = None
    state_version: int = 1
    offer: Offer | None = None
    earlier_versions: tuple[StateVersion, ...] = ()
    white_offered_at: int | None = None
    black_offered_at: int | None = None
    next_game_id: str | None = None
    timer_at_ms: int | None = None
    moved_at_ms: tuple[int, ...] = ()
    spent_s: tuple[int, ...] = ()
    pending: tuple[PendingCommand, ...] = ()
    vacations: tuple[Vacation, ...] = ()
    from_pool: bool = False
    tournament: GamePlace | None = None
    challenge: str | None = None
    chain: bytes = b""
    lines: BothLines = field(default=NO_LINES, repr=False)
    links: tuple[Link, ...] = field(default=(), compare=False, repr=False)
    cached_board: Replayed | None = field(default=None, compare=False, repr=False)

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def turn(self) -> chess.Color:
        return self.mover(self.ply)

    def mover(self, ply: int) -> chess.Color:
        return (" w " in self.start_fen) == (ply % 2 == 0)

    @property
    def is_slow(self) -> bool:
        """Whether no player need be there: moves take days, or no clock runs."""
        return self.clocks is None or not self.clocks.control.is_live

    @property
    def result(self) -> str:
        return self.outcome.result if self.outcome else "*"

    def seat(self, color: chess.Color) -> Seat:
        return self.white if color == WHITE else self.black

    def color_of(self, player: str) -> chess.Color | None:
        if player == self.white.player:
            return WHITE
        if player == self.black.player:
            return BLACK
        return None

    def as_item(self, version: int) -> "Game":
        return self if self.item_version == version else replace(self, item_version=version)

    def with_seat(self, color: chess.Color, seat: Seat) -> "Game":
        return replace(self, white=seat) if color == WHITE else replace(self, black=seat)

    def heard_over(self, player: str, *, at_gateway: bool, says_here: bool = False) -> "Game":
        """The game once this player was heard, at the gateway or not, and whether they say here."""
        color, left_ms = self.color_of(player), 0 if says_here else None
        if color is None:
            return self
        seat = self.seat(color)
        if (seat.at_gateway, seat.left_ms) == (at_gateway, left_ms):
            return self
        return self.with_seat(color, replace(seat, at_gateway=at_gateway, left_ms=left_ms))

    def strikes(self, color: chess.Color) -> int:
        return self.white_strikes if color == WHITE else self.black_strikes

    def remembers(self, event_key: bytes) -> bool:
        """Whether the event with this key was applied, refused or buffered here."""
        key = event_key[:EVENT_KEY_BYTES]
        return (
            key in self.applied_ids
            or key in self.white_refused_ids
            or key in self.black_refused_ids
            or any(waiting.event_key[:EVENT_KEY_BYTES] == key for waiting in self.pending)
        )

    def refused(self, event_key: bytes) -> bool:
        key = event_key[:EVENT_KEY_BYTES]
        return key in self.white_refused_ids or key in self.black_refused_ids

    def board(self) -> chess.Board:
        """The position with its move stack, cached. Read-only: to play a move, call ``after``."""
        return self._replayed().board

    def fen(self) -> str:
        """The position's FEN: told with a state, and compared with what the next move answers."""
        replayed = self._replayed()
        if replayed.fen_after[0] is not self.moves:
            replayed.fen_after = self.moves, fen(replayed.board)
        return replayed.fen_after[1]

    def uci_moves(self) -> Sequence[str]:
        uci = self._replayed().uci
        uci += [move.uci() for move in self.moves[len(uci) :]]
        return uci

    def _replayed(self) -> Replayed:
        known = self.cached_board
        if known is None or known.moves is not self.moves:
            board = chess.Board(self.start_fen, chess960=self.variant is Variant.CHESS960)
            for move in self.moves:
                board.push(move)
            known = Replayed(board, self.moves)
            object.__setattr__(self, "cached_board", known)
        return known

    def after(
        self, move: chess.Move, now_ms: int, offer: Offer | None, clocks: Clocks | None = None
    ) -> "Game":
        """The game with this legal move, the offer left, and the clocks if they are others."""
        replayed = self._replayed()
        replayed.board.push(move)
        replayed.moves = moves = (*self.moves, move)
        return replace(
            self,
            moves=moves,
            state_version=self.state_version + 1,
            earlier_versions=(),
            changed_at_ms=now_ms,
            offer=offer,
            clocks=clocks or self.clocks,
            lines=lines_after(self.lines, move) if self.lines != NO_LINES else NO_LINES,
        )

    def taken_back(self, plies: int, now_ms: int) -> "Game":
        moves = self.moves[: self.ply - plies]
        version = self.state_version + 1
        return replace(
            self,
            moves=moves,
            spent_s=self.spent_s[: len(moves)],
            state_version=version,
            earlier_versions=(),
            changed_at_ms=now_ms,
            offer=None,
            lines=dropped(self.lines),
        )

    def with_offer(self, offer: Offer | None, now_ms: int) -> "Game":
        link = b"" if self.outcome else self.chain
        before = StateVersion(self.state_version, self.changed_at_ms, self.offer, link)
        earlier = (*self.earlier_versions, before)[-EARLIER_VERSIONS_KEPT:]
        version = self.state_version + 1
        return replace(
            self, offer=offer, state_version=version, earlier_versions=earlier, changed_at_ms=now_ms
        )

    def offered_at(self, color: chess.Color) -> int | None:
        return self.white_offered_at if color == WHITE else self.black_offered_at

    @property
    def position_version(self) -> int:
        """The first version of this position, of those that are kept."""
        return self.earlier_versions[0].number if self.earlier_versions else self.state_version

    @property
    def position_since_ms(self) -> int:
        """The time at which this position arose. Offers made since do not change it."""
        return self.earlier_versions[0].since_ms if self.earlier_versions else self.changed_at_ms

    @property
    def end_ms(self) -> int:
        """The end of a finished game (unix ms). Items of earlier releases lack ``ended_at_ms``."""
        return self.changed_at_ms if self.ended_at_ms is None else self.ended_at_ms

    def deadline_ms(self) -> int | None:
        if self.outcome is not None:
            return None
        if self.clocks is None:
            is_awaited = self.from_pool and self.ply < 2  # noqa: PLR2004 - one first move each
            return self.position_since_ms + UNTIMED_FIRST_MOVE_MS if is_awaited else None
        if self.tournament and self.ply < 2:  # noqa: PLR2004 - as above
            return self.clocks.since_ms + 1000 * self.tournament.no_show_s
        return self.clocks.deadline_ms(self.ply, white=self.turn)


GAME_ID_BYTES = 16

_GAME_ID = re.compile("[0-9a-f]{32}")


def is_game_id(text: str) -> bool:
    """Whether the text is exactly 32 lower-case hex digits."""
    return _GAME_ID.fullmatch(text) is not None
