"""Tournaments that a bot joins by itself; docs/nip/events.md calls one an event."""

from dataclasses import replace

from clients.bot.model import Command, Effects, Say, Session
from clients.player.messages import Refused
from clients.player.model import Answered
from clients.player.tournaments import Tournament


def on_tournament(session: Session, told: Tournament) -> tuple[Session, Effects]:
    """Enter, once: who was removed or left stays out until the next start."""
    if told.id in session.tournaments or not (session.config.events and _takes_entries(told)):
        return session, ()
    session = replace(session, tournaments=(*session.tournaments, told.id))
    tags = (("name", session.config.name), ("bot", "true"))
    return session, (Command(told.id, "join", tags), Say(f"joins the event {told.id}"))


def on_answered(answered: Answered) -> Effects:
    """Tell the operator what is refused."""
    word, by = answered.open.content, answered.by
    return (Say(f"{word} in an event: {by.reason}: {by.text}"),) if isinstance(by, Refused) else ()


def _takes_entries(told: Tournament) -> bool:
    is_open = told.status == "open" or (told.is_arena and told.status == "playing")
    return is_open and told.entry == "open" and told.welcomes_bots
