"""Whole logs that arrive at once: the later half first, twice, with faults in them."""

from random import Random

import pytest

from arbiter.application.play.command import play
from arbiter.application.ports import Conflict
from arbiter.application.results import Result
from arbiter.core.commands import Command, PlayMove, Resign
from arbiter.core.game import Game
from arbiter.core.replies import GameEnded, MovePlayed, Reason, Rejected
from arbiter.dialects.base import GameCommand
from arbiter.dialects.registry import DIALECTS
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game

LINE = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6")


def an_id(number: int) -> str:
    return number.to_bytes(2, "big").hex() * 16


class Log:
    """One game, and the logs of its players."""

    def __init__(self, *numbers: int) -> None:
        self.world = World()
        self.world.games.by_id[a_game().id] = a_game()
        for number in numbers:
            self.bring(number)

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

    def say(self, command: Command, event_key: str) -> Result:
        asked = GameCommand(a_game().id, command)
        return play(self.world.deps, DIALECTS["native"], asked, event_key)

    def game(self) -> Game:
        return self.world.game(a_game().id)

    def line(self) -> list[str]:
        return [move.uci() for move in self.game().moves]


def refused(result: Result) -> list[tuple[Reason, str | None]]:
    return [(it.reason, it.about) for it in result.replies if isinstance(it, Rejected)]


def test_early_moves_are_held_in_silence_until_the_missing_one_brings_them_in_one_write() -> None:
    log = Log()
    for number in (4, 2, 3):
        assert (log.bring(number).status, log.line()) == ("held", [])
    assert len(log.game().pending) == 3
    answer = log.bring(1)
    assert log.line() == [*LINE[:4]]
    assert (log.game().pending, log.game().item_version) == ((), 5)
    assert [type(reply) for reply in answer.replies] == [MovePlayed] * 4


@pytest.mark.parametrize("seed", range(20))
def test_any_order_and_any_repetition_make_the_same_game(seed: int) -> None:
    order = [number + 1 for number in range(len(LINE))] * 3
    Random(seed).shuffle(order)
    log = Log(*order)
    assert log.line() == [*LINE]
    assert len(log.game().applied_ids) == len(LINE)


def test_a_held_move_that_proves_illegal_is_refused_under_its_own_id_and_never_comes_true() -> None:
    log = Log()
    log.bring(2, "e7e4")
    assert refused(log.bring(1)) == [(Reason.ILLEGAL_MOVE, an_id(1002))]
    assert log.bring(2, "e7e4").status == "duplicate"
    assert log.line() == ["e2e4"]


def test_two_early_moves_of_one_number_are_one_move_and_one_fork() -> None:
    log = Log(2)
    log.bring(2, "d7d5")
    assert refused(log.bring(1)) == [(Reason.FORKED, an_id(1002))]
    assert log.line() == ["e2e4", "e7e5"]


def test_who_resigned_after_an_early_move_resigns_when_it_is_played() -> None:
    log = Log(2)
    assert log.say(Resign(BOB.pubkey), an_id(50)).status == "held"
    answer = log.bring(1)
    assert (log.line(), log.game().result) == (["e2e4", "e7e5"], "1-0")
    assert isinstance(answer.replies[-1], GameEnded)


def test_nothing_that_is_held_is_lost_to_a_race() -> None:
    log = Log(3)
    games, commit, raced = log.world.games, log.world.games.commit, list[bool]()

    def race(before: Game, after: Game) -> object:
        if not raced:
            raced.append(True)
            log.bring(2)
            return Conflict(games.load(before.id))
        return commit(before, after)

    games.commit = race  # type: ignore[method-assign,assignment]
    log.bring(1)
    assert log.line() == [*LINE[:3]]


def test_a_stranger_has_nothing_held() -> None:
    log = Log()
    assert refused(log.bring(2, key=EVE))[0][0] is Reason.NOT_A_PLAYER
    assert log.game().pending == ()
