"""All hostile inputs."""

from tests.hostile import (
    envelopes,
    games,
    notes,
    pages,
    records,
    relays,
    scuttlebutt,
    sockets,
    wishes,
)
from tests.hostile.case import Case

_CHAPTERS = (
    envelopes.envelopes,
    *(games.whose_game, games.which_state, games.nearly_moves, games.out_of_season),
    *(wishes.challenges, wishes.terms, wishes.dates, wishes.many_strangers),
    *(relays.floods, relays.hostile_relays, relays.addresses_and_kinds),
    *(sockets.requests, sockets.names, sockets.chat, sockets.proofs, sockets.players_of_the_draft),
    records.bodies,
    *(pages.paths, pages.queries, pages.bodies, pages.headers, pages.moves),
    notes.bombs,
    *(scuttlebutt.letters, scuttlebutt.carried_chat),
)
CASES: tuple[Case, ...] = tuple(case for chapter in _CHAPTERS for case in chapter())
