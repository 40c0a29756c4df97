"""The game after a game, and the end that it follows."""

import pytest

from tests.application.script import run, scripts

MATE = """
alice seek {0}; bob seek {0}; alice f2f3; bob e7e5; alice g2g4; x: bob d8h4
"""


@scripts(
    """
# a rematch swaps the colours and is told as a start
alice rematch > state rematch/w 0-1 checkmate
bob rematch > bob started | alice started | state | g1 state 0-1 checkmate
= white bob | games 2 | timers 0
bob e2e4 > state

# its author withdraws an offer and the opponent declines one
alice rematch > state rematch/w 0-1 checkmate
alice rematch-decline > state 0-1 checkmate
alice rematch > state rematch/w 0-1 checkmate
bob rematch-decline > state 0-1 checkmate
= games 1

# a rematch is accepted once however often the event comes
alice rematch; y: bob rematch
again y > bob started | alice started | same state | same g1 state 0-1 checkmate | same note
= games 2 | status duplicate
alice rematch /g1 /none > alice !not-offered-here
bob rematch /g1 /none > bob !not-offered-here
= games 2

# two acceptances at once make one rematch
alice rematch; hold y: bob rematch; meanwhile lobby.commit: bob rematch; send y
= games 2

# a player is not pulled out of another game nor into a rematch after it
alice seek > alice queued
alice rematch > state rematch/w 0-1 checkmate
carol seek; y: bob rematch /g1 > bob !not-offered-here
carol quit; again y > same g1 state rematch/w 0-1 checkmate | same note
bob rematch /g1 > bob !not-offered-here
= games 2

# a player who waits and accepts a rematch waits no more
alice rematch; bob seek
bob rematch > bob started | alice started | state | g1 state 0-1 checkmate
carol seek > carol queued

# who asks for another game withdraws the offer of a rematch
alice rematch; alice seek blitz > alice queued | state 0-1 checkmate
bob rematch > state rematch/b 0-1 checkmate
= games 1

# and so does Black
bob rematch; bob seek blitz > bob queued | state 0-1 checkmate
alice rematch > state rematch/w 0-1 checkmate
= games 1

# and who cancels
alice rematch; alice cancel > alice cancelled | state 0-1 checkmate
bob rematch > state rematch/b 0-1 checkmate

# a withdrawn offer is told though the answer to the request was lost
alice rematch; crash lobby.committed; y: alice seek blitz > failed
again y > alice queued | state 0-1 checkmate
carol seek blitz; again y > carol started | alice started | same state | same g1 state 0-1 checkmate

# and though the request began a game, which is over
carol seek; alice rematch; crash lobby.committed; y: alice seek > failed
alice quit; again y > g1 state 0-1 checkmate

# and though the request was refused
bob challenge open; bob cancel; alice rematch; crash lobby.committed; y: alice accept c1 > failed
again y > alice !stale | state 0-1 checkmate

# no other request tells a withdrawn offer again
alice rematch; alice cancel; y: alice status; again y > -

# a withdrawn offer that no relay took is published later, as is the answer
alice rematch; deaf; alice seek blitz > -
hearing; republish > alice queued | state 0-1 checkmate | same note

# who asks where they are still offers the rematch
alice rematch; alice status > alice !unknown-game
bob rematch > bob started | alice started | state | g1 state 0-1 checkmate

# an offer of a rematch ends after a day
alice rematch; wait 1d; bob rematch > state rematch/b 0-1 checkmate
wait 86399s; alice rematch > bob started | alice started | state | g1 state 0-1 checkmate

# an offer of a rematch neither dates the note anew nor lets it be lost
wait 1m; alice rematch; again x > same state rematch/w 0-1 checkmate | same note
""",
    MATE.format(""),
)
def test_rematches(script: str) -> None:
    run(script)


@scripts(
    """
# with a clock the offer of a rematch ends after five minutes
alice rematch; wait 5m; bob rematch > state rematch/b 0-1 checkmate
wait 299s; alice rematch > bob started | alice started | state | g1 state 0-1 checkmate

# an offer that has ended is made again and accepted
alice rematch; wait 5m; alice rematch > state rematch/w 0-1 checkmate
bob rematch > bob started | alice started | state | g1 state 0-1 checkmate
= games 2 | timers 2

# the timer of a rematch that could not be set is set when the event comes again
alice rematch; no timers; crash timers.set; bob rematch > failed
again > bob started | alice started | state | g1 state 0-1 checkmate | same note
= timers 1
""",
    MATE.format("blitz"),
)
def test_rematches_with_a_clock(script: str) -> None:
    run(script)


UNHEARD = MATE.replace("x: ", "deaf\nx: ")


def test_an_end_that_no_relay_took_is_published_though_a_rematch_was_offered_since() -> None:
    end = "same state rematch/w 0-1 checkmate | note"
    run(UNHEARD.format("") + f"hearing\n alice rematch /none\n republish > {end}")


@pytest.mark.parametrize("times", [1, 2])
def test_an_end_is_published_with_its_ratings_though_a_rematch_began_meanwhile(times: int) -> None:
    """The worker died before it published the end; when the move came again, no relay took it, or
    the rematch.
    """
    talk = run(UNHEARD.format("blitz rated"))
    for line in ("alice rematch /none", "bob rematch /none"):
        talk.line(line)
    talk.world.republish.waiting.clear()
    for line in ("again x", "hearing"):
        talk.line(line)
    talk.world.republish.waiting *= times
    heard, _ = talk.step("republish", "last")
    told = [word for word in heard if "started" not in word]
    assert [*dict.fromkeys(told)] == ["state", "g1 state 0-1 checkmate", "note", "rating"]
    events = talk.world.publisher.taken_events
    assert len({event.id for event in events if event.kind == 30300}) == 2
