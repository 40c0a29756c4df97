"""Asking for a game on terms, challenges to and from others and their links, and cancelling.

Invariant: a challenge is made once. A second one would be another challenge, so a slow answer never
makes the client ask again: it asks whether a game has come of the first in words that make none.
The secret key of a link is in the link and in no event; the challenge has the public key, and a
player who accepts signs with the link's key a text that names themself.
"""

import hmac
import re
from dataclasses import replace
from hashlib import sha256

from arbiter.nostr.keys import SecretKey
from clients.player import drafts
from clients.player.messages import Cancelled, Challenged
from clients.player.terms import OPEN, Terms
from clients.terminal import notices
from clients.terminal.games import set_aside
from clients.terminal.names import Misnamed, address_of, read_challenge
from clients.terminal.notices import NO_RELAY, Notice, refused_here, remark
from clients.terminal.outgoing import Step, ask, dated, look_up, sending
from clients.terminal.session import CHALLENGES_REMEMBERED, OpenChallenge, Phase, Session
from clients.terminal.terms import BadTerms

DECLINED = "declined"

_NUMBER = re.compile(r"[0-9]{1,4}")
"""A challenge's number in the list; ids are longer."""

_LINK = re.compile(r"([0-9a-f]{32})-([0-9a-f]{64})")

_PLAYING = refused_here("not-now", "Finish or resign this game first")
_FREE = frozenset({Phase.OVER, Phase.REFUSED})
_WAITING = frozenset({Phase.ASKING, Phase.QUEUED})


def ask_anew(session: Session, terms: Terms | BadTerms | None, now: float) -> Step:
    """Ask for a game on these terms, or on the last ones; a waiting player may ask for others."""
    if isinstance(terms, BadTerms):
        return session, (refused_here("bad-terms", terms.text),)
    if session.watching is not None:
        return session, (refused_here("not-now", "You watch a game: leave it to play"),)
    if _goes_on_beside(session):
        session = replace(set_aside(session), phase=Phase.REFUSED)
    if session.phase not in _FREE and (terms is None or session.phase is not Phase.QUEUED):
        waiting = session.phase is not Phase.PLAYING
        text = (
            "You have already asked for a game" if waiting else "Finish or resign this game first"
        )
        return session, (refused_here("not-now", text),)
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
        house_offered=False,
        house_asked=False,
    )
    return ask(with_link(fresh, now), now)


def _goes_on_beside(session: Session) -> bool:
    """Whether the game on the board leaves room for another."""
    game = session.game
    is_playing = session.phase is Phase.PLAYING and session.pending is None
    return is_playing and game is not None and not game.watched and game.is_slow


def with_link(session: Session, now: float) -> Session:
    """The session with a fresh key for the link, if its terms ask for one."""
    if session.terms.link_key is None:
        return replace(session, link_key=None)
    key = SecretKey.generate(hmac.digest(session.seed, f"link:{now}".encode(), "sha256"))
    return replace(session, link_key=key, terms=replace(session.terms, link_key=key.pubkey))


def link_of(challenge: str, key: SecretKey) -> str:
    return f"{challenge}-{key.to_hex()}"


def own_link(session: Session, challenge: str | None) -> str | None:
    """The link to this challenge of ours, if any: an address, if the web client's is known."""
    if challenge is None or session.terms.challenge != OPEN:
        return None
    token = link_of(challenge, session.link_key) if session.link_key else challenge
    if session.web is not None:
        return address_of(session.web, token, session.terms, session.me)
    return token if session.link_key else None


def read_link(text: str) -> tuple[str, SecretKey] | None:
    """The challenge's id and the key in a link; None for any other text."""
    found = _LINK.fullmatch(text.lower())
    if found is None:
        return None
    try:
        return found[1], SecretKey.from_hex(found[2])
    except ValueError:
        return None


def accepting(session: Session, name: str) -> Session:
    """The session that will accept the challenge of this id, or of this link."""
    link = read_link(name)
    if link is None:
        return replace(session, answer=f"accept:{name}", proof="")
    challenge, key = link
    proof = key.sign_bytes(sha256(f"accept:{challenge}:{session.me}".encode()).digest()).hex()
    return replace(session, answer=f"accept:{challenge}", proof=proof)


def accept(session: Session, name: str | None, now: float) -> Step:
    """Accept the challenge of this number, id or link, or the newest."""
    if _goes_on_beside(session):
        session = replace(set_aside(session), phase=Phase.REFUSED)
    if session.watching is not None or session.phase not in _FREE | _WAITING:
        return session, (_PLAYING,)
    challenge = _meant(session, name, now)
    if isinstance(challenge, Notice):
        return session, (challenge,)
    back_to = session.phase if session.phase in _WAITING else Phase.REFUSED
    asking = replace(session, phase=Phase.ASKING, game=None, request=None, back_to=back_to)
    asking = accepting(asking, challenge)
    return ask(_closed(asking, asking.answer.removeprefix("accept:")), now)


def decline(session: Session, name: str | None, reason: str, now: float) -> Step:
    """Decline the challenge of this number, id or link, or the newest."""
    challenge = _meant(session, name, now)
    if isinstance(challenge, Notice):
        return session, (challenge,)
    link = read_link(challenge)
    challenge = link[0] if link else challenge
    if not session.links:
        return session, (NO_RELAY,)
    content = f"decline:{challenge}:{reason}"
    draft = drafts.request(session.me, session.server, dated(session, now), content)
    return sending(_closed(session, challenge), draft, now)


def cancel(session: Session, now: float) -> Step:
    """Stop waiting, and withdraw every challenge."""
    if session.phase not in _WAITING:
        return session, (refused_here("not-now", "You are not waiting for a game"),)
    return ask(replace(session, request=None, answer="cancel", back_to=session.phase), now)


def challenged(session: Session, claim: Challenged, now: float) -> Step:
    """A challenge came; copies and expired ones are dropped."""
    known = any(each.challenge.id == claim.id for each in session.challenges)
    if (
        known
        or claim.is_over(round(now * 1000))
        or claim.id in session.closed
        or claim.challenger == session.me
    ):
        return session, ()
    number = session.challenges_seen + 1
    came = OpenChallenge(number, claim)
    waiting = (*open_challenges(session, now), came)[-CHALLENGES_REMEMBERED:]
    numbered = replace(session, challenges=waiting, challenges_seen=number)
    return numbered, (
        look_up(numbered),
        notices.challenge_came(number, claim),
    )


def list_challenges(session: Session, now: float) -> Step:
    """The challenges that wait for an answer, and our own."""
    names = {person.pubkey: person.name for person in session.people}
    listed = tuple(
        (each.number, each.challenge, names.get(each.challenge.challenger, ""))
        for each in open_challenges(session, now)
    )
    own = session.own_challenge
    return session, (notices.challenges_listed(listed, own_link(session, own) or own),)


def open_challenges(session: Session, now: float) -> tuple[OpenChallenge, ...]:
    """The challenges to us that have not expired."""
    return tuple(
        each for each in session.challenges if not each.challenge.is_over(round(now * 1000))
    )


def cancelled(session: Session, message: Cancelled) -> Step:
    """The arbiter's ``cancelled``: about a challenge that was taken back or that we declined, or
    about our own request.
    """
    if message.challenge is not None:
        return _withdrawn(session, message.challenge)
    answered = session.sent.find(message.answers)
    if answered is None or answered.content != "cancel" or session.answer != "cancel":
        declined = answered is not None and answered.content.startswith("decline:")
        told = remark("challenge-declined", "The challenge is declined")
        return session, (told,) if declined else ()
    free = replace(
        session,
        phase=Phase.REFUSED,
        request=None,
        answer="",
        back_to=None,
        own_challenge=None,
        challenge_asked=None,
    )
    return free, (notices.stopped_waiting(),)


def _withdrawn(session: Session, challenge: str) -> Step:
    """Its author took back a challenge to us."""
    gone = next((each for each in session.challenges if each.challenge.id == challenge), None)
    after = _closed(session, challenge)
    return after, ((notices.challenge_gone(gone.number, gone.challenge),) if gone else ())


def _meant(session: Session, name: str | None, now: float) -> str | Notice:
    """The id or link of the challenge that ``name`` (number, id, link) means, or of the newest."""
    waiting = open_challenges(session, now)
    if name is None:
        none = refused_here("no-challenge", "There is no challenge to you")
        return waiting[-1].challenge.id if waiting else none
    if not _NUMBER.fullmatch(name):
        try:
            return read_challenge(name)
        except Misnamed as refusal:
            return refused_here("no-challenge", str(refusal))
    numbered = {each.number: each.challenge.id for each in waiting}
    gone = refused_here(
        "no-challenge", f"No challenge {name} waits for an answer: challenges lists them"
    )
    return numbered.get(int(name), gone)


def _closed(session: Session, challenge: str) -> Session:
    kept = tuple(each for each in session.challenges if each.challenge.id != challenge)
    return replace(session, challenges=kept, closed=session.closed | {challenge})
