"""Players who end games before they began: how often they may, and who meets whom after that."""

import re

import pytest

from arbiter.core.offers import NOTICE_MS
from arbiter.core.rules import SILENT_MS
from tests.application.script import Conversation, run, scripts

TERMS = "blitz rated"
CALLED_OFF = "{0} seek blitz rated\nbob seek blitz rated\nbob {1}\n"
THREE = "".join(CALLED_OFF.format(f"a{number}", "abort") for number in range(3))


@scripts(
    """
# who called off three games in an hour must wait
bob seek blitz rated > bob !rate-limited
alice seek blitz rated > alice queued
wait 1m; bob seek blitz rated > bob started | alice started | state

# what was asked for before does not hide what was counted
bob status > bob !unknown-game
bob cancel > bob cancelled
bob seek blitz rated > bob !rate-limited

# a request that was refused does not come true when a relay sends it again
x: bob seek blitz rated > bob !rate-limited
wait 61s; again x > bob !stale
alice seek blitz rated > alice queued

# who must wait may play a challenge by name but none that is open
alice challenge open blitz rated > alice queued c1
bob accept c1 > bob !rate-limited
bob challenge open blitz rated > bob !rate-limited
bob challenge alice blitz rated > bob queued c2 | alice challenged c2
alice accept c2 > bob started | alice started | state

# an open challenge that was refused to one who must wait is there for others
alice challenge open blitz rated; x: bob accept c1 > bob !rate-limited
wait 61s; again x > bob !stale
carol accept c1 > carol started | alice started | state

# a rematch called off is counted as well
a2 rematch > state rematch/w * aborted
bob rematch > bob started | a2 started | state | g3 state * aborted
bob abort > state * aborted
""",
    THREE,
)
def test_after_three_games_called_off(script: str) -> None:
    run(script)


@scripts(
    """
# those called off are never counted
alice seek blitz rated > alice queued

# two whose game was called off meet again from a pool after five minutes
a0 seek blitz rated > a0 queued
bob seek blitz rated > bob queued
wait 290s; a0 seek blitz rated > a0 queued
wait 5m; bob seek blitz rated > bob started | a0 started | state

# and may challenge each other at once
a0 challenge bob > a0 queued c1 | bob challenged c1
bob accept c1 > bob started | a0 started | state

# one abort is counted once however many requests follow
bob seek blitz rated > bob queued
bob seek blitz rated > bob queued
bob seek blitz rated > bob queued
bob seek blitz rated > bob queued
""",
    CALLED_OFF.format("a0", "abort"),
)
def test_after_one_game_called_off(script: str) -> None:
    run(script)


@scripts(
    """
# whose open challenges are taken one after another is counted
8 x bob challenge open blitz rated; a0 accept c1; bob abort > state * aborted
a1 accept c2; bob abort > state * aborted
a2 accept c3; bob abort > state * aborted
a3 accept c4 > a3 !unknown-challenge

# a first move that never came is counted against its player alone
a0 seek blitz; bob seek blitz; a0 e2e4; wait 33s; a0 flag > state * aborted
a1 seek blitz; bob seek blitz; wait 33s; bob flag > state * aborted

# resigning before both moved is like an abort
a0 seek blitz rated; bob seek blitz rated; bob resign > state 1-0 resignation | note
a1 seek blitz rated; bob seek blitz rated; bob quit > state * aborted
a2 seek blitz rated; bob seek blitz rated; bob resign; bob seek blitz rated > bob !rate-limited

# a game that both played counts against neither
a0 seek blitz; bob seek blitz; white e2e4; black e7e5; bob quit > state 1-0 resignation | note
a0 seek blitz; bob seek blitz; white e2e4; black e7e5; bob quit > state 0-1 resignation | note
a0 seek blitz; bob seek blitz; white e2e4; black e7e5; bob quit > state 0-1 resignation | note
bob seek blitz > bob queued
"""
)
def test_what_is_counted(script: str) -> None:
    run(script)


def meet(talk: Conversation, one: str, other: str, terms: str = TERMS) -> bool:
    """Let both ask; whether they play each other now."""
    before = len(talk.games)
    for name in (one, other):
        talk.line(f"{name} seek {terms}")
    return len(talk.games) > before


def must_wait(talk: Conversation, name: str) -> int:
    """How many seconds this player must wait before they may ask; 0 if not at all."""
    talk.step(f"{name} seek {TERMS}", "last")
    text = talk.world.publisher.taken_events[-1].content
    talk.line(f"{name} cancel")
    found = re.fullmatch(r"error:rate-limited: .*ask again in (\d+) seconds", text)
    return int(found[1]) if found else 0


def test_each_abort_beyond_the_second_in_an_hour_doubles_the_wait() -> None:
    talk, waits = Conversation(in_order=False), []
    for number in range(8):
        assert meet(talk, f"victim{number}", "bob")
        talk.line("bob abort")
        waits.append(must_wait(talk, "bob"))
        talk.line(f"wait {waits[-1]}s")
    assert [round((wait + 1) / 60) for wait in waits] == [0, 0, 1, 2, 4, 8, 16, 30]


@pytest.mark.parametrize(
    ("who", "word", "minutes"), [("bob", "abort", 31), ("opponent#", "abort", 0)]
)
def test_who_aborts_twice_an_hour_or_is_aborted_never_waits(
    who: str, word: str, minutes: int
) -> None:
    talk = Conversation(in_order=False)
    for number in range(12):
        assert meet(talk, f"opponent{number}", "bob")
        talk.line(f"{who.replace('#', str(number))} {word}")
        talk.line(f"wait {minutes}m")
    assert must_wait(talk, "bob") == 0


def test_who_is_called_off_by_six_bots_plays_another_then() -> None:
    talk, aborted = Conversation(in_order=False), 0
    for _ in range(3):
        for number in range(6):
            if meet(talk, "alice", f"bot{number}"):
                talk.line(f"bot{number} abort")
                aborted += 1
            talk.line(f"bot{number} cancel")
    assert aborted == 6
    assert meet(talk, "alice", "carol")


def test_no_show_is_counted_for_the_side_that_did_not_come_and_illegal_moves_like_an_abort() -> (
    None
):
    talk, ways = Conversation(in_order=False), 0
    while meet(talk, f"opponent{ways}", "bob", "blitz") and ways < 9:
        is_white = talk.fact("white") == "bob"
        other = f"opponent{ways}"
        if not is_white:
            talk.line(f"{other} e2e4")
        if ways % 2:
            talk.line("timer")
        for _ in range(0 if ways % 2 else 3):
            talk.line(f"bob {'e2e5' if is_white else 'e7e2'}")
        assert talk.fact("end") != "-"
        assert must_wait(talk, other) == 0
        ways += 1
    assert ways == 3
    assert must_wait(talk, "bob")


@pytest.mark.parametrize("word", ["abort", "resign"])
def test_who_leaves_silent_opponents_where_no_clock_runs_never_waits(word: str) -> None:
    talk = Conversation(in_order=False)
    for number in range(6):
        assert meet(talk, "alice", f"silent{number}", "")
        if talk.fact("white") == "alice":
            talk.line("alice e2e4")
        talk.line("wait 1m")
        talk.line(f"alice {word}")
    assert must_wait(talk, "alice") == 0


def test_a_rematch_with_a_friend_does_not_hide_the_games_that_were_called_off() -> None:
    talk, aborted = Conversation(in_order=False), 0
    assert meet(talk, "friend", "bob")
    talk.line("friend abort")
    between = talk.games[-1]
    while meet(talk, f"victim{aborted}", "bob"):
        talk.line("bob abort")
        aborted += 1
        number = talk.games.index(between) + 1
        for line in (f"friend rematch /g{number}", f"bob rematch /g{number}", "friend abort"):
            talk.line(line)
        between = talk.games[-1]
    assert aborted == 3


@pytest.mark.parametrize(
    ("offers", "after_seconds", "leaves", "is_charged"),
    [
        ("bob", 299, "2 x timer", False),
        ("bob", 5, "2 x timer", True),
        ("opponent#", 299, "bob abort", True),
    ],
)
def test_a_rematch_is_charged_to_who_agreed_to_it_just_now(
    offers: str, after_seconds: int, leaves: str, *, is_charged: bool
) -> None:
    talk = Conversation(in_order=False)
    for number in range(3):
        other = f"opponent{number}"
        assert meet(talk, other, "bob")
        white, black = (other, "bob") if talk.fact("white") == other else ("bob", other)
        first = offers.replace("#", str(number))
        second = other if first == "bob" else "bob"
        for line in (
            *(f"{white} e2e4", f"{black} e7e5", f"{second} resign", f"{first} rematch"),
            *(f"wait {after_seconds - 1}s", f"{second} rematch"),
            *([f"{other} e2e4"] if black == other else []),
            leaves,
        ):
            talk.line(line)
        assert "aborted" in talk.fact("end")
    assert (must_wait(talk, "bob") > 0) == is_charged


@scripts(
    """
# on a socket too who ends games early is told how long to wait
~a0 connect; ~bob connect
~bob resign > state 1-0 resignation | note | ~a0 5000 opponentresigned | ~bob ok resigned
~a1 connect; ~bob connect; ~bob resign; ~a2 connect; ~bob connect; ~bob resign
~bob connect > ~bob no: rate-limited: you ended several games before both had moved...
"""
)
def test_on_sockets(script: str) -> None:
    run(script)


SILENT = f"""
alice seek {{0}}; bob seek {{0}}; alice e2e4; bob e7e5; alice g1f3; wait {SILENT_MS // 1000 - 3}s
"""


@scripts(
    """
# who waits for a silent opponent gives notice and leaves and plays others
alice abort > alice !too-late
wait 3s; alice abort > state abort/w
wait 86398s; alice abort > alice !rate-limited
wait 1s; alice abort > state * aborted
= rated 0
alice seek blitz rated > alice queued
bob seek blitz rated > alice started | bob started | state

# the opponent turns the notice down by a word
wait 3s; alice abort; bob abort-decline > state
wait 1d; alice abort > alice !too-late

# or by a move
wait 3s; alice abort; bob b8c6 > state
wait 1d; alice abort > alice !too-late

# and can agree
wait 3s; alice abort; bob abort > state * aborted
""",
    SILENT.format("time=14d rated"),
)
def test_who_waits_for_a_silent_opponent(script: str) -> None:
    assert NOTICE_MS == 24 * 60 * 60 * 1000
    run(script)
    run(script.replace("time=14d rated", ""))
