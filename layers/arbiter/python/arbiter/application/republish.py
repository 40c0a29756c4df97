"""What is to be said again because no relay took it, and how the republish queue carries it.

The law: what waits is no event but a name, a game's or a player's. What there is to say is derived
from the state when its turn comes, so nothing out of date is said again.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from arbiter.application.state_tags import LATEST_MS
from arbiter.core.game import is_game_id


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
    """What a body of the republish queue asks to be said again; None for any other body, and for
    one that only looks like it.
    """
    if not body.startswith('{"republish":'):
        return None
    try:
        asked = json.loads(body)["republish"]
        return Republish(**asked) if _is_sound(asked) else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _is_sound(asked: dict[str, Any]) -> bool:
    """Whether each field is what it is declared to be: JSON's true is no number."""
    game_id, player_id = asked.get("game_id"), asked.get("player_id")
    return (
        (game_id is None or is_game_id(game_id))
        and (player_id is None or isinstance(player_id, str))
        and all(
            type(number) is int and 0 <= number < LATEST_MS
            for number in (asked.get("changed_at_ms", 0), asked.get("attempt", 0))
        )
    )
