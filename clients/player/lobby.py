"""Between games: the arbiter's answers to requests, challenges, and a place in a pool."""

from dataclasses import replace

from clients.player import messages, model
from clients.player.outgoing import made_id, resend
from clients.player.playing import begin
from clients.player.tournaments import COMMAND, Told

MADE_MS, MADE_SLOW_MS = 30 * 60_000, 14 * 24 * 60 * 60_000
"""The time for which a challenge waits."""

KEPT_CLOSED = 64


def find(session: model.Session, answers: str | None) -> model.Open | None:
    return next((one for one in session.open.values() if answers in one.ids), None)


def without(session: model.Session, one: model.Open) -> model.Session:
    rest = {handle: it for handle, it in session.open.items() if handle != one.handle}
    return replace(session, open=rest)


def answer(
    session: model.Session,
    one: model.Open,
    by: messages.Response | messages.Rejected | messages.State | Told,
) -> model.Step:
    """The session without what is answered, and the news."""
    return without(session, one), () if one.quiet else (model.Answered(one, by),)


def on_started(session: model.Session, started: messages.Started, now: int) -> model.Step:
    """A game of ours goes on; the first word of it answers what asked for it."""
    known = session.games.get(started.game)
    is_new = known is None or not known.began
    one = find(session, started.answers)
    if one is None and is_new and started.answers is None:
        one = next((it for it in session.open.values() if _asked_for(session, it, started)), None)
    origin = _origin(session, one, started)
    effects: tuple[model.Effect, ...] = ()
    if one is not None and one.content == "state":
        session = replace(session, listed=True)
    elif one is not None:
        session, effects = answer(session, one, started)
    is_sought = one.content == "" and one.opponent is None if one else started.answers is None
    if is_sought and origin is None:
        session = replace(session, seek=None)
    if origin is not None:
        session, more = withdraw(session, origin, "answered")
        effects = (*effects, *more)
        made = {id_: it for id_, it in session.made.items() if id_ != origin}
        session = replace(session, made=made)
    if not is_new:
        return session, effects
    session, more = begin(session, replace(started, challenge=origin), now)
    return session, (*effects, *more)


def _asked_for(session: model.Session, one: model.Open, started: messages.Started) -> bool:
    """Whether this game may be what was asked for."""
    if one.game is not None:
        return False
    word, _, challenge = one.content.partition(":")
    if word == "accept":
        told = session.challenges.get(challenge)
        is_theirs = told is None or told.challenger == started.opponent
        return challenge == started.challenge or (started.challenge is None and is_theirs)
    if one.content:
        return False
    if (opponent := one.opponent) is None:
        return started.challenge is None
    if started.challenge is not None:
        return session.made[made_id(one)].id == started.challenge
    return opponent in {started.opponent, "open"}


def _origin(
    session: model.Session, one: model.Open | None, started: messages.Started
) -> str | None:
    """The challenge that the game came of, by its name here; former arbiters do not name it."""
    if started.challenge is not None:
        ours = (id_ for id_, it in session.made.items() if it.id == started.challenge)
        return next(ours, started.challenge)
    if one is not None and one.content.startswith("accept:"):
        return one.content.partition(":")[2]
    if started.answers is not None:
        return None
    against = [id_ for id_, it in session.made.items() if it.terms.challenge == started.opponent]
    return against[0] if len(against) == 1 else None


def on_queued(session: model.Session, queued: messages.Queued, now: int) -> model.Step:
    one = find(session, queued.answers)
    if one is None:
        return session, () if queued.place is None else (queued,)
    if one.content == "state":
        ours = {it.id for it in session.made.values()}
        is_known = queued.challenge in ours if queued.challenge else session.seek is not None
        return replace(session, listed=True), () if is_known else (queued,)
    if one.opponent is None and not one.content:
        names = {"name", "bot", "nonce", "p"}
        tags = tuple(tag for tag in one.draft.tags if tag[0] not in names)
        session = replace(session, seek=model.Seek(tags, now))
    return answer(session, one, queued)


def on_cancelled(session: model.Session, cancelled: messages.Cancelled) -> model.Step:
    one = find(session, cancelled.answers)
    if one is None:
        return session, ()
    session, effects = answer(session, one, cancelled)
    if one.content == "cancel":
        return replace(session, made={}, seek=None), effects
    session, more = withdraw(session, one.content.split(":")[1], "answered")
    return session, (*effects, *more)


def on_blocked(session: model.Session, blocked: messages.Blocked) -> model.Step:
    """All whom the player blocks, as the answer to a change or to ``state``."""
    one, session = find(session, blocked.answers), replace(session, blocked=blocked.keys)
    is_change = one is not None and one.content != "state"
    return answer(session, one, blocked) if one and is_change else (session, ())


def on_challenged(session: model.Session, told: messages.Challenged, now: int) -> model.Step:
    known = told.id in session.challenges or told.id in session.closed
    if known or told.is_over(now) or told.challenger == session.me:
        return session, ()
    return replace(session, challenges={**session.challenges, told.id: told}), (told,)


def withdraw(session: model.Session, challenge: str, why: str) -> model.Step:
    closed = (*(it for it in session.closed if it != challenge), challenge)[-KEPT_CLOSED:]
    left = {id_: told for id_, told in session.challenges.items() if id_ != challenge}
    was = challenge in session.challenges
    session = replace(session, challenges=left, closed=closed)
    return session, (model.Withdrawn(challenge, why),) if was else ()


def expire(session: model.Session, now: int) -> model.Step:
    effects: tuple[model.Effect, ...] = ()
    for told in [it for it in session.challenges.values() if it.is_over(now)]:
        session, more = withdraw(session, told.id, "expired")
        effects = (*effects, *more)
    for id_, made in list(session.made.items()):
        if now - made.made_at > (MADE_MS if made.terms.is_live else MADE_SLOW_MS):
            session, more = _lost(session, id_, messages.Refused("expired", "it has expired"))
            effects = (*effects, *more)
    return session, effects


def _lost(session: model.Session, made: str | None, refused: messages.Refused) -> model.Step:
    left = {id_: it for id_, it in session.made.items() if id_ != made}
    return replace(session, made=left), (model.Declined(made, refused),)


def on_refused(session: model.Session, refused: messages.Refused, now: int) -> model.Step:
    one = find(session, refused.answers)
    if refused.dated:
        session = replace(session, timing=session.timing.received(refused.dated, now))
    if one is None:
        return _unasked(session, refused)
    if refused.reason == "pow":
        return _work(session, one, refused, now)
    if refused.reason == "stale" and len(one.ids) == 1 and one.opponent is None:
        # Our clock may be wrong: the answer says how much.
        return resend(session, one, now)
    if one.content == "state":
        return replace(session, listed=True), ()
    if one.draft.kind == COMMAND and refused.reason == "rate-limited" and session.by_bot:
        # Five hundred who enter in one moment are more than an arbiter takes at once.
        return session, ()
    if one.quiet and not one.content:
        session, _ = answer(replace(session, seek=None), one, refused)
        return session, (model.Declined(None, refused),)
    session, effects = answer(session, one, refused)
    left = {id_: it for id_, it in session.made.items() if id_ != made_id(one)}
    session = replace(session, made=left)
    word, _, challenge = one.content.partition(":")
    if word in {"accept", "decline", "wait"} and refused.reason == "unknown-challenge":
        session, more = withdraw(session, challenge.partition(":")[0], "cancelled")
        effects = (*effects, *more)
    return session, effects


def _unasked(session: model.Session, refused: messages.Refused) -> model.Step:
    """A refusal that names no event is about a challenge of ours, or our place in a pool."""
    if refused.answers is not None:
        return session, ()
    if refused.challenge is None:
        was = session.seek is not None
        return replace(session, seek=None), (model.Declined(None, refused),) if was else ()
    ours = next((id_ for id_, it in session.made.items() if it.id == refused.challenge), None)
    if ours is None:
        return session, ()
    return _lost(session, ours, refused)


def _work(
    session: model.Session, one: model.Open, refused: messages.Refused, now: int
) -> model.Step:
    bits = refused.bits
    if bits is None:
        return answer(session, one, refused)
    if one.draft.id != refused.answers or one.sent_at > now:
        return session, ()
    again = replace(one.draft, created_at=max(one.draft.created_at + 1, refused.dated))
    # Some 4 microseconds a trial, to be careful.
    patient = replace(one, sent_at=now + 1_000 + (4 << bits) // 1000)
    session = replace(session, open={**session.open, one.handle: patient})
    return session, (model.Mine(one.handle, again, bits),)
