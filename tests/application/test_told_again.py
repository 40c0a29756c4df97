"""A relay that keeps ephemeral events brings those of a quarter of an hour to a listener that
starts: the state that each is about is published a few times, not once for each.
"""

from unittest.mock import Mock

import pytest

from arbiter.application.play.duplicates import SHOWN_AGAIN, TOLD_AGAIN_SECONDS
from tests.application.script import Conversation, run
from tests.fakes.rate_limits import FakeRateLimits


def shown(talk: Conversation, label: str) -> int:
    """The number of states that twenty copies of this event bring."""
    heard = [talk.step(f"again {label}", label)[0] for _ in range(20)]
    return sum(any("state" in word for word in words) for words in heard)


@pytest.mark.parametrize("said", ["x: white e2e4", "x: white e2e5", "white e2e4; x: alice seek"])
def test_copies_of_one_event_show_the_state_a_few_times_in_ten_seconds(said: str) -> None:
    talk = run(f"alice seek; bob seek; {said}")
    for _ in range(2):
        assert shown(talk, "x") == SHOWN_AGAIN
        talk.line(f"wait {TOLD_AGAIN_SECONDS}s")


def test_copies_of_many_moves_show_the_present_state_a_few_times() -> None:
    talk = run("alice seek; bob seek; a: white e2e4; b: black e7e5; c: white g1f3")
    assert sum(shown(talk, label) for label in "abc") == SHOWN_AGAIN
    talk.line("black b8c6")
    assert shown(talk, "a") == SHOWN_AGAIN, "another state is told of at once"


def test_while_nothing_can_be_counted_each_copy_is_answered() -> None:
    talk = run("alice seek; bob seek; x: white e2e4")
    counters = talk.world.deps.rate_limits
    assert isinstance(counters, FakeRateLimits)
    counters.hook = Mock(side_effect=OSError)
    assert shown(talk, "x") == 20
