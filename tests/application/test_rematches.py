"""The game after a game, and the end that it follows."""

import pytest

from tests.application.script import run

MATE = """
alice seek {0}; bob seek {0}; alice f2f3; bob e7e5; alice g2g4; x: bob d8h4
"""


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
