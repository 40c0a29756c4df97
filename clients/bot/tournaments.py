"""Tournaments that a bot joins by itself; docs/nip/events.md calls one an event."""

from dataclasses import replace

from clients.bot.model import Effects, Say, Session
from clients.bot.outgoing import asked
from clients.player.events import Send
from clients.player.messages import Started
from clients.player.tournaments import HERE_MS, Tournament, command


def on_tournament(session: Session, told: Tournament, now: int) -> tuple[Session, Effects]:
    """Enters, once: a bot that was removed or left stays out until the next start."""
    if told.id in session.tournaments:
        others = tuple(one for one in session.arenas if one != told.id)
        plays = told.is_arena and told.status == "playing"
        return replace(session, arenas=(*others, *((told.id,) if plays else ()))), ()
    is_open = told.status == "open" or (told.is_arena and told.status == "playing")
    welcome = is_open and told.entry == "open" and told.welcomes_bots
    if not (session.config.events and welcome):
        return session, ()
    session = replace(session, tournaments=(*session.tournaments, told.id))
    tags = (("name", session.config.name), ("bot", "true"))
    session, effects = _say(session, told.id, "join", now, tags)
    session, _ = on_tournament(session, told, now)
    return session, (*effects, Say(f"joins the event {told.id}"))


def on_started(session: Session, started: Started, now: int) -> tuple[Session, Effects]:
    """Say `here`: "when a round is paired, so that a no-show of the opponent is a win"."""
    if started.tournament is None or started.answers is not None:
        return session, ()
    return _say(session, started.tournament, "here", now)


def on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    """Say `here` "in an arena every half minute while waiting"."""
    if not session.arenas or session.game is not None or now - session.here_at < HERE_MS:
        return session, ()
    session = replace(session, here_at=now)
    effects: Effects = ()
    for tournament in session.arenas:
        session, more = _say(session, tournament, "here", now)
        effects = (*effects, *more)
    return session, effects


def _say(
    session: Session, tournament: str, word: str, now: int, tags: tuple[tuple[str, ...], ...] = ()
) -> tuple[Session, Effects]:
    at = session.requests.unused_date(word, session.timing.to_seconds(now))
    draft = command(session.me, session.arbiter, tournament, word, at, tags)
    return asked(session, draft, now), (Send(draft),)
