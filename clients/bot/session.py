"""The bot as a reducer over the session that all players share: news of it decide what to ask and
say.
"""

from dataclasses import replace

from clients.bot import aside, lobby, model, play
from clients.bot.config import Config
from clients.player import model as player
from clients.player.events import Send
from clients.player.heard import Tick
from clients.player.messages import REQUEST, Challenged, Queued
from clients.player.outgoing import ask, command, say
from clients.player.session import ask_all, take
from clients.player.tournaments import COMMAND, Tournament


def begin(config: Config, me: str, arbiter: str, gateway: str | None = None) -> model.Session:
    """A session that knows nothing yet of its games."""
    name = config.name
    wire = player.Session(me=me, arbiter=arbiter, name=name, by_bot=True, gateway=gateway)
    return model.Session(config, wire)


def reduce(
    session: model.Session, given: model.Input, now: int
) -> tuple[model.Session, tuple[model.Effect, ...]]:
    """The next session and its effects; `now` is unix milliseconds."""
    session, acts = _taken(session, given, now)
    effects: list[model.Effect] = []
    for act in acts:
        session, more = _done(session, act, now)
        effects += more
    return session, tuple(effects)


def leave(session: model.Session, now: int) -> tuple[model.Session, tuple[model.Effect, ...]]:
    """The program ends: no player is to be paired with a bot that is gone. A game stays."""
    asks = session.config.matchmaking.allow_matchmaking and session.game is None
    if not asks or (lobby.is_free(session) and not lobby.is_waiting(session)):
        return session, ()
    return reduce(session, model.Request("cancel"), now)


def is_at_rest(session: model.Session) -> bool:
    """Whether nothing is to do until something comes."""
    wire = session.wire
    if not wire.links:
        return True
    games = (
        session.game or session.aside or wire.started or any(map(lobby.begins, wire.games.values()))
    )
    asks = (
        wire.open or wire.challenges or wire.entered or session.config.matchmaking.allow_matchmaking
    )
    return wire.listed and not games and not asks


def _taken(
    session: model.Session, given: model.Input, now: int
) -> tuple[model.Session, model.Effects]:
    match given:
        case model.EngineMoved():
            return play.on_engine_moved(session, given, now)
        case model.EngineFailed():
            return play.on_engine_failed(session, given, now)
        case model.Request():
            return session, (given,)
        case Tournament():
            session, _ = _on_wire(session, take(session.wire, given, now), now)
            return lobby.on_tournament(session, given)
        case Tick():
            return _on_tick(session, now)
        case _:
            return _on_wire(session, take(session.wire, given, now), now)


def _done(
    session: model.Session, act: model.Act, now: int
) -> tuple[model.Session, tuple[model.Effect, ...]]:
    wire = session.wire
    match act:
        case model.Speak(game, content):
            if game not in wire.games:
                return session, ()
            wire, _, sent = say(wire, game, content, now)
        case model.Request("state"):
            wire, sent = ask_all(wire, now)
        case model.Request(content, tags):
            wire, _, sent = ask(wire, content, now, tags)
        case model.Command(tournament, word, tags):
            wire, _, sent = command(wire, tournament, word, now, tags)
        case _:
            return session, (act,)
    return replace(session, wire=wire), sent


def _on_wire(
    session: model.Session, step: player.Step, now: int
) -> tuple[model.Session, model.Effects]:
    """The news of the games and challenges that go on."""
    wire, news = step
    session = replace(session, wire=wire)
    effects: model.Effects = ()
    for one in news:
        session, more = _on_news(session, one, now)
        effects = (*effects, *more)
    return session, effects


def _on_news(  # noqa: C901 - one line a kind
    session: model.Session, news: player.Effect, now: int
) -> tuple[model.Session, model.Effects]:
    match news:
        case Send() | player.Mine():
            return session, (news,)
        case player.Began(state):
            return aside.begin(session, state, now)
        case player.Shown(state):
            return aside.on_state(session, state, now)
        case player.Gone(game):
            return aside.on_gone(session, game, now)
        case player.Answered(open=asked) if asked.game is not None:
            return play.on_refused(session, news, now)
        case player.Answered(open=asked) if asked.draft.kind == COMMAND:
            return session, lobby.on_event_answered(news)
        case player.Answered(open=asked) if asked.draft.kind == REQUEST:
            return lobby.on_answered(session, news, now)
        case player.Declined():
            return lobby.on_declined(session, news, now)
        case Queued(challenge=None) if not session.config.matchmaking.allow_matchmaking:
            # A place in a pool that it had before.
            return session, (model.Request("cancel"),)
        case Challenged():
            return lobby.on_challenged(session, news, now)
        case _:
            return session, ()


def _on_tick(session: model.Session, now: int) -> tuple[model.Session, model.Effects]:
    if not session.wire.links:
        return session, ()
    session = lobby.without_a_long_wait(session, now)
    session, effects = _on_wire(session, take(session.wire, Tick(), now), now)
    step = lobby.on_tick if session.game is None else play.on_tick
    for next_step in (step, aside.turn_to_next):
        session, more = next_step(session, now)
        effects = (*effects, *more)
    return session, effects
