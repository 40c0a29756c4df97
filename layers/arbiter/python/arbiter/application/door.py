"""The door: what the operator's policy refuses, before anything is read for it."""

from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import Lobby
from arbiter.core.tournaments.commands import Add, Create, Join
from arbiter.dialects.base import (
    AnswerChallenge,
    BeginGame,
    Chat,
    Decoded,
    RequestToPlay,
    TournamentAsked,
)

OPPONENT_NOT_HERE = "your opponent may not play here"
APART = "one of you has blocked the other"


def restricted(policy: KnownPolicy, decoded: Decoded, author: str, now_ms: int) -> str | None:
    """Return the reason why this event of ``author`` (64 hex) is refused; None if it is not. Games
    that go on are played on, and what withdraws a request is always taken.
    """
    match decoded:
        case RequestToPlay(seat):
            return policy.why_no_game(seat.player, now_ms)
        case AnswerChallenge(seat) if decoded.accepts:
            return policy.why_no_game(seat.player, now_ms)
        case Chat(_, speaker):
            return policy.why_not(speaker, now_ms)
        case TournamentAsked(_, Create()):
            return policy.why_no_game(author, now_ms)
        case TournamentAsked(_, Join(seat) | Add(_, _, seat)):
            return policy.why_no_game(seat.player, now_ms)
        case _:
            return None


def are_apart(lobby: Lobby, one: str, other: str) -> bool:
    return other in lobby.player(one).blocked or one in lobby.player(other).blocked


def why_not_begun(
    policy: KnownPolicy, lobby: Lobby, begins: BeginGame, author: str, now_ms: int
) -> str | None:
    """Return the reason why a game that two players began by themselves is not refereed."""
    if text := policy.why_no_game(author, now_ms):
        return text
    players = (begins.white.player, begins.black.player)
    others = (policy.why_not(player, now_ms) for player in players if player != author)
    if any(others):
        return OPPONENT_NOT_HERE
    return APART if are_apart(lobby, *players) else None
