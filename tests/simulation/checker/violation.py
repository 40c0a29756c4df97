"""The checker's verdicts: which promise was broken, by what, in one sentence."""

from dataclasses import dataclass
from enum import StrEnum


class Invariant(StrEnum):
    """The promises that every run is held to."""

    NOTHING_LOST = "nothing lost"
    """What was stored stays: versions rise by one, and no move goes but by an agreed takeback."""
    STORED_BEFORE_SAID = "stored before said"
    """Whatever the arbiter signs of a game was stored before."""
    ONCE = "applied once"
    """An event has one effect, in one game."""
    OWN_HAND = "own hand"
    """Each change was signed by the player whose right it was, for this game and in these words."""
    RULES = "the rules of chess"
    """Moves are legal and ends are true on another board."""
    REFUSED_FOR_GOOD = "refused for good"
    """A refused event is never done later."""
    TOLD = "told in the end"
    """Every honest player ends up with the latest state, or a reason."""
    ACCOUNTED = "accounted for"
    """Every event was accepted, refused, known already, or dropped for a true reason."""
    CLOCKS = "the clocks add up"
    """No player is charged for more time than passed, or flagged though their move was in time."""
    RATINGS = "the ratings add up"
    """Each rated game moves both ratings once, by Glicko-2."""
    POLICY = "the operator's policy"
    """Who is denied is not seated, who blocks is not paired, who is hidden is not listed."""
    STEADY = "steady state"
    """When nobody plays and nothing waits, what was filled is empty again."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One promise broken. ``ids`` are of the game, the events or the records that it is about."""

    invariant: Invariant
    ids: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.sentence} [{' '.join(self.ids)}]"
