"""Bugs that are planted on purpose are found, and gone afterwards. `make sim-bugs` has them all."""

import pytest

from tests.simulation.bug_hunt import BY_NAME, hunt
from tests.simulation.bugs.bug import Bug
from tests.simulation.bugs.registry import BUGS
from tests.simulation.checker.verdict import Law


def test_there_are_forty_bugs_at_least_each_with_a_name_and_a_sentence() -> None:
    assert len(BUGS) >= 40
    assert len({bug.name for bug in BUGS}) == len({bug.sentence for bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_is_there_while_it_is_planted_and_gone_after(bug: Bug) -> None:
    before = [vars(owner)[name] for owner, name, _ in bug.changes]
    with bug.planted():
        planted = [vars(owner)[name] for owner, name, _ in bug.changes]
    after = [vars(owner)[name] for owner, name, _ in bug.changes]
    assert [(one, other) for one, other in zip(before, planted, strict=True) if one is other] == []
    assert [
        (one, other) for one, other in zip(before, after, strict=True) if one is not other
    ] == []


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("answer-before-commit", Law.STORED_BEFORE_SAID),
        ("resignation-wins", Law.OWN_HAND),
        ("rated-twice", Law.RATINGS),
        ("lobby-in-pieces", Law.PAIRING),
        ("known-by-its-body", Law.ORDERED),
    ],
)
def test_a_gross_bug_is_found_by_the_first_seeds(name: str, law: Law) -> None:
    assert law in hunt(BY_NAME[name], range(1, 31)).laws
