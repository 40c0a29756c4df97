"""Tournaments that a bot joins by itself; docs/nip/events.md calls one an event."""

from dataclasses import replace

from clients.bot.model import Command, Effects, Say, Session
from clients.player.messages import Refused, Started
from clients.player.model import Answered
from clients.player.tournaments import HERE_MS, Tournament


def on_tournament(session: Session, told: Tournament) -> tuple[Session, Effects]:
    """Enter, once: who was removed or left stays out until the next start."""
    others = tuple(one for one in session.arenas if one != told.id)
    plays = told.is_arena and told.status == "playing"
    if told.id in session.tournaments:
        return replace(session, arenas=(*others, *((told.id,) if plays else ()))), ()
    if not (session.config.events and _takes_entries(told)):
        return session, ()
    session = replace(session, tournaments=(*session.tournaments, told.id))
    session, _ = on_tournament(session, told)
    tags = (("name", session.config.name), ("bot", "true"))
    return session, (Command(told.id, "join", tags), Say(f"joins the event {told.id}"))


def on_answered(answered: Answered) -> Effects:
    """Tell the operator what is refused."""
    word, by = answered.open.content, answered.by
    return (Say(f"{word} in an event: {by.reason}: {by.text}"),) if isinstance(by, Refused) else ()


def _takes_entries(told: Tournament) -> bool:
    is_open = told.status == "open" or (told.is_arena and told.status == "playing")
    return is_open and told.entry == "open" and told.welcomes_bots


def on_started(started: Started) -> Effects:
    """Say `here`: "when a round is paired, so that a no-show of the opponent is a win"."""
    if started.tournament is None or started.answers is not None:
        return ()
    return (Command(started.tournament, "here"),)


def on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    """Say `here` "in an arena every half minute while waiting"."""
    if not session.arenas or session.game is not None or now - session.here_at < HERE_MS:
        return session, ()
    told = tuple(Command(tournament, "here") for tournament in session.arenas)
    return replace(session, here_at=now), told
