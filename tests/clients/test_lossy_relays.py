"""Two players and a small arbiter over relays that drop, repeat, delay and reorder."""

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import chess
import pytest

from arbiter.nostr.event import NostrEvent as Event
from clients.bot.config import Config
from clients.bot.model import EngineMoved, Input, Think
from clients.bot.session import begin, reduce
from clients.player.events import Draft, Send
from clients.player.heard import CaughtUp, LinkUp, Tick
from clients.player.messages import Message, State, read_message
from clients.player.model import Session
from clients.player.outgoing import say
from clients.player.session import take
from tests.clients.bot.scene import ARBITER, GAME, ME, NOW, OTHER, event, state_event

PLIES = 60
TICK_MS = 500
LIMIT_MS = 3_600_000
RELAY = "ws://one"
ONE_IN = 1 / 300
"""The chance that a player forgets all at an input."""


@dataclass
class Arbiter:
    """One game; a move counts if it names an id of the present position."""

    time: str = ""
    moves: list[str] = field(default_factory=list)
    version: int = 1
    ids: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    errors: Counter[str] = field(default_factory=Counter)

    def take(self, draft: Draft, now: int) -> list[Event]:
        if draft.id in self.seen:
            return []
        self.seen.add(draft.id)
        if draft.kind == 20300:
            other = OTHER if draft.pubkey == ME else ME
            answers = (("p", draft.pubkey), ("e", draft.id))
            return [event(20301, f"started:{GAME}:{other}:w", *answers, at=now), self.state(now)]
        if draft.content == "state":
            return [self.state(now)]
        if draft.content == "flag":
            return [self._error(draft, "time-left", now)]
        return self._play(draft, now)

    def _play(self, draft: Draft, now: int) -> list[Event]:
        named = next(tag[1] for tag in draft.tags if tag[0] == "e")
        board = chess.Board()
        for move in self.moves:
            board.push_uci(move)
        if named not in self.ids:
            return [self.state(now), self._error(draft, "stale", now)]
        if board.turn is not (draft.pubkey == ME):
            return [self._error(draft, "not-your-turn", now)]
        try:
            board.parse_uci(draft.content)
        except ValueError:
            return [self._error(draft, "illegal-move", now)]
        self.moves.append(draft.content)
        self.version += 1
        self.ids.clear()
        return [self.state(now)]

    def _error(self, draft: Draft, reason: str, now: int) -> Event:
        self.errors[reason] += 1
        tags = (("e", draft.id), ("d", GAME), ("p", draft.pubkey))
        return event(20304, f"{reason}: text", *tags, at=now)

    def state(self, now: int) -> Event:
        """The present one, which ends the game once it is long enough."""
        ends = (("result", "1/2-1/2"), ("termination", "agreement"))
        is_over = len(self.moves) >= PLIES
        shown = state_event(
            self.moves, *(ends if is_over else ()), version=self.version + is_over, time=self.time,
            at=now // 1000 * 1000,
        )  # fmt: skip
        self.ids.add(shown.id)
        return shown


class Player(Protocol):
    """One who plays: what they are told, and what they send then."""

    def hear(self, given: Tick | Message | None, now: int) -> Iterable[Draft]:
        """None where a relay has sent what it had stored."""

    @property
    def is_over(self) -> bool:
        """Whether they know the end."""


class ByBot:
    """A bot whose engine moves at random."""

    def __init__(self, me: str, chance: random.Random) -> None:
        self.chance = chance
        self.session = begin(Config(pause=LIMIT_MS), me, ARBITER)

    def hear(self, given: Tick | Message | None, now: int) -> Iterable[Draft]:
        inputs: list[Input] = [given] if given else [CaughtUp(RELAY), LinkUp(RELAY)]
        while inputs:
            self.session, effects = reduce(self.session, inputs.pop(), now)
            for effect in effects:
                if isinstance(effect, Send):
                    yield effect.draft
                elif isinstance(effect, Think):
                    move, state = a_move(effect.state, self.chance), effect.state
                    inputs.append(EngineMoved(state.game, state.position, move, 500))

    @property
    def is_over(self) -> bool:
        return self.session.last is not None and self.session.last.result is not None


class BySession:
    """The session that players share, whose owner moves at random; with ``restarts`` it forgets all
    now and then.
    """

    def __init__(self, me: str, chance: random.Random, *, restarts: bool = False) -> None:
        self.me, self.chance, self.restarts = me, chance, restarts
        self.session = Session(me=me, arbiter=ARBITER)

    def hear(self, given: Tick | Message | None, now: int) -> Iterable[Draft]:
        begins = given is None
        if self.restarts and not self.is_over and self.chance.random() < ONE_IN:
            self.session, begins = Session(me=self.me, arbiter=ARBITER), True
        for one in (LinkUp(RELAY), CaughtUp(RELAY)) if begins else ():
            self.session, effects = take(self.session, one, now)
            yield from (it.draft for it in effects if isinstance(it, Send))
        if given is not None:
            self.session, effects = take(self.session, given, now)
            yield from (it.draft for it in effects if isinstance(it, Send))
        known = self.session.games.get(GAME)
        if known is None or not known.began or known.state.result is not None:
            return
        is_busy = any(one.content != "state" for one in self.session.open.values())
        if not is_busy and known.state.turn is known.state.color_of(self.me):
            move = a_move(known.state, self.chance)
            self.session, _, sent = say(self.session, GAME, move, now)
            yield from (it.draft for it in sent)

    @property
    def is_over(self) -> bool:
        known = self.session.games.get(GAME)
        return known is not None and known.state.result is not None


def restarting(me: str, chance: random.Random) -> BySession:
    return BySession(me, chance, restarts=True)


def a_move(state: State, chance: random.Random) -> str:
    return chance.choice(sorted(state.board().legal_moves, key=str)).uci()


class World:
    """Both players, the arbiter, and what is on its way between them."""

    def __init__(
        self, seed: int, player: Callable[[str, random.Random], Player], time: str
    ) -> None:
        self.chance = random.Random(seed)
        self.arbiter = Arbiter(time)
        self.players = {key: player(key, self.chance) for key in (ME, OTHER)}
        self.now = NOW
        self._way: list[tuple[int, int, str, object]] = []
        self._count = 0

    def send(self, to: str, what: object) -> None:
        """Loses one in five, repeats one in five, and delays all."""
        for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
            at = self.now + self.chance.randrange(3_000)
            self._count += 1
            heapq.heappush(self._way, (at, self._count, to, what))

    def give(self, player: str, given: Tick | Message | None) -> None:
        for draft in self.players[player].hear(given, self.now):
            self.send(ARBITER, draft)

    def run(self) -> None:
        """Until both know the end, or for an hour."""
        for player in self.players:
            self.give(player, None)
        while self.now < NOW + LIMIT_MS and not self.is_over:
            self.now += TICK_MS
            while self._way and self._way[0][0] <= self.now:
                _, _, to, what = heapq.heappop(self._way)
                self._arrive(to, what)
            for player in self.players:
                self.give(player, Tick())

    def _arrive(self, to: str, what: object) -> None:
        if isinstance(what, Draft):
            for answer in self.arbiter.take(what, self.now):
                for player in self.players:
                    if any(tag[:2] == ("p", player) for tag in answer.tags):
                        self.send(player, answer)
        elif isinstance(what, Event) and (message := read_message(what, ARBITER)) is not None:
            self.give(to, message)

    @property
    def is_over(self) -> bool:
        return all(player.is_over for player in self.players.values())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("player", [ByBot, BySession, restarting])
def test_a_game_ends_over_relays_that_lose_repeat_and_reorder(
    player: Callable[[str, random.Random], Player], seed: int
) -> None:
    world = World(seed, player, "180+2")
    world.run()

    assert world.is_over
    assert len(world.arbiter.moves) == PLIES
    assert world.arbiter.errors["illegal-move"] == 0
    assert world.arbiter.errors["not-your-turn"] == 0
