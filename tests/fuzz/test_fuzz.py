"""A small, repeatable share of the fuzzing, and whether the fuzzers themselves would notice."""

from collections import Counter

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arbiter.nostr.event import VerifiedEvent
from tests.fuzz.results import Results
from tests.fuzz.run import CHOICES, SETTINGS, fuzz
from tests.fuzz.targets import TARGETS, Target

_QUICK = settings(SETTINGS, phases=(Phase.generate,))
_SMALL = settings(_QUICK, max_examples=30, derandomize=True)


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_random_input_is_answered_with_words_of_ours(name: str) -> None:
    target, answers = TARGETS[name], Counter[str]()

    @_SMALL
    @given(CHOICES)
    def every(octets: bytes) -> None:
        answers.update(target.run(target.of(octets)).split())

    every()

    # Thirty cases that all end alike would try next to nothing.
    assert len(answers) >= 4, answers


@settings(max_examples=20)
@given(st.binary(max_size=40))
def test_the_same_bytes_choose_the_same_case(octets: bytes) -> None:
    for target in TARGETS.values():
        assert target.of(octets) == target.of(octets + b"\0\0")


def test_what_a_target_raises_is_told_with_the_bytes_that_make_it_again() -> None:
    def run(number: int) -> str:
        assert number < 200, "too much"
        return "fine"

    results = Results()

    fuzz("broken", Target(lambda choices: choices.below(256), run), 1, results)

    ((_, told),) = results.findings.items()
    assert "AssertionError at tests/fuzz/test_fuzz.py" in told
    assert "too much" in told
    assert "TARGET=broken CASE=c8" in told  # 200 is the smallest that fails


def test_a_forged_move_that_is_heeded_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzers fail when the arbiter does: here it takes every signature for good."""

    def believe(event: object) -> VerifiedEvent:
        return VerifiedEvent(**{name: getattr(event, name) for name in VerifiedEvent.__slots__})

    monkeypatch.setattr("arbiter.application.intake.event.verify", believe)
    results = Results()

    fuzz("queue-bodies", TARGETS["queue-bodies"], 7, results, settings(_QUICK, max_examples=400))

    assert results.findings
