"""PROTOCOL.md's client as a reducer. Invariant: a message that comes late, twice or not at all
changes nothing that is known better: states count by version, answers by the event that they name.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from clients.player import arenas, lobby, messages
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick
from clients.player.model import Effect, Given, Gone, Mined, Open, Seek, Session, Step
from clients.player.outgoing import ANSWER_MS, ask, repeat, resend, say, sent_again
from clients.player.playing import expect, is_quiet, misses_a_state, take_state, without_game
from clients.player.tournaments import Told, Tournament

RENEW_MS = 60_000
"""A place in a pool that was asked for over relays lasts two minutes."""

_LEAVES = frozenset({"quit", "resign"})
_UNKNOWN = frozenset({"unknown-game", "not-a-player"})
_UNANSWERED = ("wait:", "here")
"""Words that have no answer where they change nothing."""

_DOUBTED = frozenset({"stale", "game-over", "rate-limited"})


def take(session: Session, given: Given, now: int) -> Step:  # noqa: C901, PLR0912 - a line an input
    """The next session, and what to send and to tell; `now` in unix milliseconds."""
    match given:
        case LinkUp(url):
            return replace(session, links=session.links | {url}), ()
        case LinkDown(url):
            links = session.links - {url}
            return replace(session, links=links, listed=session.listed and bool(links)), ()
        case CaughtUp():
            return _caught_up(session, now)
        case Tick():
            return _tick(session, now)
        case Mined(handle, draft):
            one = session.open.get(handle)
            return sent_again(session, one, draft, now) if one else (session, ())
        case messages.State():
            return take_state(session, given, now)
        case messages.Started():
            session, here = arenas.on_started(session, given, now)
            session, effects = lobby.on_started(session, given, now)
            return session, (*here, *effects)
        case messages.Queued():
            return lobby.on_queued(session, given, now)
        case messages.Cancelled(challenge=str(gone)):
            return lobby.withdraw(session, gone, "cancelled")
        case messages.Cancelled():
            return lobby.on_cancelled(session, given)
        case messages.Challenged():
            return lobby.on_challenged(session, given, now)
        case messages.Blocked():
            return lobby.on_blocked(session, given)
        case messages.Refused():
            return lobby.on_refused(session, given, now)
        case messages.Rejected():
            return _rejected(session, given, now)
        case messages.Listed():
            return _listed(session, given, now)
        case messages.NoticesSet():
            one = lobby.find(session, given.answers)
            return lobby.answer(session, one, given) if one else (session, ())
        case messages.LinesTold():
            one = lobby.find(session, given.answers)
            session, effects = lobby.answer(session, one, given) if one else (session, ())
            return session, (*effects, given)
        case messages.Record(game):
            known = session.games.get(game)
            if known is None or known.state.result is not None:
                return session, (given,)
            # Its last state is lost.
            session, _, sent = say(session, game, "state", now, quiet=True)
            return session, (*sent, given)
        case Told():
            one, session = lobby.find(session, given.answers), arenas.on_told(session, given)
            session, effects = lobby.answer(session, one, given) if one else (session, ())
            return session, (*effects, given)
        case Tournament():
            return arenas.on_tournament(session, given), ()
        case _:
            assert_never(given)


def ask_all(session: Session, now: int) -> tuple[Session, tuple[Send, ...]]:
    """Ask for the games, the place and the challenges: one such question is open at a time."""
    rest = {
        handle: one
        for handle, one in session.open.items()
        if one.content != "state" or one.game is not None or not one.quiet
    }
    session, _, sent = ask(replace(session, open=rest), "state", now, quiet=True)
    return session, sent


def _caught_up(session: Session, now: int) -> Step:
    """A relay has sent what it had: ask for what was missed, send again what may be lost."""
    waiting = [one for one in session.open.values() if one.content != "state"]
    session, effects = ask_all(session, now)
    session, more = _again(session, waiting, now)
    return session, (*effects, *more)


def send_again(session: Session, now: int, after_ms: int = ANSWER_MS) -> Step:
    """Send again what has had no answer for this long."""
    due = [one for one in session.open.values() if now - one.sent_at >= after_ms]
    return _again(session, due, now)


def _again(session: Session, due: Iterable[Open], now: int) -> Step:
    effects: tuple[Effect, ...] = ()
    for one in due:
        session, more = _unanswered(session, one, now)
        effects = (*effects, *more)
    return session, effects


def _tick(session: Session, now: int) -> Step:
    if not session.links:
        return session, ()
    session, effects = send_again(session, now)
    for state in [it.state.game for it in session.games.values() if is_quiet(session, it, now)]:
        session, _, sent = say(session, state, "state", now, quiet=True)
        effects = (*effects, *sent)
    session, more = expect(session, now)
    effects = (*effects, *more)
    if misses_a_state(session, now) and not any(
        it.content == "state" for it in session.open.values()
    ):
        session, more = ask_all(session, now)
        effects = (*effects, *more)
    if session.seek and now - session.seek.renewed_at >= RENEW_MS:
        tags = session.seek.tags
        session = replace(session, seek=Seek(tags, now))
        session, _, sent = ask(session, "", now, tags, quiet=True)
        effects = (*effects, *sent)
    session, more = lobby.expire(session, now)
    session, here = arenas.wait(session, now)
    return session, (*effects, *more, *here)


def _unanswered(session: Session, one: Open, now: int) -> Step:
    if one.refused is not None:
        return lobby.answer(session, one, one.refused)
    if one.content == "state" and one.game is None and session.listed:
        # An arbiter of a former release sends no `end`.
        going = sum(it.state.result is None for it in session.games.values())
        return lobby.without(session, one), (messages.Listed(going),)
    if one.content.startswith(_UNANSWERED):
        return lobby.without(session, one), ()
    return resend(session, one, now)


def _rejected(session: Session, error: messages.Rejected, now: int) -> Step:
    """An error that names an event of ours; any other is the opponent's."""
    one = lobby.find(session, error.answers)
    if one is None or one.game is None:
        return session, ()
    if error.reason in _UNKNOWN and one.content == "state":
        session, effects = lobby.answer(session, one, error)
        return without_game(session, one.game), (*effects, Gone(one.game))
    if error.reason == "stale" and one.content in _LEAVES:
        # Giving up applies whatever was played meanwhile.
        return repeat(session, one, now)
    is_copy = len(one.ids) > 1 and error.answers != one.ids[0]
    if one.content != "state" and error.reason in _DOUBTED and (is_copy or error.reason == "stale"):
        # A former copy may count: the state says so, if it comes.
        doubted = replace(one, refused=error, sent_at=now)
        session = replace(session, open={**session.open, one.handle: doubted})
        session, _, sent = say(session, one.game, "state", now, quiet=True)
        return session, sent
    return lobby.answer(session, one, error)


def _listed(session: Session, listed: messages.Listed, now: int) -> Step:
    """All games were told: ask for the others by name, and for all if there is one too many; forget
    a late ``started:`` of that.
    """
    one = lobby.find(session, listed.answers)
    if one is None:
        return session, ()
    started = {game: it for game, it in session.started.items() if it[1] >= one.asked_at}
    session = replace(session, listed=True, started=started)
    session, effects = lobby.answer(session, one, listed)
    going = [it for it in session.games.values() if it.state.result is None]
    missed = [it for it in going if it.heard_at < one.asked_at]
    excess = len(going) - listed.number
    sent: tuple[Send, ...] = ()
    for known in (missed if len(missed) >= excess else going) if excess > 0 else ():
        session, _, more = say(session, known.state.game, "state", now, quiet=True)
        sent = (*sent, *more)
    return session, (*effects, *sent, *((listed,) if one.quiet else ()))
