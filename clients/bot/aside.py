"""The game at the board and those beside it: the one engine turns first to live games."""

from dataclasses import replace

from clients.bot import lobby, play
from clients.bot.model import Effects, Game, Say, Session, StopThinking
from clients.player.messages import State

Step = tuple[Session, Effects]


def begin(session: Session, state: State, now: int) -> Step:
    """A game goes on: at the board, or beside the one that is there."""
    if state.result is not None:
        return session, ()
    told = Say(f"game {state.game} against {state.opponent_of(session.me)}")
    game, at_board = Game(state, now), session.game
    if at_board is not None and (state.is_slow or not at_board.state.is_slow):
        return replace(session, aside=(*session.aside, game)), (told,)
    session, stopped = _put_aside(session)
    session, effects = play.begin_game(replace(session, game=game), now)
    session, declined = lobby.decline_waiting(session)
    return session, (told, *stopped, *effects, *declined)


def on_state(session: Session, state: State, now: int) -> Step:
    """Follow a game, at the board or not, and the offer of a rematch of the last."""
    if session.game is not None and session.game.state.game == state.game:
        return play.on_state(session, state, now)
    known = next((one for one in session.aside if one.state.game == state.game), None)
    if known is None:
        return lobby.on_finished_state(session, state)
    others = _without(session, state.game)
    if state.result is not None:
        told = Say(f"game {state.game}: {state.result} {state.termination}")
        return replace(session, aside=others), (told,)
    return replace(session, aside=(*others, _newer(known, state, now))), ()


def on_gone(session: Session, game: str, now: int) -> Step:
    """The arbiter has no such game any more."""
    session = replace(session, aside=_without(session, game))
    if session.game is None or session.game.state.game != game:
        return session, ()
    return replace(session, game=None, since=now), (StopThinking(),)


def turn_to_next(session: Session, now: int) -> Step:
    """Play on where time ends first, or leave the board to others for an opponent's days."""
    at_board = session.game
    if at_board is not None and _is_busy(session, at_board):
        return session, ()
    if at_board is None and (lobby.is_asking(session) or session.wire.started):
        return session, ()
    is_live = at_board is not None and not at_board.state.is_slow
    live = [game for game in session.aside if not game.state.is_slow]
    beside = live or (() if is_live else session.aside)
    waiting = [game for game in beside if _is_to_move(session, game)]
    if not waiting:
        return _freed(session, now), ()
    following = min(waiting, key=lambda game: game.state.deadline or 1 << 62)
    session, _ = _put_aside(session)
    others = _without(session, following.state.game)
    return play.go_on(replace(session, game=following, aside=others), now)


def _put_aside(session: Session) -> Step:
    """The session without the game at the board, which goes on beside others."""
    game = session.game
    if game is None:
        return session, ()
    kept = (*_without(session, game.state.game), replace(game, thinking=None))
    stopped = (StopThinking(),) if game.thinking else ()
    return replace(session, game=None, aside=kept), stopped


def _freed(session: Session, now: int) -> Session:
    """The session free for another game, if it may have more by days."""
    game, most = session.game, session.config.challenge.concurrency
    is_by_days = game is not None and game.state.is_slow and game.state.time is not None
    if not is_by_days or len(session.aside) + 1 >= most:
        return session
    session, _ = _put_aside(session)
    return replace(session, since=now)


def _newer(known: Game, state: State, now: int) -> Game:
    if state.position == known.state.position:
        return replace(known, state=state)
    return replace(known, state=state, seen_at=now, failures=0, excluded=frozenset())


def _is_busy(session: Session, game: Game) -> bool:
    return bool(game.thinking or session.is_pending(game) or _is_to_move(session, game))


def _is_to_move(session: Session, game: Game) -> bool:
    return game.state.turn is game.state.color_of(session.me)


def _without(session: Session, game_id: str) -> tuple[Game, ...]:
    return tuple(one for one in session.aside if one.state.game != game_id)
