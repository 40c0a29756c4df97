"""An event that its game remembers came again. Nothing is judged anew: what the first delivery may
not have lived to say and to do is said and done.

Commands that name no game, and are not about the one that their author plays now.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.queue_messages import Republish
from arbiter.application.ratings import rating_of_end
from arbiter.application.referee import verdicts_again
from arbiter.application.results import Result, answer_about, current_replies
from arbiter.application.timers import schedule_timer
from arbiter.core.game import Game
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.base import Dialect, GameCommand, PreviousResult, Transport
from arbiter.dialects.registry import DIALECTS

TOLD_AGAIN, TOLD_AGAIN_SECONDS = 2, 10
"""How often an opponent is told again of one event that its author sends over sockets, in how many
seconds: more than an opponent ever needs, since the queue delivers a record again after 48 seconds.
"""


def handle_duplicate(
    deps: ArbiterDeps, game: Game, asked: GameCommand, event_id: str, dialect: Dialect
) -> Result:
    """The event came again: say the state again, and do again what may not have been done."""
    event_key = bytes.fromhex(event_id)
    schedule_timer(deps, game)
    rated = rating_of_end(deps, game)
    following = deps.games.load(game.next_game_id) if game.next_game_id else None
    present = following or game
    schedule_timer(deps, following)
    is_bridged = dialect.transport is Transport.BRIDGE
    verdicts = verdicts_again(deps, game, asked.command, event_key) if is_bridged else ()
    # The rematch may have been agreed on before the end was told, with its note and its ratings.
    ended = current_replies(game) if following else ()
    said = (*verdicts, *current_replies(present), *ended)
    if not may_be_told_again(deps, dialect, event_id):
        said = ()
    answer = answer_about("duplicate", present, said, event_id, dialect)
    return replace(
        answer,
        rated=(*rated, *(rating_of_end(deps, following) if following else ())),
        # Told again it names the next game as well; the next game would not name its end.
        republish=Republish(game_id=game.id, changed_at_ms=game.position_since_ms)
        if following
        else answer.republish,
        previous=PreviousResult.REFUSED if game.refused(event_key) else PreviousResult.ACCEPTED,
        elsewhere=_elsewhere(deps, present),
    )


def may_be_told_again(deps: ArbiterDeps, dialect: Dialect, event_id: str) -> bool:
    """Whether others than its author are told again of an event that came again; the author is
    answered each time. Only what comes over sockets is counted: SQS drops other copies.
    """
    if dialect.transport is not Transport.SOCKET or deps.rate_limits is None:
        return True
    key, now_ms = f"told-again:{event_id}", deps.clock.now_ms()
    return deps.rate_limits.take(key, TOLD_AGAIN, TOLD_AGAIN_SECONDS, now_ms)


def _elsewhere(deps: ArbiterDeps, game: Game) -> frozenset[str]:
    """Who has begun another game since this one ended, of those who cannot tell the two apart."""
    if game.outcome is None:
        return frozenset()
    return frozenset(
        seat.player
        for seat in (game.white, game.black)
        if DIALECTS[seat.dialect].transport is Transport.SOCKET
        and deps.lobby.player(seat.player).game_id not in {None, game.id}
    )


DATED_AHEAD_SECONDS = 1
"""A client that asks twice in a second must date the second request ahead, or both are one event;
what follows may be dated as it is.
"""


def meant_for_another(
    asked: GameCommand, game: Game, dialect: Dialect, received_at_ms: int | None
) -> str | None:
    """Why a command that names no game cannot be about this one: it came before the game began, or
    its author signed it before he asked for the game, or he plays this game on another wire.

    Clients send again what was not answered when they connect again, and a resignation of yesterday
    must not lose today's game.
    """
    color = game.color_of(asked.command.player)
    if not asked.found_by_author or color is None:
        return None
    seat = game.seat(color)
    if seat.dialect != dialect.name:
        return "your game was begun in another protocol: end it there"
    # Both dates are of his own clock, so it need not be right.
    is_older = asked.signed_at + DATED_AHEAD_SECONDS < dialect.asked_at(seat)
    if is_older or came_before(game, received_at_ms):
        return "sent before this game began"
    return None


def came_before(game: Game, received_at_ms: int | None) -> bool:
    """Whether this time of receipt (unix ms) is known and lies before the game's beginning."""
    return bool(received_at_ms and received_at_ms < game.created_at_ms)


def answer_too_late(
    deps: ArbiterDeps, game: Game, asked: GameCommand, event_id: str, dialect: Dialect, text: str
) -> Result:
    """The answer to a command that is not about the author's present game. If the one before it
    remembers the event, this is a later delivery, and nobody may have been told what came of it.
    """
    author = asked.command.player
    former_id = deps.lobby.player(author).former_game_id
    former = deps.games.load(former_id) if former_id else None
    if former is not None and former.remembers(bytes.fromhex(event_id)):
        return handle_duplicate(deps, former, asked, event_id, dialect)
    refusal = Rejected(author, Reason.STALE, text)
    return answer_about(Reason.STALE, game, (refusal,), event_id, dialect)
