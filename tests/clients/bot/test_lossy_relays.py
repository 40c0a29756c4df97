"""Two sessions and a small arbiter over relays that drop, repeat, delay and reorder."""

import heapq
import random
from collections import Counter
from dataclasses import dataclass, field

import chess
import pytest

from arbiter.nostr.event import NostrEvent as Event
from clients.bot.config import Config, Correspondence
from clients.bot.model import EngineMoved, Input, Ready, Session, Think
from clients.bot.session import begin, reduce
from clients.player.events import Draft, Send
from clients.player.heard import Tick
from clients.player.messages import State, read_message
from tests.clients.bot.scene import ARBITER, GAME, ME, NOW, OTHER, event, state_event

PLIES = 60
TICK_MS = 500
LIMIT_MS = 3_600_000
CHECKIN = Correspondence(checkin_period=12)


@dataclass
class Arbiter:
    """One game; a move counts if it names an id of the present position."""

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
            self.moves, *(ends if is_over else ()), version=self.version + is_over, time="",
            at=now // 1000 * 1000,
        )  # fmt: skip
        self.ids.add(shown.id)
        return shown


class World:
    """Both players, the arbiter, and what is on its way between them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.arbiter = Arbiter()
        self.sessions: dict[str, Session] = {
            key: begin(Config(correspondence=CHECKIN, pause=LIMIT_MS), key, ARBITER)
            for key in (ME, OTHER)
        }
        self.now = NOW
        self._way: list[tuple[int, int, str, object]] = []
        self._count = 0

    def send(self, to: str, what: object) -> None:
        """Loses one in five, repeats one in five, and delays all."""
        for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
            at = self.now + self.chance.randrange(3_000)
            self._count += 1
            heapq.heappush(self._way, (at, self._count, to, what))

    def give(self, player: str, given: Input) -> None:
        self.sessions[player], effects = reduce(self.sessions[player], given, self.now)
        for effect in effects:
            if isinstance(effect, Send):
                self.send(ARBITER, effect.draft)
            elif isinstance(effect, Think):
                moves = sorted(effect.state.board().legal_moves, key=str)
                move = self.chance.choice(moves).uci()
                answer = EngineMoved(effect.state.game, effect.state.position, move, 500)
                self.give(player, answer)

    def run(self) -> None:
        """Until both know the end, or for an hour."""
        for player in self.sessions:
            self.give(player, Ready())
        while self.now < NOW + LIMIT_MS and not self.is_over:
            self.now += TICK_MS
            while self._way and self._way[0][0] <= self.now:
                _, _, to, what = heapq.heappop(self._way)
                self._arrive(to, what)
            for player in self.sessions:
                self.give(player, Tick())

    def _arrive(self, to: str, what: object) -> None:
        if isinstance(what, Draft):
            for answer in self.arbiter.take(what, self.now):
                for player in self.sessions:
                    if any(tag[:2] == ("p", player) for tag in answer.tags):
                        self.send(player, answer)
        elif isinstance(what, Event) and (message := read_message(what, ARBITER)) is not None:
            self.give(to, message)

    @property
    def is_over(self) -> bool:
        return all(
            isinstance(session.last, State) and session.last.result is not None
            for session in self.sessions.values()
        )


@pytest.mark.parametrize("seed", range(6))
def test_a_game_ends_over_relays_that_lose_repeat_and_reorder(seed: int) -> None:
    world = World(seed)
    world.run()

    assert world.is_over
    assert len(world.arbiter.moves) == PLIES
    assert world.arbiter.errors["illegal-move"] == 0
    assert world.arbiter.errors["not-your-turn"] == 0
