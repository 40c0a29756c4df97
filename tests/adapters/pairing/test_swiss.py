"""The Swiss engine's pairings are those of a second engine: boards in order, colours and byes."""

from dataclasses import replace

import pytest

from arbiter.adapters.pairing.engine import Engine
from arbiter.adapters.pairing.swiss import pairs_of
from arbiter.core.tournaments.commands import NoPairings
from tests.adapters.pairing.recorded import Question, questions

_SOME = slice(0, None, 6)
"""Tournaments of `make test`; `pytest -m oracle` has all."""


def _paired(question: Question) -> tuple[tuple[tuple[int, int], ...] | None, int]:
    """By the engine with its judge: the other program's pairings break no rule of ours."""
    answer = Engine().pair(replace(question.tournament, field=question.present, by_player={}))
    if isinstance(answer, NoPairings):
        assert answer.is_impossible, answer.text
        return None, 0
    return answer.boards, next((bye.number for bye in answer.byes), 0)


@pytest.mark.parametrize(
    ("lines", "least"),
    [
        pytest.param(_SOME, 75, id="some"),
        pytest.param(slice(None), 470, id="all", marks=pytest.mark.oracle),
    ],
)
def test_recorded_rounds_are_paired_alike(lines: slice, least: int) -> None:
    compared = 0
    for question in questions(lines):
        asked = f"round {question.tournament.round} of {question.tournament.id}"
        assert (asked, *_paired(question)) == (asked, question.boards, question.bye)
        compared += 1

    assert compared >= least


def test_a_text_that_is_no_tournament_raises_what_is_caught() -> None:
    with pytest.raises(RuntimeError, match="no 001 records"):
        pairs_of("142 5", 1)
