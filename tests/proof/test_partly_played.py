"""A game that a release without chains, or one that kept no events, played in part: what is missing
is said, and nothing of it is called wrong.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.proof.check import check
from arbiter.proof.handed_in import completed
from arbiter.proof.transcript import Transcript, unpack
from tests.application.world import Table
from tests.builders import ALICE, BOB, SERVER
from tests.fakes.transcripts import FakeTranscripts
from tests.proof.games import KeptWorld, play, random_moves

BLITZ = ("time", "180+2")
SAID = [*random_moves(7, 12), "w:resign"]
CHAIN = "the chain: a release that keeps none played a part of the game, so each line is by itself"
REQUESTS = "the requests that the game was made of, and its terms"


class PartlyKept(FakeTranscripts):
    """Keeps all, as its players' clients do, and in the arbiter's file what comes while it
    ``is_keeping``.
    """

    def __init__(self, file: SqliteTranscripts) -> None:
        super().__init__()
        self.file, self.is_keeping = file, True

    def keep_request(self, *args: Any) -> None:
        super().keep_request(*args)
        if self.is_keeping:
            self.file.keep_request(*args)

    def keep(self, *args: Any) -> None:
        super().keep(*args)
        if self.is_keeping:
            self.file.keep(*args)

    def close(self, *args: Any) -> None:
        if self.is_keeping:
            self.file.close(*args)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[KeptWorld]:
    world = KeptWorld(tmp_path)
    yield world
    world.store.close()


def say(table: Table, texts: list[str]) -> None:
    for text in texts:
        table.world.clock.ms += 2000
        who, _, word = text.rpartition(":")
        table.say(word, key={"w": table.white, "b": table.black}.get(who))


@pytest.mark.parametrize("plies", [1, 4, 11])
def test_behind_a_release_without_chains_the_first_lines_are_proven_and_the_rest_is_missing(
    world: KeptWorld, plies: int
) -> None:
    table = world.start(ALICE, BOB, BLITZ)
    say(table, SAID[:plies])
    game = world.game(table.game_id)
    world.deps.games.commit(game, replace(game, chain=b"", item_version=game.item_version + 1))
    # Its state is another one now, which the arbiter shows to who is stale.
    world.deliver(world.record(world.body(table.move_event("e2e4"))))
    table.state = world.publisher.states[game.id]
    say(table, SAID[plies:])

    played = world.played(table)
    found = check(played.transcript, played.note)

    assert played.note
    assert found.wrong == []
    assert found.missing == [CHAIN, "what followed the last state"]
    assert found.proven == [
        f"the players signed {plies + 2} of {plies + 2} lines, for this game",
        f"{plies} half-moves are legal, in this order",
    ]
    assert f"by its note the result is {world.game(game.id).result}" in found.says


@pytest.mark.parametrize(
    ("begin", "end"), [(0, 4), (4, 9), (4, len(SAID))], ids=["begin", "middle", "end"]
)
def test_what_was_not_kept_meanwhile_is_missing_until_a_client_hands_it_in(
    world: KeptWorld, begin: int, end: int
) -> None:
    kept = PartlyKept(world.kept)
    world.deps = replace(world.deps, transcripts=kept)
    kept.is_keeping = begin > 0
    table = world.start(ALICE, BOB, BLITZ)
    say(table, SAID[:begin])
    kept.is_keeping = False
    say(table, SAID[begin:end])
    kept.is_keeping = True
    say(table, SAID[end:])

    played = world.played(table)
    found = check(played.transcript, played.note)

    assert found.wrong == []
    assert CHAIN in found.missing
    assert (REQUESTS in found.missing) == (begin == 0)
    is_cut = any(text.startswith("what led to state") for text in found.missing)
    assert is_cut == (end < len(SAID))
    assert ("what followed the last state" in found.missing) == (end == len(SAID))
    assert f"{begin} half-moves are legal, in this order" in found.proven
    game = world.game(table.game_id)
    whole = kept.load(game)
    assert whole
    assert completed(game, SERVER.pubkey, played.octets, whole) == whole


def test_a_line_without_its_chain_is_still_its_players(world: KeptWorld) -> None:
    game = play(world, SAID, BLITZ)
    lines = game.transcript.lines
    forged = replace(lines[5], event=replace(lines[5].event, content="a2a3"))  # type: ignore[type-var]

    cut = replace(game.transcript, chain="", lines=(*lines[:3], forged, *lines[6:]))

    (flaw,) = check(cut, game.note).wrong
    assert flaw.startswith("state 2: ")


def test_a_live_game_is_shown_as_it_was_read(world: KeptWorld) -> None:
    table = world.start(ALICE, BOB, BLITZ)
    say(table, SAID[:4])
    before = world.game(table.game_id)
    say(table, SAID[4:6])

    transcript = unpack(world.kept.load(before) or b"")

    assert isinstance(transcript, Transcript)
    assert transcript.chain == before.chain.hex()
    assert check(transcript).wrong == []
