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

HELD_ELSEWHERE: dict[str, str] = {
    "H30, compression bombs": "no compression is offered, and a frame is refused on its announced "
    "size: tests/adapters/relays/test_connection.py",
    "H63, slow and silent relays, half-open sockets, redirects, endless handshakes": "they need a "
    "real socket: tests/adapters/relays/test_connection.py and test_listener_under_pressure.py",
    "H64, addresses of relays by name (rebinding)": "relays are the operator's list, and nothing "
    "else is ever dialled: what a URL may be is in tests/adapters/relays/test_connection.py",
    "H66, pages": "what a page holds of a game and its policy: tests/web/test_game_page.py, "
    "tests/web/test_list_pages.py",
    "H67, muting and marks that turn text round": "the gateway passes chat on as it was signed, or "
    "its signature would break; what is shown is the client's business",
    "H69, expressions": "keys and values are parameters: tests/adapters/test_dynamodb.py; browser "
    "ids are hashed: tests/adapters/test_browsers.py",
    "H70, budgets": "concurrency and throttles stand in the template: tests/template/test_apis.py",
}
"""Parts of the catalogue that no input of a case can show, and where they are shown."""
