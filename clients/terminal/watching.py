"""A game of others, which the shared session does not follow: its states, asked for by its id."""

from dataclasses import replace

from clients.player import drafts
from clients.player.events import Send
from clients.player.messages import Message, Record, Rejected, State
from clients.terminal import notices
from clients.terminal.game_view import GameView
from clients.terminal.outgoing import Leave, Step, dated
from clients.terminal.session import QUIET_SECONDS, ExitCode, Phase, Session
from clients.terminal.states import follow, recorded

ANSWER_SECONDS = 10


def inquire(session: Session, game: str, now: float) -> Step:
    """Ask for the state of the game."""
    if session.phase in (Phase.OVER, Phase.REFUSED):
        return session, ()
    watched = session.game or GameView(id=game, watched=True)
    draft = drafts.question(session.me, session.server, game, dated(session, now))
    asking = replace(session, phase=Phase.PLAYING, game=watched, last_news_at=now)
    return asking, (Send(draft),)


def receive(session: Session, message: Message, now: float) -> Step:
    """Follow a state, its record, or the refusal of a question."""
    game = session.game
    match message:
        case State() if session.phase is not Phase.REFUSED:
            before = game or GameView(id=message.game, watched=True)
            session = replace(session, phase=session.phase if game else Phase.PLAYING)
            return follow(session, before, message, now)
        case Record():
            return recorded(session, message, now)
        case Rejected(reason, text) if game is not None and game.state is None:
            refused = replace(session, phase=Phase.REFUSED, game=None)
            told = notices.refused_by_arbiter(reason, text)
            return refused, (told, *((Leave(ExitCode.REFUSED),) if session.input_over else ()))
        case _:
            return session, ()


def wait(session: Session, game: str, now: float) -> Step:
    """Ask again after a silence."""
    is_shown = session.game is not None and session.game.state is not None
    waited = now - session.last_news_at
    if waited < (QUIET_SECONDS if is_shown else ANSWER_SECONDS):
        return session, ()
    asking, effects = inquire(session, game, now)
    return asking, effects if is_shown or not effects else (
        notices.no_answer(int(waited)),
        *effects,
    )
