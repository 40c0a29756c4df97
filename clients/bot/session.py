"""The bot's session as a reducer: what comes in changes it and has effects."""

from dataclasses import replace
from typing import assert_never

from clients.bot import aside, lobby, play, tournaments
from clients.bot.config import Config
from clients.bot.model import (
    Ask,
    Effect,
    Effects,
    EngineFailed,
    EngineMoved,
    Input,
    Mined,
    Phase,
    Ready,
    Session,
    Speak,
)
from clients.bot.outgoing import asked, request
from clients.player import model as player
from clients.player.events import Send
from clients.player.heard import Tick
from clients.player.messages import (
    Cancelled,
    Challenged,
    Listed,
    Queued,
    Record,
    Refused,
    Rejected,
    Started,
    State,
)
from clients.player.outgoing import say
from clients.player.session import send_again, take
from clients.player.tournaments import Told, Tournament


def begin(config: Config, me: str, arbiter: str) -> Session:
    """A session that knows nothing yet of its game."""
    return Session(config, player.Session(me=me, arbiter=arbiter))


def reduce(session: Session, given: Input, now: int) -> tuple[Session, tuple[Effect, ...]]:
    """The next session and its effects; `now` is unix milliseconds."""
    session, effects = _taken(session, given, now)
    sent: list[Effect] = []
    for effect in effects:
        if not isinstance(effect, Speak):
            sent.append(effect)
        elif effect.game in session.wire.games:
            wire, _, said = say(session.wire, effect.game, effect.content, now)
            session = replace(session, wire=wire)
            sent += said
    return session, tuple(sent)


def _taken(  # noqa: C901, PLR0912 - one line an input
    session: Session, given: Input, now: int
) -> tuple[Session, Effects]:
    match given:
        case Ready():
            return _on_ready(session, now)
        case Tick():
            return _on_tick(session, now)
        case EngineMoved():
            return play.on_engine_moved(session, given, now)
        case EngineFailed():
            return play.on_engine_failed(session, given, now)
        case Mined():
            return asked(session, given.draft, now), (Send(given.draft),)
        case Ask(content):
            session, draft = request(session, content, now)
            return session, (Send(draft),)
        case Told():
            return tournaments.on_told(session, given), ()
        case Tournament():
            return tournaments.on_tournament(session, given, now)
        case State():
            return _on_state(session, given, now)
        case Started():
            session, here = tournaments.on_started(session, given, now)
            session, effects = _with_state_of_game(*lobby.on_started(session, given, now), now)
            return session, (*here, *effects)
        case Cancelled(challenge=str(gone)):
            return lobby.on_withdrawn(session, gone), ()
        case Queued() | Cancelled():
            return lobby.on_answer(session, given, now)
        case Challenged():
            return _on_challenged(session, given, now)
        case Refused():
            return lobby.on_refused(session, given, now)
        case Rejected():
            return _on_wire(session, take(session.wire, given, now), now)
        case Record() | Listed():
            return session, ()
        case _:
            assert_never(given)


def leave(session: Session, now: int) -> tuple[Session, tuple[Effect, ...]]:
    """The program ends: no player is to be paired with a bot that is gone. A game stays."""
    asks = session.config.matchmaking.allow_matchmaking
    if not asks or session.game is not None or session.phase in {Phase.IDLE, Phase.EXPECTING}:
        return session, ()
    session, cancel = request(session, "cancel", now)
    return session, (Send(cancel),)


def is_at_rest(session: Session) -> bool:
    """Whether nothing is to do until something comes."""
    if not session.connected:
        return True
    waits = (
        session.challenges
        or session.unclaimed
        or session.aside
        or session.arenas
        or session.entering
        or session.config.matchmaking.allow_matchmaking
    )
    return session.phase is Phase.IDLE and not waits


def _on_wire(session: Session, step: player.Step, now: int) -> tuple[Session, Effects]:
    """Moves and words are sent, and sent again; the bot hears which of them are refused."""
    wire, news = step
    session = replace(session, wire=wire)
    effects: Effects = tuple(one for one in news if isinstance(one, Send))
    for one in news:
        more: Effects = ()
        if isinstance(one, player.Answered):
            session, more = play.on_refused(session, one, now)
        elif isinstance(one, player.Gone):
            session, more = lobby.ask_state_aside(session, now)
        effects = (*effects, *more)
    return session, effects


def _on_challenged(session: Session, challenge: Challenged, now: int) -> tuple[Session, Effects]:
    """The challenger may have the place of an opponent who has gone."""
    is_left = play.is_left(session, now)
    is_free = is_left or session.phase in {Phase.IDLE, Phase.WAITING, Phase.LOST}
    session, effects = lobby.on_challenged(session, challenge, now, is_free=is_free)
    if is_left and challenge in session.challenges:
        session, more = play.leave(session)
        effects = (*effects, *more)
    return session, effects


def _on_ready(session: Session, now: int) -> tuple[Session, Effects]:
    """Ask for what may have been lost meanwhile."""
    session = replace(session, connected=True, read_at=now)
    session, said = _on_wire(session, send_again(session.wire, now, 0), now)
    if session.game is None:
        session, asked = lobby.ask_state(session, now)
        return session, (*said, *asked)
    session, effects = play.read_again(session, now)
    effects = (*said, *effects)
    # Challenges, too, may have come.
    session, more = lobby.ask_state_aside(session, now)
    return session, (*effects, *more)


def _on_tick(session: Session, now: int) -> tuple[Session, Effects]:
    if not session.connected:
        return session, ()
    session, said = _on_wire(session, send_again(session.wire, now), now)
    step = lobby.on_tick if session.game is None else play.on_tick
    session, effects = step(session, now)
    effects = (*said, *effects)
    for next_step in (aside.turn_to_next, aside.read_again, tournaments.on_tick):
        session, more = next_step(session, now)
        effects = (*effects, *more)
    return session, effects


def _on_state(session: Session, state: State, now: int) -> tuple[Session, Effects]:
    if session.me not in {state.white, state.black}:
        return session, ()
    session, told = _on_wire(session, take(session.wire, state, now), now)
    session, effects = _after_state(session, state, now)
    return session, (*told, *effects)


def _after_state(session: Session, state: State, now: int) -> tuple[Session, Effects]:
    if session.game is not None and session.game.state.game == state.game:
        return play.on_state(session, state, now)
    if state.result is not None and session.game is None and session.last is None:
        # It ended while the bot was away, and its opponent may offer a rematch.
        session = replace(session, last=state, over=(*session.over, state.game))
    if state.game in session.over:
        return lobby.on_finished_state(session, state)
    is_known = any(one.state.game == state.game for one in session.aside)
    session, effects = aside.on_state(session, state, now)
    session, more = aside.make_way(session, state, now)
    effects = (*effects, *more)
    if session.game is not None or state.result is not None or is_known:
        return session, effects
    if session.unclaimed is None or (session.unclaimed.game, session.unclaimed.version) != (
        state.game,
        max(session.unclaimed.version, state.version),
    ):
        session = replace(session, unclaimed=state)
    return _with_state_of_game(session, effects, now)


def _with_state_of_game(session: Session, effects: Effects, now: int) -> tuple[Session, Effects]:
    """Plays as soon as both `started:` and the state are there, in either order."""
    state = session.unclaimed
    if session.phase is not Phase.EXPECTING or state is None or state.game != session.expected:
        return session, effects
    session, more = play.begin_game(session, state, now)
    session, declined = lobby.decline_waiting(session, now)
    return session, (*effects, *more, *declined)
