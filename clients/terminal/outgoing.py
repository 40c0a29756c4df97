"""The events that the session sends: requests to play, moves, words, and questions about the game.

Invariant: a move names in its ``e`` tag the state that it answers, also when it is sent again: if
both copies arrive, the later is stale and not a second, illegal move.
"""

from dataclasses import replace

from clients.player import drafts
from clients.player.drafts import PEOPLE
from clients.player.events import Draft, Send
from clients.player.messages import State
from clients.player.terms import terms_tags
from clients.terminal.effects import Effect, Subscribe
from clients.terminal.game_notices import kept, sent
from clients.terminal.game_view import GameView
from clients.terminal.notices import NO_RELAY, refused_here
from clients.terminal.session import (
    MOVE_TRIES,
    SAME_REQUEST_SECONDS,
    Pending,
    Phase,
    Request,
    Session,
)

Step = tuple[Session, tuple[Effect, ...]]

CHAT = "chat"
"""A subscription apart: chat is subscribed to game by game, and its stored events do not matter."""

_IN_GAME = frozenset({Phase.PLAYING, Phase.OVER})


def inquire(session: Session, now: float) -> Step:
    """Ask the arbiter for the state of our game, or by a request to play."""
    game = session.game
    if session.watching is not None:
        watched = game or GameView(id=session.watching, watched=True)
        asking = replace(session, phase=Phase.PLAYING, game=watched)
        question = drafts.question(session.me, session.server, watched.id, dated(session, now))
        return _asked(asking, question, now)
    if game is not None and game.state is not None and session.phase in _IN_GAME:
        return _asked(session, _word(session, game.state, "state", now), now)
    return ask(session, now)


def ask(session: Session, now: float) -> Step:
    """Send a request to play, or ask which games there are."""
    draft = _request(session, now)
    phase = Phase.ASKING if session.phase is Phase.CONNECTING else session.phase
    asking = replace(session, phase=phase)
    if session.own_challenge is None:
        is_challenge = any(tag[0] == "challenge" for tag in draft.tags)
        asking = replace(asking, challenge_asked=draft if is_challenge else None)
    return _asked(asking, draft, now)


def what_waits(session: Session, now: float) -> Draft:
    """The request that brings our games, our place, and the challenges to us."""
    return drafts.request(session.me, session.server, dated(session, now), "state")


def _asked(session: Session, draft: Draft, now: float) -> Step:
    tries = session.request.tries + 1 if session.request else 1
    asking = replace(session, request=Request(draft, now, tries), catching_up=False)
    return sending(asking, draft, now)


def sending(session: Session, draft: Draft, now: float) -> Step:
    """Send it, and remember that."""
    return replace(session, sent=session.sent.plus(draft, now)), (Send(draft),)


def dated(session: Session, now: float) -> int:
    """Now by the arbiter's clock, in unix seconds."""
    return session.timing.to_seconds(round(now * 1000))


def _request(session: Session, now: float) -> Draft:
    former = session.challenge_asked
    named = (("name", session.name),) if session.name else ()
    if session.answer:
        accepts = session.answer.startswith("accept:")
        proof = (("proof", session.proof),) if session.proof else ()
        tags = (*proof, *named) if accepts else ()
        return drafts.request(session.me, session.server, dated(session, now), session.answer, tags)
    if session.own_challenge is not None or session.phase is Phase.PLAYING:
        return what_waits(session, now)
    if former is not None and now - former.created_at < SAME_REQUEST_SECONDS:
        return former
    wanted = terms_tags(session.terms)
    # To a request without any terms the answer is a game that goes on.
    further = (("mode", "casual"),) if session.others and not wanted else ()
    tags = (*wanted, *further, *named)
    return drafts.request(session.me, session.server, dated(session, now), tags=tags)


def send_pending(session: Session, pending: Pending, now: float) -> Step:
    """Send a move, or keep it until a relay is back."""
    game = session.game
    if not session.links or game is None or game.state is None:
        return replace(session, pending=replace(pending, sent_at=None)), (kept(pending.san),)
    draft = _word(session, game.state, pending.content, now)
    again = replace(
        pending,
        event_id=draft.id,
        sent_at=now,
        tries=pending.tries + 1,
        refused_by=frozenset(),
        taken=False,
    )
    notice = sent(pending.content, pending.san, draft.id, again=again.tries > 1)
    after, effects = sending(replace(session, pending=again), draft, now)
    return after, (*effects, notice)


def send_again(session: Session, pending: Pending, now: float) -> Step:
    """Send a move without an answer anew, or give it back to the player."""
    if pending.tries < MOVE_TRIES:
        return send_pending(session, pending, now)
    text = f"The arbiter does not answer {pending.san}: enter it again to try once more"
    return replace(session, pending=None), (refused_here("no-answer", text),)


def send_word(session: Session, content: str, now: float, *, quietly: bool = False) -> Step:
    """Send a word in the game (an offer, an answer, a claim) once; the player sees whether it had
    an effect. ``quietly`` without a notice, also of its refusal.
    """
    game = session.game
    if not session.links or game is None or game.state is None:
        return session, (NO_RELAY,)
    draft = _word(session, game.state, content, now)
    if quietly:
        return session, (Send(draft),)
    after, effects = sending(session, draft, now)
    return after, (*effects, sent(content, content, draft.id, again=False))


def look_up(session: Session) -> Subscribe:
    """Ask for the profiles and ratings of the players, and of those who challenge us."""
    return Subscribe(PEOPLE, drafts.people_wanted(session.server, players_to_know(session)))


def tune_in(session: Session, game: GameView, now: float, *, public: bool) -> Subscribe:
    """Subscribe to the chat of this game: the opponent's lines, with ``public`` the spectators'."""
    author = None if game.watched else game.chat_author(session.server)
    at = dated(session, now)
    return Subscribe(
        CHAT, drafts.chat_wanted(game.id, session.me, opponent=author, public=public, since=at)
    )


def players_to_know(session: Session) -> tuple[str, ...]:
    """The players of our game, and those who challenge us."""
    players = (session.game.white, session.game.black) if session.game is not None else ()
    challengers = (each.challenge.challenger for each in session.challenges)
    return tuple(dict.fromkeys(key for key in (*players, *challengers) if key))


def _word(session: Session, state: State, content: str, now: float) -> Draft:
    here = session.watching is None and session.gateway in session.links
    return drafts.word(session.me, session.server, state, content, dated(session, now), here=here)
