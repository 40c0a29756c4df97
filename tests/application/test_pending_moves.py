"""Whole logs that arrive at once: the later half first, twice, with faults in them."""

from random import Random

import pytest

from arbiter.application.play import play
from arbiter.application.ports import Conflict
from arbiter.application.results import Result
from arbiter.core.commands import Command, PlayMove, Resign
from arbiter.core.game import Game
from arbiter.core.replies import GameEnded, MovePlayed, Reason, Rejected
from arbiter.dialects.base import GameCommand
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, NOW_MS, a_game

LINE = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6")


def an_id(number: int) -> str:
    return number.to_bytes(2, "big").hex() * 16


class Log:
    """One game, and whoever brings its players' logs."""

    def __init__(self) -> None:
        self.world = World()
        self.game_id = a_game().id
        self.world.games.standing[self.game_id] = a_game()

    def bring(self, number: int, uci: str = "", key: SecretKey | None = None) -> Result:
        """The half-move of this number; the event's id follows from both."""
        key = key or (ALICE if number % 2 else BOB)
        command = PlayMove(
            player=key.pubkey,
            uci=uci or LINE[number - 1],
            made_at_ms=NOW_MS,
            received_at_ms=NOW_MS,
            ply=number,
        )
        return self.say(command, an_id(number if not uci else 1000 + number))

    def say(self, command: Command, event_id: str) -> Result:
        asked = GameCommand(self.game_id, command)
        return play(self.world.deps, DIALECTS["dilger"], asked, event_id)

    def game(self) -> Game:
        return self.world.game(self.game_id)

    def line(self) -> list[str]:
        return [move.uci() for move in self.game().moves]


def test_an_early_move_is_held_in_the_game_and_nothing_is_said() -> None:
    log = Log()
    answer = log.bring(2)
    assert (answer.status, answer.replies) == ("held", ())
    assert log.line() == []
    assert len(log.game().pending) == 1


def test_the_missing_move_brings_all_that_waited_for_it_in_one_write() -> None:
    log = Log()
    for number in (4, 2, 3):
        log.bring(number)
    answer = log.bring(1)
    assert log.line() == list(LINE[:4])
    assert log.game().pending == ()
    assert log.game().item_version == 5, "three were held, and the fourth wrote once"
    assert [type(reply) for reply in answer.replies] == [MovePlayed] * 4


@pytest.mark.parametrize("seed", range(20))
def test_any_order_and_any_repetition_make_the_same_game(seed: int) -> None:
    log, chance = Log(), Random(seed)
    order = [number + 1 for number in range(len(LINE))] * 3
    chance.shuffle(order)
    for number in order:
        log.bring(number)
    assert log.line() == list(LINE)
    assert len(log.game().applied_ids) == len(LINE)


def test_a_held_move_that_proves_illegal_is_refused_under_its_own_id_and_never_comes_true() -> None:
    log = Log()
    log.bring(2, "e7e4")
    answer = log.bring(1)
    refused = next(reply for reply in answer.replies if isinstance(reply, Rejected))
    assert refused.reason is Reason.ILLEGAL_MOVE
    assert refused.about == an_id(1002)
    assert log.line() == ["e2e4"]
    assert log.bring(2, "e7e4").status == "duplicate"
    assert log.line() == ["e2e4"]


def test_two_early_moves_of_one_number_are_one_move_and_one_fork() -> None:
    log = Log()
    log.bring(2)
    log.bring(2, "d7d5")
    answer = log.bring(1)
    assert log.line() == ["e2e4", "e7e5"]
    (forked,) = [reply for reply in answer.replies if isinstance(reply, Rejected)]
    assert (forked.reason, forked.about) == (Reason.FORKED, an_id(1002))


def test_whoever_resigned_after_an_early_move_resigns_when_it_is_played() -> None:
    log = Log()
    log.bring(2)
    assert log.say(Resign(BOB.pubkey), an_id(50)).status == "held"
    answer = log.bring(1)
    assert log.line() == ["e2e4", "e7e5"]
    assert log.game().result == "1-0"
    assert isinstance(answer.replies[-1], GameEnded)


def test_nothing_that_is_held_is_lost_when_somebody_writes_between() -> None:
    log = Log()
    log.bring(3)
    games, commit = log.world.games, log.world.games.commit
    raced: list[bool] = []

    def race(before: Game, after: Game) -> object:
        if not raced:
            raced.append(True)
            log.bring(2)
            return Conflict(games.load(before.id))
        return commit(before, after)

    games.commit = race  # type: ignore[method-assign,assignment]
    log.bring(1)

    assert log.line() == list(LINE[:3])


def test_a_stranger_has_nothing_held() -> None:
    log = Log()
    eve = SecretKey.from_hex("7" * 64)
    answer = log.bring(2, key=eve, uci="e7e5")
    assert log.game().pending == ()
    (refused,) = answer.replies
    assert isinstance(refused, Rejected)
    assert refused.reason is Reason.NOT_A_PLAYER
