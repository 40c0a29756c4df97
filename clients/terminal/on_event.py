"""The arbiter's messages, applied to the session.

Invariant: a copy changes nothing, as every relay sends one, and again after a reconnect. Colours,
positions and results are the arbiter's; that a message is about our own game is checked here.
"""

from dataclasses import replace
from typing import assert_never

from clients.player.messages import (
    MOVE_TEXT,
    Cancelled,
    Challenged,
    Listed,
    Message,
    Queued,
    Record,
    Refused,
    Rejected,
    Started,
    State,
)
from clients.player.tournaments import COMMAND
from clients.terminal import notices
from clients.terminal.challenges import DECLINED, cancelled, challenged, own_link
from clients.terminal.effects import Effect, Leave
from clients.terminal.game_notices import ended, record_came
from clients.terminal.game_view import GameView
from clients.terminal.games import began, set_aside
from clients.terminal.house import in_line
from clients.terminal.notices import Notice, refused_by_arbiter, remark
from clients.terminal.outgoing import Step, inquire
from clients.terminal.session import ExitCode, Phase, Session
from clients.terminal.states import end, take_state
from clients.terminal.tournaments import sign_of_being_there

_GONE = frozenset({"game-over", "unknown-game", "not-a-player"})
_LOOK_AGAIN = frozenset({"stale", "not-your-turn"})


def receive(  # noqa: C901 - one line a message
    session: Session, message: Message, now: float, *, stored: bool
) -> Step:
    """Apply one message of the arbiter; ``stored`` if the relay had it before we subscribed."""
    if isinstance(message, State | Refused) and not stored:
        timing = session.timing.received(message.dated, round(now * 1000))
        session = replace(session, timing=timing)
    match message:
        case Queued():
            return _queued(session, message, now)
        case Challenged():
            return challenged(session, message, now)
        case Cancelled():
            return cancelled(session, message)
        case Refused():
            return _request_refused(session, message)
        case Started():
            session, here = sign_of_being_there(session, message, now)
            after, effects = _started(session, message, now)
            return after, (*here, *effects)
        case State():
            return take_state(session, message, now, stored=stored)
        case Rejected():
            return _rejected(session, message, now)
        case Record():
            return _record(session, message, now)
        case Listed():
            return session, ()
        case _:
            assert_never(message)


def _queued(session: Session, message: Queued, now: float) -> Step:
    if message.place is not None and message.challenge == session.own_challenge:
        return in_line(session, message.place, now)
    if message.challenge is not None and session.terms.challenge is None:
        text = "A challenge of yours waits: cancel takes it back"
        return session, (remark("challenge-waits", text),)
    if session.request is None or session.phase in (Phase.OVER, Phase.REFUSED) or session.answer:
        return session, ()
    before, effects = _replace_game(session) if session.phase is Phase.PLAYING else (session, ())
    own = message.challenge or before.own_challenge
    already = before.phase is Phase.QUEUED and own == before.own_challenge
    queued = replace(before, phase=Phase.QUEUED, request=None, last_news_at=now, own_challenge=own)
    notice = notices.queued(before.terms, message.challenge, own_link(before, message.challenge))
    return queued, (*effects, *(() if already else (notice,)))


def _request_refused(session: Session, message: Refused) -> Step:
    refused, request = refusal(message, mine=True), session.request
    if message.reason == DECLINED and session.own_challenge is not None:
        waits = session.phase is Phase.QUEUED and session.terms.challenge is None
        phase = Phase.REFUSED if session.phase is Phase.QUEUED and not waits else session.phase
        return replace(session, own_challenge=None, phase=phase), (refused,)
    answered = session.sent.find(message.answers)
    if answered is not None and answered.kind == COMMAND:
        return session, () if answered.content == "here" else (refused,)
    if answered is not None and answered.content.startswith("decline:"):
        return session, (refused,)
    if message.reason == "unknown-game":
        # We only asked what waits for us, or whether a game has come of our challenge.
        if request is None or message.answers != request.draft.id:
            return session, ()
        is_lost = session.phase is Phase.PLAYING
        return replace(session, request=None, phase=Phase.REFUSED if is_lost else session.phase), ()
    # Without an open request it can still be ours: a place in the queue that expired.
    if request is None and session.phase is not Phase.QUEUED:
        return session, ()
    if session.phase is Phase.PLAYING:
        return replace(session, request=None), (refused,)
    back_to = session.back_to or Phase.REFUSED
    after = replace(session, phase=back_to, request=None, answer="", back_to=None)
    leaving = session.input_over and back_to is Phase.REFUSED
    return after, (refused, *((Leave(ExitCode.REFUSED),) if leaving else ()))


def _started(session: Session, message: Started, now: float) -> Step:
    game, request = session.game, session.request
    if game is not None and game.id == message.game:
        return replace(session, request=request and replace(request, answered=True)), ()
    if session.watching is not None or message.game in session.finished:
        return session, ()
    if session.phase is Phase.CONNECTING:
        return session, ()
    is_known = any(each.id == message.game for each in session.others)
    if session.phase is Phase.QUEUED and message.answers is not None:
        asked = request is not None and message.answers == request.draft.id
        if is_known or not asked:
            # One of the games that we have already: we asked what waits for us.
            return session, ()
    # Of the games that `state` brings the first is live, or needs a move most.
    if session.phase is Phase.PLAYING and (request is None or request.answered):
        is_new = message.answers is None and not is_known
        return began(session, message.game) if is_new else (session, ())
    before, effects = _replace_game(session) if session.phase is Phase.PLAYING else (session, ())
    started = replace(
        before,
        phase=Phase.PLAYING,
        request=before.request and replace(before.request, answered=True),
        game=GameView(id=message.game),
        others=tuple(each for each in before.others if each.id != message.game),
        pending=None,
        question=None,
        early=None,
        last_news_at=now,
        answer="",
        back_to=None,
        own_challenge=None,
        flagged_at=0.0,
    )
    early = session.early
    if early is not None and early.game == message.game:
        after, more = take_state(started, early, now, stored=False)
        return after, (*effects, *more)
    return started, effects


def _rejected(session: Session, message: Rejected, now: float) -> Step:
    game, pending, request = session.game, session.pending, session.request
    if pending is not None and message.answers == pending.event_id:
        return _pending_refused(session, message, now)
    if request is not None and message.answers == request.draft.id:
        return _question_refused(session, message, now)
    said = session.sent.find(message.answers)
    if said is not None and MOVE_TEXT.fullmatch(said.content):
        # An earlier copy of a move that counted, or was taken back.
        return session, ()
    mine = said is not None
    refused = refusal(message, mine=mine)
    # Of the opponent's refusals only those that count against them are shown.
    counts = game is not None and message.game == game.id and message.reason == "illegal-move"
    return session, ((refused,) if mine or counts else ())


def _pending_refused(session: Session, message: Rejected, now: float) -> Step:
    game, refused = session.game, refusal(message, mine=True)
    after = replace(session, pending=None, last_news_at=now)
    more: tuple[Effect, ...] = ()
    if message.reason in _GONE and game is not None and game.result is None:
        after, more = end(after, None, None, now)
    elif message.reason in _LOOK_AGAIN:
        after, more = inquire(after, now)
        if message.reason == "stale" and session.pending and session.pending.tries > 1:
            # The first copy counted, or was overtaken: the state says which.
            return after, more
    return after, (refused, *more)


def _question_refused(session: Session, message: Rejected, now: float) -> Step:
    """The arbiter refuses the state that we asked for."""
    refused, game = refusal(message, mine=True), session.game
    answered = replace(session, request=None)
    if session.watching is not None:
        after = replace(answered, phase=Phase.REFUSED, game=None)
        return after, (refused, *((Leave(ExitCode.REFUSED),) if session.input_over else ()))
    if message.reason in _GONE and game is not None and game.result is None:
        over, effects = end(answered, None, None, now)
        return over, (refused, *effects)
    return answered, (refused,)


def refusal(message: Refused | Rejected, *, mine: bool) -> Notice:
    return refused_by_arbiter(message.reason, message.text, mine=mine)


def _record(session: Session, message: Record, now: float) -> Step:
    game = session.game
    others = tuple(each for each in session.others if each.id != message.game)
    session = replace(session, others=others, finished=session.finished | {message.game})
    if game is None or game.id != message.game or game.pgn is not None:
        return session, ()
    recorded = replace(session, game=replace(game, pgn=message.pgn, ratings=message.ratings))
    effects: tuple[Effect, ...] = ()
    if session.phase is Phase.PLAYING:
        # The last state was missed, but the record says that the game ended.
        recorded, effects = end(recorded, message.result, message.termination, now)
    if recorded.game is not None:
        effects = (*effects, record_came(recorded.game))
    if session.leave_at is not None or session.input_over:
        effects = (*effects, Leave(ExitCode.ENDED))
    return recorded, effects


def _replace_game(session: Session) -> Step:
    """The arbiter no longer has our game: it ended while we were away, or goes on beside the
    next.
    """
    game = session.game
    if game is not None and game.is_slow:
        return replace(set_aside(session), pending=None, question=None), ()
    text = "The game ended while you were away, and the arbiter has gone on to the next"
    gone = replace(session, game=None, pending=None, question=None)
    if game is None:
        return gone, ()
    gone = replace(gone, finished=session.finished | {game.id})
    over = replace(game, result="*", termination=None)
    return gone, (remark("game-gone", text), ended(over))
