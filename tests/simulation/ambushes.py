"""Faults that lie in wait: which strikes, whom, and how many occasions it lets pass before.

So a fault is a choice of whoever drives the world, and can be left out of it by itself.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Ambush:
    """``whom`` is a part of a place's name, such as ``process`` or ``listener 2``; empty: anybody.
    ``passes`` is how many occasions go by unharmed.
    """

    kind: str
    whom: str
    passes: int

    def meets(self, kind: str, where: str) -> bool:
        """Whether this is an occasion for it."""
        return kind == self.kind and self.whom in where


@dataclass
class Ambushes:
    """All that lie in wait. Of one kind, the first that was laid is the first to strike."""

    waiting: list[Ambush] = field(default_factory=list)

    def lay(self, kind: str, whom: str, passes: int) -> None:
        """Let one fault wait for its occasion; it strikes once."""
        self.waiting.append(Ambush(kind, whom, passes))

    def decide(self, kind: str, where: str) -> bool:
        """Whether a fault of this kind strikes here."""
        for one in self.waiting:
            if one.meets(kind, where):
                one.passes -= 1
                if one.passes < 0:
                    self.waiting.remove(one)
                    return True
                return False
        return False
