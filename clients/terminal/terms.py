"""The terms of a game, read from words in any order, written as tags, and shown in words.

``3+2`` is three minutes and two seconds, ``0:30+0`` half a minute, ``3d`` three days a move.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import chess

from arbiter.nostr.nip19 import pubkey_in
from clients.player.terms import OPEN, Terms, TimeControl
from clients.terminal.text import closest, short_key

LINK = "link"
"""The word for an open challenge that only players with its link can accept."""

MAX_BASE_SECONDS, MAX_INCREMENT_SECONDS, MAX_DAYS = 10_800, 180, 14

SPELLING = (
    "3+2 (3 minutes, and 2 seconds more with every move), 3+0, 0:30+0 (half a minute), "
    "3d (3 days for each move) or unlimited"
)

_LIVE = re.compile(r"([0-9]{1,3})(?::([0-5][0-9]))?\+([0-9]{1,3})")
_DAYS = re.compile(r"([0-9]{1,2})d")
_RANGE = re.compile(r"([0-9]{1,4})-([0-9]{1,4})")
_BARE = re.compile(
    r"([0-9]{1,5})(|m|min|minutes?|s|sec|seconds?|d|days?)", re.IGNORECASE | re.ASCII
)
_PAIR = re.compile(r"([0-9]{1,3})[/|,]([0-9]{1,3})")
_WORDS: Mapping[str, Mapping[str, Any]] = {
    "rated": {"rated": True},
    "casual": {"rated": False},
    "white": {"color": "white"},
    "black": {"color": "black"},
    "random": {"color": None},
    "chess960": {"variant": "chess960"},
    "standard": {"variant": "standard"},
    "bots": {"bots": True},
    "unlimited": {"time": None},
}
_PLAYERS_PAGE = re.compile(r"^(?:nostr:|.*/players?/)", re.IGNORECASE)


PLAIN = Terms()
"""The game that every server offers."""


@dataclass(frozen=True, slots=True)
class BadTerms:
    """The fault of the words, in a sentence."""

    text: str


def read_terms(words: str, *, whom: bool = False) -> Terms | BadTerms:
    """The terms in a line of words, a FEN after ``start``; an opponent only with ``whom``."""
    before, start, fen = f" {words} ".partition(" start ")
    terms = Terms(start=fen.strip() or None)
    if start and terms.start is None:
        return BadTerms("start is followed by a position in FEN")
    for word in before.split():
        after = _with_word(terms, word, whom=whom)
        if isinstance(after, BadTerms):
            return after
        terms = after
    return _sensible(terms)


def _with_word(terms: Terms, word: str, *, whom: bool) -> Terms | BadTerms:
    if word.lower() in _WORDS:
        return replace(terms, **_WORDS[word.lower()])
    if rating := _RANGE.fullmatch(word):
        return replace(terms, rating=(int(rating[1]), int(rating[2])))
    if whom and word.lower() == LINK:
        return replace(terms, challenge=OPEN, link_key="")
    if whom and (opponent := read_opponent(word)):
        return replace(terms, challenge=opponent)
    if time := read_time(word):
        return replace(terms, time=time)
    if "+" in word or _BARE.fullmatch(word) or _PAIR.fullmatch(word):
        return BadTerms(f"“{word}” is no time control: {SPELLING}")
    if (name := _PLAYERS_PAGE.sub("", word.lower())).startswith(("npub", "nprofile")):
        if not whom:
            return BadTerms("To play one opponent: challenge npub…")
        mistyped = name.startswith("npub")
        return BadTerms("That npub is mistyped" if mistyped else "Name your opponent by an npub")
    meant = closest(word, _WORDS)
    hint = f"did you mean {meant}?" if meant else "for example new 3+2 rated 1400-1800"
    return BadTerms(f"“{word}” is no term of a game: {hint}")


def _sensible(terms: Terms) -> Terms | BadTerms:
    """The terms, unless the arbiter would refuse them."""
    if terms.rated and (terms.time is None or terms.chess960):
        return BadTerms("A rated game is standard chess with a time control, such as 3+2")
    if terms.rated and terms.color and terms.challenge in (None, OPEN):
        return BadTerms("You choose a colour in casual games, or if you challenge one player")
    if terms.rating and terms.rating[0] > terms.rating[1]:
        return BadTerms("The lower end of the rating range comes first: 1400-1800")
    if terms.start is None:
        return terms
    if terms.rated or terms.challenge is None:
        return BadTerms("A position to start from is for casual challenges: challenge open start …")
    try:
        board = chess.Board(terms.start, chess960=terms.chess960)
    except ValueError:
        return BadTerms("The position to start from is no FEN")
    if not board.is_valid() or board.is_game_over():
        return BadTerms("No game can start from this position")
    return terms


def read_time(word: str) -> TimeControl | None:
    """``3+2`` as 180 seconds and 2, ``3d`` as it is; None for anything else or out of bounds."""
    if days := _DAYS.fullmatch(word):
        return TimeControl(days=int(days[1])) if 1 <= int(days[1]) <= MAX_DAYS else None
    if not (live := _LIVE.fullmatch(word)):
        return None
    base, increment = 60 * int(live[1]) + int(live[2] or 0), int(live[3])
    if base > MAX_BASE_SECONDS or increment > MAX_INCREMENT_SECONDS or base + increment == 0:
        return None
    return TimeControl(base, increment)


def time_in_words(time: TimeControl | None) -> str:
    """``3+2``, ``3 days a move``, or ``unlimited``."""
    if time is None:
        return "unlimited"
    if time.days:
        return f"{time.days} day{'s' * (time.days > 1)} a move"
    minutes, seconds = divmod(time.base, 60)
    return f"{minutes}{f':{seconds:02}' if seconds else ''}+{time.increment}"


def read_opponent(word: str) -> str | None:
    """Whom a challenge is for, in hex: an npub, hex, a player's page, or ``open``."""
    if word.lower() == OPEN:
        return OPEN
    return pubkey_in(_PLAYERS_PAGE.sub("", word))


def in_words(terms: Terms) -> str:
    """``3+2, rated, White`` and what else was asked for."""
    words = [time_in_words(terms.time), "rated" if terms.rated else "casual"]
    if terms.chess960:
        words.append("Chess960")
    if terms.color:
        words.append(terms.color)
    if terms.rating:
        words.append("rating {}-{}".format(*terms.rating))
    if terms.bots:
        words.append("bots welcome")
    if terms.start:
        words.append(f"from {terms.start}")
    return ", ".join(words)


def opponent_in_words(challenge: str) -> str:
    return "every player" if challenge == OPEN else short_key(challenge)
