"""House opponents: programs that the arbiter announces, for anybody to challenge by name.

Invariant: one is offered to a player who waits, and challenged only by the player's own word.
"""

from collections.abc import Sequence
from dataclasses import replace

from arbiter.nostr.event import VerifiedEvent, all_tags, is_hex_32_bytes
from clients.terminal.challenges import ask_anew
from clients.terminal.notices import Refused, Remark, refused_here
from clients.terminal.outgoing import Step
from clients.terminal.session import House, HousePlayer, Phase, Session
from clients.terminal.terms import BadTerms, Terms, read_terms

OFFER_SECONDS = 20
"""Time for which a player waits before a program is offered."""

SILENT_SECONDS = 10
"""Time for a house player to answer; one that was not running yet never does."""

LATER = "later"
_LEVELS = tuple(map(str, range(1, 9)))
_MAX_PLAYERS = 64
_TAG_LENGTH = 3


def read_house(event: VerifiedEvent) -> House:
    """The players in an announcement; what cannot be read is left out."""
    players = tuple(
        HousePlayer(tag[1], int(tag[2]))
        for tag in all_tags(event, "house")
        if len(tag) >= _TAG_LENGTH and is_hex_32_bytes(tag[1]) and tag[2] in _LEVELS
    )
    return House(players[:_MAX_PLAYERS], event.created_at)


def learn(session: Session, house: House) -> Session:
    """The session with the newest announcement."""
    return replace(session, house=house) if house.at > session.house.at else session


def challenge_house(session: Session, words: str, now: float) -> Step:
    """Challenge a house player of the level in the first word, on the terms in the others."""
    levels = session.house.levels
    if not levels:
        return session, (refused_here("no-house", "This arbiter has no computer opponents"),)
    level, _, rest = words.partition(" ")
    if level not in map(str, levels):
        text = (
            f"Which level? There are {_in_words(levels)}; for example house {levels[0]} 5+3 white"
        )
        return session, (refused_here("bad-terms", text),)
    terms = read_terms(rest)
    if isinstance(terms, Terms) and (terms.rated or terms.start):
        terms = BadTerms("The computer plays casual games alone, from the usual position")
    if isinstance(terms, BadTerms):
        return ask_anew(session, terms, now)
    named = next(each.pubkey for each in session.house.players if str(each.level) == level)
    asked, effects = ask_anew(session, replace(terms, challenge=named), now)
    if any(isinstance(effect, Refused) for effect in effects):
        return session, effects
    return replace(asked, house_tried=frozenset({named})), effects


def ask_the_next(session: Session, now: float, *, silent: bool = False) -> Step | None:
    """Challenge another player of the level whose player is busy, or ``silent``; None if it was no
    house player. When there is no other the player is told so.
    """
    named = session.terms.challenge
    level = next((each.level for each in session.house.players if each.pubkey == named), None)
    if level is None or named not in session.house_tried:
        return None
    pubkey = next(
        (
            each.pubkey
            for each in session.house.players
            if each.level == level and each.pubkey not in session.house_tried
        ),
        None,
    )
    if pubkey is None and silent:
        text = f"The computer does not answer at level {level}: cancel, or go on waiting"
        return replace(session, house_tried=frozenset()), (Remark("house-silent", text),)
    if pubkey is None:
        text = f"The computer is busy at level {level}: try another level, or house again later"
        over = replace(session, phase=Phase.REFUSED, own_challenge=None)
        return over, (refused_here("house-busy", text),)
    tried = replace(session, house_tried=session.house_tried | {pubkey})
    return ask_anew(tried, replace(session.terms, challenge=pubkey), now)


def wait(session: Session, now: float) -> Step | None:
    """The step that time brings to a player who waits; None if it is nothing."""
    if session.phase is not Phase.QUEUED:
        return None
    if session.own_challenge is not None and now - session.last_news_at >= SILENT_SECONDS:
        return ask_the_next(session, now, silent=True)
    return _offer(session, now)


def _offer(session: Session, now: float) -> Step | None:
    """One line to a player who has waited in a pool."""
    levels = session.house.levels
    if session.terms.challenge is not None or not levels or session.house_offered:
        return None
    if now - session.last_news_at < OFFER_SECONDS:
        return None
    choice = f"house {levels[0]}"
    if len(levels) > 1:
        choice += f" is weak, house {levels[-1]} strong"
    text = f"No opponent yet. The computer plays at once: {choice}; or go on waiting"
    return replace(session, house_offered=True), (Remark("house-offered", text),)


def _in_words(levels: Sequence[int]) -> str:
    if len(levels) == 1:
        return f"level {levels[0]}"
    if levels[-1] - levels[0] == len(levels) - 1:
        return f"levels {levels[0]} to {levels[-1]}"
    return "levels " + ", ".join(map(str, levels))
