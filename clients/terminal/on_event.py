"""What the arbiter said, taken into the session.

The law: hearing a thing twice changes nothing the second time, for every relay says it and says it
again after a reconnect. Who plays which colour, where the game stands and how it ended is the
arbiter's word; that our own game is the one meant is checked here.
"""

from dataclasses import replace
from typing import assert_never

from clients.terminal.challenges import DECLINED, cancelled, challenged, own_link, refusal
from clients.terminal.effects import (
    Effect,
    Ended,
    GameView,
    Leave,
    Queued,
    RecordCame,
    Remark,
    Subscribe,
)
from clients.terminal.outgoing import Step, look
from clients.terminal.session import RECALL_SECONDS, ExitCode, Phase, Request, Session
from clients.terminal.states import asked_since_sent, end, settle_pending, take_state
from clients.terminal.wire import (
    Cancelled,
    Challenged,
    ErrorAnswer,
    GameRecord,
    Heard,
    Paired,
    RequestRefused,
    StateClaim,
    Waiting,
)

_GONE = frozenset({"game-over", "unknown-game", "not-a-player"})
_LOOK_AGAIN = frozenset({"stale", "not-your-turn"})


def hear(session: Session, heard: Heard, now: float, *, stored: bool) -> Step:
    """Take in one thing the arbiter said; ``stored`` if a relay had kept it for us."""
    match heard:
        case Waiting():
            return (session, ()) if stored else _waiting(session, heard, now)
        case Challenged():
            return challenged(session, heard, now)
        case Cancelled():
            return (session, ()) if stored else cancelled(session)
        case RequestRefused():
            return (session, ()) if stored else _request_refused(session, heard)
        case Paired():
            return _recall(session, heard) if stored else _paired(session, heard, now)
        case StateClaim():
            return take_state(session, heard, now, stored=stored)
        case ErrorAnswer():
            return _error(session, heard, now)
        case GameRecord():
            return _record(session, heard, now)
        case _:
            assert_never(heard)


def _waiting(session: Session, heard: Waiting, now: float) -> Step:
    if session.request is None or session.phase in (Phase.OVER, Phase.REFUSED) or session.answer:
        return session, ()
    before, effects = _lose_sight(session) if session.phase is Phase.PLAYING else (session, ())
    own = heard.challenge or before.own_challenge
    already = before.phase is Phase.QUEUED and own == before.own_challenge
    queued = replace(before, phase=Phase.QUEUED, request=None, heard_at=now, own_challenge=own)
    told = Queued(before.terms, heard.challenge, own_link(before, heard.challenge))
    return queued, (*effects, *(() if already else (told,)))


def _request_refused(session: Session, heard: RequestRefused) -> Step:
    told = refusal(heard.text, mine=True)
    if told.code == DECLINED and session.own_challenge is not None:
        waits = session.phase is Phase.QUEUED and session.terms.challenge is None
        phase = Phase.REFUSED if session.phase is Phase.QUEUED and not waits else session.phase
        return replace(session, own_challenge=None, phase=phase), (told,)
    if told.code == "unknown-challenge" and session.declining:
        return replace(session, declining=session.declining - 1), (told,)
    request = session.request
    if request is not None and request.probe:
        # No game has come of our challenge; that is all we wanted to know.
        return replace(session, request=None), ()
    # With no request under way it can still be ours: a place in the queue that ran out.
    if request is None and session.phase is not Phase.QUEUED:
        return session, ()
    if session.phase is Phase.PLAYING:
        return replace(session, request=None), (told,)
    back_to = session.back_to or Phase.REFUSED
    refused = replace(session, phase=back_to, request=None, answer="", back_to=None)
    leaving = session.input_over and back_to is Phase.REFUSED
    return refused, (told, *((Leave(ExitCode.REFUSED),) if leaving else ()))


def _paired(session: Session, heard: Paired, now: float) -> Step:
    if session.watching is not None or heard.game_id in session.finished:
        return _named_again(session, heard, now), ()
    if session.game is not None and session.game.id == heard.game_id:
        return _named_again(session, heard, now), ()
    if session.phase is Phase.CONNECTING:
        return session, ()
    if session.phase is Phase.PLAYING and session.request is None:
        return session, ()
    before, effects = _lose_sight(session) if session.phase is Phase.PLAYING else (session, ())
    paired = replace(
        before,
        phase=Phase.PLAYING,
        game=GameView(id=heard.game_id),
        pending=None,
        question=None,
        early=None,
        heard_at=now,
        quiet_checks=0,
        answer="",
        back_to=None,
        own_challenge=None,
        flagged_at=0.0,
    )
    early = session.early
    if early is not None and early.game_id == heard.game_id:
        after, more = take_state(paired, early, now, stored=False)
        return after, (*effects, *more)
    return paired, effects


def _named_again(session: Session, heard: Paired, now: float) -> Session:
    """A game we know was named in answer to our question."""
    if session.game is None or session.game.id != heard.game_id:
        return session
    return replace(session, request=session.request and replace(session.request, answered_at=now))


def _recall(session: Session, heard: Paired) -> Step:
    """An old ``started:`` starts nothing by itself, but says which game may be going on."""
    if session.recalled is not None and session.recalled.at >= heard.at:
        return session, ()
    return replace(session, recalled=heard), ()


def make_do(session: Session, request: Request, now: float) -> Step:
    """No answer yet: perhaps a relay dropped one that it had seen before, and we know it too."""
    if request.answered_at is not None and session.game is not None and session.game.line:
        if now - request.answered_at < RECALL_SECONDS:
            return session, ()
        known = replace(session, request=None, heard_at=now)
        return settle_pending(known, now, answered=asked_since_sent(session))
    recalled, early = session.recalled, session.early
    waited = now - request.sent_at >= RECALL_SECONDS
    if waited and session.watching is not None and session.game and session.game.line:
        # A spectator's answer is the state itself, and no relay sends the same one twice.
        return replace(session, request=None, heard_at=now), ()
    if not waited or session.phase is not Phase.ASKING or recalled is None or early is None:
        return session, ()
    over = early.result is not None or recalled.game_id in session.finished
    if over or early.game_id != recalled.game_id:
        return session, ()
    return _paired(session, recalled, now)


def _error(session: Session, heard: ErrorAnswer, now: float) -> Step:
    game, pending, request = session.game, session.pending, session.request
    if pending is not None and heard.about == pending.event_id:
        return _pending_refused(session, heard, now)
    if request is not None and heard.about == request.event_id:
        return _look_refused(session, heard, now)
    if heard.about in session.flags or heard.about in session.sent:
        return session, ()
    mine = heard.about in session.words
    told = refusal(heard.text, mine=mine)
    # Of the opponent's refusals only the one that counts against him is worth a line.
    counts = game is not None and heard.game_id == game.id and told.code == "illegal-move"
    return session, ((told,) if mine or counts else ())


def _pending_refused(session: Session, heard: ErrorAnswer, now: float) -> Step:
    game, told = session.game, refusal(heard.text, mine=True)
    after = replace(session, pending=None, heard_at=now)
    if told.code in _GONE and game is not None and game.result is None:
        ended, effects = end(after, None, None, now)
        return ended, (told, *effects, Subscribe())
    if told.code in _LOOK_AGAIN:
        looking, effects = look(after, now)
        return looking, (told, *effects)
    return after, (told,)


def _look_refused(session: Session, heard: ErrorAnswer, now: float) -> Step:
    """The arbiter does not show the game that we asked about."""
    told, game = refusal(heard.text, mine=True), session.game
    answered = replace(session, request=None)
    if session.watching is not None:
        refused = replace(answered, phase=Phase.REFUSED, game=None)
        return refused, (told, *((Leave(ExitCode.REFUSED),) if session.input_over else ()))
    if told.code in _GONE and game is not None and game.result is None:
        ended, effects = end(answered, None, None, now)
        return ended, (told, *effects)
    return answered, (told,)


def _record(session: Session, heard: GameRecord, now: float) -> Step:
    game = session.game
    session = replace(session, finished=session.finished | {heard.game_id})
    if game is None or game.id != heard.game_id or game.pgn is not None:
        return session, ()
    recorded = replace(session, game=replace(game, pgn=heard.pgn, ratings=heard.ratings))
    effects: tuple[Effect, ...] = ()
    if session.phase is Phase.PLAYING:
        # Its last state passed us by; the record on the relay is how we learn that it ended.
        recorded, effects = end(recorded, heard.result, heard.termination, now)
    if recorded.game is not None:
        effects = (*effects, RecordCame(recorded.game))
    if session.leave_at is not None or session.input_over:
        effects = (*effects, Leave(ExitCode.ENDED))
    return recorded, effects


def _lose_sight(session: Session) -> Step:
    """The arbiter has no such game any more: it ended while we were away."""
    game = session.game
    text = "The game ended while you were away, and the arbiter has gone on to the next"
    gone = replace(session, game=None, pending=None, question=None)
    if game is None:
        return gone, ()
    gone = replace(gone, finished=session.finished | {game.id})
    over = replace(game, result="*", termination=None)
    return gone, (Remark("game-gone", text), Ended(over))
