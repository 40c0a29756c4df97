"""What is to be said again because no relay took it, and how the republish queue carries it.

The law: what waits is no event but a name, a game's or a player's. What there is to say is derived
from the state when its turn comes, so nothing out of date is said again.
"""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Republish:
    """What to say again if no relay took it: a game's state as of ``changed_at_ms``, or a waiting
    player's place.
    """

    game_id: str | None = None
    changed_at_ms: int = 0
    player_id: str | None = None
    attempt: int = 0


def republish_body(again: Republish) -> str:
    """The body of a record that asks for this."""
    return json.dumps({"republish": asdict(again)})


def republish_from(body: str) -> Republish | None:
    """What a body of the republish queue asks to be said again; None for any other body."""
    if not body.startswith('{"republish":'):
        return None
    return Republish(**json.loads(body)["republish"])
