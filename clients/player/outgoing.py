"""The events that a session sends: once, and again until the arbiter has answered.

Invariant: of copies one counts. A word keeps the state that it answers, so a second is stale; a
challenge is sent as the same event.
"""

from dataclasses import replace

from clients.player import drafts
from clients.player.events import Draft, Send
from clients.player.messages import Refused, State
from clients.player.model import CHALLENGE_ID_DIGITS, Answered, Made, Open, Session, Step
from clients.player.terms import Terms, terms_of
from clients.player.tournaments import command as commanded

ANSWER_MS = 10_000
"""PROTOCOL.md: "No answer within ten seconds: sign the move anew with the same `e`"."""

SAME_EVENT_MS = 100_000
"""Time for which a challenge is sent again: the arbiter takes no request two minutes old."""

KEPT_IDS = 64


def ask(
    session: Session,
    content: str,
    now: int,
    tags: tuple[tuple[str, ...], ...] = (),
    *,
    quiet: bool = False,
) -> tuple[Session, str, tuple[Send, ...]]:
    """Send a 20300; session, handle, and what to send. What asks to play says who we are."""
    if not content or content.startswith("accept:"):
        named = {tag[0] for tag in tags}
        ours = (("name", session.name), ("bot", "true" if session.by_bot else ""))
        tags = (*tags, *(tag for tag in ours if tag[1] and tag[0] not in named))
    session = _replaced(session, content, tags)
    at = session.timing.to_seconds(now)
    draft = drafts.request(session.me, session.arbiter, at, content, tags)
    session, draft = _undoubled(session, draft)
    asked = Open(draft, (draft.id,), now, now, quiet=quiet)
    if (opponent := asked.opponent) is not None:
        terms = replace(terms_of(draft.tags) or Terms(), challenge=opponent)
        id_ = draft.id[:CHALLENGE_ID_DIGITS]
        session = replace(session, made={**session.made, id_: Made(id_, terms, now)})
    return _opened(session, asked)


def _replaced(session: Session, content: str, tags: tuple[tuple[str, ...], ...]) -> Session:
    """The session without requests that this replaces: a place in a pool; by ``cancel`` all."""
    is_of_pool = not content and not any(tag[0] == "challenge" for tag in tags)
    if content != "cancel" and not is_of_pool:
        return session
    kept = {
        handle: one
        for handle, one in session.open.items()
        if one.content or one.game or (is_of_pool and one.opponent)
    }
    return replace(session, open=kept)


def command(
    session: Session,
    tournament: str,
    word: str,
    now: int,
    tags: tuple[tuple[str, ...], ...] = (),
    *,
    quiet: bool = False,
) -> tuple[Session, str, tuple[Send, ...]]:
    """Send a 20307 about a tournament; as `ask`."""
    at = session.timing.to_seconds(now)
    draft = commanded(session.me, session.arbiter, tournament, word, at, tags)
    session, draft = _undoubled(session, draft)
    return _opened(session, Open(draft, (draft.id,), now, now, quiet=quiet))


def say(
    session: Session, game: str, content: str, now: int, *, quiet: bool = False
) -> tuple[Session, str, tuple[Send, ...]]:
    """Send a 20303 about a game's newest state, unless it is on its way; as `ask`. Raises KeyError
    if the game is not known.
    """
    state = session.games[game].state
    for one in session.open.values():
        if (one.game, one.content, one.ply) == (game, content, state.ply) and not one.refused:
            known = one if quiet else replace(one, quiet=False)
            return replace(session, open={**session.open, one.handle: known}), one.handle, ()
    return _said(session, state, content, now, quiet=quiet)


def _said(
    session: Session, state: State, content: str, now: int, *, quiet: bool
) -> tuple[Session, str, tuple[Send, ...]]:
    at, here = session.timing.to_seconds(now), session.gateway in session.links
    draft = drafts.word(session.me, session.arbiter, state, content, at, here=here)
    session, draft = _undoubled(session, draft)
    said = Open(draft, (draft.id,), now, now, state.game, state.ply, state.position, quiet=quiet)
    return _opened(session, said)


def repeat(session: Session, said: Open, now: int) -> Step:
    """The same word about the newest state, under its handle."""
    if said.game is None or said.game not in session.games:
        return session, ()
    rest = {handle: one for handle, one in session.open.items() if handle != said.handle}
    state = session.games[said.game].state
    session, handle, sent = _said(
        replace(session, open=rest), state, said.content, now, quiet=said.quiet
    )
    fresh = session.open[handle]
    kept = replace(fresh, ids=(*said.ids, fresh.draft.id), asked_at=said.asked_at)
    return replace(session, open={**rest, said.handle: kept}), sent


def resend(session: Session, one: Open, now: int) -> Step:
    """A copy of what has no answer; a challenge that has none for too long is given up."""
    if one.opponent is not None:
        if now - one.asked_at < SAME_EVENT_MS:
            return sent_again(session, one, one.draft, now)
        return give_up(session, one)
    draft = replace(one.draft, created_at=session.timing.to_seconds(now))
    session, draft = _undoubled(session, draft)
    return sent_again(session, one, draft, now)


def give_up(session: Session, one: Open) -> Step:
    """The session without a request of which nothing is heard."""
    rest = {handle: each for handle, each in session.open.items() if handle != one.handle}
    made = {id_: each for id_, each in session.made.items() if id_ != made_id(one)}
    refused = Refused("no-answer", "the arbiter does not answer")
    return replace(session, open=rest, made=made), (Answered(one, refused),)


def sent_again(session: Session, one: Open, draft: Draft, now: int) -> Step:
    """This draft as the last copy of what is open."""
    ids = one.ids if draft.id in one.ids else (*one.ids, draft.id)
    again = replace(one, draft=draft, ids=ids, sent_at=now)
    session = replace(session, open={**session.open, one.handle: again})
    if (known := session.made.get(made_id(one))) and draft.id != known.id:
        renamed = replace(known, id=draft.id[:CHALLENGE_ID_DIGITS])
        session = replace(session, made={**session.made, made_id(one): renamed})
    return session, (Send(draft),)


def made_id(one: Open) -> str:
    """The name of the challenge that it makes."""
    return one.handle[:CHALLENGE_ID_DIGITS]


def _opened(session: Session, one: Open) -> tuple[Session, str, tuple[Send, ...]]:
    session = replace(session, open={**session.open, one.handle: one})
    return session, one.handle, (Send(one.draft),)


def _undoubled(session: Session, draft: Draft) -> tuple[Session, Draft]:
    """The draft, dated so that it is no event that relays have seen."""
    while draft.id in session.sent:
        draft = replace(draft, created_at=draft.created_at + 1)
    return replace(session, sent=(*session.sent, draft.id)[-KEPT_IDS:]), draft
