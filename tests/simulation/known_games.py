"""What a native player was told of a game."""

from dataclasses import dataclass


@dataclass(slots=True)
class Seen:
    """The latest state of one game, as this player was told."""

    id: str
    version: int
    ply: int
    fen: str
    state_id: str
    white: str
    black: str
    result: str = "*"
    is_over: bool = False
    offer: tuple[str, str] | None = None
    rematch: str | None = None

    def is_offered_to(self, pubkey: str) -> bool:
        """Whether the opponent of this one of the two has offered something."""
        return self.offer is not None and self.offer[1] != ("w" if self.white == pubkey else "b")

    def is_turn_of(self, pubkey: str) -> bool:
        """Whether this one of the two is to move."""
        return (" w " in self.fen) == (self.white == pubkey)
