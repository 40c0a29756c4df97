"""One short game over sockets, broken off at every single call of a port, and taken up again."""

from dataclasses import replace

import pytest

from arbiter.application.process_batch import Record
from tests.application.socket_player import SocketPlayer
from tests.application.test_crashes import Faults, Fragile
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.fakes.faults import quiet

GAME = ("e2e4", "e7e5", "e1e3", "f1c4", "b8c6", "d1h5", "offer", "g8f6", "h5f7")
"""Scholar's mate, with one illegal move and one offer on the way."""

Heard = dict[str, list[list[object]]]


def play_through(*faults: int) -> tuple[World, Heard, Heard, int]:
    """The game with these calls broken off: what White heard, what Black heard, each by the content
    of the event that he or his opponent had sent, and how many calls there were in all.
    """
    world, hook = World(), Faults(*faults)
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    fragile = Fragile(world, hook)
    world.games.hook = world.lobby.hook = world.connections.hook = world.sockets.hook = hook
    world.deps = replace(world.deps, signer=fragile, publisher=fragile)
    heard: dict[str, Heard] = {"a": {}, "b": {}}

    def sent(player: SocketPlayer, kind: int, content: str) -> Record:
        return world.record(world.body(player.event(kind, content), player.socket))

    def deliver(player: SocketPlayer, record: Record, content: str) -> None:
        for _ in range(5):
            if not world.deliver(record):
                break
            world.clock.ms += 48_000  # the queue's visibility time-out
        else:
            pytest.fail("among the dead letters")
        for socket in ("a", "b"):
            said = f"{player.socket} {content}"
            heard[socket][said] = world.sockets.heard(socket)

    # Both sent before a retry moves the clock: other dates are other requests and other colours.
    requests = [(player, sent(player, 5000, "connect")) for player in (alice, bob)]
    for player, request in requests:
        deliver(player, request, "connect")
    game = world.games.standing[world.lobby.players[ALICE.pubkey].game_id or ""]
    white, black = (alice, bob) if game.white.player == ALICE.pubkey else (bob, alice)
    for content in GAME:
        moves_made = world.games.standing[game.id].ply
        if content == "offer":
            player = black if moves_made % 2 == 0 else white
            deliver(player, sent(player, 5002, content), content)
        else:
            player = white if moves_made % 2 == 0 else black
            deliver(player, sent(player, 5001, content), content)
    return world, heard[white.socket], heard[black.socket], hook.calls


_, WHITE_HEARD, BLACK_HEARD, CALLS = play_through()


def once(messages: list[list[object]]) -> set[object]:
    """What they say, without ids, dates, repetition, and why something was refused."""
    said: set[object] = set()
    for message in messages:
        match message:
            case ["OK", _, True, text]:
                said.add(("accepted", text))
            case ["OK", *_]:
                said.add("refused")
            case ["EVENT", label, {"content": content}]:
                said.add((label, content))
            case _:
                raise AssertionError(message)
    return said


@pytest.mark.parametrize("number", range(1, CALLS + 1))
def test_a_call_that_breaks_off_leaves_nobody_without_his_answer(number: int) -> None:
    """Alone, and together with the call after it."""
    for faults in ((number,), (number, number + 1)):
        world, white_heard, black_heard, _ = play_through(*faults)

        (game,) = world.games.standing.values()
        assert (game.result, game.ply, game.white_strikes) == ("1-0", 7, 1)
        assert len({event.id for event in world.publisher.taken_events if event.kind == 64}) == 1
        for told, expected in ((white_heard, WHITE_HEARD), (black_heard, BLACK_HEARD)):
            for said, messages in expected.items():
                assert once(messages) <= once(told[said]), (said, told[said])


def test_what_could_not_be_posted_is_posted_before_what_came_after_it_in_the_batch() -> None:
    """White moves and offers a draw at once; Black's socket cannot be reached for a moment."""
    world = World()
    players = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    for player in players:
        player.connect()
    (game,) = world.games.standing.values()
    white, black = players if game.white.player == ALICE.pubkey else reversed(players)
    batch = [
        world.record(world.body(white.event(kind, content), white.socket), group="game")
        for kind, content in ((5001, "e2e4"), (5002, "offer"))
    ]
    black.heard()

    def unreachable_once(point: str) -> None:
        if point == f"sockets.send {black.socket}":
            world.sockets.hook = quiet
            raise ConnectionError

    world.sockets.hook = unreachable_once
    again = world.deliver(*batch)
    assert again == tuple(record.id for record in batch)
    assert black.heard() == []

    assert world.deliver(*batch) == ()

    heard = [content for word, _, content in black.heard() if word == "EVENT"]
    assert heard == ["e2e4", "offersent"]
    assert world.game(game.id).ply == 1
