"""Replies: what a decision tells players of a tournament, and what it has the arbiter do."""

from dataclasses import dataclass

from arbiter.core.game import Seat
from arbiter.core.replies import Reason
from arbiter.core.tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Told:
    """A word to one player: ``created``, ``joined``, ``left``, ``noted``, ``bye:<round>`` or
    ``wait:<unix seconds>``.
    """

    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command was refused; nothing changed."""

    player: str
    reason: Reason
    text: str


@dataclass(frozen=True, slots=True)
class PairingWanted:
    """The engine is to pair this round."""

    round: int


@dataclass(frozen=True, slots=True)
class GamesWanted:
    """The games of this round are to be made, from board ``first`` (from 0) on."""

    round: int
    first: int


TournamentReply = Told | CommandRefused | PairingWanted | GamesWanted


@dataclass(frozen=True, slots=True)
class TournamentDecision:
    """The tournament to store, and the replies. The same object means that nothing changed."""

    tournament: Tournament
    replies: tuple[TournamentReply, ...] = ()
