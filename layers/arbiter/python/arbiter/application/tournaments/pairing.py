"""A round paired apart from the arbiter function; the tournament's commit judges it again."""

from collections.abc import Callable
from dataclasses import dataclass

from arbiter.application.ports import EventQueue, PairingEngine
from arbiter.application.records import PairingAsked, TournamentPaired
from arbiter.application.tournaments.messages import entry
from arbiter.core.tournaments.commands import NoPairings
from arbiter.core.tournaments.tournament import Tournament

MAX_PAIRING_SECONDS = 240
"""Time for one round. A thousand players take half a minute on a whole processor."""


class Unanswered(Exception):
    """The queue did not take the answer."""


@dataclass(frozen=True, slots=True)
class PairingDeps:
    """The dependencies of pairing apart."""

    load: Callable[[str], Tournament | None]
    engine: PairingEngine
    moves: EventQueue


def answer(deps: PairingDeps, asked: PairingAsked) -> str:
    """Pair the round if still to be paired; a word for the log. Raises ``Unanswered``."""
    tournament = deps.load(asked.tournament_id)
    if tournament is None or not tournament.awaits_pairings or tournament.round != asked.round:
        return "pairing-stale"
    found = deps.engine.pair(tournament)
    if deps.moves.send([entry(TournamentPaired(tournament.id, found, asked.number))]):
        raise Unanswered
    if isinstance(found, NoPairings):
        return "pairing-impossible" if found.is_impossible else "pairing-failed"
    return "paired"
