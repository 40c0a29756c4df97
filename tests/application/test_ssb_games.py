"""Games of players on Scuttlebutt against others: each reads what their own program knows."""

import pytest

from tests.application.script import run, scripts
from tests.letters import US, a_letter, a_message

WHITE = "@sue invite white; bob seek\n"
BLACK = "@sue invite black; bob seek\n"
MATE_OF_SUE = BLACK + "bob f2f3; @sue e7e5; bob g2g4; @sue d8h4\n"


@scripts(
    """
# an invitation is accepted when there is an opponent
@sue invite black > @sue I am looking for an opponent...
bob seek > bob started | state | @sue* accept | @sue You play black...
= white bob

# two players of Scuttlebutt meet through the pool, each under a root of their own
@sue invite white; @tom invite black > state | @sue* accept | @sue You play...
@sue f2f3 > state | @tom* f2f3
@tom e7e5 > state | @sue* e7e5
@sue g2g4 > state | @tom* g2g4
@tom d8h4 > state 0-1 checkmate | note | @sue* mate d8h4 | @tom The game is over: 0-1, checkmate...

# a player on a socket is met
@sue invite white; ~bob connect > state | ~bob ok | ~bob 5000 gameisfound | ~bob ok black...
@sue e2e4 > state | ~bob 5002 e2e4
~bob e7e5 > state | ~bob ok | @sue* e7e5
~bob resign > state 1-0 resignation | note | ~bob ok resigned | @sue* resigned
"""
)
def test_meeting(script: str) -> None:
    run(script)


@scripts(
    """
# each sees the others moves in their own protocol
@sue e2e4 > state
bob e7e5 > state | @sue* e7e5

# the opponents mate comes inside the end alone
@sue f2f3; bob e7e5; @sue g2g4; bob d8h4 > state 0-1 checkmate | note | @sue* mate d8h4

# a mate that is none is refused in public and changes nothing
@sue e2e4; bob e7e5; @sue d1h5 type=chess_game_end status=mate > @sue* !wrong-result
= ply 2 | end -

# an illegal move costs nothing but a verdict however often it comes
@sue e2e5 > @sue* !illegal-move
@sue e2e5 > -
@sue e2e5 > -
= strikes 0 0 | end -

# a wrong claim is named and the legal move played
@sue e2e4 pgnMove=d4 > state | @sue* !disputed
= ply 1

# pawns become what either player says
@sue a2a4; bob h7h5; @sue a4a5; bob h5h4; @sue a5a6; bob h4h3; @sue a6b7; bob h3g2
@sue b7a8r > state
bob g2h1n > state | @sue* g2h1n

# the promotion that mates is read from its notation
@sue a2a4; bob c7c5; @sue a4a5; bob h7h5; @sue a5a6; bob d8b6; @sue a6b7; bob b6h6
@sue b7c8r > state 1-0 checkmate | note | @sue The game is over: 1-0, checkmate...

# who resigns has lost
@sue e2e4; @sue resigned > state 0-1 resignation | note

# the opponent resigns in our name
@sue e2e4; bob e7e5; bob resign > state 1-0 resignation | note | @sue* resigned

# a draw is offered in the chat and agreed to there
@sue e2e4; @sue offer > state draw/w
bob draw > state 1/2-1/2 agreement | note | @sue* draw

# a draw that the opponent offers is told and agreed to in her own words
@sue e2e4; bob draw > state draw/b | @sue Your opponent offers a draw...
@sue draw > state 1/2-1/2 agreement | note | @sue* draw

# an offer that was refused as too old is not made when it comes again
queue x: @sue draw; wait 90s; @sue e2e4; send x > @sue* !stale
again x > same state
bob draw > state draw/b | @sue Your opponent offers a draw...

# a stalemate ends it for both
@sue e2e3; bob a7a5; @sue d1h5; bob a8a6; @sue h5a5; bob h7h5; @sue h2h4; bob a6h6; @sue a5c7
bob f7f6; @sue c7d7; bob e8f7; @sue d7b7; bob d8d3; @sue b7b8; bob d3h7; @sue b8c8; bob f7g6
@sue c8e6 > state 1/2-1/2 stalemate | note | @sue* draw

# a stranger in her game gets one verdict
@mallory e2e4 > @sue* !not-a-player
@mallory e2e4 > -
= ply 0

# nothing is taken back where a log keeps it and the draw is not in its way
@sue e2e4; bob e7e5; bob takeback > bob !not-offered-here
@sue offer > state draw/w

# who is silent for two weeks is told a day before the game is called off
@sue e2e4; bob e7e5; @sue g1f3; bob b8c6; wait 1209590s; bob abort > bob !too-late
wait 20s; bob abort > state abort/b | @sue Your opponent is waiting...
wait 1d; bob abort > state * aborted | @sue* draw | @sue The game is over: *, aborted...

# the one verdict after the end says how much was counted
@sue e2e4; bob resign; @sue d2d4 ply=3 > @sue* !game-over
@sue d2d4 ply=3 > -
""",
    WHITE,
)
def test_white_on_scuttlebutt(script: str) -> None:
    run(script)


@scripts(
    """
# her own mate is no win of ours and confirmed in private
@sue d8h4 > state 0-1 checkmate | note | @sue The game is over: 0-1, checkmate...

# a mate that names the wrong winner is played and the claim named
@sue d8h4 winner=us > state 0-1 checkmate | note | @sue* !disputed...
= end 0-1 checkmate
""",
    MATE_OF_SUE.rpartition("; ")[0] + "\n",
)
def test_black_on_scuttlebutt(script: str) -> None:
    run(script)


def test_after_the_end_an_end_that_says_the_same_is_let_pass() -> None:
    talk = run(MATE_OF_SUE)
    sue = talk.players.feeds["sue"]
    mate = {"type": "ssb_chess_game_end", "root": sue.root, "status": "mate", "ply": 4}
    mate |= {"orig": "d8", "dest": "h4", "pgnMove": "Qh4#", "fen": sue.game.board().fen()}
    before = len(talk.world.outbox.said)
    talk.world.hear(sue.letter(mate))
    assert len(talk.world.outbox.said) == before
    talk.line("@sue draw > @sue* !game-over")


def test_a_move_that_is_none_is_refused_as_after_the_end() -> None:
    talk = run(WHITE + "@sue e2e4; bob resign")
    sue = talk.players.feeds["sue"]
    flawed = {"type": "chess_move", "root": sue.root, "orig": 7, "dest": None, "ply": "one"}
    sue.say(flawed)
    (verdict,) = [said["verdict"] for said in sue.read() if "verdict" in said]
    assert (verdict["reason"], verdict["ply"]) == ("game-over", 1)


def test_a_fork_is_named_once_in_a_game_however_often_it_is_told() -> None:
    talk = run(WHITE)
    sue = talk.players.feeds["sue"]
    for line in ("@sue e2e4; bob e7e5", "@sue d2d4; bob d7d5"):
        talk.line(line)
        key, content = a_message(f"sue {sue.number}"), {"type": "chess_chat", "root": sue.root}
        fork = {"sequence": 3, "known": sue.root}
        invite = sue.invites[sue.root]
        talk.world.hear(a_letter(sue.feed, key, content | {"msg": "hello"}, invite, fork=fork))
    texts = [said["verdict"]["text"] for said in sue.read() if "verdict" in said]
    assert texts == ["your log is forked: of two messages of one number the first counts"]


@pytest.mark.parametrize("what", ["move", "end"])
def test_what_the_opponent_could_not_read_counts_for_nothing(what: str) -> None:
    talk = run(WHITE)
    sue = talk.players.feeds["sue"]
    end = {"type": "chess_game_end", "root": sue.root, "status": "resigned"}
    sue.say(sue.move_content("e2e4") if what == "move" else end, is_private=True)
    assert (talk.fact("ply"), talk.fact("end")) == ("0", "-")
    (verdict,) = [said for said in sue.read() if "verdict" in said]
    assert verdict["verdict"]["text"] == "moves and ends of games must be public"


def test_our_moves_bear_the_position_and_our_acceptance_its_root() -> None:
    talk = run(WHITE + "@sue e2e4; bob e7e5")
    sue = talk.players.feeds["sue"]
    assert US not in str(sue.read("chess_move"))
    acceptance, move = sue.read("chess_invite_accept", "chess_move")
    assert acceptance == {"type": "chess_invite_accept", "root": sue.root}
    squares = {"ply": 2, "orig": "e7", "dest": "e5", "pgnMove": "e5"}
    fen = sue.game.board().fen()
    assert move == {"type": "chess_move", "root": sue.root, **squares, "fen": fen}
