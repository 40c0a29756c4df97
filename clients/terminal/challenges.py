"""Asking for a game on terms, challenges and their links, and cancelling.

The secret key of a link is in no event; the challenge has the public key, and a player who accepts
signs with the link's key a text that names themself.
"""

import hmac
import re
from dataclasses import replace
from hashlib import sha256

from arbiter.nostr.keys import SecretKey
from clients.player.messages import Challenged
from clients.player.terms import OPEN, Terms
from clients.terminal import notices, outgoing
from clients.terminal.names import Misnamed, address_of, read_challenge
from clients.terminal.notices import NO_RELAY, Notice, refused_here
from clients.terminal.session import Phase, Session
from clients.terminal.terms import BadTerms

_NUMBER = re.compile(r"[0-9]{1,4}")
"""A challenge's number in the list; ids are longer."""

_LINK = re.compile(r"([0-9a-f]{32})-([0-9a-f]{64})")

_PLAYING = refused_here("not-now", "Finish or resign this game first")
_FREE = frozenset({Phase.OVER, Phase.REFUSED})
_WAITING = frozenset({Phase.ASKING, Phase.QUEUED})


def ask_anew(session: Session, terms: Terms | BadTerms | None, now: float) -> outgoing.Step:
    """Ask for a game on these terms, or on the last ones; a waiting player may ask for others."""
    if isinstance(terms, BadTerms):
        return session, (refused_here("bad-terms", terms.text),)
    if session.watching is not None:
        return session, (refused_here("not-now", "You watch a game: leave it to play"),)
    if _goes_on_beside(session):
        session = replace(session, game=None, phase=Phase.REFUSED)
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
        terms=wanted,
        answer="",
        proof="",
        house_offered=False,
        house_asked=False,
    )
    return outgoing.ask(with_link(fresh, now), now)


def _goes_on_beside(session: Session) -> bool:
    """Whether the game on the board leaves room for another."""
    game = session.game
    is_playing = session.phase is Phase.PLAYING and outgoing.pending(session) is None
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


def accept(session: Session, name: str | None, now: float) -> outgoing.Step:
    """Accept the challenge of this number, id or link, or the newest."""
    if _goes_on_beside(session):
        session = replace(session, game=None, phase=Phase.REFUSED)
    if session.watching is not None or session.phase not in _FREE | _WAITING:
        return session, (_PLAYING,)
    challenge = _meant(session, name)
    if isinstance(challenge, Notice):
        return session, (challenge,)
    back_to = session.phase if session.phase in _WAITING else Phase.REFUSED
    asking = replace(session, phase=Phase.ASKING, game=None, back_to=back_to)
    return outgoing.ask(accepting(asking, challenge), now)


def decline(session: Session, name: str | None, reason: str, now: float) -> outgoing.Step:
    """Decline the challenge of this number, id or link, or the newest."""
    challenge = _meant(session, name)
    if isinstance(challenge, Notice):
        return session, (challenge,)
    link = read_link(challenge)
    challenge = link[0] if link else challenge
    if not session.links:
        return session, (NO_RELAY,)
    return outgoing.request(session, f"decline:{challenge}:{reason}", now)


def cancel(session: Session, now: float) -> outgoing.Step:
    """Stop waiting, and withdraw every challenge."""
    if session.phase not in _WAITING:
        return session, (refused_here("not-now", "You are not waiting for a game"),)
    return outgoing.request(session, "cancel", now)


def challenged(session: Session, claim: Challenged) -> outgoing.Step:
    """A challenge came."""
    numbered = replace(session, challenges=(*session.challenges, claim.id))
    return numbered, (
        outgoing.look_up(numbered),
        notices.challenge_came(len(numbered.challenges), claim),
    )


def list_challenges(session: Session, _: float) -> outgoing.Step:
    """The challenges that wait for an answer, and our own."""
    names = {person.pubkey: person.name for person in session.people}
    listed = tuple(
        (session.challenges.index(each.id) + 1, each, names.get(each.challenger, ""))
        for each in outgoing.waiting_challenges(session)
    )
    own = outgoing.own_challenge(session)
    return session, (notices.challenges_listed(listed, own_link(session, own) or own),)


def withdrawn(session: Session, claim: Challenged, challenge: str) -> tuple[Notice, ...]:
    """Its author took back a challenge to us."""
    return (notices.challenge_gone(session.challenges.index(challenge) + 1, claim),)


def _meant(session: Session, name: str | None) -> str | Notice:
    """The id or link of the challenge that ``name`` (number, id, link) means, or of the newest."""
    waiting = outgoing.waiting_challenges(session)
    if name is None:
        none = refused_here("no-challenge", "There is no challenge to you")
        return waiting[-1].id if waiting else none
    if not _NUMBER.fullmatch(name):
        try:
            return read_challenge(name)
        except Misnamed as refusal:
            return refused_here("no-challenge", str(refusal))
    numbered = {session.challenges.index(it.id) + 1: it.id for it in waiting}
    gone = refused_here(
        "no-challenge", f"No challenge {name} waits for an answer: challenges lists them"
    )
    return numbered.get(int(name), gone)
