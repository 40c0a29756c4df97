"""The notices that follow from a result, once it is committed and told to all who are there."""

import logging
from collections.abc import Iterable, Sequence

from arbiter.application.deps import ArbiterDeps
from arbiter.application.records import Notice, NoticeAsked
from arbiter.application.results import Result
from arbiter.core import replies
from arbiter.core.game import Game
from arbiter.core.notices import Occasion
from arbiter.dialects.base import has_key

_log = logging.getLogger("arbiter")


def ask_notices(deps: ArbiterDeps, results: Iterable[Result]) -> None:
    """Ask for the notices of these results. Never raises: what cannot be asked is counted."""
    asked = tuple(dict.fromkeys(one for result in results for one in notices_of(deps, result)))
    if deps.notices is None or not asked:
        return
    try:
        deps.notices.send(asked)
    except Exception as failure:  # noqa: BLE001 - no move waits for a notice
        lost = {"status": "notices-lost", "count": len(asked), "why": type(failure).__name__}
        _log.warning(lost)


def notices_of(deps: ArbiterDeps, result: Result) -> Sequence[Notice]:
    if deps.notices is None or result.relays_only or not deps.policy.now().notices:
        return ()
    author = result.event.pubkey if result.event else None
    found = (one for reply in result.replies for one in _notices_in(reply))
    others = (one for one in found if one.player != author)
    return (*result.notices, *(one for one in others if one.player not in deps.house_levels))


def _notices_in(reply: replies.Reply) -> Iterable[NoticeAsked]:
    match reply:
        case replies.Challenged(seat, challenge) if has_key(seat):
            by_ms = challenge.expires_at_ms()
            yield NoticeAsked(seat.player, Occasion("challenge", challenge.id, by_ms=by_ms))
        case replies.GameStarted(game) if game.tournament is not None:
            for seat in (game.white, game.black):
                if has_key(seat):
                    occasion = Occasion("round", game.id, game.state_version, game.deadline_ms())
                    yield NoticeAsked(seat.player, occasion)
        case replies.GameChanged(game) if game.earlier_versions:
            return  # An offer or a vacation: it was their turn before.
        case replies.GameStarted(game) | replies.MovePlayed(game) | replies.GameChanged(game) if (
            is_awaited(game) and has_key(game.seat(game.turn))
        ):
            occasion = Occasion("turn", game.id, game.position_version, game.deadline_ms())
            yield NoticeAsked(game.seat(game.turn).player, occasion)
        case _:
            return


def is_awaited(game: Game) -> bool:
    """Whether somebody is to move in this game who need not be there."""
    return game.outcome is None and game.is_slow
