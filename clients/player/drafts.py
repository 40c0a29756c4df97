"""Drafts of what a player sends, and filters of what they subscribe to."""

from collections.abc import Iterable

from arbiter.nostr.event import Tag
from arbiter.nostr.filters import Filter
from clients.player import messages
from clients.player.events import Draft

PROFILE, RATING, ANNOUNCEMENT, REPORT = 0, 30300, 31990, 1984

PEOPLE = "people"
"""The subscription to profiles and ratings: a relay that refuses it is not asked again."""

SPOKEN = frozenset({messages.RESPONSE, messages.STATE, messages.ERROR, messages.PGN_NOTE})
"""The kinds in which the arbiter speaks to players."""

RECORDS_WANTED = 3
"""Finished games in every subscription: enough to see that ours ended meanwhile."""


def request(me: str, arbiter: str, at: int, content: str = "", tags: Iterable[Tag] = ()) -> Draft:
    """20300: a seat on the terms in the tags, ``state``, ``cancel``, or an answer; ``at``: unix
    seconds.
    """
    return Draft(me, at, messages.REQUEST, (("p", arbiter), *tags), content)


def word(
    me: str, arbiter: str, state: messages.State, content: str, at: int, *, here: bool = False
) -> Draft:
    """20303: a move or a word that answers this state, so that a late copy is stale. ``here`` says
    that we have a socket at the arbiter's own relay.
    """
    players = (("p", state.white), ("p", state.black), *((("here",),) if here else ()))
    answered = (("d", state.game), ("e", state.event), ("p", arbiter))
    return Draft(me, at, messages.MOVE, (*answered, *players), content)


def question(me: str, arbiter: str, game: str, at: int) -> Draft:
    """20303 ``state`` of a spectator, who may know nothing of the game but its id."""
    return Draft(me, at, messages.MOVE, (("d", game), ("p", arbiter)), "state")


def report(me: str, arbiter: str, at: int, about: Iterable[Tag], text: str) -> Draft:
    """1984 (NIP-56): the tags ``about`` name the player and the game, and disclose lines."""
    return Draft(me, at, REPORT, (*about, ("p", arbiter)), text)


def wanted(arbiter: str, *players: str, limit: int | None = None) -> Filter:
    """The arbiter's messages to these players."""
    spoken = (messages.RESPONSE, messages.STATE, messages.ERROR)
    return Filter(authors=(arbiter,), kinds=spoken, tags={"p": players}, limit=limit)


def playing(arbiter: str, me: str) -> tuple[Filter, ...]:
    """The arbiter's messages to this player, their last finished games, and its house."""
    return (
        wanted(arbiter, me),
        Filter(
            authors=(arbiter,), kinds=(messages.PGN_NOTE,), tags={"p": (me,)}, limit=RECORDS_WANTED
        ),
        Filter(authors=(arbiter,), kinds=(ANNOUNCEMENT,), tags={"d": ("chess",)}),
    )


def watching(arbiter: str, me: str, game: str) -> tuple[Filter, ...]:
    """A game of others, and errors to its spectator."""
    return (
        Filter(authors=(arbiter,), kinds=(messages.STATE, messages.PGN_NOTE), tags={"d": (game,)}),
        Filter(authors=(arbiter,), kinds=(messages.ERROR,), tags={"p": (me,)}),
    )


def chat_wanted(
    game: str, me: str, *, opponent: str | None, public: bool, since: int
) -> tuple[Filter, ...]:
    """The chat of one game: ``opponent``'s lines to us, and with ``public`` the spectators'."""
    tags = {"d": (game,)}
    private = Filter(
        authors=(opponent or "",),
        kinds=(messages.PLAYERS_CHAT,),
        tags=tags | {"p": (me,)},
        since=since,
    )
    all_lines = Filter(kinds=(messages.SPECTATORS_CHAT,), tags=tags, since=since)
    return (*((private,) if opponent else ()), *((all_lines,) if public else ()))


def people_wanted(arbiter: str, pubkeys: tuple[str, ...]) -> tuple[Filter, ...]:
    """The profiles of these players, and their ratings by the arbiter."""
    return (
        Filter(authors=pubkeys, kinds=(PROFILE,)),
        Filter(authors=(arbiter,), kinds=(RATING,), tags={"p": pubkeys}),
    )
