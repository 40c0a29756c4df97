"""Two players at a packed table, each on their own wire, and their moves as queue records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from arbiter.application.intake.batch import Processed, Record, process_batch
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from bench.packed_games import CountingSigner, PackedGames, packed_world
from tests.application.socket_player import SocketPlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event

Wire = Literal["native", "nip100"]
Terms = tuple[str, ...]
"""A tag of a request to play."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A move as the queue holds it, and as its player signed it."""

    record: Record
    event: VerifiedEvent


class Seated:
    """A game that begins; both players name the state that they answer, where their wire can."""

    def __init__(self, white: Wire, black: Wire, *terms: Terms, number: int = 0) -> None:
        """Games of different numbers begin at different times, and differ in all that is signed."""
        self.world, self.games, self.signer = _paired(white, black, number, terms)
        (game,) = self.world.games.by_id.values()
        self.game_id = game.id
        keys = {key.pubkey: key for key in (ALICE, BOB)}
        self._keys = (keys[game.white.player], keys[game.black.player])
        self._wires = (white, black)

    def mail(self, uci: str) -> Mail:
        """This move by whose turn it is, signed a second later."""
        self.world.clock.ms += 1000
        at = self.world.clock.ms // 1000
        # Not by the port, which would forget the game: an environment gives each away once.
        turn = self.world.games.by_id[self.game_id].ply % 2
        key = self._keys[turn]
        if self._wires[turn] == "nip100":
            event = an_event(key, 5001, uci, (), at)
            return Mail(self.world.record(self.world.body(event, _socket(key))), event)
        state = self.world.publisher.states[self.game_id]
        tags = (("d", self.game_id), ("p", SERVER.pubkey), *state.tags[1:3], ("e", state.id))
        event = an_event(key, 20303, uci, tags, at)
        return Mail(self.world.record(self.world.body(event)), event)

    def deliver(self, *mails: Mail) -> None:
        """Process a batch of these, which is what is measured."""
        log: list[Processed] = []
        process_batch(self.world.deps, [one.record for one in mails], log.append)
        if any(one.result is None or one.result.status != "played" for one in log):
            raise AssertionError([one.result.status if one.result else one.failure for one in log])

    def play(self, *moves: str) -> None:
        """Make these moves, one after the other."""
        for uci in moves:
            self.deliver(self.mail(uci))


def _paired(
    white: Wire, black: Wire, number: int, terms: Sequence[Terms]
) -> tuple[World, PackedGames, CountingSigner]:
    """Alice has White, Bob Black: that goes by the hash of their requests, so they ask until it
    fits.
    """
    for second in range(60):
        world, games, signer = packed_world()
        world.clock.ms += 1000 * (60 * number + second)
        for key, wire in ((ALICE, white), (BOB, black)):
            world.clock.ms += 1000
            if wire == "nip100":
                SocketPlayer(world, key, _socket(key)).connect()
            else:
                world.ask(key, "", *terms)
        (game,) = world.games.by_id.values()
        if game.white.player == ALICE.pubkey:
            return world, games, signer
    raise AssertionError("never in sixty games")


def _socket(key: SecretKey) -> str:
    return f"socket-{key.pubkey[:8]}"
