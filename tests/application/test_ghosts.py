"""A hundred players, of whom forty leave without a word: those who stay play each other."""

import random
from dataclasses import dataclass, field

import pytest

from arbiter.application.connections import Connection
from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import SERVER, a_key, an_event

PLAYERS, LEAVERS = 100, 40
SECONDS, ARRIVALS, RENEWED_EVERY = 1_100, 900, 60
ALONE_SECONDS = 40
TERMS = (("time", "180+2"),)


@dataclass
class Visitor:
    key: SecretKey
    comes_at: int
    leaves_at: int | None
    socket: str | None
    game: str | None = None
    has_played: bool = False
    alone_since: int | None = None
    told: list[str] = field(default_factory=list)


class Evening:
    """Visitors, second by second."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.world = World()
        self.second, self.heard = 0, 0
        self.due: list[tuple[int, str]] = []
        self.visitors = {}
        for number in range(PLAYERS):
            comes_at = chance.randrange(ARRIVALS)
            leaves_at = comes_at + 1 + chance.randrange(20) if number < LEAVERS else None
            key = a_key(f"visitor {seed} {number}")
            socket = f"socket-{number}" if chance.random() < 0.5 else None
            self.visitors[key.pubkey] = Visitor(key, comes_at, leaves_at, socket)

    def pass_second(self) -> None:
        self.second += 1
        self.world.clock.ms += 1000
        for visitor in self.visitors.values():
            self._act(visitor)
        self._fire()
        self._hear()
        self._look()

    def _act(self, one: Visitor) -> None:
        if self.second == one.comes_at + 1 and one.socket:
            opened = Connection(
                id=one.socket, address="", challenge="", opened_at_ms=self.world.clock.ms
            )
            self.world.connections.add(opened, self.world.clock.ms)
        if one.leaves_at is not None and self.second >= one.leaves_at:
            if self.second == one.leaves_at and one.socket:
                self.world.connections.remove(one.socket)
            return
        since = self.second - one.comes_at - 1
        if one.game is None and since >= 0 and since % RENEWED_EVERY == 0 and not one.has_played:
            self._say(one, 20300, "", *TERMS)

    def _say(self, one: Visitor, kind: int, content: str, *tags: tuple[str, ...]) -> None:
        if one.socket:
            self.world.connections.meet(one.socket, one.key.pubkey)
        named = (("p", SERVER.pubkey), *tags)
        event = an_event(one.key, kind, content, named, self.world.clock.ms // 1000)
        body = self.world.body(event, at_gateway=one.socket is not None)
        assert self.world.deliver(self.world.record(body)) == ()

    def _fire(self) -> None:
        """Let the timers come that are due."""
        near, self.world.timers.near = self.world.timers.near, []
        self.due += [(self.second + seconds, body) for body, seconds in near]
        for at, body in [*self.due]:
            timer = parse_timer(body)
            if at <= self.second and timer is not None:
                self.due.remove((at, body))
                self.world.deliver(self.world.record(timer_entry(timer, self.world.clock.ms).body))

    def _hear(self) -> None:
        events = self.world.publisher.taken_events[self.heard :]
        self.heard += len(events)
        for event in events:
            if event.kind == 20301:
                self._answer(event)
            if event.kind == 20302:
                self._state(event)

    def _answer(self, event: VerifiedEvent) -> None:
        one = self.visitors[event.tags[0][1]]
        word, *rest = event.content.split(":")
        one.told.append(event.content)
        if word == "started":
            one.game = rest[0]

    def _state(self, event: VerifiedEvent) -> None:
        values = {tag[0]: tag[1:] for tag in event.tags}
        both = [self.visitors[tag[1]] for tag in event.tags if tag[0] == "p"]
        ply, (game,) = int(values["ply"][0]), values["d"]
        for one in both:
            if "result" in values and one.game == game and ply < 2:
                one.game = None
            one.has_played |= ply >= 2
        leaves_at = both[ply % 2].leaves_at
        stays = leaves_at is None or leaves_at > self.second
        if ply < 2 and "result" not in values and stays:
            move = ("e2e4", "e7e5")[ply]
            self._say(both[ply], 20303, move, ("d", game), ("e", event.id))

    def _look(self) -> None:
        """Note since when each who stays is alone with another who does."""
        there = [it for it in self.visitors.values() if it.comes_at < self.second]
        alone = [it for it in there if it.leaves_at is None and not it.has_played]
        for one in there:
            if one not in alone or len(alone) < 2:
                one.alone_since = None
            elif one.alone_since is None:
                one.alone_since = self.second

    @property
    def longest_alone(self) -> int:
        since = [it.alone_since for it in self.visitors.values() if it.alone_since is not None]
        return self.second - min(since, default=self.second)


@pytest.mark.parametrize("seed", [3, 5])
def test_those_who_stay_soon_play_and_are_never_told_that_they_ended_games(seed: int) -> None:
    evening, longest = Evening(seed), 0
    for _ in range(SECONDS):
        evening.pass_second()
        longest = max(longest, evening.longest_alone)
    stayed = [it for it in evening.visitors.values() if it.leaves_at is None]
    assert sum(not it.has_played for it in stayed) <= 1, "one may be left over"
    assert longest <= ALONE_SECONDS
    refused = [text for it in stayed for text in it.told if text.startswith("error:")]
    assert refused == []
