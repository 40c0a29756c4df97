"""Errors: their recipients, their number, and the refusals that are written down."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arbiter.application.play.command import play
from arbiter.application.ports import Committed, Conflict
from arbiter.core.decide import decide
from arbiter.core.game import Game
from arbiter.core.replies import Reason, Rejected
from arbiter.core.rules import Rules
from arbiter.dialects.base import GameCommand
from arbiter.dialects.native import DIALECT
from arbiter.nostr.keys import SecretKey
from tests.application.script import run
from tests.application.world import World
from tests.builders import ALICE, EVE, NOW_MS, a_game, after, move
from tests.fakes.stores import FakeGames

BEFORE = """
alice seek time=3d; bob seek time=3d; wait 3s; alice e2e4
"""


def test_an_illegal_move_that_did_not_count_stays_refused_when_it_has_become_legal() -> None:
    script = "alice seek; bob seek; x: alice f1c4 /none > alice !illegal-move\n moves e2e4 e7e5"
    run(f"{script}\n again x > same state\n = ply 2", Rules(illegal_moves_to_lose=0))


def test_seven_refused_moves_of_each_player_are_remembered_and_no_more() -> None:
    talk = run("alice seek; bob seek")
    for side, rank in (("black", "7"), ("white", "2")):
        events = []
        for file in "abcdefgh":
            events.append(talk.players.event(f"{side} {file}{rank}{file}4")[0])
            talk.deliver(talk.world.body(events[-1]))
        remembered = [talk.game().remembers(bytes.fromhex(event.id)) for event in events]
        assert remembered == [False, *[True] * 7]
        talk.line("moves e2e4") if side == "black" else None


def test_strangers_errors_are_not_counted_and_an_error_is_told_where_it_cannot_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each would be a write, and strangers are without number."""
    talk = run(BEFORE)
    taken = dict(talk.world.rate_limits.counts)
    talk.line("eve e7e5 > eve !not-a-player")
    assert talk.world.rate_limits.counts == taken

    def fails(*_: object) -> bool:
        raise OSError

    monkeypatch.setattr(talk.world.rate_limits, "take", fails)
    talk.line("bob nonsense > bob !malformed")


def costly(game: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
    pytest.fail("tens of thousands of hashes for a move that is refused whatever it answers")


OVER = after(a_game(), "f3 e5 g4 Qh4#")


@pytest.mark.parametrize(("game", "author"), [(a_game(), EVE), (OVER, EVE), (OVER, ALICE)])
def test_what_a_move_answers_is_not_looked_for_when_it_is_refused_anyway(
    game: Game, author: SecretKey
) -> None:
    """Finding out takes up to two weeks of hashes, and anybody can name a state that never was."""
    asked = replace(move(a_game(), "e2e4"), player=author.pubkey)
    deps = replace(World().deps, games=FakeGames(game))
    command = GameCommand(game.id, asked, state_id="5" * 64)
    (refused,) = play(deps, replace(DIALECT, shows=costly), command, "c" * 64).replies
    (expected,) = decide(game, asked, NOW_MS).replies
    assert isinstance(refused, Rejected)
    assert isinstance(expected, Rejected)
    assert refused.reason is expected.reason


def test_a_game_that_vanished_between_reading_and_writing_is_unknown() -> None:
    class Vanishing(FakeGames):
        def commit(self, before: Game, after: Game) -> Committed | Conflict:
            self.by_id.pop(before.id, None)
            return super().commit(before, after)

    deps = replace(World().deps, games=Vanishing(a_game()))
    asked = GameCommand(a_game().id, move(a_game(), "e2e4"))
    assert play(deps, DIALECT, asked, "c" * 64).status == Reason.UNKNOWN_GAME
