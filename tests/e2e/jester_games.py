"""Parts that tests of kind 30 share: an arbiter on two relays, and its events there."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess

from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import ForeignRelay, bundled, rust_nostr
from tests.e2e.jester_player import JesterPlayer
from tests.e2e.jester_spelling import Event, values


@contextlib.contextmanager
def on_two_relays(folder: Path) -> Iterator[ArbiterRun]:
    """An arbiter on two relays of two makes."""
    port = free_port_base()
    relays: tuple[ForeignRelay, ...] = (bundled(folder / "relay", port), rust_nostr(port + 1))
    with contextlib.ExitStack() as running:
        for relay in relays:
            running.callback(relay.stop)
            relay.start()
        run = ArbiterRun(folder, [relay.url for relay in relays])
        running.callback(run.stop)
        run.start()
        yield run


def by(server: str, player: JesterPlayer, kind: int) -> list[Event]:
    """The arbiter's events of this kind in the player's game, as far as the player knows."""
    assert player.start is not None
    game = player.start["id"]
    heard = (e for e in player.heard if (e["pubkey"], e["kind"]) == (server, kind))
    return [e for e in heard if game in values(e, "e")]


def sans(script: Sequence[str]) -> tuple[str, ...]:
    """These moves (UCI) in SAN."""
    board = chess.Board()
    found = []
    for uci in script:
        move = chess.Move.from_uci(uci.lower())
        found.append(board.san(move))
        board.push(move)
    return tuple(found)
