"""An event that its game remembers came again. Nothing is judged anew: what the first delivery may
not have lived to say and to do is said and done.
"""

from dataclasses import replace

from arbiter.application.answer import ArbiterDeps, Result, schedule_timer
from arbiter.application.follow_up import follow_up, rating_of_end
from arbiter.application.game_answer import answer_about, current_replies
from arbiter.application.referee import verdicts_again
from arbiter.application.republish import Republish
from arbiter.core.game import Game
from arbiter.dialects.base import Dialect, GameCommand, PreviousResult
from arbiter.dialects.registry import DIALECTS

TOLD_AGAIN, TOLD_AGAIN_SECONDS = 2, 10
"""How often an opponent is told again of one event that its author sends over sockets, in how many
seconds: more than an opponent ever needs, since the queue delivers a record again after 48 seconds.
"""


def handle_duplicate(
    bench: ArbiterDeps, game: Game, asked: GameCommand, event_id: str, dialect: Dialect
) -> Result:
    """The event came again: say the state again, and do again what may not have been done."""
    cause = bytes.fromhex(event_id)
    rated = follow_up(bench, None, game)
    following = bench.games.load(game.next_game_id) if game.next_game_id else None
    present = following or game
    schedule_timer(bench, following)
    verdicts = verdicts_again(bench, game, asked.command, cause) if dialect.by_bridge else ()
    # The rematch may have been agreed on before the end was told, with its note and its ratings.
    ended = current_replies(game) if following else ()
    said = (*verdicts, *current_replies(present), *ended)
    if not may_be_told_again(bench, dialect, event_id):
        said = ()
    answer = answer_about("duplicate", present, said, event_id, dialect)
    return replace(
        answer,
        rated=(*rated, *(rating_of_end(bench, following) if following else ())),
        # Told again it names the next game as well; the next game would not name its end.
        republish=Republish(game_id=game.id, changed_at_ms=game.position_since_ms)
        if following
        else answer.republish,
        previous=PreviousResult.REFUSED if game.refused(cause) else PreviousResult.ACCEPTED,
        elsewhere=_elsewhere(bench, present),
    )


def may_be_told_again(bench: ArbiterDeps, dialect: Dialect, event_id: str) -> bool:
    """Whether others than its author are told again of an event that came again; the author is
    answered each time. Only what comes over sockets is counted: SQS drops other copies.
    """
    if not dialect.by_socket or bench.rate_limits is None:
        return True
    key, now_ms = f"told-again:{event_id}", bench.clock.now_ms()
    return bench.rate_limits.take(key, TOLD_AGAIN, TOLD_AGAIN_SECONDS, now_ms)


def _elsewhere(bench: ArbiterDeps, game: Game) -> frozenset[str]:
    """Who has begun another game since this one ended, of those who cannot tell the two apart."""
    if game.outcome is None:
        return frozenset()
    return frozenset(
        seat.player
        for seat in (game.white, game.black)
        if DIALECTS[seat.dialect].by_socket
        and bench.lobby.player(seat.player).game_id not in {None, game.id}
    )
