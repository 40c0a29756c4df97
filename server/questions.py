"""Questions of strangers that are only read: pages, pictures, PGN, the stored events of a REQ."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arbiter.application.gateway.deps import GatewayDeps, StoredAsked
from arbiter.application.gateway.subscriptions import stored
from arbiter.core.helpmate import Position, search_position
from arbiter.dialects.arbiter_events import note_event
from arbiter.web.app import App


@dataclass(frozen=True, slots=True)
class Page:
    """A request to the HTTP API, in API Gateway's format."""

    invocation: dict[str, Any]


LENGTH = struct.Struct("!I")


def packed(value: object) -> bytes:
    """The value as one message between our processes: its length, and a pickle."""
    pickled = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(pickled)) + pickled


@dataclass(frozen=True, slots=True)
class Mate:
    """Whether a side can mate in this position."""

    position: Position


@dataclass(frozen=True, slots=True)
class Note:
    """The note of this game, to be kept; no answer."""

    game_id: str


Question = Page | StoredAsked | Mate | Note

Answer = Callable[[Question], Any]


def answer_with(pages: App, gateway: GatewayDeps) -> Answer:
    def answer(question: Question) -> Any:  # noqa: ANN401 - each question has its own
        match question:
            case Page(invocation):
                return pages(invocation, None)
            case StoredAsked():
                return stored(gateway, question)
            case Mate(position):
                return search_position(position)
            case Note(game_id):
                return _write(gateway, game_id)

    return answer


def _write(deps: GatewayDeps, game_id: str) -> None:
    game = deps.games.load(game_id)
    if game is not None:
        note_event(game, deps.server, deps.ratings.rated(game_id), deps.pgns)
