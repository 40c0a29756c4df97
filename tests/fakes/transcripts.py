"""What players signed, in memory."""

from collections.abc import Sequence
from dataclasses import replace

from arbiter.application.ports import SignedLink
from arbiter.core.game import Game
from arbiter.proof.transcript import line_json, packed
from tests.builders import SERVER


class FakeTranscripts:
    """`ports.Transcripts` in memory."""

    def __init__(self) -> None:
        self.links: dict[str, dict[tuple[int, bytes], SignedLink]] = {}
        self.requests: dict[bytes, str] = {}
        self.files: dict[str, bytes] = {}

    def keep_request(self, event_key: bytes, event: str) -> None:
        self.requests[event_key] = event

    def keep_lines(self, game_id: str, *, white: bool, event_key: bytes, event: str) -> None:
        del game_id, white
        self.requests[event_key] = event

    def keep(self, links: Sequence[SignedLink]) -> None:
        for it in links:
            event = it.event or self.requests.get(it.link.event_key)
            of_game = self.links.setdefault(it.game_id, {})
            of_game.setdefault((it.link.version, it.link.event_key), replace(it, event=event))

    def close(self, game: Game) -> None:
        pass

    def replace(self, game_id: str, before: bytes | None, file: bytes) -> bool:
        if self.files.get(game_id, before) != before:
            return False
        self.files[game_id] = file
        return True

    def load(self, game: Game) -> bytes | None:
        if game.id in self.files:
            return self.files[game.id]
        found = sorted(self.links.get(game.id, {}).items())
        lines = (line_json(it.link.event_key.hex(), it.link.shown, it.event) for _, it in found)
        return packed(game, SERVER.pubkey, lines) if found else None
