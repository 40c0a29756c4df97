"""The engine answers for every format, judges what it answers, and never raises."""

import hashlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from arbiter.adapters import pairing
from arbiter.adapters.pairing import arena, swiss
from arbiter.adapters.pairing.engine import Engine
from arbiter.core.game import Seat
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import (
    Board,
    BoardResult,
    Entry,
    Format,
    Phase,
    Round,
    Tournament,
)
from arbiter.dialects import trf
from tests.adapters.pairing.recorded import questions

MODEL = next(iter(questions(slice(0, 1)))).tournament


def tournament_of(
    format_: Format,
    *rounds: str,
    ratings: tuple[int, ...],
    forbidden: tuple[tuple[int, int], ...] = (),
) -> Tournament:
    """A tournament of so many players; each round in words, ``1-2`` (White won, for all)."""
    entries = tuple(
        Entry(number=number, seat=Seat(f"{number:064x}", "native"), rating=rating)
        for number, rating in enumerate(ratings, 1)
    )
    made = replace(
        MODEL,
        terms=replace(MODEL.terms, format=format_),
        entries=entries,
        forbidden=forbidden,
        phase=Phase.PLAYING if format_ is Format.ARENA else Phase.PAIRING,
        round=len(rounds) + 1,
        field=tuple(entry.number for entry in entries),
        by_player={},
    )
    for number, words in enumerate(rounds, 1):
        pairs = (word.split("-") for word in words.split())
        boards = tuple(
            Board(white=int(white), black=int(black), result=BoardResult.WHITE_WINS)
            for white, black in pairs
        )
        made = made.with_round(Round(number=number, boards=boards))
    return made


def boards_of(tournament: Tournament) -> set[tuple[int, int]]:
    answer = Engine().pair(tournament)
    assert isinstance(answer, Pairings), answer
    assert len(answer.boards) == len({number for pair in answer.boards for number in pair}) / 2
    return {*answer.boards}


def test_anybody_can_pair_a_round_again_from_its_text_whose_digest_is_the_rounds() -> None:
    for question in [*questions(slice(1, 3))]:
        asked = replace(question.tournament, field=question.present, by_player={})
        answer = Engine().pair(asked)
        assert isinstance(answer, Pairings)
        boards = tuple(Board(white=white, black=black) for white, black in answer.boards)
        planned = Round(number=answer.round, boards=boards, byes=answer.byes)
        later = replace(asked.with_round(planned), field=(), round=answer.round + 1, by_player={})

        text = trf.asked_text(later, answer.round)

        assert text
        assert answer.engine.startswith("gacrux 1.11.65")
        assert answer.digest == hashlib.sha256(text.encode()).hexdigest()
        entry = dict(re.findall(r"^### (\d+) (\d+)", text, re.MULTILINE))
        pairs = [
            [int(entry[str(it)]) for it in pair if it]
            for pair in swiss.pairs_of(text, answer.round)
        ]
        assert pairs == [*map(list, answer.boards), *([bye.number] for bye in answer.byes)]


@pytest.mark.parametrize("number", [-1, 0, 2])
def test_of_a_round_that_was_not_paired_there_is_no_text(number: int) -> None:
    assert trf.asked_text(tournament_of(Format.SWISS, "1-2", ratings=(1, 2)), number) is None


def test_where_forbidden_pairs_block_everything_no_pairing_is_legal() -> None:
    apart = tuple((one, other) for one in (1, 2, 3, 4) for other in (1, 2, 3, 4) if one < other)
    blocked = tournament_of(Format.SWISS, ratings=(2000, 1900, 1800, 1700), forbidden=apart)

    assert Engine().pair(blocked) == NoPairings(
        1, is_impossible=True, text="no legal pairing is left"
    )


@pytest.mark.parametrize("format_", [Format.ROUND_ROBIN, Format.KNOCKOUT])
def test_formats_without_a_library_are_paired_as_by_the_core(format_: Format) -> None:
    assert len(boards_of(tournament_of(format_, ratings=(1500,) * 8))) == 4


def _raise(*_: object) -> list[tuple[int, int]]:
    raise KeyError("inside the library")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (_raise, "the engine failed: KeyError"),
        (lambda *_: [], "the engine broke a rule: there is no board"),
        (lambda *_: [(1, 2), (1, 3), (4, 0)], "the engine broke a rule: 1 is there twice"),
        (lambda *_: [(1, 2), (3, 99)], "the engine failed: IndexError"),
        (lambda *_: [(2, 1), (3, 4)], "the engine broke a rule: 2 and 1 have met"),
    ],
)
def test_what_a_library_gets_wrong_is_no_pairing_and_says_why(
    monkeypatch: pytest.MonkeyPatch, found: Callable[..., list[tuple[int, int]]], text: str
) -> None:
    monkeypatch.setattr(swiss, "pairs_of", found)
    played = tournament_of(Format.SWISS, "1-2 3-4", ratings=(2000, 1900, 1800, 1700))

    answer = Engine().pair(played)

    assert answer == NoPairings(2, is_impossible=False, text=text)


@pytest.mark.parametrize(
    ("format_", "library"), [(Format.SWISS, "gacrux"), (Format.ARENA, "networkx")]
)
def test_an_engine_that_cannot_be_imported_is_named_and_the_other_formats_are_paired(
    monkeypatch: pytest.MonkeyPatch, format_: Format, library: str
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    for own in ("swiss", "arena"):
        monkeypatch.delitem(sys.modules, f"arbiter.adapters.pairing.{own}")
        monkeypatch.delattr(pairing, own)
    monkeypatch.setitem(sys.modules, library, None)

    answer = Engine().pair(tournament_of(format_, ratings=(1500,) * 4))

    assert isinstance(answer, NoPairings)
    assert answer.text.startswith(f"{library} cannot be imported: install")
    assert isinstance(
        Engine().pair(tournament_of(Format.ROUND_ROBIN, ratings=(1500,) * 4)), Pairings
    )


def test_where_no_pairing_is_legal_that_is_said() -> None:
    all_played = tournament_of(
        Format.SWISS, "1-2 3-4", "3-1 4-2", "1-4 2-3", ratings=(2000, 1900, 1800, 1700)
    )

    assert Engine().pair(all_played) == NoPairings(
        4, is_impossible=True, text="no legal pairing is left"
    )


# ---------------------------------------------------------------------------------------- arena
def test_those_near_each_other_in_an_arena_meet_unless_their_ratings_are_far_apart() -> None:
    equal = tournament_of(Format.ARENA, "1-3 2-4", ratings=(1500,) * 4)
    unequal = tournament_of(Format.ARENA, ratings=(3800, 100, 3800, 100))

    assert {frozenset(pair) for pair in boards_of(equal)} == {frozenset((1, 2)), frozenset((3, 4))}
    assert {frozenset(pair) for pair in boards_of(unequal)} == {
        *(frozenset((1, 3)), frozenset((2, 4)))
    }


def test_nobody_in_an_arena_meets_their_last_opponent_again_while_others_are_there() -> None:
    three = tournament_of(Format.ARENA, "1-2", ratings=(1500,) * 3)

    assert boards_of(replace(three, field=(1, 2), by_player={})) == set()
    assert len(boards_of(three)) == 1
    assert boards_of(three) <= {(3, 1), (2, 3)}


def test_two_who_are_alone_in_an_arena_go_on_with_colours_reversed() -> None:
    assert boards_of(tournament_of(Format.ARENA, "1-2", ratings=(1500, 1500))) == {(2, 1)}


def test_of_an_odd_number_the_one_waits_who_played_last() -> None:
    five = tournament_of(Format.ARENA, "1-2 3-4", "1-3", ratings=(1500,) * 5)

    assert {1, 2, 3, 4, 5} - {number for pair in boards_of(five) for number in pair} <= {1, 3}


def test_white_is_for_who_had_it_less_often_and_then_less_lately() -> None:
    played = tournament_of(Format.ARENA, "1-2", "3-1", "2-3", "4-1", ratings=(1500,) * 4)

    assert boards_of(replace(played, field=(1, 3), by_player={})) == {(1, 3)}


def test_pairs_that_are_kept_apart_do_not_meet_in_an_arena() -> None:
    two = tournament_of(Format.ARENA, ratings=(1500, 1500, 1500), forbidden=((2, 1),))

    assert boards_of(replace(two, field=(1, 2), by_player={})) == set()
    assert len(boards_of(two)) == 1


def test_a_crowd_is_paired_in_groups_all_of_it_and_the_same_each_time() -> None:
    crowd = tournament_of(Format.ARENA, ratings=tuple(1000 + 7 * at % 901 for at in range(131)))

    assert len(boards_of(crowd)) == 65
    assert Engine().pair(crowd) == Engine().pair(crowd)
    assert arena.MAX_GROUP <= 50
