"""What the arbiter said, taken into the session.

The law: hearing a thing twice changes nothing the second time, for every relay says it and says it
again after a reconnect. Who plays which colour, where the game stands and how it ended is the
arbiter's word; that our own game is the one meant is checked here.
"""

from dataclasses import replace
from typing import assert_never

import chess

from clients.terminal.happenings import (
    Effect,
    Ended,
    GameView,
    Leave,
    Moved,
    Queued,
    RecordCame,
    Refused,
    Remark,
    Source,
    Started,
    Subscribe,
)
from clients.terminal.outgoing import Step, look, send_pending
from clients.terminal.position import follow
from clients.terminal.session import (
    LEAVE_SECONDS,
    MOVE_TRIES,
    RECALL_SECONDS,
    ExitCode,
    Phase,
    Request,
    Session,
)
from clients.terminal.wire import (
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
            return (session, ()) if stored else _waiting(session, now)
        case RequestRefused():
            return (session, ()) if stored else _request_refused(session, heard)
        case Paired():
            return _recall(session, heard) if stored else _paired(session, heard, now)
        case StateClaim():
            return _state(session, heard, now, stored=stored)
        case ErrorAnswer():
            return _error(session, heard, now)
        case GameRecord():
            return _record(session, heard, now)
        case _:
            assert_never(heard)


def _waiting(session: Session, now: float) -> Step:
    if session.request is None or session.phase in (Phase.OVER, Phase.REFUSED):
        return session, ()
    before, effects = _lose_sight(session) if session.phase is Phase.PLAYING else (session, ())
    already = before.phase is Phase.QUEUED
    queued = replace(before, phase=Phase.QUEUED, request=None, heard_at=now)
    return queued, (*effects, *(() if already else (Queued(),)))


def _request_refused(session: Session, heard: RequestRefused) -> Step:
    # With no request under way it can still be ours: a place in the queue that ran out.
    if session.request is None and session.phase is not Phase.QUEUED:
        return session, ()
    told = _refusal(heard.text, mine=True)
    if session.phase is Phase.PLAYING:
        return replace(session, request=None), (told,)
    refused = replace(session, phase=Phase.REFUSED, request=None)
    return refused, (told, *((Leave(ExitCode.REFUSED),) if session.input_over else ()))


def _paired(session: Session, heard: Paired, now: float) -> Step:
    if session.game is not None and session.game.id == heard.game_id:
        request = session.request and replace(session.request, answered_at=now)
        return replace(session, request=request), ()
    if session.phase not in (Phase.ASKING, Phase.QUEUED, Phase.PLAYING):
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
    )
    early = session.early
    if early is not None and early.game_id == heard.game_id:
        after, more = _state(paired, early, now, stored=False)
        return after, (*effects, *more)
    return paired, effects


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
        return _settle_pending(known, now, answered=_asked_since_sent(session))
    recalled, early = session.recalled, session.early
    waited = now - request.sent_at >= RECALL_SECONDS
    if not waited or session.phase is not Phase.ASKING or recalled is None or early is None:
        return session, ()
    over = early.result is not None or recalled.game_id in session.finished
    if over or early.game_id != recalled.game_id:
        return session, ()
    return _paired(session, recalled, now)


def _state(session: Session, claim: StateClaim, now: float, *, stored: bool) -> Step:
    game = session.game
    if claim.game_id in session.finished:
        return session, ()
    if game is None or game.id != claim.game_id or session.phase is not Phase.PLAYING:
        return replace(session, early=_newer(session.early, claim)), ()
    line = follow(game.line, claim)
    if line is None or session.me not in (claim.white, claim.black):
        return session, ()
    # "p" tags in order: white, then black. That order is what says who is who.
    shown = replace(
        game,
        white=claim.white,
        black=claim.black,
        color=chess.WHITE if claim.white == session.me else chess.BLACK,
        line=line,
        state_id=claim.event_id,
    )
    effects: tuple[Effect, ...] = ()
    if game.line is None:
        effects = (Started(shown, resumed=line.ply > 0), Moved(shown, last_san(shown)))
    elif line.ply > game.line.ply:
        effects = (Moved(shown, last_san(shown)),)
    answered = not stored and _asked_since_sent(session)
    request = session.request if stored else None
    seen = replace(session, game=shown, request=request, heard_at=now, quiet_checks=0)
    result, termination = _outcome(shown, claim)
    if result is not None:
        after, ending = end(seen, result, termination, now)
        return after, (*effects, *ending)
    after, more = _settle_pending(seen, now, answered=answered)
    return after, (*effects, *more)


def _settle_pending(session: Session, now: float, *, answered: bool) -> Step:
    """Drop a move that was played or overtaken; send one again that was shown not to have been."""
    pending, game = session.pending, session.game
    if pending is None or game is None or game.line is None:
        return session, ()
    if game.line.ply > pending.ply:
        if pending.content.isalpha():
            # ``quit`` is meant whatever was played meanwhile.
            return send_pending(session, replace(pending, ply=game.line.ply), now)
        return replace(session, pending=None), ()
    if pending.sent_at is not None and not answered:
        return session, ()
    if pending.tries >= MOVE_TRIES:
        gone = f"The arbiter takes no notice of {pending.san}: enter it again to try once more"
        told = Refused(Source.CLIENT, "no-answer", gone)
        return replace(session, pending=None), (told,)
    return send_pending(session, pending, now)


def _newer(known: StateClaim | None, claim: StateClaim) -> StateClaim:
    """Relays send what they stored newest first; a late copy of an old state is not news."""
    if known is None:
        return claim
    return max(known, claim, key=lambda state: (state.at, state.ply or 0))


def _asked_since_sent(session: Session) -> bool:
    """Whether a state now answers a question that was put after the pending move was sent."""
    request, pending = session.request, session.pending
    if request is None or pending is None or pending.sent_at is None:
        return request is not None
    return request.sent_at >= pending.sent_at


def _error(session: Session, heard: ErrorAnswer, now: float) -> Step:
    game, pending = session.game, session.pending
    told = _refusal(heard.text, mine=pending is not None and heard.about == pending.event_id)
    if pending is None or heard.about != pending.event_id:
        ours = game is not None and heard.game_id == game.id and heard.about not in session.sent
        return session, ((told,) if ours else ())
    after = replace(session, pending=None, heard_at=now)
    if told.code in _GONE and game is not None and game.result is None:
        ended, effects = end(after, None, None, now)
        return ended, (told, *effects, Subscribe())
    if told.code in _LOOK_AGAIN:
        looking, effects = look(after, now)
        return looking, (told, *effects)
    return after, (told,)


def _record(session: Session, heard: GameRecord, now: float) -> Step:
    game = session.game
    session = replace(session, finished=session.finished | {heard.game_id})
    if game is None or game.id != heard.game_id or game.pgn is not None:
        return session, ()
    recorded = replace(session, game=replace(game, pgn=heard.pgn))
    effects: tuple[Effect, ...] = ()
    if session.phase is Phase.PLAYING:
        # Its last state passed us by; the record on the relay is how we learn that it ended.
        recorded, effects = end(recorded, heard.result, heard.termination, now)
    if recorded.game is not None:
        effects = (*effects, RecordCame(recorded.game))
    if session.leave_at is not None or session.input_over:
        effects = (*effects, Leave(ExitCode.ENDED))
    return recorded, effects


def end(session: Session, result: str | None, termination: str | None, now: float) -> Step:
    """The game is over; ``*`` where nobody told how."""
    game = session.game
    if game is None:
        return session, ()
    over = replace(game, result=result or "*", termination=termination)
    leaving = session.input_over or session.leave_at is not None
    ended = replace(
        session,
        phase=Phase.OVER,
        game=over,
        finished=session.finished | {game.id},
        pending=None,
        request=None,
        question=None,
        catching_up_since=None,
        leave_at=now + LEAVE_SECONDS if leaving and game.pgn is None else session.leave_at,
    )
    if session.leave_at is not None and session.asks:
        # A person who resigned in order to leave has seen what there is to see.
        return ended, (Ended(over), Leave(ExitCode.ENDED))
    return ended, (Ended(over),)


def last_san(game: GameView) -> str | None:
    """The last move as books write it, if it is known."""
    if game.line is None or not game.line.moves:
        return None
    board = game.line.board()
    move = board.pop()
    return board.san(move)


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


def _outcome(game: GameView, claim: StateClaim) -> tuple[str | None, str | None]:
    """The arbiter's word, or else what the position says where a server knows no such word."""
    if claim.result is not None:
        return claim.result, claim.termination
    if game.line is None or claim.ply is not None:
        return None, None
    outcome = game.line.board().outcome()
    if outcome is None:
        return None, None
    return outcome.result(), outcome.termination.name.lower().replace("_", "-")


def _refusal(text: str, *, mine: bool) -> Refused:
    word, colon, rest = text.partition(":")
    if colon and word.replace("-", "").isalpha() and word.isascii():
        return Refused(Source.ARBITER, word, rest.strip() or word, mine)
    return Refused(Source.ARBITER, "refused", text or "no reason given", mine)
