"""Players of live games who leave the gateway and come back, and `claim-left`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.play.presence import LOOKS_APART_MS, look_soon
from arbiter.application.records import Timer
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.outages import Outage
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event
from tests.contract.test_connections import a_connection
from tests.fakes.faults import crash_at

HERE = (("here",),)
LIVE = ("time", "300+0")


class Board:
    """A game of two who are at the gateway: White has moved, Black has, and White thinks. Sockets
    are called by their players' colours.
    """

    def __init__(self, *terms: tuple[str, ...], tags: Sequence[tuple[str, ...]] = HERE) -> None:
        self.world = world = World(Rules())
        seen = partial(look_soon, world.games, world.lobby, world.timers, world.clock)
        world.connections.changed = seen
        self.table = world.start(ALICE, BOB, *(terms or (LIVE,)))
        self.white, self.black = self.table.white, self.table.black
        world.timers.near.clear()
        self.open("white", self.white)
        self.open("black", self.black)
        self.wait(10)
        for key, move in ((self.white, "e2e4"), (self.black, "e7e5")):
            self.say(key, move, tags)
        self.wait(10)

    @property
    def game(self) -> Game:
        return self.world.game(self.table.game_id)

    def open(self, name: str, key: SecretKey) -> None:
        clock, connections = self.world.clock, self.world.connections
        opened = replace(a_connection(name), opened_at_ms=clock.ms)
        connections.add(opened, clock.ms)
        connections.meet(name, key.pubkey)

    def close(self, *names: str) -> None:
        for name in names:
            self.world.connections.remove(name)

    def say(
        self,
        key: SecretKey,
        text: str,
        tags: Sequence[tuple[str, ...]] = HERE,
        *,
        names: str | None = None,
    ) -> list[VerifiedEvent]:
        """Say this; what is published because of it."""
        self.world.clock.ms += 1
        named = (("d", self.table.game_id), ("p", SERVER.pubkey), *tags)
        if names:
            named = (*named, ("e", names))
        event = an_event(key, 20303, text, named, self.world.clock.ms // 1000)
        return self._deliver(self.world.body(event, at_gateway=True))

    def wait(self, seconds: float) -> list[VerifiedEvent]:
        """Let so much time pass, and looks come when they are due; what is published meanwhile."""
        told: list[VerifiedEvent] = []
        clock, until_ms = self.world.clock, self.world.clock.ms + round(1000 * seconds)
        while due := self._due(until_ms):
            clock.ms = max(clock.ms, min(it.at_ms for it in due))
            for timer in self._due(clock.ms):
                self.world.timers.near = [
                    one for one in self.world.timers.near if parse_timer(one[0]) != timer
                ]
                told += self._deliver(timer_entry(timer, clock.ms).body)
        clock.ms = until_ms
        return told

    def refusal(self, key: SecretKey, text: str = "claim-left") -> str:
        """The reason why this is refused."""
        (error,) = [it for it in self.say(key, text) if it.kind == 20304]
        return error.content

    def _due(self, at_ms: int) -> set[Timer]:
        timers = filter(None, (parse_timer(body) for body, _ in self.world.timers.near))
        return {it for it in timers if it.player and it.at_ms <= at_ms}

    def _deliver(self, body: str) -> list[VerifiedEvent]:
        before = len(self.world.publisher.taken_events)
        assert self.world.deliver(self.world.record(body)) == (), self.world.log[-1].failure
        return self.world.publisher.taken_events[before:]


def away(event: VerifiedEvent) -> list[tuple[str, ...]]:
    return [tag[1:] for tag in all_tags(event, "away")]


def test_who_leaves_is_said_to_be_away_and_who_comes_back_to_be_there_each_time() -> None:
    board = Board()
    version = first_tag(board.table.state, "version")
    for _ in range(3):
        board.close("white")
        (left,) = board.wait(12)
        since = next(iter(away(left)))[1]
        assert away(left) == [("w", since)]
        assert 0 <= board.world.clock.ms // 1000 - int(since) <= 10
        board.open("white", board.white)
        (back,) = board.wait(12)
        assert away(back) == []
        assert {it.kind for it in (left, back)} == {20302}
        assert first_tag(left, "version") == first_tag(back, "version") != version
    assert board.wait(60) == []


def test_a_page_that_is_loaded_again_is_not_said_to_be_away() -> None:
    board = Board()
    for _ in range(3):
        board.close("white")
        board.world.clock.ms += 1_500
        board.open("white", board.white)
        assert board.wait(30) == []


def test_who_has_a_second_socket_is_there_until_the_last_closes() -> None:
    board = Board()
    board.open("tab", board.white)
    board.close("white")
    assert board.wait(90) == []
    assert board.refusal(board.black).startswith("no-claim:")
    board.close("tab")
    assert [away(it)[0][0] for it in board.wait(12)] == ["w"]


def test_sockets_that_open_and_close_all_the_time_are_told_of_once_in_five_seconds() -> None:
    board, told = Board(), list[int]()
    for turn in range(400):
        if turn % 2:
            board.open("white", board.white)
        else:
            board.close("white")
        board.open("black", board.black)
        told += [it.created_at for it in board.wait(0.3)]
        board.close("black")
        told += [it.created_at for it in board.wait(0.4)]
    assert len(told) > 5
    assert min(later - one for one, later in pairwise(told)) >= 5


def test_a_look_that_comes_late_or_again_says_what_is_so_then_and_once() -> None:
    board = Board()
    board.close("white")
    (timer,) = board._due(board.world.clock.ms + 10_000)
    entry = timer_entry(timer, timer.at_ms).body
    assert [len(away(it)) for it in board._deliver(entry)] == [1]
    assert board._deliver(entry) == []
    assert board.game.white.left_ms == timer.at_ms
    board.open("white", board.white)
    assert [len(away(it)) for it in board._deliver(entry)] == [0]
    assert board._deliver(entry) == []


@pytest.mark.parametrize("which", [0, 1, 2, 3])
def test_a_move_may_name_the_state_before_or_one_that_says_who_came_or_left(which: int) -> None:
    board = Board()
    states = [board.world.publisher.states[board.table.game_id]]
    for _ in range(2):
        board.close("black")
        states += board.wait(12)
        board.open("black", board.black)
        states += board.wait(12)
    board.close("black")
    board.wait(60)
    (after,) = board.say(board.white, "g1f3", names=states[which].id)
    assert (after.kind, first_tag(after, "ply")) == (20302, ("ply", "3"))


def test_each_state_says_who_is_away_until_they_say_a_word() -> None:
    board = Board()
    board.close("black")
    board.wait(12)
    (moved,) = board.say(board.white, "g1f3")
    assert [it[0] for it in away(moved)] == ["b"]
    (answered,) = board.say(board.black, "b8c6")
    assert away(answered) == []


@pytest.mark.parametrize("text", ["state", "e8e1", "no-such-word", "claim"])
def test_who_is_away_and_says_anything_over_a_relay_is_back(text: str) -> None:
    board = Board()
    board.close("white")
    board.wait(12)
    told = board.say(board.white, text, ())
    assert away([it for it in told if it.kind == 20302][-1]) == []
    board.wait(180)
    assert board.refusal(board.black).startswith("no-claim: your opponent has been away for 0 s")


@pytest.mark.parametrize(("thinks", "seconds"), [("300+0", 60), ("600+0", 120), ("1800+0", 180)])
def test_the_game_is_claimed_after_the_time_and_not_a_second_before(
    thinks: str, seconds: int
) -> None:
    board = Board(("time", thinks))
    board.close("white")
    board.wait(12)
    left_ms = board.game.white.left_ms or 0
    for early in (3, 2, 1):
        board.world.clock.ms = left_ms + 1000 * (seconds - early)
        said = board.refusal(board.black)
        assert said == f"no-claim: your opponent has been away for {seconds - early} s of {seconds}"
    assert board.refusal(EVE).startswith("not-a-player:")
    board.world.clock.ms = left_ms + 1000 * seconds
    ended, *_ = board.say(board.black, "claim-left")
    assert first_tag(ended, "termination") == ("termination", "left")
    assert board.game.outcome == Outcome(Termination.LEFT, winner=False)
    assert away(ended) == []
    board.wait(1)
    assert board.refusal(board.black).startswith("game-over:")
    board.open("white", board.white)
    assert board.wait(30) == []


def test_who_is_away_wins_nothing_by_a_claim_of_their_own() -> None:
    board = Board()
    board.close("white")
    board.wait(90)
    assert board.refusal(board.white) == "no-claim: it is your own turn"


def test_who_came_back_cannot_be_claimed_against_even_before_it_is_said() -> None:
    board = Board()
    board.close("white")
    board.wait(90)
    board.open("white", board.white)
    assert board.game.white.left_ms
    assert board.refusal(board.black).startswith("no-claim:")
    board.close("white")
    board.wait(60)
    assert board.refusal(board.black).startswith("no-claim:")
    board.wait(12)
    board.say(board.black, "claim-left")
    assert board.game.result == "0-1"


def test_an_outage_that_closes_the_sockets_of_both_counts_for_neither() -> None:
    board = Board()
    board.close("white", "black")
    board.wait(120)
    assert board.refusal(board.black).startswith("no-claim:")  # a relay brings it
    board.open("black", board.black)
    board.wait(59)
    assert board.refusal(board.black).startswith("no-claim: your opponent has been away for 59 s")
    board.wait(1)
    board.say(board.black, "claim-left")
    assert board.game.result == "0-1"


def test_a_gateway_that_began_anew_knows_of_no_one_who_left() -> None:
    board = Board()
    for name in ("white", "black"):
        board.world.connections._forget(name)  # nobody notices
    board.open("black again", board.black)
    board.wait(150)
    assert board.game.white.left_ms == 0
    assert board.refusal(board.black).startswith("no-claim:")


def test_our_own_delays_are_no_time_away() -> None:
    board = Board()

    class Late:
        def during(self, since_ms: int, until_ms: int) -> list[Outage]:
            del until_ms
            return [Outage(since_ms + 1000, since_ms + 21_000)]

    board.world.deps = replace(board.world.deps, delays=Late())
    board.close("white")
    board.wait(12)
    board.world.clock.ms = (board.game.white.left_ms or 0) + 79_000
    assert board.refusal(board.black).endswith("59 s of 60")
    board.world.clock.ms += 1000
    board.say(board.black, "claim-left")
    assert board.game.result == "0-1"


def test_who_does_not_say_that_they_are_at_the_gateway_is_never_away() -> None:
    """Although others bring there what they say on relays, and close the socket."""
    board = Board(tags=())
    assert board.game.white.at_gateway
    board.close("white")
    assert board.wait(200) == []
    assert board.refusal(board.black).startswith("no-claim:")


@pytest.mark.parametrize("terms", [("time", "3d"), ("bots", "welcome")])
def test_a_game_without_a_live_clock_is_not_claimed(terms: tuple[str, ...]) -> None:
    board = Board(terms)
    board.close("white")
    assert board.wait(300) == []
    assert board.refusal(board.black).startswith("not-offered-here:")


def test_a_store_that_fails_costs_a_player_who_comes_nothing() -> None:
    board = Board()

    board.world.games.hook = crash_at("games.load", times=4)
    for _ in range(2):
        board.open("again", board.white)
        board.close("again")
    assert board.wait(30) == []


def test_two_who_leave_together_are_told_of_five_seconds_apart() -> None:
    board = Board()
    board.close("white", "black")
    at_ms = sorted(it.at_ms for it in board._due(board.world.clock.ms + 60_000))
    assert at_ms[1] - at_ms[0] == LOOKS_APART_MS
    assert [len(away(it)) for it in board.wait(12)] == [1, 2]
