"""One input into the session: the whole client but for its sockets and its screen.

Invariant: `step` is pure and takes every input in every order.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from arbiter.nostr.relay_messages import PublishStatus
from clients.player.chat import ChatLine
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkDown, LinkUp, Tick, Verdict
from clients.player.messages import Challenged, Message, State
from clients.player.text import clean
from clients.player.tournaments import Standings, Told, Tournament
from clients.terminal import notices, tournaments
from clients.terminal.chat import receive_line
from clients.terminal.effects import Effect, Leave
from clients.terminal.execute import execute
from clients.terminal.game_actions import call_flag, plays
from clients.terminal.game_notices import introduced
from clients.terminal.house import learn as learn_house
from clients.terminal.house import wait
from clients.terminal.on_event import receive
from clients.terminal.outgoing import Step, ask, inquire, players_to_know, send_again, what_waits
from clients.terminal.profiles import Profile, Rating, learn, shown_name
from clients.terminal.session import (
    ANSWER_SECONDS,
    ANSWER_SECONDS_MAX,
    CONNECT_SECONDS,
    LEAVE_SECONDS,
    MOVE_SECONDS,
    QUEUE_SECONDS,
    QUIET_SECONDS,
    SLOW_QUIET_SECONDS,
    ExitCode,
    Heard,
    House,
    Input,
    InputOver,
    Phase,
    Session,
    Signed,
    TypedLine,
)


def step(session: Session, given: Input, now: float) -> Step:
    """The session after ``given``, and what to do and show, in order."""
    match given:
        case LinkUp():
            return _link_up(session, given.url, now)
        case LinkDown():
            return _link_down(session, given)
        case CaughtUp():
            return _caught_up(session, now) if session.catching_up else (session, ())
        case Verdict():
            return _verdict(session, given)
        case Heard(what, stored):
            return _heard(session, what, now, stored=stored)
        case TypedLine():
            return execute(session, given.text, now)
        case InputOver():
            return _input_over(session, now)
        case Tick():
            return _tick(session, now)
        case _:
            assert_never(given)


def _heard(session: Session, what: Signed, now: float, *, stored: bool) -> Step:
    match what:
        case ChatLine():
            return receive_line(session, what, now)
        case House():
            return learn_house(session, what), ()
        case Profile() | Rating():
            return _introduce(session, what)
        case Tournament() | Standings() | Told():
            return tournaments.learn(session, what, now)
        case _:
            received, effects = receive(session, what, now, stored=stored)
            return _with_names(received, what), effects


def _with_names(session: Session, message: Message) -> Session:
    """The session with the names in the message, until profiles come."""
    told: Iterable[tuple[str, str]] = ()
    if isinstance(message, State):
        told = zip((message.white, message.black), message.names, strict=False)
    elif isinstance(message, Challenged):
        told = ((message.challenger, message.name),)
    for pubkey, name in told:
        if shown := shown_name(name):
            session, _ = _introduce(session, Profile(pubkey, shown, 0))
    return session


def _introduce(session: Session, known: Profile | Rating) -> Step:
    """A profile or a rating came; those of other players are dropped."""
    wanted = players_to_know(session)
    if known.pubkey not in wanted:
        return session, ()
    before = session.people
    people = tuple(each for each in learn(before, known) if each.pubkey in wanted)
    after = replace(session, people=people)
    game = session.game
    if people == before or game is None or known.pubkey not in (game.white, game.black):
        return after, ()
    seen = replace(game, people=people)
    after = replace(after, game=seen)
    if seen.described(known.pubkey) == game.described(known.pubkey):
        return after, ()
    return after, (introduced(seen, known.pubkey),)


def _link_up(session: Session, url: str, now: float) -> Step:
    first = not session.links
    linked = replace(
        session,
        links=session.links | {url},
        unreachable=session.unreachable - {url},
        was_linked=True,
    )
    notice = notices.relay_found(url, len(linked.links), back=first and session.was_linked)
    if first:
        return replace(linked, catching_up=True), (notice,)
    if session.request is not None:
        # The same event: a server that had it from another relay knows its id.
        return linked, (notice, Send(session.request.draft))
    if url == session.gateway and plays(session):
        # Or our opponent is told that we have left.
        asking, effects = inquire(linked, now)
        return asking, (notice, *effects)
    return linked, (notice,)


def _caught_up(session: Session, now: float) -> Step:
    """Ask the arbiter, except after a game, when that would begin another. If a rematch was
    offered, the state of the old game names the new one.
    """
    waits: tuple[Effect, ...] = ()
    if not session.knows_waiting and session.watching is None:
        session = replace(session, knows_waiting=True)
        waits = (Send(what_waits(session, now)),)
    game = session.game
    awaits = game is not None and game.offer is not None
    if session.phase is Phase.REFUSED or (session.phase is Phase.OVER and not awaits):
        return replace(session, catching_up=False), waits
    inquired, effects = inquire(session, now)
    return inquired, effects if waits == effects else (*waits, *effects)


def _link_down(session: Session, lost: LinkDown) -> Step:
    if lost.url not in session.links:
        return _unreachable(session, lost)
    links = session.links - {lost.url}
    session = replace(session, unreachable=session.unreachable | {lost.url})
    notice = notices.relay_lost(lost.url, clean(lost.why), len(links))
    if links:
        return replace(session, links=links), (notice,)
    lost_all = replace(session, request=None, catching_up=False, knows_waiting=False)
    return replace(lost_all, links=links), (notice,)


def _unreachable(session: Session, failed: LinkDown) -> Step:
    """One remark a relay; the attempts go on."""
    if failed.url in session.unreachable:
        return session, ()
    text = f"{failed.url} cannot be reached ({clean(failed.why)}): trying again"
    unreachable = session.unreachable | {failed.url}
    return replace(session, unreachable=unreachable), (notices.remark("relay-unreachable", text),)


def _verdict(session: Session, verdict: Verdict) -> Step:
    pending, request = session.pending, session.request
    mine = request is not None and request.draft.id == verdict.event_id
    if pending is not None and pending.event_id == verdict.event_id:
        if verdict.status is PublishStatus.ACCEPTED:
            return replace(session, pending=replace(pending, taken=True)), ()
        refused = replace(pending, refused_by=pending.refused_by | {verdict.url})
        session, mine = replace(session, pending=refused), refused.refused_by >= session.links
        if refused.taken:
            return session, ()
    if not mine or verdict.status is PublishStatus.ACCEPTED:
        return session, ()
    if verdict.status is PublishStatus.NO_SUBSCRIBERS:
        text = "This relay has no subscriber for it just now: is the arbiter running?"
        return session, (notices.remark("unheard", text),)
    return session, (notices.refused_by_relay(clean(verdict.text) or "refused"),)


def _input_over(session: Session, now: float) -> Step:
    over = replace(session, input_over=True)
    game = session.game
    if session.phase is Phase.OVER and not session.asks and game is not None and game.pgn is None:
        # Its record is still to come.
        return replace(over, leave_at=now + LEAVE_SECONDS), ()
    if session.asks or session.phase in (Phase.OVER, Phase.REFUSED):
        refused = session.phase is Phase.REFUSED
        return over, (Leave(ExitCode.REFUSED if refused else ExitCode.ENDED),)
    return over, ()


def _tick(session: Session, now: float) -> Step:
    if session.leave_at is not None and now >= session.leave_at:
        return session, (Leave(ExitCode.ENDED),)
    if not session.links:
        if not session.was_linked and now - session.started_at >= CONNECT_SECONDS:
            return session, (Leave(ExitCode.NO_RELAY),)
        return session, ()
    flagged = call_flag(session, now)
    if flagged is not None:
        return flagged
    if session.catching_up:
        return session, ()
    if session.request is not None:
        waited = now - session.request.sent_at
        patience = min(ANSWER_SECONDS * 2 ** (session.request.tries - 1), ANSWER_SECONDS_MAX)
        if waited < patience:
            return session, ()
        asking, effects = inquire(session, now)
        # In a game the first may be the fault of a relay that dropped the answer as a copy.
        if session.phase is Phase.PLAYING and session.request.tries == 1:
            return asking, effects
        return asking, (notices.no_answer(int(waited)), *effects)
    return _quiet(session, now)


def _quiet(session: Session, now: float) -> Step:
    """No request is open: ask again from time to time, as an event may have been missed."""
    pending = session.pending
    if pending is not None and pending.sent_at is not None:
        waited = now - pending.sent_at
        return send_again(session, pending, now) if waited >= MOVE_SECONDS else (session, ())
    if step_of_time := wait(session, now) or tournaments.wait_in_arena(session, now):
        return step_of_time
    if session.phase is Phase.QUEUED and now - session.last_news_at >= QUEUE_SECONDS:
        return ask(session, now)
    if session.phase is Phase.PLAYING and session.game is not None:
        quiet = SLOW_QUIET_SECONDS if session.game.is_slow else QUIET_SECONDS
        if now - session.last_news_at >= quiet:
            return inquire(replace(session, last_news_at=now), now)
    return session, ()
