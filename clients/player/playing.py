"""The games of a session: states, what they show, and games that begin."""

from dataclasses import replace

from clients.player.messages import MOVE_TEXT, Rejected, Started, State
from clients.player.model import Answered, Began, Effect, Known, Open, Session, Shown, Step
from clients.player.outgoing import ANSWER_MS, repeat

SLOW_QUIET_MS = 600_000
"""Time for which a slow game may be quiet before its state is asked for."""

EXPECT_MS = 1_000
"""Time for a game's state to come after its `started:`, or the other way round."""

_DAY_MS = 86_400_000

KEPT_OVER = 64
MOST_COPIES = 6
_OFFERS = ("draw", "takeback", "rematch", "abort")


def take_state(session: Session, state: State, now: int) -> Step:
    """Keep a state that is no older than the one that is known, and tell what it answers."""
    if session.me not in {state.white, state.black}:
        return session, ()
    session = replace(session, timing=session.timing.received(state.dated, now))
    known = session.games.get(state.game)
    before = known.state if known is not None else None
    if before is not None and (state.version, state.dated) < (before.version, before.dated):
        # Who is away comes and goes without a new version: of two states the later counts.
        state = replace(before, answers=state.answers)
    news: tuple[Effect, ...] = _news(before, state)
    kept = known or Known(state, now, now, began=state.result is not None)
    session = _with(session, replace(kept, state=replace(state, answers=None), heard_at=now))
    begun: tuple[Effect, ...] = ()
    if state.game in session.started:
        session, begun = begin(session, session.started[state.game][0], now)
    session, answered = _settle(session, state, now)
    # A game is told of first by its beginning.
    is_told = state.result is not None if begun else known is None or known.began
    return session, (*begun, *(news if is_told else ()), *answered)


def _news(before: State | None, state: State) -> tuple[Effect, ...]:
    if before is None:
        return (Shown(state),) if state.result is not None else ()
    same = replace(state, event=before.event, dated=before.dated, answers=before.answers)
    return () if same == before else (Shown(state, before),)


def _settle(session: Session, state: State, now: int) -> Step:
    """The session without the moves and words that this state shows, and their answers."""
    effects: tuple[Effect, ...] = ()
    for one in [it for it in session.open.values() if it.game == state.game]:
        by: State | Rejected | None = state if shows(one, state, session.me) else one.refused
        is_move = MOVE_TEXT.fullmatch(one.content) is not None
        if by is None and is_move and state.position != one.position:
            by = Rejected("stale", "the position has changed", game=state.game)
        if by is None:
            continue
        is_still_there = by is one.refused and state.position == one.position
        if is_still_there and is_move and len(one.ids) < MOST_COPIES:
            # Stale was the state that it named, not the move.
            session, sent = repeat(session, one, now)
            effects = (*effects, *sent)
            continue
        if by is state and len(one.ids) == 1 and one.content != "state":
            timing = session.timing.round_trip(one.asked_at, now)
            session = replace(session, timing=timing)
        rest = {handle: it for handle, it in session.open.items() if handle != one.handle}
        session = replace(session, open=rest)
        effects = effects if one.quiet else (*effects, Answered(one, by))
    return session, effects


def shows(one: Open, state: State, me: str) -> bool:
    """Whether the state is the answer to a move or a word."""
    word = one.content
    if word == "state":
        return state.answers in one.ids or (one.quiet and state.result is not None)
    is_over = state.result is not None
    if word.endswith("-decline"):
        return state.offer is None or state.offer.kind != word.removesuffix("-decline")
    if word in _OFFERS:
        mine = state.offer is not None and state.offer.color == state.color_of(me)
        is_made = mine and state.offer is not None and state.offer.kind == word
        if word == "rematch":
            return is_made or state.rematch is not None
        return is_made or is_over or (word == "takeback" and state.ply < one.ply)
    if word.startswith("vacation:") and not is_over:
        least_ms = one.asked_at + int(word.removeprefix("vacation:")) * _DAY_MS - ANSWER_MS
        ends = dict(state.vacations).get(state.color_of(me))
        return ends is not None and ends * 1000 >= least_ms
    if MOVE_TEXT.fullmatch(word) and not is_over:
        # Beyond 2,000 plies no moves are listed.
        return state.ply > one.ply and state.moves[one.ply : one.ply + 1] in ((), (word,))
    return is_over


def begin(session: Session, started: Started, now: int) -> Step:
    """The game begins once its state is there, too."""
    known = session.games.get(started.game)
    if known is None:
        # Told again without its state, it is asked for less often.
        since = now + ANSWER_MS if started.game in session.started else now
        waiting = {**session.started, started.game: (started, since)}
        return replace(session, started=waiting), ()
    waiting = {game: it for game, it in session.started.items() if game != started.game}
    session = replace(session, started=waiting)
    session = _with(session, replace(known, began=True, challenge=started.challenge))
    state = known.state
    color, former = state.color_of(session.me), _rematch_of(session, state)
    return session, (Began(state, color, started.challenge, former),)


def expect(session: Session, now: int) -> Step:
    """Begin games whose `started:` is lost."""
    effects: tuple[Effect, ...] = ()
    for known in [it for it in session.games.values() if not it.began]:
        if now - known.seen_at >= EXPECT_MS:
            opponent = known.state.opponent_of(session.me)
            session, more = begin(session, Started(known.state.game, opponent), now)
            effects = (*effects, *more)
    return session, effects


def misses_a_state(session: Session, now: int) -> bool:
    """Whether a game has begun whose state has not come."""
    return any(now - since >= EXPECT_MS for _, since in session.started.values())


def is_quiet(session: Session, known: Known, now: int) -> bool:
    """Whether a game that goes on was not heard of for long."""
    limit = SLOW_QUIET_MS if known.state.is_slow else session.quiet_ms
    return known.state.result is None and now - known.heard_at >= limit


def without_game(session: Session, game: str) -> Session:
    """The session without a game, and without what was said in it."""
    games = {id_: it for id_, it in session.games.items() if id_ != game}
    rest = {handle: one for handle, one in session.open.items() if one.game != game}
    return replace(session, games=games, open=rest)


def _with(session: Session, known: Known) -> Session:
    """The session with this game, and with the last that are over."""
    games = {**session.games, known.state.game: known}
    over = [id_ for id_, it in games.items() if it.state.result is not None]
    for id_ in over[:-KEPT_OVER]:
        del games[id_]
    return replace(session, games=games)


def _rematch_of(session: Session, state: State) -> str | None:
    """The game whose rematch this is: its state says so, or its offer is open."""
    former = [
        it.state
        for it in session.games.values()
        if (it.state.white, it.state.black) == (state.black, state.white)
    ]
    for it in reversed(former):
        offered = it.rematch is None and it.offer is not None and it.offer.kind == "rematch"
        if it.rematch == state.game or offered:
            return it.game
    return None
