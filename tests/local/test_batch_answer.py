"""What a function's answer means for its batch: AWS's list of successes and failures."""

import pytest

from local.event_source import failed_of

_BATCH = ("one", "two", "three")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        {"batchItemFailures": []},
        {"batchItemFailures": None},
        {"somethingElse": True},
    ],
)
def test_these_answers_mean_that_everything_succeeded(answer: object) -> None:
    assert failed_of(answer, _BATCH) == frozenset()


@pytest.mark.parametrize(
    "answer",
    [
        {"batchItemFailures": [{"itemIdentifier": ""}]},
        {"batchItemFailures": [{"itemIdentifier": None}]},
        {"batchItemFailures": [{"itemIdentifier": 7}]},
        {"batchItemFailures": [{"itemIdentifer": "one"}]},
        {"batchItemFailures": [{"itemIdentifier": "nobody"}]},
        {"batchItemFailures": [{"itemIdentifier": "one"}, {"itemIdentifier": ""}]},
        {"batchItemFailures": [{}]},
        {"batchItemFailures": ["one"]},
        {"batchItemFailures": "one"},
        {"batchItemFailures": {"itemIdentifier": "one"}},
        "done",
        [],
        7,
        True,
    ],
)
def test_these_answers_mean_that_everything_failed(answer: object) -> None:
    assert failed_of(answer, _BATCH) == frozenset(_BATCH)


@pytest.mark.parametrize(
    ("named", "failed"),
    [
        (["one"], {"one"}),
        (["three", "one"], {"one", "three"}),
        (["two", "two"], {"two"}),
        (["one", "two", "three"], {"one", "two", "three"}),
    ],
)
def test_a_proper_answer_fails_those_it_names_and_no_others(
    named: list[str], failed: set[str]
) -> None:
    answer = {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in named]}
    assert failed_of(answer, _BATCH) == failed
