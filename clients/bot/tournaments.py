"""Tournaments that a bot joins by itself; docs/nip/events.md calls one an event."""

from dataclasses import replace

from arbiter.nostr.event import NostrEvent, VerifiedEvent, first_tag
from arbiter.nostr.filters import Filter
from clients.bot.model import Announced, Effects, Say, Session
from clients.bot.outgoing import asked
from clients.player.events import Draft, Send

TOURNAMENT, COMMAND = 30327, 20307
LISTED = 50


def wanted(arbiter: str) -> Filter:
    """The arbiter's newest tournaments."""
    return Filter(authors=(arbiter,), kinds=(TOURNAMENT,), limit=LISTED)


def read(event: NostrEvent | VerifiedEvent) -> Announced | None:
    """The tournament, if it takes entries of any program now."""
    values = {name: _value(event, name) for name in ("d", "status", "bots", "entry")}
    is_open = values["status"] == "open" and values["entry"] in {"open", ""}
    return Announced(values["d"]) if is_open and values["bots"] == "welcome" else None


def join(session: Session, announced: Announced, now: int) -> tuple[Session, Effects]:
    """Enters, once: who was removed or left stays out until the next start."""
    tournament = announced.tournament
    if not session.config.events or tournament in session.tournaments:
        return session, ()
    at = session.requests.unused_date("join", session.timing.to_seconds(now))
    address = f"{TOURNAMENT}:{session.arbiter}:{tournament}"
    tags = (("p", session.arbiter), ("a", address), ("name", session.config.name), ("bot", "true"))
    draft = Draft(session.me, at, COMMAND, tags, "join")
    session = replace(session, tournaments=(*session.tournaments, tournament))
    return asked(session, draft, now), (Send(draft), Say(f"joins the event {tournament}"))


def _value(event: NostrEvent | VerifiedEvent, name: str) -> str:
    tag = first_tag(event, name) or ()
    return tag[1] if len(tag) > 1 else ""
