"""Pairings that the engine is asked for in a process of its own: a long one delays no game."""

from collections.abc import Awaitable, Callable

from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Tournament

PairElsewhere = Callable[[Tournament], Awaitable[Pairings | NoPairings]]

LENGTH_BYTES = 4
"""Of an answer of that process: its length, then itself."""

_Question = tuple[str, int]


class LongPairing(Exception):
    """The present round of this tournament is to be paired elsewhere."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament.id)
        self.tournament = tournament


class KnownPairings:
    """The `ports.PairingEngine` of this process: answers that were found, each for one use."""

    def __init__(self, elsewhere: PairElsewhere) -> None:
        self._elsewhere = elsewhere
        self._found: dict[_Question, Pairings | NoPairings] = {}

    def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        if answer := self._found.pop(_question(tournament), None):
            return answer
        raise LongPairing(tournament)

    async def find(self, tournament: Tournament) -> None:
        self._found[_question(tournament)] = await self._elsewhere(tournament)


def _question(tournament: Tournament) -> _Question:
    # Not its version: who joins meanwhile changes nothing for this round, and the answer is
    # validated against what the tournament is by then.
    return tournament.id, tournament.asked
