"""Games over sockets, as the NIP-100 draft has them, and against players on relays."""

from tests.application.script import Conversation, run, scripts
from tests.application.socket_player import genuine
from tests.builders import ALICE, SERVER

MET = "~alice connect; ~bob connect\n"


@scripts(
    """
# two players meet and each is told their colour
~alice connect > ~alice ok
~bob connect > state | ~alice 5000 gameisfound | ~alice ok white | ~bob ok...

# a search that is called off pairs no player
~alice connect; ~alice cancelsearch > ~alice ok
~bob connect > ~bob ok

# a search in other words is refused and binds nothing
~alice 5000 hello > ~alice no: say connect or cancelsearch
= bound -

# only a connect binds
~alice cancelsearch > ~alice ok
= bound -
~alice connect > ~alice ok
= bound alice

# who plays no game is told so
~alice e2e4 > ~alice no: you play no game here
~alice offer > ~alice no: you play no game here
~alice resign > ~alice no: you play no game here

# who waited too long is told so
~alice connect; wait 31m; ~bob connect > ~alice no: no opponent... | ~bob ok

# who gives way in a full pool is told on their socket
~alice connect; 127 x bot# seek bot
bob seek bot > bob queued | ~alice no: rate-limited: the pool is full...

# an event that names another server is not for us
~alice connect p=another > ~alice no: its p tags name somebody else
= status not-for-us | bound -

# a search for one opponent is a challenge to them, whom the pool does not meet
~alice connect challenge=bob > bob challenged c1 | ~alice ok
= challenges c1 | waiting -
~carol connect > ~carol ok
bob accept c1 > bob started | state | ~alice 5000 gameisfound | ~alice ok...
= challenges - | games 1

# who is challenged may turn it down, and who challenged may call it off
~alice connect challenge=bob > bob challenged c1 | ~alice ok
bob decline c1 later > bob cancelled | ~alice no: later
~alice connect challenge=bob > bob challenged c2 | ~alice ok
~alice cancelsearch > ~alice ok
bob accept c2 > bob !unknown-challenge

# a search for one opponent names a key, and no game is found by it while another goes on
~alice connect challenge=OPEN > ~alice no: challenge names a key...
~alice connect challenge > ~alice no: challenge names a key...
~alice connect challenge=alice > ~alice no: you cannot challenge yourself
~alice connect; ~bob connect; ~alice connect challenge=carol > ~alice no: ...

# a player on relays with a clock is not met
bob seek blitz; ~alice connect > ~alice ok

# a game that was begun on relays is neither played nor lost on a socket
alice seek; bob seek
~alice connect > ~alice no: your game was begun in another protocol: end it there
~alice resign > ~alice no: your game was begun in another protocol: end it there
~alice e2e4 > ~alice no: your game was begun in another protocol: end it there
~alice e7e4 > ~alice no: your game was begun in another protocol: end it there
= ply 0 | end - | version 1
"""
)
def test_meeting(script: str) -> None:
    run(script)


@scripts(
    """
# a game to mate
~alice f2f3 > state | ~alice ok | ~bob 5002 f2f3
~bob e7e5 > state | ~alice 5002 e7e5 | ~bob ok
~alice g2g4 > state | ~alice ok | ~bob 5002 g2g4
~bob d8h4 > state 0-1 checkmate | note | ~alice 5002 d8h4 | ~alice 5000 gamecheckmate | ~bob ok...

# a promotion is understood in either case and told in lower case
~alice a2a4; ~bob h7h6; ~alice a4a5; ~bob h6h5; ~alice a5a6; ~bob h5h4; ~alice a6b7; ~bob h4h3
~alice b7a8Q > state | ~alice ok | ~bob 5002 b7a8q
~bob h3g2; ~alice e2e4; ~bob g2h1n > state | ~alice 5002 g2h1n | ~bob ok

# a draw is offered after a move and accepted by the same word
~alice offer > ~alice no: offer a draw right after your own move
~alice e2e4; ~bob offer > ~bob no: offer a draw right after your own move
~alice offer > state draw/w | ~alice ok offer | ~bob 5002 offersent
~bob offer > state 1/2-1/2 agreement | note | ~alice 5000 gamedraw | ~bob ok offer...

# a move turns the offer down
~alice e2e4; ~alice offer; ~bob e7e5 > state | ~alice 5002 e7e5 | ~bob ok
= offer -

# who resigns is told so and their opponent too
~alice resign > state 0-1 resignation | note | ~alice ok resigned | ~bob 5000 opponentresigned

# the second illegal move loses and what is no move counts for none
~alice Nf3 > ~alice no: neither a move...
~alice e2e5 > ~alice no: e2e5 is not legal here (1 of 2)
~alice a1a8 > state 0-1 illegal-moves | note | ~alice no: a1a8 is not legal...
= end 0-1 illegal-moves

# a move out of turn is refused and no strike
~bob e7e5 > ~bob no: it is your opponent's turn
= strikes 0 0

# nonsense is refused and remembered as nothing
~alice 5001 hello; ~alice 5002 hello; ~alice 5003 hello > ~alice no: neither a move...
= version 1

# a game is not called off like a search
~alice cancelsearch > ~alice no: your game goes on: resign to end it
= end -

# an event that has expired is refused
~alice e2e4 expiration=1700000000 > ~alice no: it has expired
= ply 0

# who connects again gets their colour and the answer to their move
~alice e2e4; gone alice; ~bob e7e5 > state | ~bob ok
= bound bob
~alice.2 connect > ~alice.2 ok white | ~alice.2 5002 e7e5
~alice.2 g1f3 > state | ~alice.2 ok | ~bob 5002 g1f3

# who missed nothing gets their colour alone
~bob connect > ~bob ok black
~alice e2e4; ~alice connect > ~alice ok white

# who names a ply gets every move after it
~alice f2f3; ~bob e7e5; ~alice g2g4
~alice connect ply=1 > ~alice ok white | ~alice 5002 e7e5 | ~alice 5002 g2g4
~bob connect ply=7 > ~bob ok black | ~bob 5000 gameisfound | ~bob ok black | ~bob 5002 f2f3...

# a ply that is none is not there
~alice e2e4; ~bob connect ply=-1 > ~bob ok black | ~bob 5002 e2e4
~bob connect ply=99999999 > ~bob ok black | ~bob 5002 e2e4
~bob connect ply=one > ~bob ok black | ~bob 5002 e2e4
~bob connect ply=٣ > ~bob ok black | ~bob 5002 e2e4

# an offer that waits is told to who comes back
~alice e2e4; ~alice offer; ~bob connect > ~bob ok black | ~bob 5002 e2e4 | ~bob 5002 offersent

# every socket of a player hears the opponents moves
~bob.2 connect; ~alice e2e4 > state | ~alice ok | ~bob 5002 e2e4 | ~bob.2 5002 e2e4

# a socket that is gone is forgotten and no failure
gone alice; gone bob; ~alice e2e4 > state
= bound - | ply 1

# a spectator is shown the game on relays
~alice e2e4; eve state > state
""",
    MET,
)
def test_over_sockets(script: str) -> None:
    run(script)


@scripts(
    """
# a player on relays is met and mates
~alice f2f3 > state | ~alice ok
bob e7e5 > state | ~alice 5002 e7e5
~alice g2g4 > state | ~alice ok
bob d8h4 > state 0-1 checkmate | note | ~alice 5002 d8h4 | ~alice 5000 gamecheckmate

# an offer from relays is told and accepted
~alice e2e4; bob draw > state draw/b | ~alice 5002 offersent
~alice offer > state 1/2-1/2 agreement | note | ~alice ok offer | ~alice 5000 gamedraw

# an offer made over a socket is shown on relays
~alice e2e4; ~alice offer > state draw/w | ~alice ok offer

# a rematch for which the wire has no word is not told
~alice e2e4; ~alice resign; bob rematch > state rematch/b 0-1 resignation
= offer rematch/b

# a takeback that one could not answer is refused and in nobodys way
~alice e2e4; bob e7e5; ~alice g1f3; bob takeback > bob !not-offered-here
~alice offer > state draw/w | ~alice ok offer

# a game called off on relays is told as a resignation
bob quit > state * aborted | ~alice 5000 opponentresigned

# two illegal moves lose over a socket and three on relays
~alice e2e4; bob e7e4; bob e7e3; bob e7e5 > state | ~alice 5002 e7e5
~alice e4e5; ~alice e4e6 > state 0-1 illegal-moves | note | ~alice no: e4e6 is...
""",
    "~alice connect; bob seek\n",
)
def test_against_a_player_on_relays(script: str) -> None:
    run(script)


@scripts(
    """
# who plays Black over a socket is told the first move
alice e2e4 > state | ~bob 5002 e2e4
~bob e7e5 > state | ~bob ok
""",
    "alice seek; ~bob connect\n",
)
def test_black_over_a_socket(script: str) -> None:
    run(script)


def test_a_player_whose_clock_is_wrong_can_play_if_they_could_sit_down() -> None:
    for fast_seconds in (-100, 100):
        talk = Conversation(in_order=False)
        talk.line("~alice cancelsearch")
        talk.players.sockets["alice"].fast_seconds = fast_seconds
        for line in (MET + "~white e2e4 > state...\n ~black e7e5 > state...").splitlines():
            talk.line(line)


def test_a_move_from_relays_is_signed_by_the_arbiter_and_names_its_game() -> None:
    talk = run("~alice connect; bob seek; ~alice f2f3; bob e7e5; ~alice g2g4")
    event, _ = talk.players.event("bob d8h4")
    talk.deliver(talk.world.body(event))
    move, mate = (genuine(frame[2]) for frame in talk.world.sockets.heard("alice"))
    assert (move.pubkey, mate.content) == (SERVER.pubkey, "gamecheckmate")
    assert move.tags == (("p", ALICE.pubkey), ("d", talk.games[0]), ("ply", "4"))


def test_an_opponent_on_a_socket_gets_the_movers_own_event_whole() -> None:
    talk = run(MET)
    event = talk.players.sockets["alice"].event(
        5001, "e2e4", ("p", SERVER.pubkey), ("alt", "a move")
    )
    talk.world.hear(event, "alice")
    ((_, _, heard),) = talk.world.sockets.heard("bob")
    assert genuine(heard) == event
