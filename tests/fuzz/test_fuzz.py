"""Random input is answered, the same in each run but for ``--hypothesis-profile thorough``; and
whether this would notice a fault.
"""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from arbiter.nostr.event import VerifiedEvent
from tests.fuzz.frames import bring, frames
from tests.fuzz.terminal import spend
from tests.fuzz.terminal_sessions import terminal_sessions
from tests.hostile.scenario import ENTRY_POINTS

_IS_SHORT = settings.get_current_profile_name() == "arbiter"
_QUICK = settings(
    suppress_health_check=[*HealthCheck],
    derandomize=_IS_SHORT,
    max_examples=60 if _IS_SHORT else settings().max_examples,
)


@pytest.mark.parametrize("entry_point", [*ENTRY_POINTS])
def test_random_input_is_answered_with_words_of_ours(entry_point: str) -> None:
    answers = Counter[str]()

    @_QUICK
    @given(frames(entry_point))
    def every(brought: tuple[bytes, ...]) -> None:
        answers.update(bring(entry_point, brought))

    every()

    # A hundred cases that all end alike would try next to nothing.
    assert len(answers) >= 4, answers


def test_a_random_evening_at_the_terminal_shows_words_of_ours() -> None:
    shown = Counter[str]()

    @_QUICK
    @given(terminal_sessions())
    def every(evening: tuple[object, ...]) -> None:
        shown.update(spend(evening))  # type: ignore[arg-type]

    every()

    assert len(shown) >= 4, shown


def test_a_forged_move_that_is_heeded_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzers fail when the arbiter does: here it takes every signature for good."""

    def believe(event: object) -> VerifiedEvent:
        return VerifiedEvent(**{name: getattr(event, name) for name in VerifiedEvent.__slots__})

    monkeypatch.setattr("arbiter.application.intake.event.verify", believe)

    @settings(_QUICK, max_examples=400, phases=(Phase.generate,), database=None)
    @given(frames("queue"))
    def every(brought: tuple[bytes, ...]) -> None:
        bring("queue", brought)

    with pytest.raises(AssertionError):
        every()
