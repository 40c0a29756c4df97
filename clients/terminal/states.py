"""A state of a game, applied to the session.

Invariant: a copy changes nothing. A state is whole, so what was missed is found by comparing it
with the former one: a move, a move taken back, an offer, the end, the rematch.
"""

from dataclasses import replace

from clients.player.messages import State
from clients.terminal import game_notices as notices
from clients.terminal.effects import Effect, Leave
from clients.terminal.game_view import GameView
from clients.terminal.games import note
from clients.terminal.notices import Notice, remark
from clients.terminal.outgoing import Step, ask, look_up, send_pending, tune_in
from clients.terminal.session import LEAVE_SECONDS, ExitCode, Phase, Session
from clients.terminal.tournaments import title_of


def take_state(session: Session, state: State, now: float, *, stored: bool) -> Step:
    """Follow a state of our game, or keep the newest of a game that may become ours."""
    game = session.game
    if game is None and state.game == session.watching and session.phase is not Phase.REFUSED:
        game = GameView(id=state.game, watched=True)
        session = replace(session, phase=Phase.PLAYING, game=game)
    if session.watching is None and session.me not in (state.white, state.black):
        return session, ()
    if game is not None and game.id == state.game and game.result is not None:
        return _after_the_end(session, game, state, now)
    if state.game in session.finished:
        return session, ()
    session, beside = (session, ()) if stored else _beside(session, state)
    if beside:
        return session, beside
    if game is None and state.result is not None and not stored:
        return _offered_meanwhile(session, state)
    if game is None or game.id != state.game or session.phase is not Phase.PLAYING:
        return replace(session, early=newer(session.early, state)), ()
    if _is_older(game.state, state):
        return session, ()
    return _follow(session, game, state, now, stored=stored)


def _follow(session: Session, game: GameView, state: State, now: float, *, stored: bool) -> Step:
    """Show what is new in the game on the board."""
    shown = _shown(session, game, state)
    request = session.request if stored else None
    seen = replace(session, game=shown, request=request, last_news_at=now)
    effects = _news(seen, game, shown, now)
    if game.state is None:
        effects = (look_up(seen), *effects)
    if state.result is not None:
        after, ending = end(seen, state.result, state.termination, now)
        return after, (*effects, *ending)
    after, more = _settle_pending(seen, now)
    return after, (*effects, *_coming(game, shown), *more)


def _is_older(known: State | None, state: State) -> bool:
    return known is not None and state.version < known.version


def _beside(session: Session, state: State) -> Step:
    """Follow a game of ours that is not on the board."""
    if session.watching or (session.game is not None and session.game.id == state.game):
        return session, ()
    known = next((each for each in session.others if each.id == state.game), None)
    if known is None and state.result is not None:
        return session, ()
    seen = _shown(session, known or GameView(id=state.game), state)
    return note(session, replace(seen, result=state.result, termination=state.termination))


def _shown(session: Session, game: GameView, state: State) -> GameView:
    mine = game.watched or state.color_of(session.me)
    if game.state is not None and state.dated < game.state.dated:
        # Who is away comes and goes without a new version: the later state counts.
        state = replace(state, away=game.state.away, dated=game.state.dated)
    lead = session.timing.lead_ms
    title = title_of(session, state.tournament) if state.tournament else ""
    shown = replace(game, state=state, color=mine, people=session.people, ahead_ms=lead)
    return replace(shown, title=title)


def _news(session: Session, before: GameView, after: GameView, now: float) -> tuple[Effect, ...]:
    """The changes between two states, except for the end."""
    if before.state is None:
        news: tuple[Effect, ...] = (
            tune_in(session, after, now, public=after.watched),
            notices.started(after, resumed=after.ply > 0),
            notices.moved(after),
        )
    elif after.ply > before.ply:
        news = (notices.moved(after),)
    elif after.ply < before.ply:
        return (notices.taken_back(after),)
    else:
        news = ()
    if after.offer == before.offer:
        return news
    if after.offer is not None:
        return (*news, notices.offer_made(after))
    # The end says itself what came of an offer.
    over = after.state is not None and after.state.result is not None
    return news if over else (*news, *_offer_gone(before, after))


def _coming(before: GameView, after: GameView) -> tuple[Notice, ...]:
    """Who left or came back, but for ourselves."""
    was, now = (set(it.state.away) if it.state else set() for it in (before, after))
    others = sorted(it for it in was ^ now if after.watched or it != after.color)
    return tuple(notices.came_or_left(after, it) for it in others)


def _offer_gone(before: GameView, after: GameView) -> tuple[Notice, ...]:
    if before.offer is None or after.state is None:
        return ()
    # A move of either side ends an offer; only the other side's declines it.
    one_move = after.ply == before.ply + 1
    withdrawn = one_move and after.state.turn != before.offer.color
    return (notices.offer_gone(after, before.offer, withdrawn=withdrawn),)


def _settle_pending(session: Session, now: float) -> Step:
    """Drop a pending move that was played or overtaken; send one that waited for a relay."""
    pending, game = session.pending, session.game
    if pending is None or game is None:
        return session, ()
    if game.ply != pending.ply:
        if pending.content.isalpha():
            # ``quit`` applies whatever was played meanwhile.
            return send_pending(session, replace(pending, ply=game.ply), now)
        return replace(session, pending=None), ()
    return (session, ()) if pending.sent_at is not None else send_pending(session, pending, now)


def newer(known: State | None, state: State) -> State:
    """The newer of two states: relays send stored ones newest first, and copies late."""
    if known is None:
        return state
    if known.game == state.game:
        return max(known, state, key=lambda it: it.version)
    return max(known, state, key=lambda it: it.dated)


def end(session: Session, result: str | None, termination: str | None, now: float) -> Step:
    """End the game; without a result it is ``*``."""
    game = session.game
    if game is None:
        return session, ()
    state = game.state and replace(game.state, offer=None)
    over = replace(game, state=state, result=result or "*", termination=termination)
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
        return ended, (notices.ended(over), Leave(ExitCode.ENDED))
    if game.watched or game.state is None:
        return ended, (notices.ended(over),)
    # From now on the player is shown what spectators say.
    return ended, (notices.ended(over), tune_in(ended, over, now, public=True))


def _after_the_end(session: Session, game: GameView, state: State, now: float) -> Step:
    """Follow what still changes: a rematch is offered, declined or begun."""
    if game.state is None or _is_older(game.state, state):
        return session, ()
    shown = replace(game, state=state)
    seen = replace(session, game=shown, request=None)
    if state.rematch is not None and state.rematch not in session.finished and not game.watched:
        # Its ``started:`` was missed.
        others = tuple(each for each in seen.others if each.id != state.rematch)
        following = GameView(id=state.rematch)
        begun = replace(seen, phase=Phase.PLAYING, game=following, others=others, last_news_at=now)
        return ask(begun, now)
    if shown.offer == game.offer:
        return seen, ()
    if shown.offer is not None:
        return seen, (notices.offer_made(shown),)
    return seen, ((notices.offer_gone(shown, game.offer),) if game.offer else ())


def _offered_meanwhile(session: Session, state: State) -> Step:
    """Show the rematch of a game of ours that was offered while we were away."""
    game = _shown(session, GameView(id=state.game), state)
    if game.offered != "rematch":
        return session, ()
    over = replace(game, result=state.result, termination=state.termination)
    asked = replace(session, game=over)
    text = f"{over.called(over.opponent)} offers a rematch of your last game: accept or decline"
    return asked, (look_up(asked), remark("rematch-waits", text))
