"""Events that must not be judged: those that their game remembers, and commands that name no game
and cannot be about the present one.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.ends import settle_end
from arbiter.application.play.referee import verdicts_again
from arbiter.application.play.timers import schedule_timer
from arbiter.application.records import Republish
from arbiter.application.results import Result, answer_about, current_replies
from arbiter.core.game import Game
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.base import Dialect, GameCommand, PreviousResult
from arbiter.dialects.registry import DIALECTS

SHOWN_AGAIN = 3
"""Times in as many seconds that one state is published again because of events that came again over
relays. A relay that keeps ephemeral events brings those of a quarter of an hour to a listener that
starts, and hundreds of answers at once would keep it from the moves of now.
"""

TOLD_AGAIN, TOLD_AGAIN_SECONDS = 2, 10
"""Times that an opponent is sent the state again for one event."""


def handle_duplicate(
    deps: ArbiterDeps, game: Game, asked: GameCommand, event_key: str, dialect: Dialect
) -> Result:
    """The result of an event that came again: state, timers and ratings once more."""
    key = bytes.fromhex(event_key)
    schedule_timer(deps, game)
    rated = settle_end(deps, game)
    following = deps.games.load(game.next_game_id) if game.next_game_id else None
    present = following or game
    schedule_timer(deps, following)
    verdicts = verdicts_again(deps, game, asked.command, key) if dialect.bridge else ()
    # The rematch may have been agreed on before the end was published, with its note and ratings.
    ended = current_replies(game) if following else ()
    replies = (*verdicts, *current_replies(present), *ended)
    if not may_be_told_again(deps, dialect, event_key):
        replies = ()
    elif not may_be_shown_again(deps, dialect, present):
        replies = verdicts
    result = answer_about("duplicate", present, replies, event_key, dialect)
    return replace(
        result,
        rated=(*rated, *(settle_end(deps, following) if following else ())),
        # Published again it names the next game as well; the next game would not name its end.
        republish=(Republish(game_id=game.id, changed_at_ms=game.position_since_ms),)
        if following
        else result.republish,
        previous=PreviousResult.REFUSED if game.refused(key) else PreviousResult.ACCEPTED,
        in_other_game=_in_other_game(deps, present),
    )


def may_be_told_again(deps: ArbiterDeps, dialect: Dialect, event_key: str) -> bool:
    """Whether others than the author get the state again; only socket events are counted."""
    if dialect.socket is None or deps.rate_limits is None:
        return True
    counter, now_ms = f"told-again:{event_key}", deps.clock.now_ms()
    return deps.rate_limits.take(counter, TOLD_AGAIN, TOLD_AGAIN_SECONDS, now_ms)


def may_be_shown_again(deps: ArbiterDeps, dialect: Dialect, game: Game) -> bool:
    """Whether this state is published once more: one over relays reaches all who wait for it."""
    if not dialect.wire.is_on_relays or deps.rate_limits is None:
        return True
    counter, now_ms = f"shown-again:{game.id}:{game.state_version}", deps.clock.now_ms()
    try:
        return deps.rate_limits.take(counter, SHOWN_AGAIN, TOLD_AGAIN_SECONDS, now_ms)
    except Exception:  # noqa: BLE001 - for a count that fails no state is kept back
        return True


def _in_other_game(deps: ArbiterDeps, game: Game) -> frozenset[str]:
    """The players who began another game since this one ended and cannot tell the two apart."""
    if game.outcome is None:
        return frozenset()
    return frozenset(
        seat.player
        for seat in (game.white, game.black)
        if DIALECTS[seat.dialect].socket
        and deps.lobby.player(seat.player).game_id not in {None, game.id}
    )


def answer_too_late(
    deps: ArbiterDeps, game: Game, asked: GameCommand, event_key: str, dialect: Dialect, text: str
) -> Result:
    """The result of a command about a game before the present one, which may remember it."""
    author = asked.command.player
    former_id = deps.lobby.player(author).former_game_id
    former = deps.games.load(former_id) if former_id else None
    if former is not None and former.remembers(bytes.fromhex(event_key)):
        return handle_duplicate(deps, former, asked, event_key, dialect)
    refusal = Rejected(author, Reason.STALE, text)
    return answer_about(Reason.STALE, game, (refusal,), event_key, dialect)
