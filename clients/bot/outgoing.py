"""The events that the bot signs."""

from collections.abc import Iterable
from dataclasses import replace

from clients.bot.events import Draft
from clients.bot.messages import MOVE, REQUEST, State
from clients.bot.model import Session

KEPT_REQUESTS = 8


def request(
    session: Session, content: str, now: int, tags: Iterable[tuple[str, ...]] = ()
) -> tuple[Session, Draft]:
    """A 20300, dated so that it is no event that relays have seen; with the bot's name, where it
    asks to play.
    """
    if not content or content.startswith("accept:"):
        tags = (*tags, ("name", session.config.name))
    dated = session.timing.to_seconds(now)
    used = {sent.created_at for sent, _ in session.requests if sent.content == content}
    while dated in used:
        dated += 1
    draft = Draft(session.me, dated, REQUEST, (("p", session.arbiter), *tags), content)
    return asked(session, draft, now), draft


def asked(session: Session, draft: Draft, now: int) -> Session:
    """The session once it has sent this request."""
    return replace(session, requests=(*session.requests, (draft, now))[-KEPT_REQUESTS:])


def word(session: Session, state: State, content: str, now: int) -> Draft:
    """A 20303 that answers this state."""
    tags = (
        ("d", state.game),
        ("e", state.event),
        ("p", session.arbiter),
        ("p", state.white),
        ("p", state.black),
    )
    return Draft(session.me, session.timing.to_seconds(now), MOVE, tags, content)
