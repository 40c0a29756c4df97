"""Players who end games before they began: how often they may, and who meets whom after that."""

import re

import pytest

from tests.application.script import Conversation

TERMS = "blitz rated"


def meet(talk: Conversation, one: str, other: str, terms: str = TERMS) -> bool:
    """Let both ask; whether they play each other now."""
    before = len(talk.games)
    for name in (one, other):
        talk.line(f"{name} seek {terms}")
    return len(talk.games) > before


def must_wait(talk: Conversation, name: str) -> int:
    """The seconds that this player must wait before they may ask; 0 if not at all."""
    talk.step(f"{name} seek {TERMS}", "last")
    text = talk.world.publisher.taken_events[-1].content
    talk.line(f"{name} cancel")
    found = re.fullmatch(r"error:rate-limited: .*ask again in (\d+) seconds", text)
    return int(found[1]) if found else 0


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
        talk.line(f"bob abort; victim{aborted} cancel")
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
