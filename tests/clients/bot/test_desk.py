"""The desk of the house: each challenge has a program at once, or a place in line."""

from dataclasses import replace
from typing import cast

import pytest

from clients.bot.config import Config
from clients.bot.desk import MAX_LINE, Desk
from clients.bot.house_config import config_of
from clients.bot.model import Input, Session
from clients.bot.player import Player
from clients.bot.session import begin, reduce
from clients.player.events import Draft, Send
from clients.player.heard import CaughtUp, LinkUp, Tick
from clients.player.messages import Challenged
from tests.clients.bot.scene import ARBITER, NOW, OTHER, state, told


class Program:
    """A player of the house without an engine; ``said`` is what it asked of the arbiter."""

    def __init__(self, house: "House", me: str) -> None:
        self.house, self.me = house, me
        config = config_of(3)
        challenge = replace(config.challenge, queue=MAX_LINE)
        self.config: Config = replace(config, challenge=challenge)
        self.session: Session = begin(self.config, me, ARBITER)
        self.inbox: list[Input] = []
        self.said: list[str] = []
        self.asked: list[Draft] = []

    @property
    def is_settled(self) -> bool:
        return not self.inbox

    def tell(self, given: Input) -> None:
        self.inbox.append(given)

    def hand_back(self) -> tuple[Challenged, ...]:
        return Player.hand_back(cast("Player", self))

    def take(self) -> None:
        given = self.inbox.pop(0)
        self.session, effects = reduce(self.session, given, self.house.now)
        sent = [one.draft for one in effects if isinstance(one, Send)]
        self.asked += [draft for draft in sent if draft.kind == 20300]
        self.said += [draft.content for draft in sent]
        self.house.desk.look(cast("Player", self))


class House:
    """Programs, their desk and the time."""

    def __init__(self, *levels: int, most: int = 64) -> None:
        self.now = NOW
        self.desk = Desk(most, lambda: self.now)
        self.programs = [Program(self, f"{number:064x}") for number in range(1, len(levels) + 1)]
        for program, level in zip(self.programs, levels, strict=True):
            self.desk.add(cast("Player", program), level)
            program.tell(LinkUp("ws://one"))
            program.tell(CaughtUp("ws://one"))

    def settle(self) -> None:
        while waiting := [one for one in self.programs if one.inbox]:
            waiting[0].take()

    def wait(self, seconds: float) -> None:
        self.now += round(seconds * 1000)
        for program in self.programs:
            program.tell(Tick())
        self.settle()

    def answers(self, program: Program, said: str) -> None:
        """The arbiter answers its last request."""
        program.tell(told(20301, said, ("e", program.asked[-1].id), at=self.now))
        self.settle()

    def is_found(self) -> None:
        """The arbiter knows of no game of theirs."""
        self.settle()
        for program in self.programs:
            self.knows_of_none(program)
            program.said.clear()

    def knows_of_none(self, program: Program) -> None:
        answers = ("e", program.asked[-1].id)
        program.tell(told(20301, "error:unknown-game: none", answers, at=self.now))
        program.tell(told(20301, "end", answers, ("end", "0"), at=self.now))
        self.settle()

    def challenge(self, number: int, named: int = 0, **tags: str) -> None:
        content = f"challenged:{number:032x}:{OTHER}"
        message = told(20301, content, *tags.items(), at=self.now)
        self.desk.hear(cast("Player", self.programs[named]), message)
        self.settle()

    def starts(self, program: Program, time: str = "180+2") -> None:
        """A game of this program, whose opponent is to move."""
        game = program.me[-2:] * 16
        program.tell(told(20301, f"started:{game}:{OTHER}:b", at=self.now))
        program.tell(state(at=self.now, game=game, time=time, white=OTHER, black=program.me))
        self.settle()

    def ends(self, program: Program) -> None:
        assert program.session.game is not None
        shown = program.session.game.state
        program.tell(replace(shown, version=shown.version + 1, result="*", termination="aborted"))
        self.settle()

    def plays(self, number: int) -> None:
        """All programs play, each since it accepted a challenge from this number on."""
        for program in self.programs:
            self.challenge(number)
            self.wait(0.2)
            self.starts(program)
            number += 1
        assert self.said == [
            [f"accept:{number - len(self.programs) + at}"] for at in range(len(self.programs))
        ]

    @property
    def said(self) -> list[list[str]]:
        """The questions of each since then, with numbers for challenges."""
        words = [[_short(text) for text in one.said] for one in self.programs]
        for one in self.programs:
            one.said.clear()
        return words


def _short(text: str) -> str:
    return ":".join(str(int(part, 16)) if len(part) == 32 else part for part in text.split(":"))


@pytest.fixture
def house() -> House:
    """Two programs of level 3."""
    made = House(3, 3)
    made.is_found()
    return made


def test_each_challenge_to_a_level_has_a_program_of_its_own(house: House) -> None:
    for number in (1, 2):
        house.challenge(number)
    house.wait(0.2)
    assert house.said == [["accept:1"], ["accept:2"]]


def test_what_is_told_twice_is_accepted_once_and_not_after_it_was_answered(house: House) -> None:
    house.plays(1)
    for _ in range(3):
        house.challenge(3)
        house.wait(2)
    assert house.said == [["wait:3:1"], []]
    house.ends(house.programs[1])
    house.wait(0.2)
    assert house.said == [[], ["accept:3"]]
    house.answers(house.programs[1], "error:unknown-challenge: gone")
    house.challenge(3)
    house.wait(0.2)
    assert house.said == [[], []], "a relay sends it late"


@pytest.mark.parametrize("level", [1, 8])
def test_levels_have_lines_of_their_own(level: int) -> None:
    house = House(3, level)
    house.is_found()
    house.challenge(1)
    house.challenge(2)
    house.challenge(3, named=1)
    house.wait(0.2)
    assert house.said == [["accept:1"], ["accept:3"]]
    house.wait(1)
    assert house.said == [["wait:2:1"], []]


def test_who_waits_is_told_the_place_when_it_changes_and_not_again(house: House) -> None:
    house.plays(1)
    for number in (3, 4, 5):
        house.challenge(number, named=number % 2)
    house.wait(0.9)
    assert house.said == [[], []], "a program may be free at once"
    house.wait(0.1)
    house.wait(5)
    assert house.said == [["wait:3:1", "wait:5:3"], ["wait:4:2"]], "each tells some"
    house.ends(house.programs[0])
    house.wait(0.2)
    assert house.said == [["wait:4:1", "accept:3"], ["wait:5:2"]]
    house.answers(house.programs[0], "error:unknown-challenge: gone")
    house.wait(0.2)
    assert house.said == [["wait:5:1", "accept:4"], []]


def test_who_took_their_challenge_back_leaves_the_line(house: House) -> None:
    house.plays(1)
    house.challenge(3)
    house.challenge(4)
    house.wait(1)
    assert house.said == [["wait:3:1"], ["wait:4:2"]]
    first = house.programs[0].asked[-1]
    gone = told(20301, "error:unknown-challenge: gone", ("e", first.id), at=house.now)
    for _ in range(2):
        house.programs[0].tell(gone)
        house.settle()
    assert house.said == [["wait:4:1"], []]


def test_one_that_its_author_took_back_leaves_the_line_at_once(house: House) -> None:
    house.plays(1)
    house.challenge(3)
    house.challenge(4)
    house.wait(1)
    assert house.said == [["wait:3:1"], ["wait:4:2"]]
    for _ in range(2):
        program = house.programs[1]
        house.desk.hear(cast("Player", program), told(20301, f"cancelled:{3:032x}"))
        house.settle()
    assert house.said == [["wait:4:1"], []]


def test_one_that_has_expired_in_the_line_is_forgotten(house: House) -> None:
    house.plays(1)
    house.challenge(3, expiration=str(NOW // 1000 + 10))
    house.wait(11)
    house.ends(house.programs[0])
    house.wait(0.2)
    assert "accept:3" not in house.said[0]


@pytest.mark.parametrize(
    ("tags", "reason"),
    [({"mode": "rated", "time": "180+2"}, "casual"), ({"time": "3d"}, "timeControl")],
)
def test_terms_that_the_house_does_not_play_are_declined_at_once_also_while_all_play(
    house: House, tags: dict[str, str], reason: str
) -> None:
    house.challenge(1, 0, **tags)
    assert house.said == [[f"decline:1:{reason}"], []]
    house.plays(2)
    house.challenge(4, 1, **tags)
    assert house.said == [[], [f"decline:4:{reason}"]]


def test_the_line_is_as_long_as_can_be_told_of_again(house: House) -> None:
    house.plays(1)
    for number in range(3, 3 + MAX_LINE):
        house.challenge(number)
    assert house.said == [[], []]
    house.challenge(100)
    assert house.said == [["decline:100:later"], []]


def test_what_comes_before_the_arbiter_has_told_of_a_game_waits_for_it() -> None:
    house = House(3, 3)
    house.challenge(1)
    house.starts(house.programs[0])
    assert house.said == [["state"], ["state"]]
    house.knows_of_none(house.programs[1])
    house.wait(0.2)
    assert house.said == [[], ["accept:1"]]


def test_a_challenge_that_a_game_overtakes_goes_to_another_program(house: House) -> None:
    house.challenge(1)
    (taken,) = [one for one in house.programs if one.session.wire.challenges]
    house.starts(taken)
    house.wait(0.2)
    other = next(one for one in house.programs if one is not taken)
    assert [_short(text) for text in other.said] == ["accept:1"]
    assert taken.said == []


@pytest.mark.parametrize("levels", [(3, 3, 3), (1, 3, 8)])
def test_no_more_games_are_begun_than_memory_allows(levels: tuple[int, ...]) -> None:
    house = House(*levels, most=2)
    house.is_found()
    for number in range(3):
        house.challenge(number + 1, named=number)
        house.wait(0.2)
        if number < 2:
            house.starts(next(one for one in house.programs if one.said))
            assert sum(map(len, house.said)) == 1
    house.wait(1)
    assert [*filter(None, house.said)] == [["wait:3:1"]]
    house.ends(next(one for one in house.programs if one.session.game))
    house.wait(0.2)
    assert ["accept:3"] in house.said


@pytest.mark.parametrize("time", ["", "180+2"])
def test_a_game_without_a_clock_whose_player_went_makes_room_and_a_live_one_does_not(
    house: House, time: str
) -> None:
    for number, program in enumerate(house.programs, start=1):
        house.challenge(number)
        house.wait(0.2)
        house.starts(program, time)
    house.challenge(3)
    assert house.said == [["accept:1"], ["accept:2"]]
    house.now += 119_000
    house.challenge(4)
    assert not any("quit" in one.said for one in house.programs)
    house.now += 1_000
    house.challenge(5)
    assert [one.said.count("quit") for one in house.programs] == ([1, 1] if time == "" else [0, 0])
    if time == "":
        for program in house.programs:
            house.ends(program)
        house.wait(0.2)
        assert [_short(one.said[-1]) for one in house.programs] == ["accept:3", "accept:4"]


def test_a_game_whose_player_went_is_none_that_memory_is_kept_for() -> None:
    house = House(1, 8, most=1)
    house.is_found()
    house.challenge(1)
    house.wait(0.2)
    house.starts(house.programs[0], time="")
    house.challenge(2, named=1)
    house.wait(119)
    assert "accept:2" not in house.said[1]
    house.wait(1)
    house.wait(0.2)
    assert "accept:2" in house.said[1]
