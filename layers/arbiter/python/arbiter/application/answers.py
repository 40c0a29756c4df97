"""Answers to players, which name their question, kept as counters of the present hour."""

from arbiter.application.deps import ArbiterDeps
from arbiter.core.rules import STATE_KNOWN_MS
from arbiter.dialects import native
from arbiter.nostr.event import VerifiedEvent

KNOWN_SECONDS = STATE_KNOWN_MS // 1000


def remember_answer(deps: ArbiterDeps, event: VerifiedEvent) -> None:
    """Remember for an hour the state of this answer, so that a move may name it."""
    if deps.rate_limits is None or (shown := native.shown_by_answer(event)) is None:
        return
    game_id, version = shown
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
