"""Events that a player has entered. Invariant: `here` is said for who has a game in one, or waits
in its arena: without it a no-show is no win, and an arena pairs them no more.
"""

from dataclasses import replace

from clients.player.events import Send
from clients.player.messages import Started
from clients.player.model import Session
from clients.player.outgoing import command
from clients.player.tournaments import HERE_MS, Told, Tournament

Signs = tuple[Session, tuple[Send, ...]]


def on_tournament(session: Session, told: Tournament) -> Session:
    """Remember which arenas are played, and forget an event that is over."""
    is_played = told.is_arena and told.status == "playing"
    arenas = session.arenas | {told.id} if is_played else session.arenas - {told.id}
    return replace(session, arenas=arenas) if not told.is_over else left(session, told.id)


def on_told(session: Session, told: Told) -> Session:
    match told.word:
        case "joined":
            return entered(session, told.id)
        case "left":
            return left(session, told.id)
        case _:
            return session


def entered(session: Session, tournament: str) -> Session:
    return replace(session, entered=session.entered | {tournament})


def left(session: Session, tournament: str) -> Session:
    rest = session.entered - {tournament}
    return replace(session, entered=rest, arenas=session.arenas - {tournament})


def on_started(session: Session, started: Started, now: int) -> Signs:
    """Say `here` "when a round is paired, so that a no-show of the opponent is a win"."""
    if started.tournament is None or started.answers is not None:
        return session, ()
    session = entered(session, started.tournament)
    session, _, sent = command(session, started.tournament, "here", now, quiet=True)
    return session, sent


def wait(session: Session, now: int) -> Signs:
    """Say `here` "in an arena every half minute while waiting"."""
    games = (it.state for it in session.games.values())
    plays = any(state.result is None and not state.is_slow for state in games)
    if plays or now - session.here_at < HERE_MS:
        return session, ()
    sent: tuple[Send, ...] = ()
    for tournament in sorted(session.entered & session.arenas):
        session = replace(session, here_at=now)
        session, _, more = command(session, tournament, "here", now, quiet=True)
        sent = (*sent, *more)
    return session, sent
