"""Have the verifier in Go, written from PROTOCOL.md alone, agree with ours on the games of all
conversations, as they are, partly played, and with every field altered, and on who may sign what.

    python -m tests.proof.second_verifier
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arbiter.core.game import Variant
from arbiter.nostr.event import VerifiedEvent, event_to_json
from arbiter.proof.check import check
from arbiter.proof.transcript import Transcript, unpack
from tests.application.script import conversations, run
from tests.proof.games import file_of, signed_cases, values_of
from tests.proof.tampered import alterations

PROGRAM = Path(__file__).parents[2] / "clients" / "probes" / "verify_game"
ALTERED = 3
"""Games of which every field is altered."""


def games() -> Iterator[tuple[bytes, VerifiedEvent | None]]:
    """The transcript of each game of standard chess in the conversations, and its note. What a
    store that fails half-way leaves is none; that of `arbiter serve` writes all or nothing.
    """
    for text in conversations().values():
        if "crash" in text:
            continue
        world = run(text).world
        notes = {it.tags[0][1]: it for it in world.publisher.taken_events if it.kind == 64}
        for id_ in world.transcripts.links:
            game = world.games.load(id_)
            if game and game.variant is Variant.STANDARD:
                yield world.transcripts.load(game) or b"", notes.get(id_)


def partly_played(octets: bytes) -> bytes:
    """The game's file as a release without chains leaves it that played its second third."""
    first, *lines = values_of(octets)
    third = len(lines) // 3
    return file_of([first | {"chain": ""}, *lines[:third], *lines[2 * third :]])


def ours(octets: bytes, note: VerifiedEvent | None) -> bool:
    found = unpack(octets)
    return isinstance(found, Transcript) and not check(found, note).wrong


def file_of_transcript(it: Transcript) -> bytes:
    """The file of a game of no store."""
    first = {"game": it.game_id, "arbiter": it.arbiter, "white": it.white, "black": it.black}
    first |= {"start": it.start_fen, "variant": it.variant, "chain": it.chain}
    lines = (
        {"id": line.id, "shown": line.shown}
        | ({"event": event_to_json(line.event)} if line.event else {})
        for line in it.lines
    )
    return file_of([first, *lines])


class Theirs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        build = ["go", "build", "-o", str(folder / "verify_game"), "."]
        subprocess.run(build, cwd=PROGRAM, check=True)

    def __call__(self, octets: bytes, note: VerifiedEvent | None) -> bool:
        paths = [self.folder / "transcript", self.folder / "note"][: 1 + (note is not None)]
        paths[0].write_bytes(octets)
        if note is not None:
            paths[1].write_text(json.dumps(event_to_json(note)), encoding="utf-8")
        command = [self.folder / "verify_game", *paths]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def main() -> int:
    corpus = [*games()]
    with tempfile.TemporaryDirectory() as folder:
        theirs = Theirs(Path(folder))
        wrong = [it for it in corpus if not (ours(*it) and theirs(*it))]
        noted = [it for it in corpus if it[1]]
        holes = [(partly_played(octets), note) for octets, note in corpus]
        called_wrong = [it for it in holes if not (ours(*it) and theirs(*it))]
        altered = [
            (it.what, file_of(it.values), note)
            for whole, note in noted[:: len(noted) // ALTERED]
            for it in alterations(values_of(whole), values_of(noted[0][0]))
            if " without " not in it.what  # Go reads what is left out as empty
        ]
        unseen = [what for what, octets, it in altered if ours(octets, it) or theirs(octets, it)]
        signed = [
            (how == "right", name, file_of_transcript(it)) for how, name, it in signed_cases()
        ]
        others = [
            (name, ours(it, None), theirs(it, None))
            for is_right, name, it in signed
            if not ours(it, None) == theirs(it, None) == is_right
        ]
    sys.stdout.write(f"{len(corpus)} games, of which {len(wrong)} are not proven by both\n")
    text = f"{len(holes)} partly played, of which {len(called_wrong)} are called wrong\n"
    sys.stdout.write(text)
    text = f"{len(altered)} alterations, of which {len(unseen)} are not found by both {unseen}\n"
    sys.stdout.write(text)
    sys.stdout.write(f"{len(signed)} signers, of which {len(others)} are misjudged {others}\n")
    return int(bool(wrong or called_wrong or unseen or others))


if __name__ == "__main__":
    sys.exit(main())
