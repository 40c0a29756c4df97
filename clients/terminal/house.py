"""House opponents, offered to a player who waits, and challenged only by the player's own word."""

from collections.abc import Sequence
from dataclasses import replace

from clients.player.people import House
from clients.player.terms import Terms
from clients.terminal.challenges import ask_anew
from clients.terminal.notices import Notice, refused_here, remark
from clients.terminal.outgoing import Step
from clients.terminal.session import Phase, Session
from clients.terminal.terms import BadTerms, read_terms

OFFER_SECONDS = 20
"""Time for which a player waits before a program is offered."""

SILENT_SECONDS = 10
"""Time for a house player to answer; one that does not run yet takes longer."""


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
    if any(isinstance(effect, Notice) and effect.type == "error" for effect in effects):
        return session, effects
    return replace(asked, house_asked=True), effects


def in_line(session: Session, place: int, now: float) -> Step:
    """All programs of the level play, and this is the player's place."""
    text = f"All programs of this level are playing: you are number {place} in line"
    waits = replace(session, house_asked=False, last_news_at=now)
    return waits, (remark("house-line", text),)


def wait(session: Session, now: float) -> Step | None:
    """The step that time brings to a player who waits; None if it is nothing."""
    if session.phase is not Phase.QUEUED:
        return None
    if session.house_asked and now - session.last_news_at >= SILENT_SECONDS:
        text = "No program of this level answers: cancel, or go on waiting"
        return replace(session, house_asked=False), (remark("house-silent", text),)
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
    return replace(session, house_offered=True), (remark("house-offered", text),)


def _in_words(levels: Sequence[int]) -> str:
    if len(levels) == 1:
        return f"level {levels[0]}"
    if levels[-1] - levels[0] == len(levels) - 1:
        return f"levels {levels[0]} to {levels[-1]}"
    return "levels " + ", ".join(map(str, levels))
