"""The events that the session sends: requests to play, moves, words, and questions about the game.

Invariant: a move is sent again only after a state has shown that it was not played, and names that
state in its ``e`` tag: if both copies arrive, the later is stale and not a second, illegal move.
"""

from dataclasses import replace

from arbiter.nostr.event import EventTemplate, event_id
from clients.terminal.effects import Effect, LookUp, Send, Subscribe
from clients.terminal.game_view import GameView
from clients.terminal.notices import NO_RELAY, Kept, MoveSent
from clients.terminal.session import (
    SAME_REQUEST_SECONDS,
    SENT_REMEMBERED,
    Pending,
    Phase,
    Request,
    Session,
)
from clients.terminal.writing import game_move, request_to_play

Step = tuple[Session, tuple[Effect, ...]]

_IN_GAME = frozenset({Phase.PLAYING, Phase.OVER})


def inquire(session: Session, now: float) -> Step:
    """Ask the arbiter for the state of our game, or by a request to play.

    A server that numbers its states knows the word ``state``, which never asks for another game;
    other servers answer only requests to play.
    """
    if session.watching is not None:
        watched = session.game or GameView(id=session.watching, watched=True)
        return ask_state(replace(session, phase=Phase.PLAYING, game=watched), watched, now)
    if session.game is not None and session.extended and session.phase in _IN_GAME:
        return ask_state(session, session.game, now)
    return ask(session, now)


def ask(session: Session, now: float) -> Step:
    """Send a request to play: for a seat, or for the state of the game in progress."""
    template = _request(session, now)
    probe = template.content.startswith("accept:") and template.content != session.answer
    phase = Phase.ASKING if session.phase is Phase.CONNECTING else session.phase
    asking = replace(session, phase=phase, challenge_asked=_challenge_in(template))
    if session.own_challenge is not None:
        asking = replace(asking, challenge_asked=session.challenge_asked)
    return _asked(asking, template, now, probe=probe)


def ask_state(session: Session, game: GameView, now: float) -> Step:
    return _asked(session, _word(session, game, "state", now), now)


def _asked(session: Session, template: EventTemplate, now: float, *, probe: bool = False) -> Step:
    tries = session.request.tries + 1 if session.request else 1
    event_id = _id_of(session, template)
    request = Request(template, event_id, now, tries, probe=probe)
    asking = replace(session, request=request, catching_up=False)
    return asking, (Send(template, event_id),)


def _request(session: Session, now: float) -> EventTemplate:
    former = session.challenge_asked
    if session.answer:
        accepts = session.answer.startswith("accept:")
        proof, name = (session.proof, session.name) if accepts else ("", "")
        return request_to_play(
            session.server, int(now), content=session.answer, proof=proof, name=name
        )
    if session.own_challenge is not None:
        # We cannot accept our own challenge, but a player in a game is always sent its state, and
        # this request has no other effect.
        return request_to_play(session.server, int(now), content=f"accept:{session.own_challenge}")
    if former is not None and now - former.created_at < SAME_REQUEST_SECONDS:
        return former
    # To a request without any terms the answer is a game that goes on.
    further, name = bool(session.others), session.name
    return request_to_play(
        session.server, int(now), terms=session.terms, further=further, name=name
    )


def _challenge_in(template: EventTemplate) -> EventTemplate | None:
    return template if any(tag[0] == "challenge" for tag in template.tags) else None


def look(session: Session) -> Step:
    """Ask the relays for what they have stored, and after that the arbiter: a request to play after
    the game has ended would ask for a new one.
    """
    return replace(session, catching_up=True), (Subscribe(),)


def send_pending(session: Session, pending: Pending, now: float) -> Step:
    """Send a move, or keep it until a relay is back."""
    game = session.game
    if not session.links or game is None:
        kept = replace(pending, sent_at=None)
        return replace(session, pending=kept), (Kept(pending.san),)
    template = _word(session, game, pending.content, now)
    sent = replace(
        pending,
        event_id=_id_of(session, template),
        sent_at=now,
        tries=pending.tries + 1,
        refused_by=frozenset(),
        taken=False,
    )
    notice = MoveSent(sent.content, sent.san, sent.event_id, again=sent.tries > 1)
    ids = (*session.sent, sent.event_id)[-SENT_REMEMBERED:]
    return replace(session, pending=sent, sent=ids), (Send(template, sent.event_id), notice)


def send_word(session: Session, content: str, now: float, *, quietly: bool = False) -> Step:
    """Send a word in the game (an offer, an answer, a claim) once; the player sees whether it had
    an effect. ``quietly`` without a notice.
    """
    game = session.game
    if not session.links or game is None:
        return session, (NO_RELAY,)
    template = _word(session, game, content, now)
    event_id = _id_of(session, template)
    if quietly:
        flags = session.flags | {event_id}
        return replace(session, flags=flags), (Send(template, event_id),)
    words = (*session.words, event_id)[-SENT_REMEMBERED:]
    notice = MoveSent(content, content, event_id, again=False)
    return replace(session, words=words), (Send(template, event_id), notice)


def look_up(session: Session) -> LookUp:
    """Ask for the profiles and ratings of the players, and of those who challenge us."""
    return LookUp(players_to_know(session))


def players_to_know(session: Session) -> tuple[str, ...]:
    """The players of our game, and those who challenge us."""
    players = (session.game.white, session.game.black) if session.game is not None else ()
    challengers = (each.challenge.challenger for each in session.challenges)
    return tuple(dict.fromkeys(key for key in (*players, *challengers) if key))


def _word(session: Session, game: GameView, content: str, now: float) -> EventTemplate:
    return game_move(
        content,
        game_id=game.id,
        answers=game.state_id,
        server=session.server,
        white=game.white,
        black=game.black,
        at=int(now),
        here=not game.watched and session.gateway in session.links,
    )


def _id_of(session: Session, template: EventTemplate) -> str:
    return event_id(session.me, template.created_at, template.kind, template.tags, template.content)
