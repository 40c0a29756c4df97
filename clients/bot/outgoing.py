"""What the bot signs."""

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from clients.bot.events import Draft
from clients.bot.messages import MOVE, REQUEST, State
from clients.bot.model import Session

KEPT_REQUESTS = 8


def request(
    session: Session, content: str, now: int, tags: Iterable[tuple[str, ...]] = ()
) -> tuple[Session, Draft]:
    """A 20300, dated so that it is no event that relays have seen."""
    dated = max(session.timing.to_seconds(now), session.dates.get(content, 0) + 1)
    draft = Draft(session.me, dated, REQUEST, (("p", session.arbiter), *tags), content)
    return asked(session, draft, now), draft


def asked(session: Session, draft: Draft, now: int) -> Session:
    """The session once it has sent this request."""
    return replace(
        session,
        requests=(*session.requests, (draft, now))[-KEPT_REQUESTS:],
        dates=MappingProxyType({**session.dates, draft.content: draft.created_at}),
    )


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
