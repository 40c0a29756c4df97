"""Asking for a game on terms, challenges to and from others, and taking it all back.

The law: a challenge is made once. It is never asked for again because an answer was slow, since a
second one would stand beside it; whether a game has come of it is asked without words that could
make another.
"""

import re
from dataclasses import replace

from clients.terminal.effects import (
    ChallengeCame,
    ChallengesWanted,
    OpenChallenge,
    Refused,
    Remark,
    Send,
    Source,
    StoppedWaiting,
)
from clients.terminal.links import draw_key, link_of, proof_of, read_link
from clients.terminal.outgoing import Step, ask, look
from clients.terminal.profile_lookup import look_up
from clients.terminal.session import CHALLENGES_REMEMBERED, Phase, Session
from clients.terminal.terms import BadTerms, Terms
from clients.terminal.wire import Challenged
from clients.terminal.writing import request_to_play

DECLINED = "declined"

_NUMBER = re.compile(r"[0-9]{1,4}")
"""What is typed to name a challenge by its place in the list; ids are longer."""

_FREE = frozenset({Phase.OVER, Phase.REFUSED})
_WAITING = frozenset({Phase.ASKING, Phase.QUEUED})


def ask_anew(session: Session, terms: Terms | BadTerms | None, now: float) -> Step:
    """Ask for a game on these terms, or on the last ones; a player who waits may ask again."""
    if isinstance(terms, BadTerms):
        return session, (_no("bad-terms", terms.text),)
    if session.watching is not None:
        return session, (_no("not-now", "You watch a game: leave it to play yourself"),)
    if session.phase not in _FREE and (terms is None or session.phase is not Phase.QUEUED):
        waiting = session.phase is not Phase.PLAYING
        text = "A game was asked for already" if waiting else "Finish or resign this game first"
        return session, (_no("not-now", text),)
    wanted = session.terms if terms is None else terms
    fresh = replace(
        session,
        phase=Phase.ASKING,
        game=None,
        pending=None,
        request=None,
        terms=wanted,
        challenge_asked=None,
        own_challenge=None,
        answer="",
    )
    fresh = with_link(fresh, now)
    if session.phase is Phase.QUEUED:
        return ask(fresh, now)
    return look(fresh, now)


def with_link(session: Session, now: float) -> Session:
    """The session with a fresh key for the link, if its terms ask for one."""
    if session.terms.link_key is None:
        return replace(session, link_key=None)
    key = draw_key(session.seed, now)
    return replace(session, link_key=key, terms=replace(session.terms, link_key=key.pubkey))


def own_link(session: Session, challenge: str | None) -> str | None:
    """The link to this challenge of ours, if it has one."""
    return link_of(challenge, session.link_key) if challenge and session.link_key else None


def accepting(session: Session, name: str) -> Session:
    """The session that will accept the challenge of this id, or of this link."""
    link = read_link(name)
    if link is None:
        return replace(session, answer=f"accept:{name}", proof="")
    challenge, key = link
    return replace(
        session, answer=f"accept:{challenge}", proof=proof_of(challenge, key, session.me)
    )


def accept(session: Session, name: str | None, now: float) -> Step:
    """Play a challenge: the one of this number or id, or the newest."""
    if session.watching is not None or session.phase not in _FREE | _WAITING:
        return session, (_no("not-now", "Finish or resign this game first"),)
    challenge = _meant(session, name, now)
    if isinstance(challenge, Refused):
        return session, (challenge,)
    back_to = session.phase if session.phase in _WAITING else Phase.REFUSED
    asking = replace(session, phase=Phase.ASKING, game=None, request=None, back_to=back_to)
    asking = accepting(asking, challenge)
    return ask(_closed(asking, asking.answer.removeprefix("accept:")), now)


def decline(session: Session, name: str | None, reason: str, now: float) -> Step:
    """Turn a challenge down: the one of this number or id, or the newest."""
    challenge = _meant(session, name, now)
    if isinstance(challenge, Refused):
        return session, (challenge,)
    if not session.links:
        return session, (_no("no-relay", "There is no relay just now: try again in a moment"),)
    content = f"decline:{challenge}:{reason}"
    declined = replace(_closed(session, challenge), declining=session.declining + 1)
    return declined, (Send(request_to_play(session.server, int(now), content=content), ""),)


def cancel(session: Session, now: float) -> Step:
    """Stop waiting, and take back every challenge."""
    if session.phase not in _WAITING:
        return session, (_no("not-now", "You wait for nobody"),)
    return ask(replace(session, request=None, answer="cancel", back_to=session.phase), now)


def challenged(session: Session, heard: Challenged, now: float) -> Step:
    """A challenge came; it may come again, and it may have been stored too long."""
    known = any(each.challenge.challenge == heard.challenge for each in session.challenges)
    late = heard.expires_at is not None and heard.expires_at <= now
    if known or late or heard.challenge in session.closed or heard.challenger == session.me:
        return session, ()
    number = session.challenges_seen + 1
    came = OpenChallenge(number, heard)
    waiting = (*open_challenges(session, now), came)[-CHALLENGES_REMEMBERED:]
    numbered = replace(session, challenges=waiting, challenges_seen=number)
    return numbered, (look_up(numbered), ChallengeCame(came))


def list_challenges(session: Session, now: float) -> Step:
    """Show the challenges that wait for an answer, and our own."""
    names = {person.pubkey: person.name for person in session.people}
    named = tuple(
        replace(each, name=names.get(each.challenge.challenger, ""))
        for each in open_challenges(session, now)
    )
    own = session.own_challenge
    return session, (ChallengesWanted(named, own_link(session, own) or own),)


def open_challenges(session: Session, now: float) -> tuple[OpenChallenge, ...]:
    """The challenges to us that have not expired."""
    return tuple(
        each
        for each in session.challenges
        if each.challenge.expires_at is None or each.challenge.expires_at > now
    )


def cancelled(session: Session) -> Step:
    """The arbiter's ``cancelled``: for a challenge we declined, or for ours and our place."""
    if session.answer != "cancel":
        if not session.declining:
            return session, ()
        told = Remark("challenge-declined", "The challenge is declined")
        return replace(session, declining=session.declining - 1), (told,)
    free = replace(
        session,
        phase=Phase.REFUSED,
        request=None,
        answer="",
        back_to=None,
        own_challenge=None,
        challenge_asked=None,
    )
    return free, (StoppedWaiting(),)


def refusal(text: str, *, mine: bool) -> Refused:
    """An error's machine word, and what it says beside it."""
    word, colon, rest = text.partition(":")
    if colon and word.replace("-", "").isalpha() and word.isascii():
        return Refused(Source.ARBITER, word, rest.strip() or word, mine)
    return Refused(Source.ARBITER, "refused", text or "no reason given", mine)


def _meant(session: Session, name: str | None, now: float) -> str | Refused:
    """The id of a challenge that is named by its number or its id, or of the newest."""
    waiting = open_challenges(session, now)
    if name is None:
        none = _no("no-challenge", "Nobody has challenged you")
        return waiting[-1].challenge.challenge if waiting else none
    if not _NUMBER.fullmatch(name):
        return name
    numbered = {each.number: each.challenge.challenge for each in waiting}
    gone = _no("no-challenge", f"No challenge {name} waits for an answer: challenges lists them")
    return numbered.get(int(name), gone)


def _closed(session: Session, challenge: str) -> Session:
    kept = tuple(each for each in session.challenges if each.challenge.challenge != challenge)
    return replace(session, challenges=kept, closed=session.closed | {challenge})


def _no(code: str, text: str) -> Refused:
    return Refused(Source.CLIENT, code, text)
