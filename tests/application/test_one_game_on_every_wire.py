"""The game is the same whatever it is spoken in: one list of moves, played natively, over sockets,
on Scuttlebutt, in kind 30 and from any of them to any other, makes the same game and the same note.
"""

import random
import re
from functools import cache
from typing import Protocol

import chess
import pytest

from arbiter.core.game import Game
from arbiter.dialects.base import has_key
from arbiter.dialects.ssb import address
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.jester_player import JesterPlayer
from tests.application.native_player import NativePlayer
from tests.application.socket_player import SocketPlayer
from tests.application.ssb_player import SsbPlayer
from tests.application.world import World
from tests.builders import ALICE, BOB

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
WIRES = ("socket", "ssb", "jester")
PAIRS = [
    *((wire, "native") for wire in WIRES),
    *(("native", wire) for wire in WIRES),
    *(("socket", "socket"), ("ssb", "ssb")),
    *(("socket", "ssb"), ("ssb", "jester"), ("jester", "socket")),
]
ENDS = ("resign", "agree", "cheat")

# Sam Loyd's stalemate in ten moves.
LOYD = """
    e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6
""".split()  # noqa: SIM905 - a game reads best on one line


class Voice(Protocol):
    """A player's way to speak on one wire."""

    @property
    def pubkey(self) -> str:
        """The player's key in the game."""
        ...

    def connect(self) -> object: ...

    def move(self, uci: str) -> object: ...

    def offer(self) -> object:
        """Offer a draw, or accept it."""
        ...

    def resign(self) -> object: ...


def voice(world: World, key: SecretKey, wire: str, color: str) -> Voice:
    match wire:
        case "native":
            return NativePlayer(world, key)
        case "ssb":
            return SsbPlayer(world, color, color)
        case "jester":
            return JesterPlayer(world, key, color)
        case _:
            return SocketPlayer(world, key, key.pubkey[:8])


def seated(white: str, black: str) -> tuple[World, Voice, Voice, str]:
    """Alice with White on this wire, Bob with Black on that one: they ask until the hash of their
    requests has it so.
    """
    for second in range(60):
        world = World()
        world.clock.ms += 1000 * second
        alice, bob = voice(world, ALICE, white, "white"), voice(world, BOB, black, "black")
        alice.connect()
        bob.connect()
        (game,) = world.games.by_id.values()
        if game.white.player == alice.pubkey:
            return world, alice, bob, game.id
    raise AssertionError("never in sixty games")


def played(white: str, black: str, moves: list[str], end: str) -> tuple[Game, VerifiedEvent]:
    """The game and its note, when these moves were made and it ended like this, if they left it
    open.
    """
    world, alice, bob, game_id = seated(white, black)
    for at, uci in enumerate(moves):
        (bob if at % 2 else alice).move(uci)
    mover, waiting = (bob, alice) if len(moves) % 2 else (alice, bob)
    if world.game(game_id).outcome is None:
        match end:
            case "agree":
                waiting.offer()
                mover.offer()
            case "resign":
                mover.resign()
            case _:
                mover.move("a1a8")
                waiting.resign()
    (note,) = (event for event in world.publisher.taken_events if event.kind == 64)
    return world.game(game_id), note


def a_random_game(seed: int) -> list[str]:
    """Of moves that mate where one can."""
    dice, board = random.Random(seed), chess.Board()
    for _ in range(dice.randrange(2, 50)):
        if board.is_game_over():
            break
        moves = dice.sample(sorted(board.legal_moves, key=str), board.legal_moves.count())
        board.push(next((move for move in moves if board.san(move)[-1] == "#"), moves[0]))
    return [move.uci() for move in board.move_stack]


GAMES = [
    [*MATE],
    LOYD,
    ["g1f3", "g8f6", "f3g1", "f6g8"] * 4 + ["g1f3"],
    *map(a_random_game, range(3)),
]


@cache
def the_game(white: str, black: str, number: int) -> tuple[Game, VerifiedEvent]:
    """The game of this number on these wires, and its note."""
    return played(white, black, GAMES[number], ENDS[number % len(ENDS)])


@pytest.mark.parametrize("number", range(len(GAMES)))
@pytest.mark.parametrize(("white", "black"), PAIRS)
def test_a_game_is_the_same_on_every_wire(white: str, black: str, number: int) -> None:
    native, native_note = the_game("native", "native", number)
    other, other_note = the_game(white, black, number)
    assert native.outcome is not None
    assert (other.moves, other.outcome) == (native.moves, native.outcome)
    assert timeless(other_note, other) == timeless(native_note, native)


def timeless(note: VerifiedEvent, game: Game) -> str:
    """The PGN but for the hour, since it took one or the other longer to have White, and for the
    players' names, since some have no key.
    """
    text, times = re.subn(r'Time "[0-9:]{8}"\]', 'Time ""]', note.content)
    assert times
    text, names = re.subn(r'^\[(White|Black)(NA)? ".+"\]$', r"[\1\2]", text, flags=re.MULTILINE)
    assert names == 4
    for color, seat in (("White", game.white), ("Black", game.black)):
        name = seat.player if has_key(seat) else address.feed_of(seat)
        assert f'[{color} "{name}"]' in note.content
    return text
