"""The arbiter's messages, applied to the session.

Invariant: a copy changes nothing, as every relay sends one, and again after a reconnect. Colours,
positions and results are the arbiter's; that a message is about our own game is checked here.
"""

from dataclasses import replace
from typing import assert_never

from clients.terminal import wire
from clients.terminal.challenges import DECLINED, cancelled, challenged, own_link, refusal
from clients.terminal.effects import Effect, Leave, Subscribe
from clients.terminal.game_view import GameView
from clients.terminal.games import began, is_slow, set_aside
from clients.terminal.house import in_line
from clients.terminal.notices import Ended, Queued, RecordCame, Remark
from clients.terminal.outgoing import Step, look
from clients.terminal.session import RECALL_SECONDS, ExitCode, Phase, Request, Session
from clients.terminal.states import asked_since_sent, end, settle_pending, take_state
from clients.terminal.wire import ArbiterMessage

_GONE = frozenset({"game-over", "unknown-game", "not-a-player"})
_LOOK_AGAIN = frozenset({"stale", "not-your-turn"})


def receive(session: Session, message: ArbiterMessage, now: float, *, stored: bool) -> Step:
    """Apply one message of the arbiter; ``stored`` if the relay had it before we subscribed."""
    match message:
        case wire.Waiting():
            return (session, ()) if stored else _waiting(session, message, now)
        case wire.Challenged():
            return (session, ()) if stored else challenged(session, message, now)
        case wire.Cancelled():
            return (session, ()) if stored else cancelled(session)
        case wire.RequestRefused():
            return (session, ()) if stored else _request_refused(session, message)
        case wire.Paired():
            return _recall(session, message) if stored else _paired(session, message, now)
        case wire.StateClaim():
            return take_state(session, message, now, stored=stored)
        case wire.ErrorAnswer():
            return _error(session, message, now)
        case wire.GameRecord():
            return _record(session, message, now)
        case _:
            assert_never(message)


def _waiting(session: Session, message: wire.Waiting, now: float) -> Step:
    if message.place is not None and message.challenge == session.own_challenge:
        return in_line(session, message.place, now)
    if message.challenge is not None and session.terms.challenge is None:
        text = "A challenge of yours waits: cancel takes it back"
        return session, (Remark("challenge-waits", text),)
    if session.request is None or session.phase in (Phase.OVER, Phase.REFUSED) or session.answer:
        return session, ()
    before, effects = _replace_game(session) if session.phase is Phase.PLAYING else (session, ())
    own = message.challenge or before.own_challenge
    already = before.phase is Phase.QUEUED and own == before.own_challenge
    queued = replace(before, phase=Phase.QUEUED, request=None, last_news_at=now, own_challenge=own)
    notice = Queued(before.terms, message.challenge, own_link(before, message.challenge))
    return queued, (*effects, *(() if already else (notice,)))


def _request_refused(session: Session, message: wire.RequestRefused) -> Step:
    refused = refusal(message.text, mine=True)
    if refused.code == DECLINED and session.own_challenge is not None:
        waits = session.phase is Phase.QUEUED and session.terms.challenge is None
        phase = Phase.REFUSED if session.phase is Phase.QUEUED and not waits else session.phase
        return replace(session, own_challenge=None, phase=phase), (refused,)
    if refused.code == "unknown-challenge" and session.declining:
        return replace(session, declining=session.declining - 1), (refused,)
    if refused.code == "unknown-game":
        # We only asked what waits for us.
        return session, ()
    request = session.request
    if request is not None and request.probe:
        # We only asked whether a game has come of our challenge: none has.
        return replace(session, request=None), ()
    # Without an open request it can still be ours: a place in the queue that expired.
    if request is None and session.phase is not Phase.QUEUED:
        return session, ()
    if session.phase is Phase.PLAYING:
        return replace(session, request=None), (refused,)
    back_to = session.back_to or Phase.REFUSED
    after = replace(session, phase=back_to, request=None, answer="", back_to=None)
    leaving = session.input_over and back_to is Phase.REFUSED
    return after, (refused, *((Leave(ExitCode.REFUSED),) if leaving else ()))


def _paired(session: Session, message: wire.Paired, now: float) -> Step:
    if session.watching is not None or message.game_id in session.finished:
        return _confirmed(session, message, now), ()
    if session.game is not None and session.game.id == message.game_id:
        return _confirmed(session, message, now), ()
    if session.phase is Phase.CONNECTING:
        return session, ()
    request = session.request
    if session.phase is Phase.QUEUED and message.about not in (None, request and request.event_id):
        # One of the games that we have already: we asked what waits for us.
        return session, ()
    # Of the games that `state` brings the first is live, or needs a move most.
    if session.phase is Phase.PLAYING and (request is None or request.answered_at is not None):
        is_known = any(each.id == message.game_id for each in session.others)
        is_new = message.about is None and not is_known and session.extended
        return began(session, message.game_id) if is_new else (session, ())
    before, effects = _replace_game(session) if session.phase is Phase.PLAYING else (session, ())
    paired = replace(
        before,
        phase=Phase.PLAYING,
        request=before.request and replace(before.request, answered_at=now),
        game=GameView(id=message.game_id),
        others=tuple(each for each in before.others if each.id != message.game_id),
        pending=None,
        question=None,
        early=None,
        last_news_at=now,
        quiet_checks=0,
        answer="",
        back_to=None,
        own_challenge=None,
        flagged_at=0.0,
    )
    early = session.early
    if early is not None and early.game_id == message.game_id:
        after, more = take_state(paired, early, now, stored=False)
        return after, (*effects, *more)
    return paired, effects


def _confirmed(session: Session, message: wire.Paired, now: float) -> Session:
    """The session after the arbiter answered with the game that we know."""
    if session.game is None or session.game.id != message.game_id:
        return session
    return replace(session, request=session.request and replace(session.request, answered_at=now))


def _recall(session: Session, message: wire.Paired) -> Step:
    """Keep a stored ``started:``, which names the game that may be in progress."""
    if session.recalled is not None and session.recalled.at >= message.at:
        return session, ()
    return replace(session, recalled=message), ()


def fall_back(session: Session, request: Request, now: float) -> Step:
    """Go on with what we know where an answer stays away: a relay may have dropped it as a copy."""
    if request.answered_at is not None and session.game is not None and session.game.line:
        if now - request.answered_at < RECALL_SECONDS:
            return session, ()
        known = replace(session, request=None, last_news_at=now)
        return settle_pending(known, now, answered=asked_since_sent(session))
    recalled, early = session.recalled, session.early
    waited = now - request.sent_at >= RECALL_SECONDS
    if waited and session.watching is not None and session.game and session.game.line:
        # A spectator's answer is the state itself, and a relay sends the same one once.
        return replace(session, request=None, last_news_at=now), ()
    if not waited or session.phase is not Phase.ASKING or recalled is None or early is None:
        return session, ()
    aside = {each.id for each in session.others}
    over = early.result is not None or recalled.game_id in session.finished | aside
    if over or early.game_id != recalled.game_id:
        return session, ()
    return _paired(session, recalled, now)


def _error(session: Session, message: wire.ErrorAnswer, now: float) -> Step:
    game, pending, request = session.game, session.pending, session.request
    if pending is not None and message.about == pending.event_id:
        return _pending_refused(session, message, now)
    if request is not None and message.about == request.event_id:
        return _look_refused(session, message, now)
    if message.about in session.flags or message.about in session.sent:
        return session, ()
    mine = message.about in session.words
    refused = refusal(message.text, mine=mine)
    # Of the opponent's refusals only those that count against them are shown.
    counts = game is not None and message.game_id == game.id and refused.code == "illegal-move"
    return session, ((refused,) if mine or counts else ())


def _pending_refused(session: Session, message: wire.ErrorAnswer, now: float) -> Step:
    game, refused = session.game, refusal(message.text, mine=True)
    after = replace(session, pending=None, last_news_at=now)
    if refused.code in _GONE and game is not None and game.result is None:
        ended, effects = end(after, None, None, now)
        return ended, (refused, *effects, Subscribe())
    if refused.code in _LOOK_AGAIN:
        looking, effects = look(after)
        return looking, (refused, *effects)
    return after, (refused,)


def _look_refused(session: Session, message: wire.ErrorAnswer, now: float) -> Step:
    """The arbiter refuses the state that we asked for."""
    refused, game = refusal(message.text, mine=True), session.game
    answered = replace(session, request=None)
    if session.watching is not None:
        after = replace(answered, phase=Phase.REFUSED, game=None)
        return after, (refused, *((Leave(ExitCode.REFUSED),) if session.input_over else ()))
    if refused.code in _GONE and game is not None and game.result is None:
        ended, effects = end(answered, None, None, now)
        return ended, (refused, *effects)
    return answered, (refused,)


def _record(session: Session, message: wire.GameRecord, now: float) -> Step:
    game = session.game
    others = tuple(each for each in session.others if each.id != message.game_id)
    session = replace(session, others=others, finished=session.finished | {message.game_id})
    if game is None or game.id != message.game_id or game.pgn is not None:
        return session, ()
    recorded = replace(session, game=replace(game, pgn=message.pgn, ratings=message.ratings))
    effects: tuple[Effect, ...] = ()
    if session.phase is Phase.PLAYING:
        # The last state was missed, but the record says that the game ended.
        recorded, effects = end(recorded, message.result, message.termination, now)
    if recorded.game is not None:
        effects = (*effects, RecordCame(recorded.game))
    if session.leave_at is not None or session.input_over:
        effects = (*effects, Leave(ExitCode.ENDED))
    return recorded, effects


def _replace_game(session: Session) -> Step:
    """The arbiter no longer has our game: it ended while we were away, or goes on beside the
    next.
    """
    game = session.game
    if game is not None and is_slow(game) and session.extended:
        return replace(set_aside(session), pending=None, question=None), ()
    text = "The game ended while you were away, and the arbiter has gone on to the next"
    gone = replace(session, game=None, pending=None, question=None)
    if game is None:
        return gone, ()
    gone = replace(gone, finished=session.finished | {game.id})
    over = replace(game, result="*", termination=None)
    return gone, (Remark("game-gone", text), Ended(over))
