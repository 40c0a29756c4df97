"""One player's session, with the relays, the arbiter, the clock and the keyboard."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import chess

from clients.player import model as player
from clients.player.events import Send
from clients.player.heard import CaughtUp, LinkUp, Tick
from clients.player.messages import Message, Queued, Started, State
from clients.terminal.game_view import GameView
from clients.terminal.notices import Notice
from clients.terminal.outgoing import Effect, Subscribe
from clients.terminal.session import Input, Session, TypedLine
from clients.terminal.update import step
from tests.builders import ALICE, BOB, EVE, SERVER

GAME = "00112233445566778899aabbccddeeff"
RELAY = "ws://one"
OTHER_RELAY = "ws://two"
START = 1_800_000_000.0


class Scene:
    """Alice's session, its clock, and what the last input led to."""

    def __init__(self, *, asks: bool = False) -> None:
        self.now = START
        self.session = Session(
            wire=player.Session(me=ALICE.pubkey, arbiter=SERVER.pubkey, quiet_ms=60_000),
            asks=asks,
            started_at=START,
            seed=bytes(32),
        )
        self.effects: tuple[Effect, ...] = ()
        self.subscribed: list[Subscribe] = []
        self.asked_what_waits = 0
        self.asked = self.state_asked = ""

    def give(self, given: Input) -> tuple[Effect, ...]:
        """The effects, without those that subscribe to chat and profiles, or ask what waits."""
        self.session, effects = step(self.session, given, self.now)
        self.subscribed += [effect for effect in effects if isinstance(effect, Subscribe)]
        asked = [
            it.draft.id for it in effects if isinstance(it, Send) and self._asks_what_waits(it)
        ]
        self.asked_what_waits += len(asked)
        self.state_asked = asked[-1] if asked else self.state_asked
        self.effects = tuple(
            each
            for each in effects
            if not isinstance(each, Subscribe) and not self._asks_what_waits(each)
        )
        for sent in self.sends():
            if sent.draft.kind == 20300:
                self.asked = sent.draft.id
        return self.effects

    def is_queued(self) -> tuple[Effect, ...]:
        """The arbiter answers the last request."""
        return self.hear(Queued(self.asked, self.asked[:32]))

    def _asks_what_waits(self, effect: Effect) -> bool:
        asked = (20300, "state")
        return isinstance(effect, Send) and (effect.draft.kind, effect.draft.content) == asked

    @property
    def looked_up(self) -> list[tuple[str, ...]]:
        """The players whose profiles were asked for, each time."""
        return [it.filters[0].authors for it in self.subscribed if it.name == "people"]

    def hear(self, heard: Message) -> tuple[Effect, ...]:
        return self.give(heard)

    def enter(self, text: str) -> tuple[Effect, ...]:
        return self.give(TypedLine(text))

    def wait(self, seconds: float) -> tuple[Effect, ...]:
        self.now += seconds
        return self.give(Tick())

    def refusal(self, text: str) -> str:
        """Enter what the client refuses without sending; the machine word."""
        (refused,) = self.enter(text)
        assert isinstance(refused, Notice)
        assert refused.fields["source"] == "client"
        return str(refused.fields["code"])

    def sent(self) -> list[tuple[int, str]]:
        """Kind and content of what the last input sent."""
        return [(s.draft.kind, s.draft.content) for s in self.sends()]

    def sends(self) -> list[Send]:
        return [effect for effect in self.effects if isinstance(effect, Send)]

    def find_the_relay(self) -> tuple[Effect, ...]:
        """Connected again, and all that was stored has come."""
        before = self.give(LinkUp(RELAY))
        self.effects = (*before, *self.give(CaughtUp(RELAY)))
        return self.effects

    @property
    def game(self) -> GameView:
        assert self.session.game is not None
        return self.session.game

    @property
    def state(self) -> State:
        assert self.game.state is not None
        return self.game.state


def with_wire(session: Session, **changes: Any) -> Session:
    return replace(session, wire=replace(session.wire, **changes))


def connected(*, asks: bool = False) -> Scene:
    """A relay is there, and the request to play was sent."""
    scene = Scene(asks=asks)
    scene.find_the_relay()
    return scene


def a_spectator(scene: Scene | None = None) -> Scene:
    """Alice watches a game, of which she has seen nothing yet."""
    spectator = scene or Scene()
    spectator.session = replace(spectator.session, watching=GAME)
    if scene is None:
        spectator.find_the_relay()
    return spectator


def watching(**tags: Any) -> Scene:
    """Alice watches Bob against Eve."""
    scene = a_spectator()
    scene.hear(state(white=BOB.pubkey, black=EVE.pubkey, **tags))
    return scene


def playing(
    moves: str = "", *, asks: bool = False, alice: chess.Color = chess.WHITE, **tags: Any
) -> Scene:
    """A game between Alice and Bob after these moves (SAN)."""
    scene = connected(asks=asks)
    scene.hear(Started(GAME, BOB.pubkey))
    scene.hear(state(moves, alice=alice, **tags))
    return scene


def state(moves: str = "", *, alice: chess.Color = chess.WHITE, **tags: Any) -> State:
    """The state that the arbiter shows after these moves (SAN); its version is its ply, unless
    ``version`` says otherwise.
    """
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    white, black = (ALICE, BOB) if alice == chess.WHITE else (BOB, ALICE)
    shown = State(
        event=sha256(f"{moves}{tags!r}".encode()).hexdigest(),
        dated=int(START),
        game=GAME,
        white=white.pubkey,
        black=black.pubkey,
        version=board.ply(),
        fen=board.fen(),
        moves=tuple(move.uci() for move in board.move_stack),
        ply=board.ply(),
    )
    return replace(shown, **tags)
