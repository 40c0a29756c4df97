"""A state of a game, applied to the session.

Invariant: a copy changes nothing. A state is whole, so what was missed is found by comparing it
with the former one: a move, a move taken back, an offer, the end, the rematch.
"""

from dataclasses import replace

import chess

from clients.terminal import notices
from clients.terminal.clocks import Clock, arrived
from clients.terminal.effects import Effect, Leave, TuneIn
from clients.terminal.game_view import GameView
from clients.terminal.games import note
from clients.terminal.notices import refused_here
from clients.terminal.outgoing import Step, ask_state, look_up, send_pending
from clients.terminal.position import Line, follow
from clients.terminal.session import LEAVE_SECONDS, MOVE_TRIES, ExitCode, Phase, Session
from clients.terminal.wire import StateClaim


def take_state(session: Session, claim: StateClaim, now: float, *, stored: bool) -> Step:
    """Follow a state of our game, or keep the newest of a game that may become ours."""
    game = session.game
    if game is None and claim.game_id == session.watching and session.phase is not Phase.REFUSED:
        game = GameView(id=claim.game_id, watched=True)
        session = replace(session, phase=Phase.PLAYING, game=game)
    if game is not None and game.id == claim.game_id and game.result is not None:
        return _after_the_end(session, game, claim, now)
    if claim.game_id in session.finished:
        return session, ()
    session, beside = (session, ()) if stored else _beside(session, claim, now)
    if beside:
        return session, beside
    if game is None and claim.result is not None and not stored:
        return _offered_meanwhile(session, claim, now)
    if game is None or game.id != claim.game_id or session.phase is not Phase.PLAYING:
        return replace(session, early=newer(session.early, claim)), ()
    line = follow(game.line, claim)
    if line is None or not (game.watched or session.me in (claim.white, claim.black)):
        return session, ()
    fresh = not stored and session.request is None
    shown = _shown(session, game, claim, line, now, fresh=fresh)
    answered = not stored and asked_since_sent(session)
    request = session.request if stored else None
    seen = replace(session, game=shown, request=request, last_news_at=now, quiet_checks=0)
    seen = replace(seen, extended=seen.extended or line.version is not None)
    result, termination = _outcome(shown, claim)
    effects = _news(game, shown, session.server, now, over=result is not None)
    if game.line is None:
        effects = (look_up(seen), *effects)
    if result is not None:
        after, ending = end(seen, result, termination, now)
        return after, (*effects, *ending)
    after, more = settle_pending(seen, now, answered=answered)
    return after, (*effects, *_coming(game, shown), *more)


def _beside(session: Session, claim: StateClaim, now: float) -> Step:
    """Follow a game of ours that is not on the board."""
    if session.watching or (session.game is not None and session.game.id == claim.game_id):
        return session, ()
    known = next((each for each in session.others if each.id == claim.game_id), None)
    if known is None and claim.result is not None:
        return session, ()
    view = known or GameView(id=claim.game_id)
    line = follow(view.line, claim)
    if line is None or session.me not in (claim.white, claim.black):
        return session, ()
    seen = _shown(session, view, claim, line, now, fresh=False)
    result, termination = _outcome(seen, claim)
    return note(session, replace(seen, result=result, termination=termination))


def _shown(
    session: Session, game: GameView, claim: StateClaim, line: Line, now: float, *, fresh: bool
) -> GameView:
    mine = claim.white == session.me or game.watched
    return replace(
        game,
        white=claim.white,
        black=claim.black,
        color=chess.WHITE if mine else chess.BLACK,
        line=line,
        state_id=claim.event_id,
        clock=_clock(game, claim, line, now, fresh=fresh),
        rated=claim.rated,
        offer=claim.offer,
        stand_ins=claim.stand_ins,
        people=session.people,
        away=claim.away if claim.at >= game.seen_at else game.away,
        seen_at=max(claim.at, game.seen_at),
    )


def _clock(
    game: GameView, claim: StateClaim, line: Line, now: float, *, fresh: bool
) -> Clock | None:
    if claim.time is None or claim.clock_ms is None:
        return None
    white_ms, black_ms = claim.clock_ms
    clock = Clock(
        control=claim.time,
        white_ms=white_ms,
        black_ms=black_ms,
        deadline_ms=claim.deadline_ms,
        ply=line.ply,
    )
    return arrived(clock, line.board().turn, game.clock, now, fresh=fresh)


def _news(
    before: GameView, after: GameView, server: str, now: float, *, over: bool
) -> tuple[Effect, ...]:
    """The changes between two states, except for the end."""
    if after.line is None:
        return ()
    if before.line is None:
        author = None if after.watched else after.chat_author(server)
        news: tuple[Effect, ...] = (
            TuneIn(after.id, author, public=after.watched, since=int(now)),
            notices.Started(after, resumed=after.line.ply > 0),
            notices.Moved(after, last_san(after)),
        )
    elif after.line.ply > before.line.ply:
        news = (notices.Moved(after, last_san(after)),)
    elif after.line.ply < before.line.ply:
        return (notices.TakenBack(after),)
    else:
        news = ()
    if after.offer == before.offer:
        return news
    if after.offer is not None:
        return (*news, notices.OfferMade(after))
    gone = _offer_gone(before, after)
    # The end says itself what came of an offer.
    return (*news, gone) if gone and not over else news


def _coming(before: GameView, after: GameView) -> tuple[notices.CameOrLeft, ...]:
    """Who left or came back, but for ourselves."""
    changed = (it for it in chess.COLORS if (it in before.away) != (it in after.away))
    others = (it for it in changed if after.watched or it != after.color)
    return tuple(notices.CameOrLeft(after, it) for it in others)


def _offer_gone(before: GameView, after: GameView) -> notices.OfferGone | None:
    if before.offer is None or before.line is None or after.line is None:
        return None
    # A move of either side ends an offer; only the other side's declines it.
    one_move = after.line.ply == before.line.ply + 1
    withdrawn = one_move and after.line.board().turn != before.offer.color
    return notices.OfferGone(after, before.offer, withdrawn)


def settle_pending(session: Session, now: float, *, answered: bool) -> Step:
    """Drop a pending move that was played or overtaken; send it again if the state lacks it."""
    pending, game = session.pending, session.game
    if pending is None or game is None or game.line is None:
        return session, ()
    if game.line.ply != pending.ply:
        if pending.content.isalpha():
            # ``quit`` applies whatever was played meanwhile.
            return send_pending(session, replace(pending, ply=game.line.ply), now)
        return replace(session, pending=None), ()
    if pending.sent_at is not None and not answered:
        return session, ()
    if pending.tries >= MOVE_TRIES:
        text = f"The arbiter does not answer {pending.san}: enter it again to try once more"
        return replace(session, pending=None), (refused_here("no-answer", text),)
    return send_pending(session, pending, now)


def newer(known: StateClaim | None, claim: StateClaim) -> StateClaim:
    """The newer of two states: relays send stored ones newest first, and copies late."""
    if known is None:
        return claim
    if known.game_id == claim.game_id and known.version and claim.version:
        return max(known, claim, key=lambda state: state.version or 0)
    return max(known, claim, key=lambda state: (state.at, state.ply or 0))


def asked_since_sent(session: Session) -> bool:
    """Whether a state now answers a request that was made after the pending move was sent."""
    request, pending = session.request, session.pending
    if request is None or pending is None or pending.sent_at is None:
        return request is not None
    return request.sent_at >= pending.sent_at


def end(session: Session, result: str | None, termination: str | None, now: float) -> Step:
    """End the game; without a result it is ``*``."""
    game = session.game
    if game is None:
        return session, ()
    over = replace(game, result=result or "*", termination=termination, offer=None)
    leaving = session.input_over or session.leave_at is not None
    ended = replace(
        session,
        phase=Phase.OVER,
        game=over,
        finished=session.finished | {game.id},
        pending=None,
        request=None,
        question=None,
        catching_up=False,
        leave_at=now + LEAVE_SECONDS if leaving and game.pgn is None else session.leave_at,
    )
    if session.leave_at is not None and session.asks:
        # A person who resigned in order to leave is done.
        return ended, (notices.Ended(over), Leave(ExitCode.ENDED))
    if game.watched or game.line is None:
        return ended, (notices.Ended(over),)
    # From now on the player is shown what spectators say.
    public = TuneIn(game.id, game.chat_author(session.server), public=True, since=int(now))
    return ended, (notices.Ended(over), public)


def last_san(game: GameView) -> str | None:
    """The last move in SAN, if it is known."""
    if game.line is None or not game.line.moves:
        return None
    board = game.line.board()
    move = board.pop()
    return board.san(move)


def _after_the_end(session: Session, game: GameView, claim: StateClaim, now: float) -> Step:
    """Follow what still changes: a rematch is offered, declined or begun."""
    known = game.line.version if game.line else None
    if game.line is None or claim.version is None or (known is not None and claim.version < known):
        return session, ()
    line = replace(game.line, version=claim.version)
    shown = replace(game, line=line, offer=claim.offer, state_id=claim.event_id)
    seen = replace(session, game=shown, request=None)
    if claim.rematch is not None and claim.rematch not in session.finished and not game.watched:
        # Its ``started:`` was missed.
        following = GameView(id=claim.rematch)
        others = tuple(each for each in seen.others if each.id != claim.rematch)
        begun = replace(seen, phase=Phase.PLAYING, game=following, others=others, last_news_at=now)
        return ask_state(begun, replace(shown, id=claim.rematch, state_id=""), now)
    if shown.offer == game.offer:
        return seen, ()
    if shown.offer is not None:
        return seen, (notices.OfferMade(shown),)
    return seen, ((notices.OfferGone(shown, game.offer),) if game.offer else ())


def _offered_meanwhile(session: Session, claim: StateClaim, now: float) -> Step:
    """Show the rematch of a game of ours that was offered while we were away."""
    line, offer = follow(None, claim), claim.offer
    if line is None or session.me not in (claim.white, claim.black):
        return session, ()
    game = _shown(session, GameView(id=claim.game_id), claim, line, now, fresh=False)
    if offer is None or game.offered != "rematch":
        return session, ()
    over = replace(game, result=claim.result, termination=claim.termination)
    asked = replace(session, game=over, extended=True)
    text = f"{over.called(over.opponent)} offers a rematch of your last game: accept or decline"
    return asked, (look_up(asked), notices.Remark("rematch-waits", text))


def _outcome(game: GameView, claim: StateClaim) -> tuple[str | None, str | None]:
    """The arbiter's result, or that of the position where a server sends none."""
    if claim.result is not None:
        return claim.result, claim.termination
    if game.line is None or claim.ply is not None:
        return None, None
    outcome = game.line.board().outcome()
    if outcome is None:
        return None, None
    return outcome.result(), outcome.termination.name.lower().replace("_", "-")
