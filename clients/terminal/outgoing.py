"""What the session sends: a request to play, a move, a look at where things stand.

The law: nothing is sent a second time blindly. A move that went unanswered is sent again only
after a state has shown that it was not played, and then it names that state in its ``e`` tag, so
that should both copies arrive the later one is stale and never a second, illegal move.
"""

from dataclasses import replace

from arbiter.nostr.event import EventTemplate, event_id
from clients.terminal.happenings import Effect, Kept, MoveSent, Send, Subscribe
from clients.terminal.session import SENT_REMEMBERED, Pending, Phase, Request, Session
from clients.terminal.wire import game_move, request_to_play

Step = tuple[Session, tuple[Effect, ...]]


def ask(session: Session, now: float) -> Step:
    """Send a request to play: a seat, or the state of the game that goes on."""
    tries = session.request.tries + 1 if session.request else 1
    template = request_to_play(session.server, int(now))
    request = Request(template, _id_of(session, template), now, tries)
    phase = Phase.ASKING if session.phase is Phase.CONNECTING else session.phase
    asking = replace(session, request=request, catching_up_since=None, phase=phase)
    return asking, (Send(template, request.event_id),)


def look(session: Session, now: float) -> Step:
    """Find out where things stand: first what the relays have stored, then the arbiter.

    In this order, because a request to play after the game has ended would ask for a new one.
    """
    return replace(session, catching_up_since=now), (Subscribe(),)


def send_pending(session: Session, pending: Pending, now: float) -> Step:
    """Send a move, or keep it until a relay is back."""
    game = session.game
    if not session.links or game is None:
        kept = replace(pending, sent_at=None)
        return replace(session, pending=kept), (Kept(pending.san),)
    template = game_move(
        pending.content,
        game_id=game.id,
        answers=game.state_id,
        server=session.server,
        white=game.white,
        black=game.black,
        at=int(now),
    )
    sent = replace(
        pending,
        event_id=_id_of(session, template),
        sent_at=now,
        tries=pending.tries + 1,
        refused_by=frozenset(),
        taken=False,
    )
    told = MoveSent(sent.content, sent.san, sent.event_id, again=sent.tries > 1)
    ids = (*session.sent, sent.event_id)[-SENT_REMEMBERED:]
    return replace(session, pending=sent, sent=ids), (Send(template, sent.event_id), told)


def _id_of(session: Session, template: EventTemplate) -> str:
    return event_id(session.me, template.created_at, template.kind, template.tags, template.content)
