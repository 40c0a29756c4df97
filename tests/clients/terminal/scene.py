"""One player's session, with the relays, the arbiter, the clock and the keyboard."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import chess

from clients.player.heard import CaughtUp, LinkUp
from clients.terminal.effects import Effect, LookUp, Send, TuneIn
from clients.terminal.game_view import GameView
from clients.terminal.notices import Refused, Source
from clients.terminal.position import Line
from clients.terminal.session import FromArbiter, Input, Session, Tick, TypedLine
from clients.terminal.update import step
from clients.terminal.wire import ArbiterMessage, Paired, StateClaim, Waiting
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
            me=ALICE.pubkey, server=SERVER.pubkey, asks=asks, started_at=START, seed=bytes(32)
        )
        self.effects: tuple[Effect, ...] = ()
        self.tuned_in: list[TuneIn] = []
        self.looked_up: list[LookUp] = []
        self.asked_what_waits = 0

    def give(self, given: Input) -> tuple[Effect, ...]:
        """The effects, without those that subscribe to chat and profiles, or ask what waits."""
        self.session, effects = step(self.session, given, self.now)
        self.tuned_in += [effect for effect in effects if isinstance(effect, TuneIn)]
        self.looked_up += [effect for effect in effects if isinstance(effect, LookUp)]
        self.asked_what_waits += sum(map(_asks_what_waits, effects))
        self.effects = tuple(
            each
            for each in effects
            if not isinstance(each, TuneIn | LookUp) and not _asks_what_waits(each)
        )
        return self.effects

    def hear(self, heard: ArbiterMessage) -> tuple[Effect, ...]:
        return self.give(FromArbiter(heard))

    def enter(self, text: str) -> tuple[Effect, ...]:
        return self.give(TypedLine(text))

    def wait(self, seconds: float) -> tuple[Effect, ...]:
        self.now += seconds
        return self.give(Tick())

    def refusal(self, text: str) -> str:
        """Enter what the client refuses without sending; the machine word."""
        (refused,) = self.enter(text)
        assert isinstance(refused, Refused)
        assert refused.source is Source.CLIENT
        return refused.code

    def sent(self) -> list[tuple[int, str]]:
        """Kind and content of what the last input sent."""
        return [(s.template.kind, s.template.content) for s in self.sends()]

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
    def line(self) -> Line:
        assert self.game.line is not None
        return self.game.line


def _asks_what_waits(effect: Effect) -> bool:
    if not isinstance(effect, Send):
        return False
    return (effect.template.kind, effect.template.content) == (20300, "state")


def connected(*, asks: bool = False) -> Scene:
    """A relay is there, and the request to play was sent."""
    scene = Scene(asks=asks)
    scene.find_the_relay()
    return scene


def playing(moves: str = "", *, asks: bool = False, alice: chess.Color = chess.WHITE) -> Scene:
    """A game between Alice and Bob after these moves (SAN)."""
    scene = connected(asks=asks)
    scene.hear(Waiting())
    scene.hear(Paired(GAME, int(START)))
    scene.hear(state(moves, alice=alice))
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
    scene.hear(full(white=BOB.pubkey, black=EVE.pubkey, **tags))
    return scene


def full(moves: str = "", *, alice: chess.Color = chess.WHITE, **tags: Any) -> StateClaim:
    """A state with the tags of an arbiter that knows every word; its version is its ply, unless
    ``version`` says otherwise.
    """
    claim = state(moves, alice=alice)
    numbered: dict[str, Any] = {"version": claim.ply} | tags
    numbered["event_id"] = sha256(f"{moves}{tags!r}".encode()).hexdigest()
    return replace(claim, **numbered)


def playing_full(
    moves: str = "", *, asks: bool = False, alice: chess.Color = chess.WHITE, **tags: Any
) -> Scene:
    """As `playing`, against an arbiter that knows every word."""
    scene = connected(asks=asks)
    scene.hear(Paired(GAME, int(START)))
    scene.hear(full(moves, alice=alice, **tags))
    return scene


def state(
    moves: str = "",
    *,
    alice: chess.Color = chess.WHITE,
    bare: bool = False,
    fen: str | None = None,
    result: str | None = None,
    termination: str | None = None,
    game_id: str = GAME,
    at: int = int(START),
    salt: str = "",
) -> StateClaim:
    """The state that the arbiter shows after these moves (SAN); ``bare`` without the tags of
    ours.
    """
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    white, black = (ALICE, BOB) if alice == chess.WHITE else (BOB, ALICE)
    return StateClaim(
        event_id=f"{board.ply():x}{salt}".rjust(64, "e"),
        at=at,
        game_id=game_id,
        white=white.pubkey,
        black=black.pubkey,
        fen=board.fen() if fen is None else fen,
        ply=None if bare else board.ply(),
        moves=None if bare else tuple(move.uci() for move in board.move_stack),
        result=result,
        termination=termination,
    )
