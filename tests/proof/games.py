"""Games played over the arbiter, and the transcripts that `arbiter serve` keeps of them."""

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import chess

from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.core.chain import first_link, next_link
from arbiter.core.game import Variant
from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_from_json,
    event_to_json,
)
from arbiter.proof.transcript import Line, Transcript, unpack
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, SERVER

Values = list[dict[str, Any]]


def values_of(octets: bytes) -> Values:
    """The lines of a transcript's file."""
    return [json.loads(line) for line in gzip.decompress(octets).splitlines()]


def file_of(values: Values) -> bytes:
    return gzip.compress(b"\n".join(json.dumps(it).encode() for it in values), 1)


@dataclass
class Played:
    """A finished game: its file, what that unpacks to, and the arbiter's note."""

    octets: bytes
    transcript: Transcript
    note: VerifiedEvent | None


class KeptWorld(World):
    """A world that keeps transcripts in a file of this folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.store = Store.open(folder / "arbiter.sqlite3")
        self.kept = SqliteTranscripts(self.store, SERVER.pubkey)
        self.deps = replace(self.deps, transcripts=self.kept)

    def played(self, table: Table) -> Played:
        octets = self.kept.load(self.game(table.game_id))
        assert octets is not None
        transcript = unpack(octets)
        assert isinstance(transcript, Transcript), transcript
        notes = [it for it in self.publisher.taken_events if it.kind == 64]
        note = next((it for it in notes if ("d", table.game_id) in it.tags), None)
        return Played(octets, transcript, note)


def play(world: KeptWorld, said: Sequence[str], *tags: tuple[str, ...]) -> Played:
    """A game in which this is said: a move by the player on turn, a word by the one named before
    it (``w:draw``). Each is said two seconds after the one before.
    """
    world.clock.ms += 3_600_000
    table = world.start(ALICE, BOB, *tags)
    for text in said:
        world.clock.ms += 2000
        who, _, word = text.rpartition(":")
        table.say(word, key={"w": table.white, "b": table.black}.get(who))
    return world.played(table)


def random_moves(seed: int, plies: int) -> list[str]:
    """Legal moves, until the game ends by the board or after so many."""
    board, chance = chess.Board(), random.Random(seed)
    moves = list[str]()
    while len(moves) < plies and not board.is_game_over():
        moves.append(chance.choice([*board.legal_moves]).uci())
        board.push_uci(moves[-1])
    return moves


def signed_cases() -> list[tuple[str, str, Transcript]]:
    """What players may sign, and what they may not, as `signers.json` has it: ``right`` or
    ``wrong``, the case, and a game that begins ``e2e4 e7e5``, all of whose links and signatures are
    good.
    """
    text = Path(__file__).with_name("signers.json").read_text(encoding="utf-8")
    begun = ["w e2e4 | 1 e2e4 - * -", "b e7e5 | 2 e7e5 - * -"]
    return [(how, name, _signed([*begun, *lines])) for how, name, lines in json.loads(text)]


def _signed(said: Sequence[str]) -> Transcript:
    game_id, chain, lines = "0a" * 16, first_link("0a" * 16, ()), list[Line]()
    for at, text in enumerate(said, 1):
        words, _, shown = text.partition(" | ")
        who, word = words.split(" ")
        ply, uci, offer, result, ended = shown.split(" ")
        tags = (("d", game_id), ("p", SERVER.pubkey))
        # An event of lines makes several states.
        dated = EventTemplate(20303, tags, word, 1_800_000_000 + ("lines" not in word) * at)
        signed = {"w": ALICE, "b": BOB}[who].sign(dated)
        event = event_from_json(event_to_json(signed))
        assert isinstance(event, NostrEvent)
        lines.append(Line(event.id, f"{ply} {uci} {offer} - - {result} {ended}", event))
        chain = next_link(chain, bytes.fromhex(event.id), lines[-1].shown)
    return Transcript(
        game_id=game_id,
        arbiter=SERVER.pubkey,
        white=ALICE.pubkey,
        black=BOB.pubkey,
        chain=chain.hex(),
        start_fen=chess.STARTING_FEN,
        variant=Variant.STANDARD,
        lines=tuple(lines),
    )
