from arbiter.application.publish import publish_batches
from tests.builders import ALICE, SERVER, an_event


def test_a_response_goes_ahead_of_the_state_it_announces() -> None:
    told = [an_event(SERVER, 20301, name) for name in ("white", "black")]
    state, other = an_event(SERVER, 20302, "state"), an_event(SERVER, 20302, "of another game")

    assert publish_batches([(*told, state), (other,)]) == ((*told, other), (state,))


def test_what_is_said_twice_goes_once() -> None:
    state = an_event(ALICE, 20302, "state")

    assert publish_batches([(state,), (state,)]) == ((state,),)


def test_nothing_said_is_no_wave() -> None:
    assert publish_batches([(), ()]) == ()
