"""Games on relays, from the request to the note; what is refused, and what is dropped."""

import chess
import chess.pgn
import pytest

from arbiter.nostr.event import first_tag
from tests.application.script import run
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event

MET = """
alice seek; bob seek
"""


def test_chess960_is_played_with_the_king_taking_its_rook() -> None:
    talk = run("alice seek variant=chess960\n bob seek variant=chess960")
    start = first_tag(talk.state(), "start")
    board = chess.Board(start[1] if start else chess.STARTING_FEN, chess960=True)
    for _ in range(60):
        castling = [*board.generate_castling_moves()]
        quiet = [move for move in board.legal_moves if not board.is_capture(move)]
        board.push((castling or quiet or [*board.legal_moves])[0])
        if board.outcome():
            break
        talk.line(f"{'black' if board.turn else 'white'} {board.peek().uci()} > state")


@pytest.mark.parametrize(
    "tags", [(), (("d", "f" * 32),), (("d", "../.."),), (("d", "a" * 32), ("d", "b" * 32))]
)
@pytest.mark.parametrize("text", ["e2e4", "state"])
def test_what_is_said_in_no_game_of_ours_is_answered_to_its_author(
    text: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    (error,) = World().hear(an_event(EVE, 20303, text, (("p", SERVER.pubkey), *tags)))
    assert error.content.startswith("unknown-game: ")
    assert error.tags[-1] == ("p", EVE.pubkey)


def test_the_server_may_be_named_in_any_p_tag() -> None:
    players = (("p", ALICE.pubkey), ("p", BOB.pubkey, "wss://relay.example"))
    (told,) = World().hear(an_event(ALICE, 20300, "", (*players, ("p", SERVER.pubkey))))
    assert told.content == "queued"


def test_what_is_not_for_us_is_dropped_unanswered() -> None:
    world = World()
    ours, other = (("p", SERVER.pubkey),), (("p", BOB.pubkey),)
    for event in (
        *(an_event(ALICE, 20300, "", other), an_event(ALICE, 20300)),
        *(an_event(ALICE, 1, "hello", ours), an_event(SERVER, 20303, "e2e4", ours)),
        an_event(ALICE, 5000, "connect", ours),  # on relays a job for a stranger's machine (NIP-90)
    ):
        assert world.hear(event) == []
    not_for_us = ["not-for-us", "not-for-us", "unknown-kind", "our-own", "not-by-socket"]
    assert world.statuses() == not_for_us
