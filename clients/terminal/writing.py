"""Event templates of what a player sends, and filters of what they subscribe to. Dates are
arguments, so that an id is known before signing.
"""

from arbiter.nostr.event import EventTemplate
from arbiter.nostr.filters import Filter
from clients.terminal.profiles import PROFILE, RATING
from clients.terminal.terms import Terms, terms_tags
from clients.terminal.wire import (
    ANNOUNCEMENT,
    GAME_ERROR,
    GAME_MOVE,
    GAME_STATE,
    PGN_NOTE,
    PLAYERS_CHAT,
    REQUEST_TO_PLAY,
    RESPONSE_TO_REQUEST,
    SPECTATORS_CHAT,
)

RECORDS_WANTED = 3
"""Finished games in every subscription: enough to see that ours ended meanwhile."""


def wanted(server: str, me: str, watched: str | None = None) -> tuple[Filter, ...]:
    """The arbiter's messages to this player, their last finished games, and its house; for a
    spectator the game ``watched``, and errors to the spectator.
    """
    spoken = (RESPONSE_TO_REQUEST, GAME_STATE, GAME_ERROR)
    to_me = {"p": (me,)}
    if watched is not None:
        return (
            Filter(authors=(server,), kinds=(GAME_STATE, PGN_NOTE), tags={"d": (watched,)}),
            Filter(authors=(server,), kinds=(GAME_ERROR,), tags=to_me),
        )
    return (
        Filter(authors=(server,), kinds=spoken, tags=to_me),
        Filter(authors=(server,), kinds=(PGN_NOTE,), tags=to_me, limit=RECORDS_WANTED),
        Filter(authors=(server,), kinds=(ANNOUNCEMENT,), tags={"d": ("chess",)}),
    )


def chat_wanted(
    game_id: str, me: str, *, opponent: str | None, public: bool, since: int
) -> tuple[Filter, ...]:
    """The chat of one game: ``opponent``'s lines to us, and with ``public`` the spectators'."""
    of_game = {"d": (game_id,)}
    filters: tuple[Filter, ...] = ()
    if opponent is not None:
        to_me = of_game | {"p": (me,)}
        filters = (Filter(authors=(opponent,), kinds=(PLAYERS_CHAT,), tags=to_me, since=since),)
    if public:
        filters = (*filters, Filter(kinds=(SPECTATORS_CHAT,), tags=of_game, since=since))
    return filters


def people_wanted(server: str, pubkeys: tuple[str, ...]) -> tuple[Filter, ...]:
    """The profiles of these players, and their ratings by the arbiter."""
    return (
        Filter(authors=pubkeys, kinds=(PROFILE,)),
        Filter(authors=(server,), kinds=(RATING,), tags={"p": pubkeys}),
    )


def request_to_play(
    server: str,
    at: int,
    *,
    terms: Terms | None = None,
    content: str = "",
    proof: str = "",
    further: bool = False,
    name: str = "",
) -> EventTemplate:
    """20300: a seat in a new game, or the state of the one in progress; with ``content`` an answer
    to a challenge, or ``cancel``. ``proof`` shows that its author has the challenge's link;
    ``further`` asks for a game beside others; ``name`` is what they call themselves.
    """
    shown = (("proof", proof),) if proof else ()
    named = (("name", name),) if name else ()
    wanted = terms_tags(terms) if terms else ()
    if further and terms and not wanted:
        wanted = (("mode", "casual"),)
    tags = (("p", server), *wanted, *shown, *named)
    return EventTemplate(kind=REQUEST_TO_PLAY, tags=tags, content=content, created_at=at)


def game_move(
    content: str,
    *,
    game_id: str,
    answers: str,
    server: str,
    white: str,
    black: str,
    at: int,
    here: bool = False,
) -> EventTemplate:
    """20303. ``answers`` is the id of the state it answers, so that a late copy is stale and not an
    illegal move; version 2 ignores that tag. Empty values are left out: a spectator asks for the
    state before they know the players. ``here``: we have a socket at the arbiter's own relay.
    """
    tags = (("d", game_id), ("e", answers), ("p", server), ("p", white), ("p", black))
    known = tuple(tag for tag in tags if tag[1])
    said = (("here",),) if here else ()
    return EventTemplate(kind=GAME_MOVE, tags=(*known, *said), content=content, created_at=at)


def chat_template(
    game_id: str, text: str, to: str | None, at: int, *, public: bool
) -> EventTemplate:
    """20305 with encrypted text to the opponent, or to the arbiter as its carrier; or a public
    20306, which names the arbiter if it is to carry it.
    """
    tags: tuple[tuple[str, ...], ...] = (("d", game_id), *((("p", to),) if to else ()))
    kind = SPECTATORS_CHAT if public else PLAYERS_CHAT
    return EventTemplate(kind=kind, tags=tags, content=text, created_at=at)
