"""Between games: requests, challenges, rematches."""

from dataclasses import replace

from clients.bot import tournaments
from clients.bot.config import Config
from clients.bot.judgement import may_rematch, refusal
from clients.bot.model import Effects, Mine, Phase, Say, Session, Speak, StopThinking
from clients.bot.outgoing import request
from clients.player.events import Draft, Send
from clients.player.messages import (
    Cancelled,
    Challenged,
    Offer,
    Queued,
    Refused,
    Started,
    State,
)
from clients.player.terms import Terms, terms_tags
from clients.player.tournaments import COMMAND

ANSWER_MS = 10_000
STATE_MS = 5_000
RENEW_MS = 60_000  # before the two minutes are over that a place in the pool lasts
BUSY_MS = 120_000


def ask_state(session: Session, now: int) -> tuple[Session, Effects]:
    """Asks for the game or the place."""
    session, draft = request(session, "state", now)
    return replace(session, phase=Phase.LOST, since=now, expected=None), (Send(draft),)


def on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    """Asks again what was not answered; accepts and asks for games when it is time."""
    waited = now - session.since
    patience_ms = session.config.matchmaking.challenge_timeout * 60_000
    match session.phase:
        case Phase.LOST | Phase.ASKED if waited >= ANSWER_MS:
            return ask_state(session, now)
        case Phase.EXPECTING if waited >= STATE_MS:
            return ask_state(session, now)
        case Phase.IDLE | Phase.WAITING if session.challenges:
            return _accept(session, now)
        case Phase.IDLE if session.unclaimed is not None and waited >= STATE_MS:
            return ask_state(replace(session, unclaimed=None), now)
        case Phase.IDLE if session.config.matchmaking.allow_matchmaking and now >= session.ask_at:
            return _ask(session, now)
        case Phase.WAITING if now - session.asked_at >= patience_ms:
            return replace(session, phase=Phase.IDLE, since=now, ask_at=now), ()
        case Phase.WAITING if waited >= RENEW_MS and not session.config.matchmaking.opponents:
            return _ask(replace(session, asks=session.asks - 1), now, is_new=False)
        case _:
            return session, ()


def _ask(session: Session, now: int, *, is_new: bool = True) -> tuple[Session, Effects]:
    tags = terms_of(session.config, session.asks)
    session, draft = request(session, "", now, tags)
    text = " ".join("=".join(tag) for tag in tags)
    return (
        replace(
            session,
            phase=Phase.ASKED,
            since=now,
            asks=session.asks + 1,
            asked_at=now if is_new else session.asked_at,
        ),
        (Send(draft), *((Say(f"asks for a game: {text}"),) if is_new else ())),
    )


def terms_of(config: Config, turn: int) -> tuple[tuple[str, ...], ...]:
    """The tags of the bot's request: times, and opponents by name, each in its turn."""
    rule = config.matchmaking
    times, opponents = rule.times(), rule.opponents
    rating = (rule.opponent_min_rating, rule.opponent_max_rating)
    return terms_tags(
        Terms(
            time=times[turn % len(times)],
            rated=rule.challenge_mode == "rated",
            rating=rating if rating != (0, 4000) and not opponents else None,
            variant=rule.challenge_variant,
            by_bot=True,
            bots=rule.opponent_bots and not opponents,
            challenge=opponents[turn // len(times) % len(opponents)] if opponents else None,
        )
    )


def _accept(session: Session, now: int) -> tuple[Session, Effects]:
    challenge, *others = session.challenges
    session = replace(session, challenges=tuple(others))
    if challenge.is_over(now):
        return session, ()
    session, draft = request(session, f"accept:{challenge.id}", now, (("bot", "true"),))
    return (
        replace(session, phase=Phase.ASKED, since=now),
        (Send(draft), Say(f"accepts the challenge of {challenge.challenger}")),
    )


def on_challenged(
    session: Session, challenge: Challenged, now: int, *, is_free: bool
) -> tuple[Session, Effects]:
    """Keeps the challenge until the bot is free, or declines it."""
    if any(kept.id == challenge.id for kept in session.challenges):
        return session, ()
    reason = refusal(challenge, session.config)
    room = max(session.config.challenge.queue, int(is_free))
    if reason is None and len(session.challenges) >= room:
        reason = "later"
    if reason is not None:
        return _decline(session, challenge, reason, now)
    return replace(session, challenges=(*session.challenges, challenge)), ()


def on_withdrawn(session: Session, challenge: str) -> Session:
    """The session without a challenge that its author took back."""
    kept = tuple(one for one in session.challenges if one.id != challenge)
    return replace(session, challenges=kept)


def _decline(
    session: Session, challenge: Challenged, reason: str, now: int
) -> tuple[Session, Effects]:
    session, draft = request(session, f"decline:{challenge.id}:{reason}", now)
    return session, (Send(draft), Say(f"declines {challenge.challenger}: {reason}"))


def decline_waiting(session: Session, now: int) -> tuple[Session, Effects]:
    """Declines what is more than may wait, now that the bot plays."""
    queue = session.config.challenge.queue
    effects: Effects = ()
    for challenge in session.challenges[queue:]:
        session, more = _decline(session, challenge, "later", now)
        effects = (*effects, *more)
    return replace(session, challenges=session.challenges[:queue]), effects


def on_started(session: Session, started: Started, now: int) -> tuple[Session, Effects]:
    """Expects the game's state; doubts what it did not ask for while it plays."""
    if started.game in session.over or (
        session.game is not None and session.game.state.game == started.game
    ):
        return session, ()
    draft = session.requests.find(started.answers)
    if session.game is not None and draft is None:
        return ask_state_aside(session, now)
    is_listed = draft is not None and draft.content == "state"
    is_slow = session.game is not None and session.game.state.is_slow
    is_aside = any(one.state.game == started.game for one in session.aside)
    if is_listed and (is_aside or session.phase is Phase.EXPECTING or is_slow):
        # One of several: its state comes too.
        is_lost = session.phase is Phase.LOST
        free = replace(session, phase=Phase.IDLE, since=now, unclaimed=None)
        return (free if is_lost else session), ()
    if draft is not None:
        session = _timed(session, draft, now)
    if session.game is not None and is_slow:
        session = replace(session, aside=(*session.aside, replace(session.game, thinking=None)))
    return replace(session, phase=Phase.EXPECTING, since=now, expected=started.game, game=None), (
        Say(f"game {started.game} against {started.opponent}"),
    )


def ask_state_aside(session: Session, now: int) -> tuple[Session, Effects]:
    """Asks which game the arbiter thinks of, and plays on."""
    session, draft = request(session, "state", now)
    return session, (Send(draft),)


def on_answer(session: Session, answer: Queued | Cancelled, now: int) -> tuple[Session, Effects]:
    """Wait; leave or replace a place in the pool that the bot did not ask for now."""
    draft = session.requests.find(answer.answers)
    if session.phase not in {Phase.LOST, Phase.ASKED, Phase.WAITING} or draft is None:
        return session, ()
    session = _timed(session, draft, now)
    if isinstance(answer, Queued) and draft.content == "":
        return replace(session, phase=Phase.WAITING, since=now), ()
    if isinstance(answer, Queued) and not session.config.matchmaking.allow_matchmaking:
        session, cancel = request(session, "cancel", now)
        return replace(session, phase=Phase.ASKED, since=now), (Send(cancel),)
    if draft.content.startswith("decline:"):
        return session, ()
    return replace(session, phase=Phase.IDLE, since=now), ()


def on_refused(session: Session, refused: Refused, now: int) -> tuple[Session, Effects]:
    """Mends the request, or waits; what answers no request of ours declines our challenge."""
    draft = session.requests.find(refused.answers)
    if draft is None:
        return _on_declined(session, refused, now)
    session = _timed(session, draft, now)
    session = session.timed(session.timing.received(refused.dated, now))
    if refused.reason == "pow":
        return _on_work_wanted(session, draft, refused, now)
    if draft.kind == COMMAND:
        return tournaments.on_refused(session, draft, refused)
    if refused.reason == "unknown-game" and draft.content == "state":
        if session.game is not None and session.requests.at(draft) < session.since:
            return session, ()  # asked before the game began
        return replace(
            session,
            phase=Phase.IDLE,
            since=now,
            game=None,
            expected=None,
            unclaimed=None,
            aside=(),
        ), (StopThinking(),)
    if session.game is not None or draft.content.startswith(("decline:", "wait:")):
        return session, ()
    wait_ms = session.config.pause * 1000
    if refused.reason == "rate-limited":
        wait_ms = BUSY_MS if refused.seconds is None else refused.seconds * 1000
    phase = Phase.LOST if refused.reason == "playing" else Phase.IDLE
    return (
        replace(session, phase=phase, since=now, ask_at=max(session.ask_at, now + wait_ms)),
        (Say(f"refused: {refused.reason}: {refused.text}"),),
    )


def _on_declined(session: Session, refused: Refused, now: int) -> tuple[Session, Effects]:
    if session.phase is not Phase.WAITING:
        return session, ()
    return (
        replace(session, phase=Phase.IDLE, since=now, ask_at=now + session.config.pause * 1000),
        (Say(f"refused: {refused.reason}: {refused.text}"),),
    )


def _on_work_wanted(
    session: Session, draft: Draft, refused: Refused, now: int
) -> tuple[Session, Effects]:
    bits = refused.bits
    if bits is None:
        return session, (Say(f"the arbiter wants too much work: {refused.text[:80]}"),)
    again = replace(draft, created_at=max(draft.created_at + 1, refused.dated))
    done_at = now + (4 << bits) // 1000  # some 4 microseconds a trial, to be careful
    return replace(session, since=done_at), (Mine(again, bits), Say(f"works for {bits} bits"))


def _timed(session: Session, draft: Draft, now: int) -> Session:
    """The round trip of a request counts as one of a move does."""
    timing = session.timing.round_trip(session.requests.at(draft), now)
    return session.timed(timing)


def on_finished_state(session: Session, state: State) -> tuple[Session, Effects]:
    """Answers the offer of a rematch."""
    last = session.last
    if last is None or last.game != state.game or state.version < last.version:
        return session, ()
    session = replace(session, last=state)
    theirs = Offer("rematch", not state.color_of(session.me))
    if state.offer != theirs or session.rematch_answered:
        return session, ()
    accepts = session.game is None and may_rematch(state, session.rematches, session.config)
    content = "rematch" if accepts else "rematch-decline"
    session = replace(
        session,
        rematch_answered=True,
        rematches=session.rematches + accepts,
        rematch_with=state.opponent_of(session.me) if accepts else None,
    )
    return session, (Speak(state.game, content), Say(content))
