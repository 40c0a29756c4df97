"""Questions that are only read: pages, pictures, PGN, stored events, and transcripts."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arbiter.application.gateway.deps import GatewayDeps, StoredAsked
from arbiter.application.gateway.subscriptions import stored
from arbiter.application.ports import TranscriptFiles
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


@dataclass(frozen=True, slots=True)
class HandIn:
    """A request that hands in a transcript; its answer is a `Checked`."""

    invocation: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer to a transcript, and arguments of ``TranscriptFiles.replace``, or None."""

    answer: dict[str, Any]
    write: tuple[str, bytes | None, bytes] | None


class CheckedTranscripts:
    """`ports.TranscriptFiles` of the process that reads: what is right is handed to the other."""

    def __init__(self, files: TranscriptFiles) -> None:
        self.load = files.load
        self._right: tuple[str, bytes | None, bytes] | None = None

    def replace(self, game_id: str, before: bytes | None, file: bytes) -> bool:
        self._right = game_id, before, file
        return True

    def taken(self) -> tuple[str, bytes | None, bytes] | None:
        """What was found right since this was asked last."""
        right, self._right = self._right, None
        return right


Question = Page | HandIn | StoredAsked | Mate | Note

Answer = Callable[[Question], Any]


def answer_with(pages: App, gateway: GatewayDeps, transcripts: CheckedTranscripts) -> Answer:
    def answer(question: Question) -> Any:  # noqa: ANN401 - each question has its own
        match question:
            case Page(invocation):
                return pages(invocation, None)
            case HandIn(invocation):
                return Checked(pages(invocation, None), transcripts.taken())
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
