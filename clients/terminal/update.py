"""One input into the session: the client but for sockets and screen. Invariant: `step` is pure."""

from collections.abc import Iterable
from dataclasses import replace

from arbiter.nostr.relay_messages import PublishStatus
from clients.player import model as player
from clients.player.chat import ChatLine
from clients.player.heard import CaughtUp, Differs, LinkDown, LinkUp, Tick, Verdict
from clients.player.inbox import Aside
from clients.player.messages import Challenged, Message, Rejected, State
from clients.player.people import House, Profile, Rating
from clients.player.session import take
from clients.player.text import clean
from clients.player.tournaments import Standings, Told, Tournament
from clients.terminal import notices, tournaments, watching
from clients.terminal.chat import receive_line
from clients.terminal.execute import execute
from clients.terminal.game_actions import call_flag
from clients.terminal.game_notices import introduced, sent
from clients.terminal.house import learn as learn_house
from clients.terminal.house import wait
from clients.terminal.on_news import on_wire, said_by_the_opponent
from clients.terminal.outgoing import Leave, Step, ask, ms, players_to_know, said, say_about
from clients.terminal.profiles import learn, shown_name
from clients.terminal.session import (
    CONNECT_SECONDS,
    LEAVE_SECONDS,
    ExitCode,
    Input,
    InputOver,
    Phase,
    Sealed,
    Session,
    TypedLine,
)


def step(session: Session, given: Input, now: float) -> Step:
    """The session after ``given``, and what to do and show, in order."""
    match given:
        case LinkUp():
            return _link_up(session, given, now)
        case LinkDown():
            return _link_down(session, given, now)
        case CaughtUp():
            return _caught_up(session, given, now)
        case player.Mined():
            return _taken(session, given, now)
        case TypedLine():
            return execute(session, given.text, now)
        case Sealed(game, content):
            return say_about(session, game, content, now)
        case InputOver():
            return _input_over(session, now)
        case Tick():
            return _tick(session, now)
        case _:
            return _heard(session, given, now)


def _heard(session: Session, what: Message | Told | Tournament | Aside, now: float) -> Step:
    match what:
        case ChatLine():
            return receive_line(session, what, now)
        case House():
            return learn_house(session, what), ()
        case Profile() | Rating():
            return _introduce(session, what)
        case Tournament() | Standings():
            return tournaments.learn(session, what, now)
        case Told():
            return _taken(session, what, now)
        case Verdict():
            return _verdict(session, what)
        case Differs(game, text):
            return session, (notices.differs(game, text),)
        case _:
            received, effects = _receive(session, what, now)
            return _with_names(received, what), effects


def _receive(session: Session, message: Message, now: float) -> Step:
    if session.watching is not None:
        return watching.receive(session, message, now)
    theirs = said_by_the_opponent(session, message) if isinstance(message, Rejected) else ()
    session, effects = _taken(session, message, now)
    return session, (*theirs, *effects)


def _taken(session: Session, given: player.Given, now: float) -> Step:
    """Give this to the shared session, and tell its news, and which moves are sent again."""
    before = session.wire.open
    session, effects = on_wire(session, take(session.wire, given, ms(now)), now)
    again = tuple(
        sent(one.content, said(session.game, one), one.draft.id, again=True)
        for handle, one in session.wire.open.items()
        if one.game and not one.quiet and handle in before and before[handle].ids != one.ids
    )
    return session, (*effects, *again)


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


def _link_up(session: Session, found: LinkUp, now: float) -> Step:
    first = not session.links
    session, effects = _taken(session, found, now)
    unreachable = session.unreachable - {found.url}
    back = first and session.was_linked
    session = replace(session, unreachable=unreachable, was_linked=True)
    return session, (notices.relay_found(found.url, len(session.links), back=back), *effects)


def _caught_up(session: Session, relay: CaughtUp, now: float) -> Step:
    if session.watching is not None:
        return watching.inquire(session, session.watching, now)
    session, effects = _taken(session, relay, now)
    if session.phase is not Phase.CONNECTING:
        return session, effects
    session, asked = ask(session, now)
    return session, (*effects, *asked)


def _link_down(session: Session, lost: LinkDown, now: float) -> Step:
    if lost.url not in session.links:
        return _unreachable(session, lost)
    session, _ = _taken(session, lost, now)
    session = replace(session, unreachable=session.unreachable | {lost.url})
    return session, (notices.relay_lost(lost.url, clean(lost.why), len(session.links)),)


def _unreachable(session: Session, failed: LinkDown) -> Step:
    """One remark a relay; the attempts go on."""
    if failed.url in session.unreachable:
        return session, ()
    text = f"{failed.url} cannot be reached ({clean(failed.why)}): trying again"
    unreachable = session.unreachable | {failed.url}
    return replace(session, unreachable=unreachable), (notices.remark("relay-unreachable", text),)


def _verdict(session: Session, verdict: Verdict) -> Step:
    """A relay refuses an event of ours; of a move that another may have taken nothing is told."""
    open_ = session.wire.open.values()
    one = next((it for it in open_ if verdict.event_id in it.ids and not it.quiet), None)
    if one is None or verdict.status is PublishStatus.ACCEPTED:
        return session, ()
    if one.game is not None and len(session.links) > 1:
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
    if session.watching is not None:
        is_over = session.phase in (Phase.OVER, Phase.REFUSED, Phase.CONNECTING)
        return (session, ()) if is_over else watching.wait(session, session.watching, now)
    before = session.wire.open
    session, effects = _taken(session, Tick(), now)
    silent = [
        now - one.asked_at / 1000
        for handle, one in session.wire.open.items()
        if not one.quiet and handle in before and before[handle].sent_at != one.sent_at
    ]
    told = (notices.no_answer(int(max(silent))),) if silent else ()
    session, last = call_flag(session, now) or wait(session, now) or (session, ())
    return session, (*told, *effects, *last)
