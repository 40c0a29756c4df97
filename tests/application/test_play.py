"""What one command for one game may cost, and which refusals are remembered."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from arbiter.application.play import play
from arbiter.application.ports import Committed, Conflict
from arbiter.core.commands import PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import REFUSED_IDS_PER_SEAT, Game
from arbiter.core.replies import Reason, Rejected
from arbiter.core.rules import Rules
from arbiter.dialects.base import GameCommand
from arbiter.dialects.dilger import DIALECT
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after, move
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
        replace(World().deps, games=FakeGames(game)),
        replace(DIALECT, shows=costly),
        GameCommand(game.id, asked, state_id="5" * 64),
        "c" * 64,
    )

    assert [type(reply) for reply in answer.replies] == [Rejected]
    assert [reply.reason for reply in answer.replies if isinstance(reply, Rejected)] == [
        reply.reason for reply in expected if isinstance(reply, Rejected)
    ]


def test_what_never_comes_true_does_not_push_out_what_could() -> None:
    """A relay that replays a move refused out of turn must find it remembered, whatever nonsense
    its author sent since.
    """
    world = World()
    table = world.start(ALICE, BOB)
    early = table.move_event("e7e5", key=table.black, name_state=False)
    world.hear(early)
    for number in range(REFUSED_IDS_PER_SEAT):
        table.say(f"nonsense {number}", key=table.black)
    table.say("e2e4")

    world.hear(early)

    assert world.game(table.game_id).ply == 1
    assert world.statuses()[-1] == "duplicate"


@pytest.mark.parametrize(
    ("text", "status"), [("nonsense", "malformed"), ("flag", "time-left"), ("g7g5", "stale")]
)
def test_a_refusal_that_stands_for_ever_is_not_written_down(text: str, status: str) -> None:
    """A player cannot make us write by talking nonsense, or in a game that is over."""
    world = World()
    table = world.start(ALICE, BOB)
    first = table.state
    for uci in ("f2f3", "e7e5", "g2g4"):
        table.say(uci)
    last, table.state = table.state, first if status == "stale" else table.state
    version = world.game(table.game_id).item_version

    table.say(text, key=table.black)

    assert world.statuses()[-1] == status
    assert world.game(table.game_id).item_version == version
    table.state = last
    table.say("d8h4")
    version = world.game(table.game_id).item_version
    table.say(text, key=table.black)
    assert world.statuses()[-1] == "game-over"
    assert world.game(table.game_id).item_version == version


def test_seven_refused_moves_of_each_player_are_remembered_and_no_more() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    for rank, key in (("7", table.black), ("2", table.white)):
        early = [table.move_event(f"{file}{rank}{file}4", key=key) for file in "abcdefg"]
        for event in early:
            assert world.hear(event)[0].content.startswith("not-your-turn: ")
        game = world.game(table.game_id)
        assert len(game.black_refused_ids) == 7
        assert len(game.white_refused_ids) == (7 if key is table.white else 0)
        assert [event for event in early if not game.remembers(bytes.fromhex(event.id))] == []
        table.say(f"h{rank}g4", key=key)
        game = world.game(table.game_id)
        remembered = [game.remembers(bytes.fromhex(event.id)) for event in early]
        assert remembered == [False, *[True] * 6]
        table.say("e2e4")


def test_a_players_error_that_no_relay_took_is_made_good_by_the_state() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    table.say("nonsense")
    (body,) = world.republish.bodies
    world.publisher.deaf = False

    world.deliver(world.record(body))

    assert world.publisher.taken_events[-1].id == table.state.id


def test_every_move_is_known_again_however_many_came_after_it() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    played = []
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3"):
        played.append(table.move_event(uci, name_state=False))
        table.state = world.hear(played[-1])[-1]
        world.clock.ms += 1000

    for event in played:
        world.hear(event)
        assert world.statuses()[-1] == "duplicate"
    assert world.game(table.game_id).ply == 5


def test_an_end_that_was_not_told_is_told_with_its_note_when_the_event_comes_again() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    for uci in ("e2e4", "e7e5"):
        table.say(uci)
    leaving = table.move_event("quit")
    told = world.hear(leaving)

    again = world.hear(leaving)

    assert [event.kind for event in again] == [20302, 64]
    assert [event.id for event in again] == [event.id for event in told]


def test_a_move_that_was_dated_ahead_stays_refused_when_its_hour_has_come() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.clock.ms += 16 * 60_000
    ahead = table.move_event("e2e4", name_state=False)
    world.clock.ms -= 16 * 60_000
    assert world.hear(ahead)[0].content.startswith("bad-time: ")
    world.clock.ms += 16 * 60_000

    world.hear(ahead)

    assert world.statuses()[-1] == "duplicate"
    assert world.game(table.game_id).ply == 0


def test_an_illegal_move_that_did_not_count_stays_refused_when_it_has_become_legal() -> None:
    world = World(Rules(illegal_moves_to_lose=0))
    table = world.start(ALICE, BOB)
    blocked = table.move_event("f1c4", name_state=False)
    assert world.hear(blocked)[0].content.startswith("illegal-move: ")
    table.say("e2e4")
    table.say("e7e5")

    world.hear(blocked)

    assert world.statuses()[-1] == "duplicate"
    assert world.game(table.game_id).ply == 2


class Vanishing(FakeGames):
    """A table that loses a game between reading and writing."""

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        self.standing.pop(before.id, None)
        return super().commit(before, after)


def test_a_game_that_vanished_meanwhile_is_unknown() -> None:
    answer = play(
        replace(World().deps, games=Vanishing(LIVE)),
        DIALECT,
        GameCommand(LIVE.id, move(LIVE, "e2e4")),
        "c" * 64,
    )

    assert answer.status == Reason.UNKNOWN_GAME
