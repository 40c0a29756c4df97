"""An event that is held back does not mean in a later position what it did not mean when it
was signed.
"""

from tests.application.script import run, scripts

FIRST = """
alice seek; bob seek; mark s0; alice e2e4; mark s1
"""
TWO = (
    FIRST
    + """
wait 4s
bob e7e5
mark s2
"""
)
FOUR = (
    TWO
    + """
wait 4s
alice g1f3
mark s3
wait 4s
bob b8c6
"""
)


@scripts(
    """
# a word that names another position is stale and the present one is shown
alice draw /at=s1 > state | alice !stale
alice draw-decline /at=s1 > state | alice !stale
alice claim /at=s1 > state | alice !stale
alice takeback /at=s1 > state | alice !stale
alice takeback-decline /at=s1 > state | alice !stale
alice quit /at=s1 > state | alice !stale
alice resign /at=s1 > state | alice !stale
alice abort /at=s1 > state | alice !stale
= ply 4 | end - | offer -

# a draw is not agreed to with an offer of an earlier position
hold x: alice draw; alice f1b5; bob a7a6; bob draw > state draw/b
send x > same state draw/b | alice !stale

# a word that names no state is stale if it was signed long before the position
alice quit /none /date=-66 > state | alice !stale
alice resign /none /date=-66 > state | alice !stale
alice abort /none /date=-66 > state | alice !stale
= end -

# whose clock is slow is understood if they name the state
alice draw /date=-3600 > state draw/w
alice draw-decline > alice !no-offer
alice takeback /date=-3600 > state takeback/w
alice quit /date=-3600 > state 0-1 resignation | note

# a rematch that was wanted before the end is not wanted after it
hold x: alice rematch; bob resign; send x > same state 1-0 resignation | alice !stale
= offer -

# an answer to an offer may name the position as it was before the offer
mark x; bob draw > state draw/b
alice draw-decline /at=x > state

# and so may an agreement
mark x; bob draw; alice draw /at=x > state 1/2-1/2 agreement | note

# a move that answers the state before an offer is in time
mark x; alice draw > state draw/w
alice takeback > state takeback/w
alice f1b5 /at=x > state

# what was stale stays so when the state it names is known no more
x: alice resign /at=s2 > state | alice !stale
y: alice draw /at=s2 > state | alice !stale
z: alice d2d4 /at=s2 > state | alice !stale
wait 3720s; again x > state | alice !stale
again y > same state | alice !stale
again z > same state | alice !stale
= ply 4

# a refused offer that comes again when it would accept stays refused
alice draw > state draw/w
bob draw-decline > state
x: alice draw > alice !rate-limited
bob draw > state draw/b
again x > same state draw/b
= status duplicate | end -

# an old offer that the game does not remember is stale
hold x: alice draw; wait 62s; alice f1b5; bob draw; send x > same state draw/b | alice !stale
= end -

# a move that answers a position that was taken back is stale
alice f1b5; mark x; alice takeback; bob takeback > state
bob a7a6 /at=x > state | bob !stale

# an offer may be made without naming a state
alice draw /none > state draw/w
""",
    FOUR,
)
def test_after_four_moves(script: str) -> None:
    run(script)


@scripts(
    """
# a quit that was to call a game off resigns none
hold x: alice quit; hold y: alice quit /none; wait 29s; bob e7e5; wait 29s; alice g1f3; wait 29s
bob b8c6; send x > same state | alice !stale
send y > same state | alice !stale
= end -

# a resignation that crosses the opponents move counts if it names no state
hold x: alice resign /none; bob e7e5; send x > state 0-1 resignation | note

# and so does a quit
bob e7e5; alice g1f3; hold x: alice quit /none; bob b8c6; send x > state 0-1 resignation | note

# of a player whose clock is right a word is stale a minute later
bob e7e5; hold x: alice draw /none; wait 1m; alice g1f3; wait 1m; bob b8c6
send x > same state | alice !stale

# of a player whose clock is fast only what names a state cannot be held back
bob e7e5; hold x: alice draw /date=600; hold y: alice draw /none /date=600; wait 1m; alice g1f3
wait 1m; bob b8c6; send x > same state | alice !stale
send y > state draw/w
""",
    FIRST,
)
def test_after_one_move(script: str) -> None:
    run(script)


@scripts(
    """
# time is up whatever state the flag names
hold x: bob flag; alice g1f3; wait 10m; send x > state 1-0 timeout | note
""",
    FOUR.replace("seek", "seek blitz").partition("wait 4s\nalice g1f3")[0],
)
def test_a_flag(script: str) -> None:
    run(script)


@scripts(
    """
# a move that was under way when the other asked for a takeback is played
alice takeback; bob e7e5 /at=s1 > state
= ply 2 | offer -

# a reply to the move that is gone is stale
alice takeback; mark x; bob takeback > state
bob e7e5 /at=x > state | bob !stale

# and out of turn where it names no state
alice takeback; bob takeback; bob e7e5 /none > bob !not-your-turn
= ply 0 | strikes 0 0
""",
    FIRST,
)
def test_a_takeback_of_the_first_move(script: str) -> None:
    run(script)


@scripts(
    """
# an agreement that was under way when the asker moved is stale
alice takeback; mark x; alice g1f3 /at=s2; bob takeback /at=x > state | bob !stale
= ply 3 | offer -

# and is a wish of its author where it names no state
alice takeback; hold x: bob takeback /none; alice g1f3 /at=s2; send x > state takeback/b
= ply 3 | offer takeback/b

# a wish that was under way agrees to none of the opponents
hold x: bob takeback /at=s2; hold y: bob takeback /none; alice takeback
send x > bob !not-offered-here
send y > bob !not-offered-here
= ply 2 | offer takeback/w

# who has seen the offer agrees without a state
alice takeback; wait 2s; bob takeback /none > state
= ply 0

# a draw that both offer at once is a draw
hold x: bob draw; alice draw; send x > state 1/2-1/2 agreement | note

# a takeback is no answer to a draw
alice draw; bob takeback /at=s2 > bob !not-offered-here
= offer draw/w

# a move of the askers is stale once the takeback was agreed to
alice takeback; mark x; bob takeback; alice g1f3 /at=x > state | alice !stale
= ply 0

# who declines when the asker has moved declines nothing
alice takeback; mark x; alice g1f3 /at=s2; bob takeback-decline /at=x > state | bob !stale
= ply 3
""",
    TWO,
)
def test_a_takeback_of_two_moves(script: str) -> None:
    run(script)


@scripts(
    """
# who agrees twice takes no more back
hold y: bob takeback; alice takeback; mark x; bob takeback /at=x > state
send y > same state | bob !stale
= ply 2
""",
    FOUR,
)
def test_a_takeback_of_four_moves(script: str) -> None:
    run(script)
