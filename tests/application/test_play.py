"""What one command for one game may cost, whoever sends it."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arbiter.application.play import play
from arbiter.core.commands import PlayMove
from arbiter.core.decide import Rules, decide
from arbiter.core.model import Game
from arbiter.core.replies import Rejected
from arbiter.dialects.dialect import GameCommand
from arbiter.dialects.dilger import DIALECT
from arbiter.nostr.keys import SecretKey
from tests.application.world import FakeClock
from tests.builders import ALICE, EVE, NOW_MS, SERVER, a_game, after, move
from tests.fakes.games import FakeGames

LIVE = a_game()
OVER = after(a_game(), "f3 e5 g4 Qh4#")


def costly(game: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
    pytest.fail("tens of thousands of hashes for a move that is refused whatever it answers")


@pytest.mark.parametrize(("game", "author"), [(LIVE, EVE), (OVER, EVE), (OVER, ALICE)])
def test_what_a_move_answers_is_not_looked_for_when_it_is_refused_anyway(
    game: Game, author: SecretKey
) -> None:
    """Finding out takes up to two weeks of hashes, and anybody can name a state that never was."""
    asked = replace(move(LIVE, "e2e4"), player=author.pubkey)
    assert isinstance(asked, PlayMove)
    expected = decide(game, asked, NOW_MS).replies

    answer = play(
        FakeGames(game),
        FakeClock(),
        Rules(),
        SERVER.pubkey,
        replace(DIALECT, shows=costly),
        GameCommand(game.id, asked, state_id="5" * 64),
        "c" * 64,
    )

    assert [type(reply) for reply in answer.replies] == [Rejected]
    assert [reply.reason for reply in answer.replies if isinstance(reply, Rejected)] == [
        reply.reason for reply in expected if isinstance(reply, Rejected)
    ]
