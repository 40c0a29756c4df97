"""A state of the game on the board; what is new is found by comparing it with the one before."""

from dataclasses import replace

from clients.player.messages import Record, State
from clients.terminal import game_notices as notices
from clients.terminal.game_view import GameView
from clients.terminal.notices import Notice
from clients.terminal.outgoing import Effect, Leave, Step, look_up, tune_in
from clients.terminal.session import LEAVE_SECONDS, ExitCode, Phase, Session
from clients.terminal.tournaments import title_of


def view(session: Session, game: GameView, state: State) -> GameView:
    """The game with this state, for its player or spectator."""
    title = title_of(session, state.tournament) if state.tournament else ""
    color = game.watched or state.color_of(session.me)
    lead = session.wire.timing.lead_ms
    shown = replace(game, state=state, color=color, people=session.people, ahead_ms=lead)
    return replace(shown, title=title)


def follow(session: Session, game: GameView, state: State, now: float) -> Step:
    """Show what is new in the game on the board; a late copy changes nothing."""
    known = game.state
    if known is not None and (state.version, state.dated) < (known.version, known.dated):
        return session, ()
    if game.result is not None:
        return _after_the_end(session, game, state)
    shown = view(session, game, state)
    seen = replace(session, game=shown, last_news_at=now)
    effects = _news(seen, game, shown, now)
    if known is None:
        effects = (look_up(seen), *effects)
    if state.result is not None:
        after, ending = end(seen, state.result, state.termination, now)
        return after, (*effects, *ending)
    return seen, (*effects, *_coming(game, shown), *_vacations(game, shown, now))


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


def _vacations(before: GameView, after: GameView, now: float) -> tuple[Notice, ...]:
    """Vacations that began or became longer."""
    was = before.state.vacations if before.state else ()
    new = [it for it in after.state.vacations if it not in was] if after.state else []
    return tuple(notices.on_vacation(after, color, until, now) for color, until in new)


def _offer_gone(before: GameView, after: GameView) -> tuple[Notice, ...]:
    if before.offer is None or after.state is None:
        return ()
    # A move of either side ends an offer; only the other side's declines it.
    one_move = after.ply == before.ply + 1
    withdrawn = one_move and after.state.turn != before.offer.color
    return (notices.offer_gone(after, before.offer, withdrawn=withdrawn),)


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
        question=None,
        leave_at=now + LEAVE_SECONDS if leaving and game.pgn is None else session.leave_at,
    )
    if session.leave_at is not None and session.asks:
        # A person who resigned in order to leave is done.
        return ended, (notices.ended(over), Leave(ExitCode.ENDED))
    if game.watched or game.state is None:
        return ended, (notices.ended(over),)
    # From now on the player is shown what spectators say.
    return ended, (notices.ended(over), tune_in(ended, over, now, public=True))


def _after_the_end(session: Session, game: GameView, state: State) -> Step:
    """Follow the offer of a rematch."""
    shown = replace(game, state=state)
    seen = replace(session, game=shown)
    if shown.offer == game.offer or state.rematch is not None:
        return seen, ()
    if shown.offer is not None:
        return seen, (notices.offer_made(shown),)
    return seen, ((notices.offer_gone(shown, game.offer),) if game.offer else ())


def recorded(session: Session, record: Record, now: float) -> Step:
    """Keep the record of the game on the board."""
    game = session.game
    if game is None or game.id != record.game or game.pgn is not None:
        return session, ()
    kept = replace(session, game=replace(game, pgn=record.pgn, ratings=record.ratings))
    effects: tuple[Effect, ...] = ()
    if session.phase is Phase.PLAYING:
        # The last state was missed, but the record says that the game ended.
        kept, effects = end(kept, record.result, record.termination, now)
    if kept.game is not None:
        effects = (*effects, notices.record_came(kept.game))
    if session.leave_at is not None or session.input_over:
        effects = (*effects, Leave(ExitCode.ENDED))
    return kept, effects
