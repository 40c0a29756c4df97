"""Challenges: to one opponent, or to any player who has the link."""

from hashlib import sha256

import pytest

from arbiter.nostr.keys import SecretKey
from tests.application.script import Conversation, run, scripts
from tests.builders import a_key


@scripts(
    """
# an accepted challenge is a game on its terms
alice challenge bob blitz rated color=white > alice queued c1 | bob challenged c1
= challenges c1 | waiting -
bob accept c1 > alice started | bob started | state
= white alice | challenges - | timers 1
alice challenge carol > alice !playing | state

# a declined challenge is told with its reason
alice challenge bob > alice queued c1 | bob challenged c1
bob decline c1 later > alice !declined later | bob cancelled
= challenges -
bob accept c1 > bob !unknown-challenge
alice challenge bob > alice queued c2 | bob challenged c2
bob decline c2 > alice !declined generic | bob cancelled
alice challenge bob > alice queued c3 | bob challenged c3
bob decline c3 go_away! > alice !declined generic | bob cancelled

# a challenge is answered by none but the one it is for
alice challenge bob > alice queued c1 | bob challenged c1
carol accept c1 > carol !unknown-challenge
alice accept c1 > alice !unknown-challenge
carol decline c1 later > carol !unknown-challenge
alice decline c1 > alice !unknown-challenge
= challenges c1 | games 0

# an open challenge is for the first who answers
alice challenge open blitz > alice queued c1
eve seek blitz > eve queued
bob accept c1 > alice started | bob started | state
carol accept c1 > carol !unknown-challenge
= games 1

# an open challenge is not declined for all the others nor accepted by its author
alice challenge open > alice queued c1
carol decline c1 later > carol !unknown-challenge
alice accept c1 > alice !unknown-challenge
bob accept c1 > alice started | bob started | state

# a challenge that never was is unknown
bob accept ffffffffffffffffffffffffffffffff > bob !unknown-challenge
bob decline 00000000000000000000000000000000 > bob !unknown-challenge
bob accept > bob !bad-terms

# terms that cannot be played are refused
alice challenge alice > alice !bad-terms
alice seek start=8/P6k/8/8/8/8/7p/K7_b_-_-_0_1 > alice !bad-terms
alice challenge open start=nonsense > alice !bad-terms
alice challenge open start=k7/8/8/8/8/8/8/K7_w_-_-_0_1 > alice !bad-terms
alice challenge SOMEBODY > alice !bad-terms
alice challenge bob challenge=open > alice !bad-terms
alice seek challenge=open,x > alice !bad-terms
alice seek challenge=open, > alice !bad-terms
= challenges - | waiting -

# a challenge is played from its position
alice challenge bob start=8/P6k/8/8/8/8/7p/K7_b_-_-_0_1
bob accept c1 > alice started | bob started | state
= fen 8/P6k/8/8/8/8/7p/K7 b - - 0 1

# a challenge with a clock is accepted for half an hour
alice challenge bob blitz; carol challenge dave; wait 1798s
bob accept c1 > alice started | bob started | state
dave accept c2
= games 2

# and is unknown after it
alice challenge bob blitz; carol challenge dave; wait 1799s
bob accept c1 > bob !unknown-challenge
dave accept c2 > dave !unknown-challenge

# a challenge by days is accepted for two weeks
alice challenge bob time=3d; carol challenge dave time=3d; wait 1209597s
bob accept c1 > alice started | bob started | state
wait 2s; dave accept c2 > dave !unknown-challenge

# cancelling takes challenges and requests back
alice challenge bob; alice challenge open blitz; alice seek > alice queued
alice cancel > alice cancelled
= challenges - | waiting -
bob accept c1 > bob !unknown-challenge
bob accept c2 > bob !unknown-challenge
bob seek > bob queued

# cancelling nothing is answered too
alice cancel > alice cancelled

# a challenge that is cancelled while it is being accepted is gone
alice challenge bob; meanwhile lobby.commit: alice cancel
bob accept c1 > alice cancelled | bob !unknown-challenge
= games 0

# of two who accept an open challenge at once one plays
alice challenge open; meanwhile lobby.commit: carol accept c1
bob accept c1 > alice started | carol started | state | bob !unknown-challenge
= games 1

# a challenger who plays elsewhere challenges no more
alice challenge bob; alice seek; carol seek; bob accept c1 > bob !unknown-challenge
= games 1

# who accepts leaves the pool they wait in and so does the challenger
alice challenge bob; bob seek; alice seek blitz
bob accept c1 > alice started | bob started | state
= waiting -
carol seek > carol queued

# both may wait in the same pool when one accepts the others challenge
alice challenge bob; bob seek color=white; alice seek color=white
bob accept c1 > alice started | bob started | state
= waiting -

# a challenger goes on waiting in their pool
alice seek; alice challenge bob
= waiting alice

# eight challenges wait and a ninth is refused
8 x alice challenge friend#; alice challenge bob > alice !rate-limited
wait 31m; alice challenge bob > alice queued c9 | bob challenged c9
alice cancel > alice cancelled
alice challenge bob > alice queued c10 | bob challenged c10

# a challenge for some ratings is for no others
alice challenge open blitz rating=1600,2000; bob accept c1 > bob !bad-terms
= challenges c1

# a challenge that no relay took is published again
deaf; alice challenge bob blitz > -
hearing; republish > alice queued c1 | bob challenged c1

# who asks where they are does not have the others challenged again
alice challenge bob; alice status > alice queued c1

# a challenge whose request comes again is told again and made once
x: alice challenge bob; wait 5s; again x > alice queued c1 | bob challenged c1
= challenges c1

# a withdrawal that comes again takes nothing newer back
alice challenge bob; x: alice cancel; alice challenge carol
again x > alice queued c2 | carol challenged c2
= challenges c2 | status duplicate

# a refusal that comes again declines nothing newer
alice challenge bob; x: bob decline c1 later; alice challenge carol; again x > -
= challenges c2 | status duplicate

# an acceptance that comes again tells the start again
alice challenge bob; x: bob accept c1 > alice started | bob started | state
again x > same
wait 1s; bob accept c1 > bob started | state

# who plays can be challenged and can decline
bob seek; carol seek; alice challenge bob > alice queued c1 | bob challenged c1
bob decline c1 later > alice !declined later | bob cancelled
= challenges -

# who plays makes and accepts no challenge
alice seek; bob seek; carol challenge open; x: alice challenge open > alice !playing | state
alice challenge bob > alice !playing | state
y: alice accept c1 > alice !playing | state
= challenges c1
alice quit > state * aborted
again x > alice !stale
again y > alice !stale
= challenges c1
alice accept c1 > carol started | alice started | state

# challenges come back when the game that removed them was called off
alice challenge bob; alice challenge open; alice challenge open; eve accept c3
eve abort > state * aborted
eve accept c3 > eve !unknown-challenge
bob accept c1 > bob started | alice started | state
bob abort > state * aborted
carol accept c2 > alice started | carol started | state

# and when the opponent resigns before both have moved
alice challenge bob; alice challenge open; eve accept c2; alice e2e4 > state
eve resign > state 1-0 resignation | note
bob accept c1 > alice started | bob started | state

# challenges that came back are declined shown and cancelled as before
alice challenge open; alice challenge bob; alice challenge open; eve accept c3; eve abort
bob decline c2 later > alice !declined later | bob cancelled
alice status > alice queued c1
alice cancel > alice cancelled
carol accept c1 > carol !unknown-challenge

# challenges do not come back after a game that was played
alice challenge bob; alice challenge open; eve accept c2; alice e2e4; eve e7e5
alice resign > state 0-1 resignation | note
bob accept c1 > bob !unknown-challenge

# challenges cancelled during a game do not come back when it is called off
alice challenge open; alice challenge open; bob accept c2; alice cancel > alice started | state
bob abort; carol accept c1 > carol !unknown-challenge

# challenges come back too when a rematch is called off
alice challenge open; alice seek; bob seek; bob abort; bob rematch > state rematch/b * aborted
alice rematch > bob started | alice started | state | g1 state * aborted
bob abort; carol accept c1 > carol started | alice started | state

# an acceptance that was refused does not come true when the challenge comes back
alice challenge bob; alice seek; carol seek; x: bob accept c1 > bob !unknown-challenge
carol abort; again x > bob !stale
bob accept c1 > bob started | alice started | state

# no more than eight challenges wait counting those that came back
8 x alice challenge open; eve accept c8; eve abort; alice challenge open > alice queued c9
alice challenge open > alice !rate-limited
"""
)
def test_challenges(script: str) -> None:
    run(script)


@pytest.mark.parametrize("wish", ["white", "black"])
def test_the_challenger_has_the_colour_they_wish_for_whatever_the_hash(wish: str) -> None:
    for seconds in range(8):
        talk = run(f"wait {seconds}s; alice challenge bob color={wish}; bob accept c1")
        assert (talk.fact("white") == "alice") == (wish == "white")


LINK = a_key("the secret in the link")


def proof(talk: Conversation, player: str, link: SecretKey = LINK) -> str:
    """The tag by which a player shows that they have the link of the first challenge."""
    accepted = f"accept:{talk.players.challenges[0]}:{talk.players.key(player).pubkey}".encode()
    return f"proof={link.sign_bytes(sha256(accepted).digest()).hex()}"


def test_an_open_challenge_with_a_key_is_for_those_who_have_its_link() -> None:
    talk = Conversation(in_order=False)
    talk.line(f"alice seek challenge=open,{LINK.pubkey} > alice queued c1")
    stolen, guessed = proof(talk, "bob"), proof(talk, "eve", talk.players.key("eve"))
    for tag in ("", "proof", "proof=x", f"proof={'0' * 128}", stolen, guessed):
        talk.line(f"eve accept c1 {tag} > eve !unknown-challenge")
    talk.line(f"bob accept c1 {stolen}")
    assert talk.fact("games") == "1"


@pytest.mark.parametrize("key", ["f" * 64, LINK.pubkey.upper()])
def test_a_link_key_that_is_none_opens_nothing_and_raises_nothing(key: str) -> None:
    talk = run(f"alice seek challenge=open,{key}")
    if key.islower():
        talk.line(f"bob accept c1 {proof(talk, 'bob')} > bob !unknown-challenge")
    assert talk.fact("challenges") == ("c1" if key.islower() else "-")
