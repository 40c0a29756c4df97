"""The events that the bot signs."""

from collections.abc import Iterable
from dataclasses import replace

from clients.bot.model import Session
from clients.player import drafts
from clients.player.events import Draft


def request(
    session: Session, content: str, now: int, tags: Iterable[tuple[str, ...]] = ()
) -> tuple[Session, Draft]:
    """A 20300, dated so that it is no event that relays have seen; with the bot's name, where it
    asks to play.
    """
    if not content or content.startswith("accept:"):
        tags = (*tags, ("name", session.config.name))
    dated = session.requests.unused_date(content, session.timing.to_seconds(now))
    draft = drafts.request(session.me, session.arbiter, dated, content, tags)
    return asked(session, draft, now), draft


def asked(session: Session, draft: Draft, now: int) -> Session:
    """The session once it has sent this request."""
    return replace(session, requests=session.requests.plus(draft, now))
