"""All chapters of the hostile corpus."""

from collections.abc import Callable, Iterator

from tests.hostile import (
    chats,
    envelopes,
    feeds,
    moves,
    notes,
    pages,
    records,
    relays,
    sockets,
    tags,
    wishes,
)
from tests.hostile.case import Case

_CHAPTERS: tuple[Callable[[], Iterator[Case]], ...] = (
    envelopes.envelopes,
    tags.game_ids,
    tags.strangers,
    tags.turns,
    tags.states,
    tags.replays,
    moves.null_moves,
    moves.spellings,
    moves.lines_of_logs,
    moves.promotions,
    moves.after_the_end,
    moves.words_out_of_season,
    moves.by_socket_dialect,
    wishes.with_oneself,
    wishes.challenges,
    wishes.positions,
    wishes.terms,
    wishes.dates,
    wishes.many_strangers,
    relays.floods,
    relays.hostile_relays,
    relays.addresses,
    relays.kinds,
    sockets.requests,
    sockets.names,
    sockets.chat,
    sockets.proofs,
    sockets.players_of_the_draft,
    records.bodies,
    records.nudges,
    pages.paths,
    pages.queries,
    pages.bodies,
    pages.headers,
    pages.moves,
    notes.bombs,
    notes.injections,
    feeds.letters,
    feeds.logs,
    chats.carried_chat,
)

CASES: tuple[Case, ...] = tuple(case for chapter in _CHAPTERS for case in chapter())
