"""Slow games beside the one at the board. The bot has one engine: it turns to a game that waits for
its move whenever it has none to make where it is.
"""

from dataclasses import replace

from clients.bot import lobby, play
from clients.bot.model import Effects, Game, Phase, Say, Session, StopThinking
from clients.player.messages import State

MAX_ASIDE = 64
"""More than the arbiter lets a player have."""


def put_aside(session: Session) -> tuple[Session, Effects]:
    """The session without the slow game at the board, which goes on beside others."""
    game = session.game
    if game is None or not game.state.is_slow:
        return session, ()
    kept = (*_without(session, game.state.game), replace(game, thinking=None))
    stopped = (StopThinking(),) if game.thinking else ()
    return replace(session, game=None, aside=kept), stopped


def make_way(session: Session, state: State, now: int) -> tuple[Session, Effects]:
    """Leave the board to a live game, whose clock runs."""
    if state.is_slow or state.result is not None or session.game is None:
        return session, ()
    if not session.game.state.is_slow:
        return session, ()
    session, effects = put_aside(session)
    expecting = replace(session, phase=Phase.EXPECTING, since=now, expected=state.game)
    return expecting, effects


def on_state(session: Session, state: State, now: int) -> tuple[Session, Effects]:
    """Keep the newest state of a slow game that is not at the board."""
    known = next((one for one in session.aside if one.state.game == state.game), None)
    if known is not None and state.version < known.state.version:
        return session, ()
    others = _without(session, state.game)
    if state.result is not None:
        if known is None:
            return session, ()
        over = (*session.over, state.game)[-play.KEPT_GAMES :]
        told = Say(f"game {state.game}: {state.result} {state.termination}")
        return replace(session, aside=others, over=over), (told,)
    if not state.is_slow or (known is None and len(others) >= MAX_ASIDE):
        return session, ()
    kept = Game(state, now, heard_at=now) if known is None else _newer(known, state, now)
    return replace(session, aside=(*others, kept)), ()


def turn_to_next(session: Session, now: int) -> tuple[Session, Effects]:
    """Play on in the slow game whose time ends first, of those that wait for the bot's move; leave
    the board to others while the opponent thinks for days.
    """
    at_board = session.game
    if at_board is not None and (not at_board.state.is_slow or _is_busy(session, at_board)):
        return session, ()
    if at_board is None and session.phase not in {Phase.IDLE, Phase.WAITING}:
        return session, ()
    waiting = [game for game in session.aside if _is_to_move(session, game)]
    if not waiting:
        return _freed(session, now), ()
    following = min(waiting, key=lambda game: game.state.deadline or 1 << 62)
    session, _ = put_aside(session)
    others = _without(session, following.state.game)
    return play.go_on(replace(session, game=following, aside=others, phase=Phase.PLAYING), now)


def read_again(session: Session, now: int) -> tuple[Session, Effects]:
    """Ask for all games now and then, since a state may be lost."""
    period_ms = session.config.correspondence.checkin_period * 1000
    if not session.aside or now - session.read_at < period_ms:
        return session, ()
    return lobby.ask_state_aside(replace(session, read_at=now), now)


def _freed(session: Session, now: int) -> Session:
    """The session free for another game, if it may have more by days."""
    game, most = session.game, session.config.challenge.concurrency
    by_days = game is not None and game.state.time is not None
    if not by_days or len(session.aside) + 1 >= most:
        return session
    session, _ = put_aside(session)
    return replace(session, phase=Phase.IDLE, since=now, read_at=now)


def _newer(known: Game, state: State, now: int) -> Game:
    if state.position == known.state.position:
        return replace(known, state=state, heard_at=now)
    fresh = replace(known, failures=0, excluded=frozenset())
    return replace(fresh, state=state, heard_at=now, seen_at=now)


def _is_busy(session: Session, game: Game) -> bool:
    return bool(game.thinking or session.is_pending(game) or _is_to_move(session, game))


def _is_to_move(session: Session, game: Game) -> bool:
    return game.state.turn is game.state.color_of(session.me)


def _without(session: Session, game_id: str) -> tuple[Game, ...]:
    return tuple(one for one in session.aside if one.state.game != game_id)
