"""Games on relays, from the request to the note; what is refused, and what is dropped."""

import io

import chess
import chess.pgn
import pytest

from arbiter.nostr.event import first_tag
from tests.application.script import run, scripts
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event

MET = """
alice seek; bob seek
"""


@scripts(
    """
# an aborted game leaves no note
alice quit > state * aborted
= end * aborted

# after the end a player can ask for another game
alice e2e4; bob e7e5; alice quit > state 0-1 resignation | note
alice seek > alice queued
bob seek > alice started | bob started | state

# the third illegal move ends the game after its error
alice e2e5 > both !illegal-move
alice e2e6 > both !illegal-move
alice e2e7 > both !illegal-move | state 0-1 illegal-moves | note
= strikes 3 0

# what cannot be read is refused and the game goes on
alice hello > alice !malformed
alice 0000 > alice !malformed
alice Q@e4 > alice !malformed
alice -- > alice !malformed
alice > alice !malformed
alice e2e4 /none > state

# a move that names an older state is stale
mark x; alice e2e4; bob e7e5; alice g1f3 /at=x > state | alice !stale
= ply 2

# a stranger is refused alone
eve e2e4 > eve !not-a-player
= version 1

# an agreed draw ends the game
alice e2e4; bob e7e5; alice draw > state draw/w
bob draw > state 1/2-1/2 agreement | note

# a threefold repetition is claimed
alice g1f3; bob g8f6; alice f3g1; bob f6g8; alice g1f3; bob g8f6; alice f3g1
alice claim > alice !no-claim
bob f6g8; bob claim > state 1/2-1/2 threefold-repetition | note

# an event that comes again is applied once and its state published again
x: alice e2e4 > state
again x > same
wait 20s; again x > same
= ply 1 | statuses duplicate duplicate
wait 30d; again x > state

# a change keeps its date for a minute
x: alice e2e4; wait 60s; again x > same
wait 1s; again x > state

# a refused move stays refused when its turn has come
x: bob e7e5 /none > bob !not-your-turn
alice e2e4; again x > same state
= ply 1 | status duplicate

# an end that was told is told with its note when its event comes again
alice e2e4; bob e7e5; x: alice quit > state 0-1 resignation | note
again x > same

# a stranger who asks is shown the state and nothing changes
alice e2e4; wait 5s; eve state > state
alice state > alice started | state
= version 2

# a spectator may ask about a game that is over
alice quit; eve state > state * aborted

# an offer is shown until it is answered and each answer is a state of its own
alice e2e4; bob e7e5; bob draw > state draw/b
alice draw-decline > state
alice takeback > state takeback/w
bob takeback > state
= ply 0 | offer -
""",
    MET,
)
def test_one_game(script: str) -> None:
    run(script)


def test_the_note_of_a_game_is_its_pgn() -> None:
    talk = run(MET + "alice f2f3\n bob e7e5\n alice g2g4\n bob d8h4 > state 0-1 checkmate | note")
    final, note = talk.world.publisher.taken_events[-2:]
    game = chess.pgn.read_game(io.StringIO(note.content))
    assert game is not None
    assert game.headers["White"] == ALICE.pubkey
    assert game.headers["Result"] == "0-1"
    assert game.end().board().fen() == final.content
    assert first_tag(final, "moves") == ("moves", "f2f3", "e7e5", "g2g4", "d8h4")


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
