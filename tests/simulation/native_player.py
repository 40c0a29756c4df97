"""An honest player of the native protocol, as PROTOCOL.md has one, over relays or the gateway.

They sign what they mean, say it again until it is answered, ask where a game is when they hear
nothing, keep the highest version of each game and drop the rest, and never sign another move for a
state that they have answered, unless that one was refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.client_connections import GATEWAY
from tests.simulation.clients import Seen, Tags
from tests.simulation.history import Actor, Belief
from tests.simulation.native_sender import PATIENCE_SECONDS, NativeSender

if TYPE_CHECKING:
    from tests.simulation.world import World

WAITS_SECONDS = 300.0
"""The wait for an opponent who does not move, once everything ends."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player has come for: so many games, of so many plies at most, with these clocks.

    A player with an ``opponent`` (64-hex pubkey) challenges them; one who ``waits`` asks for no
    game.
    """

    games: int
    plies: int
    time: str | None = None
    start_fen: str | None = None
    opponent: str | None = None
    waits: bool = False


@dataclass(eq=False)
class NativePlayer:
    """One player."""

    world: "World"
    name: str
    ways: Sequence[str]
    plan: Plan
    dialect: str = "native"
    is_honest: bool = True
    game: str | None = None
    games: dict[str, Seen] = field(default_factory=dict)
    games_left: int = 0
    is_finishing: bool = False
    is_away: bool = False
    has_left: bool = False
    heard_at: float = 0.0
    acts_at: float = 0.0
    shown_at: float = 0.0
    checked: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sender = NativeSender(self.world, self.name, self.ways, self._hear)
        self.hand = self.sender.hand
        self.games_left = self.plan.games

    def actor(self) -> Actor:
        return Actor(
            name=self.name,
            pubkeys=(self.hand.pubkey,),
            dialect=self.dialect,
            is_honest=self.is_honest and not self.has_left,
        )

    def start(self) -> None:
        self.sender.dial()
        self._tick()

    def go_away(self) -> None:
        self.is_away = True
        self.sender.close()

    def come_back(self) -> None:
        if not self.is_away or self.world.is_settling:
            return
        self.is_away = False
        self.sender.dial()
        self._tick()

    def is_content(self) -> bool:
        return self.has_left or (
            not self.sender.asked
            and self._is_over(self.game)
            and (self.games_left <= 0 or self.is_finishing)
            and self.checked >= set(self.games)
        )

    def finish(self) -> None:
        self.is_finishing = True
        self.checked.clear()

    def leave(self) -> None:
        self.has_left = self.is_away = True

    def say_again(self, text: str) -> None:
        if not self.is_away:
            self.sender.say(text)

    def present_game(self) -> Seen | None:
        """The game that they play, if they can say anything in it."""
        seen = self.games.get(self.game or "")
        return None if seen is None or seen.is_over or self.is_away else seen

    def beliefs(self) -> tuple[Belief, ...]:
        asked = tuple(one.id for one in self.sender.asked.values() if one.what != "state")
        seen = self.games.get(self.game or "")
        if seen is None:
            return (Belief(who=self.name, game=self.game, asked=asked),)
        return (
            Belief(
                who=self.name,
                game=seen.id,
                version=seen.version,
                ply=seen.ply,
                fen=seen.fen,
                result=seen.result,
                asked=asked,
            ),
        )

    def _hear(self, way: str, message: list[Any]) -> None:
        if message[0] == "CLOSED":
            self.world.scheduler.after(2.0, self.sender.subscribe_again)
        if way == GATEWAY and message[0] == "OK" and message[3].startswith("restricted:"):
            # It refuses in place of the arbiter, and says no more.
            self.sender.refused(message[1], message[3])
            self.acts_at = self.world.scheduler.now + 5.0
        if message[0] != "EVENT":
            return
        event = self.world.genuine(message[2])
        if event is None or event.pubkey not in self.world.servers:
            return
        if len(self.ways) > 1:
            self.world.note_heard(self.name, event.id, way)
        self.heard_at = self.sender.silent_since = self.world.scheduler.now
        tags: dict[str, list[str]] = {}
        for tag in event.tags:
            tags.setdefault(tag[0], list(tag[1:]))
        players = [tag[1] for tag in event.tags if tag[0] == "p"]
        match event.kind:
            case 20301:
                self._responded(event.content)
            case 20302:
                self._shown(event.id, event.content, tags, players)
            case 20304:
                self._refused(event.content, tags)
            case _:
                pass

    def _responded(self, content: str) -> None:
        word, _, rest = content.partition(":")
        self.sender.requests_answered()
        if word == "started":
            self._sit_down(rest.partition(":")[0])
        elif word == "challenged":
            self._accept(rest.partition(":")[0])
        elif word == "error" and "stale" in rest:
            self.acts_at = self.world.scheduler.now + 1.0

    def _accept(self, challenge: str) -> None:
        if self._is_over(self.game) and not self.is_finishing and not self.is_away:
            self.sender.ask(f"accept:{challenge}")

    def _sit_down(self, game: str) -> None:
        if game == self.game or (game in self.games and self._is_over(game)):
            return
        if not self._is_over(self.game) and self.game in self.games:
            return
        self.game = game
        self.games_left -= 1

    def _shown(
        self, event_id: str, fen: str, tags: dict[str, list[str]], players: list[str]
    ) -> None:
        if self.hand.pubkey not in players or len(players) != 2:
            return
        game, version = tags["d"][0], int(tags["version"][0])
        self.checked.add(game)
        known = self.games.get(game)
        is_news = known is None or version > known.version
        if is_news:
            self.shown_at = self.world.scheduler.now
        if known is None or version >= known.version:
            offer = tags.get("offer")
            self.games[game] = Seen(
                game,
                version,
                int(tags["ply"][0]),
                fen,
                event_id,
                players[0],
                players[1],
                tags.get("result", ["*"])[0],
                "termination" in tags,
                (offer[0], offer[1]) if offer else None,
                tags.get("rematch", [None])[0],
            )
        if known is None:
            self._sit_down(game)
        self.sender.shown(game, version)
        if is_news and self.game == game:
            self._think()

    def _refused(self, content: str, tags: dict[str, list[str]]) -> None:
        one = self.sender.refused(tags.get("e", [""])[0], content)
        if one is not None and one.what == "state" and one.game:
            self.checked.add(one.game)

    def _tick(self) -> None:
        if self.is_away:
            return
        self.world.scheduler.after(2.0 + self.world.chance.random() * 2.0, self._tick)
        now = self.world.scheduler.now
        self.sender.insist(now)
        if now >= self.acts_at:
            self._act(now)

    def _think(self) -> None:
        seconds = self.world.chance.random() * self.world.settings.thinks_seconds
        self.acts_at = self.world.scheduler.now + seconds
        self.world.scheduler.after(seconds, lambda: self._act(self.world.scheduler.now))

    def _act(self, now: float) -> None:
        if self.is_away or self.sender.is_asking() or not self.sender.is_open:
            return
        seen = self.games.get(self.game) if self.game else None
        if self.game and seen is None:
            self._ask_if_long(self.game, now)
        elif seen is None or seen.is_over:
            self._between_games(seen, now)
        elif seen.is_turn_of(self.hand.pubkey):
            self._my_turn(seen)
        elif seen.is_offered_to(self.hand.pubkey) and self.sender.never_said(seen, "answer"):
            self._answer_offer(seen)
        elif self.is_finishing and now - self.shown_at > WAITS_SECONDS:
            self.sender.word(seen, "quit")
        else:
            self._ask_if_long(seen.id, now)

    def _between_games(self, seen: Seen | None, now: float) -> None:
        if seen is not None and not self.is_finishing and self.games_left > 0:
            if seen.rematch and seen.rematch not in self.games:
                self.sender.ask_state(seen.rematch)
                return
            is_offered = seen.offer and seen.offer[0] == "rematch"
            is_willing = is_offered or self.world.chance.random() < 0.3
            if is_willing and self.sender.never_said(seen, "rematch"):
                self.sender.word(seen, "rematch")
                self.acts_at = now + 20.0
                return
        if self.is_finishing or self.games_left <= 0:
            for game in self.games:
                if game not in self.checked:
                    self.sender.ask_state(game)
            return
        if now - self.heard_at > PATIENCE_SECONDS and not self.plan.waits:
            self.heard_at = now
            self._request()

    def _request(self) -> None:
        tags: Tags = ()
        if self.plan.time:
            tags += (("time", self.plan.time), ("mode", "rated"))
        if self.plan.opponent:
            tags = (("challenge", self.plan.opponent),)
            if self.plan.start_fen:
                tags += (("start", self.plan.start_fen),)
        self.sender.ask("", tags)

    def _my_turn(self, seen: Seen) -> None:
        chance = self.world.chance
        if seen.ply >= self.plan.plies or (self.is_finishing and seen.ply > 2):
            if chance.random() < 0.3 and self.sender.never_said(seen, "draw"):
                self.sender.word(seen, "draw")
                return
            if seen.ply >= self.plan.plies + 2 or chance.random() < 0.5:
                self.sender.word(seen, chance.choice(("resign", "quit")))
                return
        if seen.is_offered_to(self.hand.pubkey) and chance.random() < 0.5:
            self._answer_offer(seen)
            return
        if not self.sender.never_said(seen, "move"):
            self._ask_if_long(seen.id, self.world.scheduler.now)
            return
        board = chess.Board(seen.fen)
        moves = [*board.legal_moves]
        if not moves:
            self._ask_if_long(seen.id, self.world.scheduler.now)
            return
        takes = [move for move in moves if board.is_capture(move)]
        move = chance.choice(takes if takes and chance.random() < 0.4 else moves)
        if chance.random() < 0.05 and self.sender.never_said(seen, "draw"):
            self.world.faults.note("F41", self.name)
            self.sender.word(seen, "draw")
        self.sender.tell(seen, move.uci(), "move")

    def _answer_offer(self, seen: Seen) -> None:
        kind = seen.offer[0] if seen.offer else "draw"
        self.sender.word(seen, kind if self.world.chance.random() < 0.5 else f"{kind}-decline")

    def _is_over(self, game: str | None) -> bool:
        if game is None:
            return True
        seen = self.games.get(game)
        return seen is not None and seen.is_over

    def _ask_if_long(self, game: str, now: float) -> None:
        if now - self.heard_at > 2.5 * PATIENCE_SECONDS:
            self.heard_at = now
            self.sender.ask_state(game)
