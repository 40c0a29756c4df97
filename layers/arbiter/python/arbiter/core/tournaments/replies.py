"""Replies: what a decision tells players of a tournament, and what it has the arbiter do."""

from dataclasses import dataclass

from arbiter.core.replies import Reason
from arbiter.core.tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Told:
    """A word to one player (64 hex): ``created``, ``joined``, ``left``, ``noted``, ``bye:<round>``,
    ``wait:<unix seconds>``; to the organiser also ``trouble:<text>``, ``noted:unheard``.
    """

    player: str
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


@dataclass(frozen=True, slots=True)
class ResultsWanted:
    """This round took long: games of open boards are to be looked at."""

    round: int


TournamentReply = Told | CommandRefused | PairingWanted | GamesWanted | ResultsWanted


@dataclass(frozen=True, slots=True)
class TournamentDecision:
    """The tournament to store (None: none; the same: unchanged), and the replies."""

    tournament: Tournament | None
    replies: tuple[TournamentReply, ...] = ()


Verdict = TournamentDecision | tuple[Reason, str]
"""A decision, or the reason and text of a refusal."""
