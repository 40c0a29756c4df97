"""Answers to questions of players: each names its question, so its id follows from no state alone.
They are kept as counters of the present hour.

Of each game the state that this process told last is known by its id, without hashing it again.
"""

from arbiter.application.deps import ArbiterDeps
from arbiter.core.rules import STATE_KNOWN_MS
from arbiter.dialects import native
from arbiter.nostr.event import VerifiedEvent

KNOWN_SECONDS = STATE_KNOWN_MS // 1000


MAX_LAST_SHOWN = 20_000
"""Games whose last state is known by its id, those told last: some 6 MB."""


def remember_shown(deps: ArbiterDeps, event: VerifiedEvent) -> None:
    """Remember which state this event shows: for an hour if it answers a player, so that a move may
    name it. Raises for infrastructure.
    """
    if (shown := native.shown_by(event)) is None:
        return
    game_id, version, is_answer = shown
    if not is_answer:
        deps.last_shown.pop(game_id, None)
        deps.last_shown[game_id] = event.id, version, event.created_at
        if len(deps.last_shown) > MAX_LAST_SHOWN:
            del deps.last_shown[next(iter(deps.last_shown))]
        return
    if deps.rate_limits is None:
        return
    for key in (_key(game_id, event.id, None), _key(game_id, event.id, version)):
        deps.rate_limits.take(key, 1, KNOWN_SECONDS, deps.clock.now_ms())


def was_answer(
    deps: ArbiterDeps, game_id: str, event_id: str, now_ms: int, version: int | None = None
) -> bool:
    """Whether this event (64 hex) showed the game, in this version if given, lately."""
    key = _key(game_id, event_id, version)
    return deps.rate_limits is not None and not all(
        deps.rate_limits.take(key, 0, KNOWN_SECONDS, at_ms, 0)
        for at_ms in (now_ms, now_ms - STATE_KNOWN_MS)
    )


def _key(game_id: str, event_id: str, version: str | int | None) -> str:
    return f"answer:{game_id}:{event_id}" + ("" if version is None else f":{version}")
