"""Offers of a rematch that end because their author asks for another game."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.results import LobbyResult
from arbiter.core.game import Game
from arbiter.core.offers import without_rematch_of
from arbiter.core.pairing import Player
from arbiter.core.replies import GameChanged
from arbiter.dialects.base import AnswerChallenge, LobbyRequest, QueryStatus


def without_rematch(
    settled: LobbyResult, asked: LobbyRequest, event_key: str, last: Game | None, now_ms: int
) -> LobbyResult:
    """The same with the player's offer of a rematch withdrawn, for they ask for another game."""
    is_question = isinstance(asked, QueryStatus)
    is_decline = isinstance(asked, AnswerChallenge) and not asked.accepts
    after = without_rematch_of(last, asked.seat.player, bytes.fromhex(event_key), now_ms)
    if last is None or after is None or settled.change is None or is_question or is_decline:
        return settled
    change = replace(settled.change, finished=(last, after))
    return replace(settled, change=change, replies=(*settled.replies, GameChanged(after)))


def withdrawn_by(
    deps: ArbiterDeps, event_key: str, player: Player, latest: Game | None
) -> tuple[GameChanged, ...]:
    """The game whose offered rematch this request withdrew: the latest or the one before."""
    key = bytes.fromhex(event_key)
    if latest is not None and latest.remembers(key):
        return (GameChanged(latest),)
    former = deps.games.load(player.former_game_id) if player.former_game_id else None
    return (GameChanged(former),) if former is not None and former.remembers(key) else ()
