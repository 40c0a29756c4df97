"""Between games: what to ask for, challenges, rematches, and tournaments (events) to join."""

from dataclasses import replace

from clients.bot.config import Config
from clients.bot.judgement import may_rematch, refusal
from clients.bot.model import Command, Effects, Request, Say, Session, Speak
from clients.bot.play import is_left, leave
from clients.player.messages import REQUEST, Challenged, Offer, Refused, State
from clients.player.model import Answered, Declined, Known
from clients.player.terms import Terms, terms_tags
from clients.player.tournaments import Tournament

BUSY_MS = 120_000
_LASTING = frozenset({"rate-limited", "restricted"})
_ANSWERS = ("accept:", "decline:")

Step = tuple[Session, Effects]


def is_free(session: Session) -> bool:
    """Whether the arbiter has said that no game goes on, and none begins."""
    return bool(session.wire.links) and session.wire.listed and not _is_taken(session)


def _is_taken(session: Session) -> bool:
    wire = session.wire
    is_begun = wire.started or any(map(begins, wire.games.values()))
    return session.game is not None or bool(is_begun) or is_asking(session)


def begins(known: Known) -> bool:
    """Whether a game has a state, but was not told of."""
    return not known.began and known.state.result is None


def is_asking(session: Session) -> bool:
    """Whether a request for a game is on its way, or an acceptance."""
    open_ = session.wire.open.values()
    asked = [one.content for one in open_ if one.draft.kind == REQUEST and not one.quiet]
    return any(not text or text == "cancel" or text.startswith("accept:") for text in asked)


def is_waiting(session: Session) -> bool:
    """Whether the bot is in the pool, or has challenged another."""
    return session.wire.seek is not None or bool(session.wire.made)


def without_a_long_wait(session: Session, now: int) -> Session:
    """The session without a request that has waited for long: the next is on other terms."""
    patience_ms = session.config.matchmaking.challenge_timeout * 60_000
    if not is_waiting(session) or now - session.asked_at < patience_ms:
        return session
    return replace(session, wire=replace(session.wire, seek=None, made={}), ask_at=now)


def waiting(session: Session) -> tuple[Challenged, ...]:
    """The challenges that wait for the bot."""
    open_ = (one.content for one in session.wire.open.values())
    answered = {text.split(":")[1] for text in open_ if text.startswith(_ANSWERS)}
    challenges = session.wire.challenges.values()
    return tuple(
        one for one in challenges if one.id not in answered and not refusal(one, session.config)
    )


def on_tick(session: Session, now: int) -> Step:
    """Accept a challenge or ask for a game when it is time."""
    if not is_free(session):
        return session, ()
    if now >= session.accept_at and (challenges := waiting(session)):
        first = challenges[0]
        told = Say(f"accepts the challenge of {first.challenger}")
        return session, (Request(f"accept:{first.id}"), told)
    if is_waiting(session) or now < session.ask_at:
        return session, ()
    if not session.config.matchmaking.allow_matchmaking:
        return session, ()
    tags = terms_of(session.config, session.asks)
    session = replace(session, asks=session.asks + 1, asked_at=now)
    return session, (Request("", tags), Say(f"asks for a game: {' '.join(map('='.join, tags))}"))


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
            bots=rule.opponent_bots and not opponents,
            challenge=opponents[turn // len(times) % len(opponents)] if opponents else None,
        )
    )


def on_challenged(session: Session, challenge: Challenged, now: int) -> Step:
    """Keep the challenge until the bot is free or an opponent has gone, or decline it."""
    makes_room = is_left(session, now)
    is_at_once = makes_room or not _is_taken(session)
    reason = refusal(challenge, session.config)
    if reason is None and len(waiting(session)) > max(session.config.challenge.queue, is_at_once):
        reason = "later"
    if reason is not None:
        return session, _decline(challenge, reason)
    return leave(session) if makes_room else (session, ())


def _decline(challenge: Challenged, reason: str) -> Effects:
    told = Say(f"declines {challenge.challenger}: {reason}")
    return Request(f"decline:{challenge.id}:{reason}"), told


def decline_waiting(session: Session) -> Step:
    """Decline what is more than may wait, now that the bot plays."""
    effects: Effects = ()
    for challenge in waiting(session)[session.config.challenge.queue :]:
        effects = (*effects, *_decline(challenge, "later"))
    return session, effects


def on_answered(session: Session, answered: Answered, now: int) -> Step:
    """Wait after a refusal, as long as it says."""
    refused, word = answered.by, answered.open.content.partition(":")[0]
    if not isinstance(refused, Refused) or word not in {"", "accept"}:
        return session, ()
    wait_ms = session.config.pause * 1000
    if refused.reason in _LASTING:
        wait_ms = BUSY_MS if refused.seconds is None else refused.seconds * 1000
    if word == "accept" and refused.reason != "unknown-challenge":
        # The challenge waits on: it would be accepted with each tick.
        session = replace(session, accept_at=now + wait_ms)
    session, told = _pause(session, refused, now + wait_ms)
    return session, (*told, *((Request("state"),) if refused.reason == "playing" else ()))


def on_declined(session: Session, declined: Declined, now: int) -> Step:
    """Ask again after a pause."""
    return _pause(session, declined.refused, now + session.config.pause * 1000)


def _pause(session: Session, refused: Refused, until: int) -> Step:
    told = Say(f"refused: {refused.reason}: {refused.text}")
    return replace(session, ask_at=max(session.ask_at, until)), (told,)


def on_finished_state(session: Session, state: State) -> Step:
    """Answer the offer of a rematch, also of a game that ended while the bot was away."""
    last = session.last
    if state.result is None or (last is not None and last.game != state.game):
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


def on_tournament(session: Session, told: Tournament) -> tuple[Session, Effects]:
    """Enter an event, once: who was removed or left stays out until the next start."""
    if told.id in session.tournaments or not (session.config.events and _takes_entries(told)):
        return session, ()
    session = replace(session, tournaments=(*session.tournaments, told.id))
    tags = (("name", session.config.name), ("bot", "true"))
    return session, (Command(told.id, "join", tags), Say(f"joins the event {told.id}"))


def on_event_answered(answered: Answered) -> Effects:
    """Tell the operator what is refused."""
    word, by = answered.open.content, answered.by
    return (Say(f"{word} in an event: {by.reason}: {by.text}"),) if isinstance(by, Refused) else ()


def _takes_entries(told: Tournament) -> bool:
    is_open = told.status == "open" or (told.is_arena and told.status == "playing")
    return is_open and told.entry == "open" and told.welcomes_bots
