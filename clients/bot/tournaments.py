"""Tournaments that a bot joins by itself; docs/nip/events.md calls one an event."""

from dataclasses import replace

from clients.bot.model import Effects, Say, Session
from clients.bot.outgoing import asked
from clients.player.events import Draft, Send
from clients.player.messages import Refused, Started
from clients.player.tournaments import HERE_MS, Told, Tournament, command

ENTER_AGAIN_MS = 10_000
"""Five hundred who enter in one moment are more than an arbiter takes at once."""


def on_tournament(session: Session, told: Tournament, now: int) -> tuple[Session, Effects]:
    """Enters, until it is answered: who was removed or left stays out until the next start."""
    if told.id in session.tournaments:
        if not _takes_entries(told):
            session = _answered(session, told.id)
        others = tuple(one for one in session.arenas if one != told.id)
        plays = told.is_arena and told.status == "playing"
        return replace(session, arenas=(*others, *((told.id,) if plays else ()))), ()
    if not (session.config.events and _takes_entries(told)):
        return session, ()
    session = replace(
        session,
        tournaments=(*session.tournaments, told.id),
        entering=(*session.entering, told.id),
        entering_at=now,
    )
    session, effects = _join(session, told.id, now)
    session, _ = on_tournament(session, told, now)
    return session, (*effects, Say(f"joins the event {told.id}"))


def on_told(session: Session, told: Told) -> Session:
    return _answered(session, told.id) if told.word == "joined" else session


def on_refused(session: Session, draft: Draft, refused: Refused) -> tuple[Session, Effects]:
    """Tells the operator; an entry that came too fast is asked for again."""
    if draft.content == "join" and refused.reason != "rate-limited":
        session = _answered(session, draft.tags[1][1].rpartition(":")[2])
    return session, (Say(f"{draft.content} in an event: {refused.reason}: {refused.text}"),)


def _takes_entries(told: Tournament) -> bool:
    is_open = told.status == "open" or (told.is_arena and told.status == "playing")
    return is_open and told.entry == "open" and told.welcomes_bots


def _answered(session: Session, tournament: str) -> Session:
    left = tuple(one for one in session.entering if one != tournament)
    return replace(session, entering=left)


def on_started(session: Session, started: Started, now: int) -> tuple[Session, Effects]:
    """Say `here`: "when a round is paired, so that a no-show of the opponent is a win"."""
    if started.tournament is None or started.answers is not None:
        return session, ()
    return _say(session, started.tournament, "here", now)


def on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    """Enter again, and say `here` "in an arena every half minute while waiting"."""
    effects: Effects = ()
    if session.entering and now - session.entering_at >= ENTER_AGAIN_MS:
        session = replace(session, entering_at=now)
        for tournament in session.entering:
            session, more = _join(session, tournament, now)
            effects = (*effects, *more)
    if not session.arenas or session.game is not None or now - session.here_at < HERE_MS:
        return session, effects
    session = replace(session, here_at=now)
    for tournament in session.arenas:
        session, more = _say(session, tournament, "here", now)
        effects = (*effects, *more)
    return session, effects


def _join(session: Session, tournament: str, now: int) -> tuple[Session, Effects]:
    tags = (("name", session.config.name), ("bot", "true"))
    return _say(session, tournament, "join", now, tags)


def _say(
    session: Session, tournament: str, word: str, now: int, tags: tuple[tuple[str, ...], ...] = ()
) -> tuple[Session, Effects]:
    at = session.requests.unused_date(word, session.timing.to_seconds(now))
    draft = command(session.me, session.arbiter, tournament, word, at, tags)
    return asked(session, draft, now), (Send(draft),)
